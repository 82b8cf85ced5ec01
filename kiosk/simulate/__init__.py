"""A whole tournament day on virtual time: the product's own code in a world that one seed decides.

The law: inside runs what runs in a hall (table loop, journal, link, store, desk, pairing); simulated is only what lies
outside it (fingers, discs, wires, disks, power, people). One process, one thread of control, no wall clock, no chance
but the seed's: the same seed is the same day, to the nanosecond.
"""
