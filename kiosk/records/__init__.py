"""Results files of other programs."""
