"""The first tables. A new database is made from ``database_schema``, so this migration is never run: it is the name of
the version that databases were made with before the others.

Revision ID: 0001
"""

from __future__ import annotations

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Do nothing."""
