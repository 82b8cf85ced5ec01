"""The gathering: its divisions, rounds and games, worked out from what is stored."""
