"""Orders of an arbiter to a table.

The law: an order names the game, and the state of it that the operator saw; a table that has moved on refuses it. An
order that reaches its table late is stale and is not carried out.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from kiosk.head.desk.core import Core
from kiosk.head.errors import Conflict
from kiosk.head.store import CommandRow

#: an arbiter's order that reaches its table later than this is stale; an assignment never is
ORDER_EXPIRES_S = 60


class Orders:
    def __init__(self, core: Core) -> None:
        self._core = core

    def send(self, table: int, kind: str, *, revision: int | None = None, body: Mapping[str, Any]) -> str:
        """Sends an arbiter's order about the game at ``table``; gives the command's id.

        :raises Conflict: no game is at that table.
        """
        core = self._core
        game = core.game_at(table)
        if game is None:
            raise Conflict(f"no game is being played at table {table}; an order needs a game")
        if table not in core.tables:
            raise Conflict(f"table {table} has no kiosk; go there")
        row = CommandRow(secrets.token_hex(8), table, kind, game.id, revision, ORDER_EXPIRES_S, dict(body))
        core.store.command(row).result()
        core.on_order(table)
        core.on_change()
        return row.id

    def recent(self) -> list[CommandRow]:
        """The last orders with the tables' answers, the latest first."""
        return self._core.store.commands(limit=30)[::-1]
