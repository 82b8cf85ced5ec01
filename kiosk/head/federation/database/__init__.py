"""The federation's database for other programs: all events of all venues and years as tables and views.

It is derived from the venues' rows alone, by the fold that the venue itself uses, and can be rebuilt at any time;
nothing depends on it. What a division hides is not in it. It lies beside the store: in PostgreSQL as the schema
``federation``, else in a file of its own.
"""
