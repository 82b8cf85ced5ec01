"""Signals for the players besides the screen: beeps and lit buttons."""
