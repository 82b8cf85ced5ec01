"""The device of a table: its pins, display, number and key, power supply and health."""
