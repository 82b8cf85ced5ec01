"""The program of one table: clock, board sources, journal, arbiter's screen and display."""
