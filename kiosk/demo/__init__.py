"""A whole hall on one machine: the real programs, with simulated hands at the buttons and discs on the boards."""
