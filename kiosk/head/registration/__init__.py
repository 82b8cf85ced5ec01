"""Setting up a division: its kind and format options, import of player lists, lots."""
