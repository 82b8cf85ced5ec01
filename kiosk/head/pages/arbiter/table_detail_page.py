"""The page of one table for the arbiter: clocks, board, the violations found, the state of the device, and the orders
given."""

from __future__ import annotations

from engine.board.color import Color
from engine.board.position import Position
from kiosk.head.access.roles import Role, has_role
from kiosk.head.pages.arbiter.arbiter_order_forms_page import possible_orders, variant_of
from kiosk.head.pages.arbiter.table_list_and_stop_all_page import FloorTable, floor_table
from kiosk.head.web.page_routes_and_password_reentry import live_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext


def _items(visit: RequestContext) -> dict[str, str]:
    table = floor_table(visit)
    number = table.card.number
    rows, notes = visit.desk.orders.of_table(number), visit.desk.orders.notes(number)
    may_order = has_role(visit.session, Role.ARBITER)
    acts = possible_orders(table.card, table.view) if table.has_kiosk else []
    return {
        "game": visit.draw("arbiter/_game.html", table=table, challenge=_challenge(visit, table)),
        "acts": visit.draw("arbiter/_acts.html", table=table, acts=acts, may_order=may_order),
        "orders": visit.draw("arbiter/_orders.html", table=table, rows=rows[:12], notes=notes[:12]),
        "done": visit.draw("arbiter/_actions_at_tables.html", done=visit.head.tables.acts.of_table(number)[:8]),
        "health": visit.draw("arbiter/_health.html", table=table, health=table.view.inside.health),
    }


def _challenge(visit: RequestContext, table: FloorTable) -> dict[str, object] | None:
    """Return what the arbiter needs for a ruling on a challenge: the turn in words and pictures, and the legal moves of
    the mover (K-11; always shown to the arbiter)."""
    challenge = table.view.inside.challenge
    if challenge is None:
        return None
    mover = Color(challenge.by).opponent
    legal_moves: tuple[str, ...] = ()
    if challenge.before is not None and "?" not in challenge.before:
        position = Position.from_cells(challenge.before, mover, variant_of(visit, table.card.game))
        legal_moves = position.geometry.names(position.legal_moves())
    return {"turn": challenge, "mover": mover.value, "legal_moves": legal_moves}


ADDRESSES = [
    live_route(
        "/floor/{table:int}", _items, title="floor", template="arbiter/table.html", role=Role.SIGNED_IN, back="/floor"
    ),
]
