"""A simulated hall on one machine: the real programs, with simulated players pressing buttons and moving discs."""
