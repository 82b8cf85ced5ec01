"""The device that a table is: its pins, display, number and key, supply and health."""
