"""The list of all tables, the most urgent first, under the calls for an arbiter; and the two orders to all tables.

An order to all tables takes two taps: one opens it, one sends it. Resuming all affects only the tables that the last
order to all has stopped; a table stopped for another reason waits for its own ruling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kiosk.head.access.roles import Role, has_role
from kiosk.head.desk.arbiter_orders_and_notes import BulkOrder
from kiosk.head.errors import NotFound
from kiosk.head.tables.public_and_arbiter_table_cards import TableCard, arbiter_cards
from kiosk.head.tables.table_alerts import Alert, Severity, alerts_of, usual_program, worst_first
from kiosk.head.tables.table_view_data import TableView
from kiosk.head.web.page_routes_and_password_reentry import form_route, live_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext


@dataclass(frozen=True, slots=True)
class FloorTable:
    """A table on the floor. ``view`` is the complete live view, also where the card shows another game."""

    card: TableCard
    view: TableView
    concerns: tuple[Alert, ...]
    has_kiosk: bool

    @property
    def level(self) -> str:
        return max((concern.level for concern in self.concerns), default=Severity.OK).name.lower()

    @property
    def called(self) -> bool:
        return self.card.view.called_ms is not None


def floor_tables(visit: RequestContext) -> list[FloorTable]:
    """Return every table of the hall, the most urgent first."""
    live_hall, kiosks = visit.head.tables.live, frozenset(visit.desk.tables)
    views = {view.number: view for view in live_hall.views()}
    usual = usual_program(list(views.values()))
    tables = {}
    for card in arbiter_cards(visit.hall, visit.desk, live_hall):
        view = views.get(card.number, card.view)
        names = {side.id: side.name for side in card.sides}  # as this reader is shown them
        view = replace(view, sides=tuple(replace(side, name=names.get(side.id, side.name)) for side in view.sides))
        concerns = alerts_of(view, usual) if card.number in kiosks else ()
        tables[card.number] = FloorTable(card, view, concerns, card.number in kiosks)
    ordered = worst_first((table.view, table.concerns) for table in tables.values())
    return [tables[view.number] for view, _ in ordered]


def floor_table(visit: RequestContext) -> FloorTable:
    """Return the table of the address.

    :raises NotFound: there is no such table.
    """
    number = visit.path["table"]
    for table in floor_tables(visit):
        if table.card.number == number:
            return table
    raise NotFound.saying("there is no table {number} in this hall; choose one from the list", number=number)


def calls(visit: RequestContext) -> list[TableCard]:
    """Return the tables that wait for an arbiter, the longest waiting first."""
    cards = arbiter_cards(visit.hall, visit.desk, visit.head.tables.live)
    return [card for card in cards if card.view.called_ms is not None]


def _items(visit: RequestContext) -> dict[str, str]:
    tables, bulk_order = floor_tables(visit), _last_bulk_order(visit)
    cards = [table.card for table in tables]
    bar = visit.draw(
        "arbiter/_orders_to_all_tables.html", running=_running_tables(visit), stopped=_stopped_together(visit, cards),
        bulk_order=bulk_order, silent=_silent(bulk_order, tables), may_order=has_role(visit.session, Role.ARBITER),
    )  # fmt: skip
    waiting = visit.draw("arbiter/_calls.html", calls=calls(visit), from_desk=False)
    rows = {f"table-{table.card.number}": visit.draw("arbiter/_row.html", table=table) for table in tables}
    return {"all": bar, "calls": waiting, **rows}


def _running_tables(visit: RequestContext) -> list[int]:
    """Return the tables whose clock runs, or may run as far as this head knows."""
    desk = visit.desk
    games = {game.table: game.id for game in desk.state.current if game.is_open and game.table is not None}
    return visit.head.tables.live.running({table: games[table] for table in desk.tables if table in games})


def _stopped_together(visit: RequestContext, cards: Sequence[TableCard]) -> list[int]:
    """Return the tables that the last order to all has stopped and that are still stopped. One that was resumed, or
    whose player stopped the clock since, waits for its own ruling.
    """
    last_stop, last_resume = (visit.desk.orders.last_bulk_order(kind) for kind in ("hold", "arbiter"))
    stopped = last_stop.applied if last_stop else {}
    resumed = last_resume.applied if last_stop and last_resume and last_resume.at > last_stop.at else {}
    return sorted(
        card.number
        for card in cards
        if card.phase == "HOLD" and card.view.called_ms is None and card.game
        and stopped.get(card.number) == card.game.id != resumed.get(card.number)
    )  # fmt: skip


def _last_bulk_order(visit: RequestContext) -> BulkOrder | None:
    """Return the last order to all tables, to stop or to resume."""
    orders = [one for kind in ("hold", "arbiter") if (one := visit.desk.orders.last_bulk_order(kind))]
    return max(orders, key=lambda one: one.at, default=None)


def _silent(bulk_order: BulkOrder | None, tables: Sequence[FloorTable]) -> list[int]:
    """Return the tables that did not answer the order and are not connected, so that somebody has to walk there."""
    links = {table.card.number: table.view.link for table in tables}
    return [table for table in bulk_order.unanswered if links.get(table) != "ok"] if bulk_order else []


def _stop_all(visit: RequestContext) -> None:
    visit.desk.orders.send_to_all("hold", _running_tables(visit), {"reason": visit.form["reason"]})


def _resume_all(visit: RequestContext) -> None:
    numbers = _stopped_together(visit, arbiter_cards(visit.hall, visit.desk, visit.head.tables.live))
    visit.desk.orders.send_to_all("arbiter", numbers, {"action": "resume", "reason": visit.form["reason"]})


ADDRESSES = [
    live_route("/floor", _items, title="floor", template="arbiter/floor.html", role=Role.SIGNED_IN),
    form_route("/floor/stop-all", _stop_all, {"reason"}, role=Role.ARBITER, back="/floor"),
    form_route("/floor/resume-all", _resume_all, {"reason"}, role=Role.ARBITER, back="/floor"),
]
