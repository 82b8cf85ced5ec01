"""Deterministic simulation of a whole tournament day on virtual time.

- The product's own code runs (table loop, journal, link, store, desk, pairing); simulated are only players, discs,
  wires, disks, power and people.
- One process, one thread of control, no wall clock, and randomness only from the seed: the same seed gives the same
  day, to the nanosecond.
"""
