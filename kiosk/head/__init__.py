"""The head: the server that collects results, pairs rounds and shows the tournament.

Everything the head knows is a function of two append-only lists in its store: the desk's events and the tables'
records. A result is acknowledged after its commit, so a head that was killed restarts with the same state.
"""
