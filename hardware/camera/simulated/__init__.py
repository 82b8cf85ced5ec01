"""Simulated camera: boards drawn from a seed, with fault injection."""
