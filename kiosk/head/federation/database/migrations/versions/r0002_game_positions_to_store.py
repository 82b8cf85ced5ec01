"""Move the positions of games in the venues' records to the store; index moves by game for all years.

Revision ID: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_MOVES = "year, game_id, ply, square, ms"
_UNKNOWN = sa.text("person_id IS NULL AND NOT is_team")


def upgrade() -> None:
    op.drop_table("cards")
    op.drop_table("journals")
    counted = "So many records of its tables were folded"
    op.add_column("venues", sa.Column("records", sa.Integer(), nullable=False, server_default="0", comment=counted))
    op.create_index("ix_players_unknown", "players", ["sought"], postgresql_where=_UNKNOWN, sqlite_where=_UNKNOWN)
    op.drop_index("ix_moves_game_id", "moves")
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "ALTER TABLE moves DROP CONSTRAINT pk_moves, ADD CONSTRAINT pk_moves PRIMARY KEY (game_id, ply, year)"
        )
        return
    op.rename_table("moves", "moves_before")
    op.create_table(
        "moves",
        sa.Column("year", sa.Integer(), nullable=False),
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("square", sa.String(length=2), nullable=False),
        sa.Column("ms", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_moves_game_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "ply", "year", name="pk_moves"),
    )
    op.execute(f"INSERT INTO moves ({_MOVES}) SELECT {_MOVES} FROM moves_before")
    op.drop_table("moves_before")
