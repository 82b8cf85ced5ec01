"""Rules of Othello, ChouChou and tournaments as pure functions.

No code in this package reads a clock, draws random numbers, starts threads, opens files or sockets, or logs.
"""
