"""Arbiters' orders to tables, and their notes about games, some with a photograph.

An order names the game and the state of it that the operator saw; a table whose game has advanced refuses it. An order
that reaches its table too late has expired and is not carried out.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kiosk.head.desk.act_commit_and_games_claimed_by_tables import EventCore
from kiosk.head.errors import Conflict, HeadError
from kiosk.head.store import CommandRow, CommandStatus
from kiosk.head.store.hash_chain import OperatorEvent

#: seconds after which an arbiter's order expires; an assignment never does
ORDER_EXPIRES_S = 60
#: how many orders back a bulk order is searched: stopping and resuming 500 tables
MOST_ORDERS = 2000


@dataclass(frozen=True, slots=True)
class BulkOrder:
    """One order to all tables at once, with the tables' answers so far."""

    orders: Sequence[CommandRow]

    @property
    def kind(self) -> str:
        return self.orders[0].kind

    @property
    def at(self) -> str:
        return self.orders[-1].at

    @property
    def counts(self) -> dict[str, int]:
        """Return how many tables gave each answer."""
        return dict(Counter(order.status.value for order in self.orders))

    @property
    def applied(self) -> dict[int, str | None]:
        """Return the tables that carried it out, with their games."""
        return {order.table: order.game for order in self._with_status(CommandStatus.APPLIED)}

    @property
    def unanswered(self) -> list[int]:
        return [order.table for order in self._with_status(CommandStatus.SENT)]

    @property
    def refused(self) -> list[CommandRow]:
        return self._with_status(CommandStatus.REFUSED)

    @property
    def unreached(self) -> list[CommandRow]:
        """Return the orders that had expired when they arrived."""
        return self._with_status(CommandStatus.EXPIRED)

    def _with_status(self, status: CommandStatus) -> list[CommandRow]:
        return [order for order in self.orders if order.status is status]


class Orders:
    def __init__(self, core: EventCore) -> None:
        self._core = core

    def send(self, table: int, kind: str, *, revision: int | None = None, body: Mapping[str, object]) -> str:
        """Send an arbiter's order about the game at ``table``; return the command's id.

        :raises Conflict: no game is at that table.
        """
        core = self._core
        game = core.game_at(table)
        if game is None:
            raise Conflict.saying("no game is being played at table {table}; an order needs a game", table=table)
        if table not in core.tables:
            raise Conflict.saying("table {table} has no kiosk; go there", table=table)
        row = CommandRow(secrets.token_hex(8), table, kind, game.id, revision, ORDER_EXPIRES_S, dict(body))
        core.store.give([row]).result()
        core.signals.orders_queued((table,))
        core.signals.state_changed()
        return row.id

    def send_to_all(self, kind: str, tables: Iterable[int], body: Mapping[str, object]) -> str:
        """Send one order about the game of each table that has one; return the name of the bulk order."""
        core, lot = self._core, f"all-{secrets.token_hex(4)}"
        games, kiosks = {game.table: game.id for game in core.state.current if game.is_open}, frozenset(core.tables)
        reached = [table for table in tables if table in games and table in kiosks]
        rows = [
            CommandRow(f"{lot}-{table}", table, kind, games[table], None, ORDER_EXPIRES_S, dict(body))
            for table in reached
        ]
        core.store.give(rows).result()
        core.signals.orders_queued(reached)
        core.signals.state_changed()
        return lot

    def last_bulk_order(self, kind: str) -> BulkOrder | None:
        """Return the last order of this kind that went to all tables together."""
        rows = self._core.store.commands(limit=MOST_ORDERS)
        lots = [row for row in rows if row.kind == kind and row.id.startswith("all-")]
        last = [row for row in lots if row.id.rpartition("-")[0] == lots[-1].id.rpartition("-")[0]]
        return BulkOrder(last) if last else None

    def of_table(self, table: int) -> list[CommandRow]:
        """Return the last orders of arbiters to a table, the latest first."""
        rows = self._core.store.commands(table, limit=40)
        return [row for row in rows if row.kind not in ("assign", "withdraw")][::-1]

    def note(self, table: int, text: str, photograph: Mapping[str, str] | None = None) -> None:
        """Write an arbiter's note about a table and its game to the audit trail; it changes nothing. ``photograph`` of
        the board: its ``name``, which is its hash, and the ``cells`` read.

        :raises HeadError: it is empty.
        """
        if not text.strip() and photograph is None:
            raise HeadError.saying("the note is empty; write what happened")
        game = self._core.game_at(table)
        body = {"table": table, "game": game.id if game else None, "text": text.strip()}
        self._core.append_note("order-note", body | ({} if photograph is None else {"photograph": photograph}))

    def counted(self, game: str) -> tuple[int, int] | None:
        """Return black's and white's discs in the last photograph kept of this game, if every square was read: a
        proposal that a person compares with the result slip.
        """
        boards = [
            event.body["photograph"]["cells"]
            for event in self._core.events
            if event.kind == "order-note" and event.body["game"] == game and "photograph" in event.body
        ]
        return (boards[-1].count("X"), boards[-1].count("O")) if boards and "?" not in boards[-1] else None

    def notes(self, table: int) -> list[OperatorEvent]:
        """Return the notes about a table, the latest first."""
        notes = [one for one in self._core.events if one.kind == "order-note" and one.body["table"] == table]
        return notes[::-1]
