"""The head table: it collects results, pairs rounds and shows the hall.

The law: everything the head knows is a function of two append-only lists in its store, the operator's events and the
tables' records. A result is acknowledged after its commit, and a head that was killed comes back with the same event.
"""
