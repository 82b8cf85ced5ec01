"""Main loop of the table: its input queue (``inbox``), the handling of each item (``program``), and time-driven
actions.
"""
