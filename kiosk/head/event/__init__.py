"""The tournament's state: its divisions, rounds and games, derived from what is stored."""
