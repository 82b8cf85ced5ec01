"""What other programs may ask of a federation: all events of all venues and years as tables and views.

The law: it is made from the venues' rows alone, by the fold that the venue itself uses, and can be made again at any
time; nothing depends on it. What a division hides is not in it. It stands beside the store: in PostgreSQL as the schema
``federation``, else in a file of its own.
"""
