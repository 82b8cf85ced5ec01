"""Main loop of the table: its input queue (``input_queue``), the handling of each item (``main_loop``), and time-driven
actions.
"""
