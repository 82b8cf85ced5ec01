"""Accounts, roles, sessions and rate limits: who acts at the head, and how that is proved."""
