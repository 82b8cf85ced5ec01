"""Durable journal of one table: saved records are never lost (docs/reference/link-and-journal.md)."""
