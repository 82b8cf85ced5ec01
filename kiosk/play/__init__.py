"""``kiosk play``: one game at one table from a script, without pins, clocks or threads (CONTRACT.md, table script)."""
