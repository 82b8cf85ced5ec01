"""Main loop of the table: its input queue (``button_pipeline``), the handling of each item (``main_loop``), and
time-driven actions.
"""
