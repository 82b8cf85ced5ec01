"""Main loop of the table: its inbox (``button_processing_and_inbox``), the handling of each item (``main_loop``), and
time-driven actions.
"""
