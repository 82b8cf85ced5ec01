"""Accounts, roles, sessions and limits: who acts at the head, and how that is proved."""
