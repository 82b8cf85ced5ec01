"""Alembic's environment: ``place`` provides the connection, and commits."""

from __future__ import annotations

from alembic import context

from kiosk.head.federation.database.database_schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
