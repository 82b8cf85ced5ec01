"""The head's backup: made, kept up to date on a second disk, and restored."""
