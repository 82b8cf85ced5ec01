"""The arbiter's screen at the table: the arbiter opens it with a PIN, reads the game's state, gives
orders and resumes the game.
"""
