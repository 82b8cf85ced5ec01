"""The two ends of the link as they run: the head's endpoint and its cables, the table's link, a table without a key."""
