"""The head's backup: made by hand, kept up to date on a second disk, and restored."""
