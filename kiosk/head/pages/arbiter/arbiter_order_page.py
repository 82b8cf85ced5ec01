"""The forms of an arbiter's orders to one table, and their sending.

An order carries the revision of the game that the arbiter saw. Stopping, resuming and noting take one tap; any other
order has its own page; a grave one has a second page that shows its consequences, and only that page sends it.
"""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from engine.i18n import Text, say
from engine.match.rule_sets_and_options import rule_set
from kiosk.head.access.roles import Role
from kiosk.head.errors import NotFound
from kiosk.head.pages.arbiter.arbiter_order_fields import (
    BY_NAME,
    FIELDS,
    OrderForm,
    named_side,
    order_body,
    possible_orders,
)
from kiosk.head.pages.arbiter.table_detail_page import floor_table, rules_name, variant_of
from kiosk.head.pages.arbiter.table_list_and_stop_all_page import FloorTable
from kiosk.head.web.bilingual_labels import LABELS
from kiosk.head.web.form_parsing import BadForm, parse_optional_int
from kiosk.head.web.page_route_handling import PageRoute, form_route
from kiosk.head.web.request_context import RequestContext

_REVISION = 0, 1_000_000


def _page(visit: RequestContext) -> Response:
    """Show the form of an order, on its own page so that no stray tap reaches a button of it."""
    act, table = _order_form(visit), floor_table(visit)
    possible = act in possible_orders(table.card, table.view)
    score = rule_set(rules_name(visit, table.card.game)).score
    total = variant_of(visit, table.card.game).total
    return visit.show(
        "arbiter/act.html", title="floor", table=table, act=act, possible=possible, score=score, total=total
    )


def _send_order(visit: RequestContext) -> Response:
    """Send the order, or first show the consequences of a grave one."""
    act, table = _order_form(visit), floor_table(visit)
    game = table.card.game
    body = order_body(act, visit.form, rules_name(visit, game), variant_of(visit, game).total)
    if act.grave and visit.form["sure"] != "yes":
        sent = {name: value for name, value in visit.form.items() if name in FIELDS and value and name != "sure"}
        sentence = _consequence(table, body, variant_of(visit, game).total)
        return visit.show("arbiter/confirm.html", title="floor", table=table, act=act, sent=sent, sentence=sentence)
    _send(visit, body)
    return RedirectResponse(_table_address(visit), 303)


def _consequence(table: FloorTable, body: dict[str, object], total: int) -> Text:
    """Return what the order will do, in words."""
    sides = table.view.sides
    loser = named_side(sides, str(body.get("loser", "")))
    winner = named_side(sides, str(body.get("winner", "")))
    counts = [str(body[name]) for name in ("black_discs", "white_discs") if name in body]
    discs = "–".join(reversed(counts) if body.get("winner") == "white" else counts)  # the winner's first
    drawn = body["action"] == "result" and body["winner"] == "draw"
    text = LABELS["confirm"]["draw" if drawn else str(body["action"])]
    return text(loser=loser.name if loser else "?", winner=winner.name if winner else "?", discs=discs, total=total)


def _hold(visit: RequestContext) -> str:
    visit.desk.orders.send(visit.path["table"], "hold", body={"reason": visit.form["reason"]})
    return _table_address(visit)


def _resume(visit: RequestContext) -> str:
    _send(visit, {"action": "resume", "reason": visit.form["reason"]})
    return _table_address(visit)


def _note(visit: RequestContext) -> str:
    visit.desk.orders.note(visit.path["table"], visit.form["text"][:1000])
    return _table_address(visit)


def _send(visit: RequestContext, body: dict[str, object]) -> None:
    revision = parse_optional_int(visit.form, "revision", *_REVISION)
    if revision is None:
        raise BadForm(say("the form does not say which state of the game was looked at; open the table's page again"))
    visit.desk.orders.send(visit.path["table"], "arbiter", revision=revision, body=body)


def _order_form(visit: RequestContext) -> OrderForm:
    act = BY_NAME.get(visit.path["act"])
    if act is None:
        raise NotFound(say("there is no such order; choose one from the table's page"))
    return act


def _table_address(visit: RequestContext) -> str:
    return f"/floor/{visit.path['table']}"


_TABLE = "/floor/{table:int}"

ADDRESSES = [
    form_route(f"{_TABLE}/hold", _hold, {"reason"}, role=Role.ARBITER, back="/floor"),
    form_route(f"{_TABLE}/resume", _resume, {"reason", "revision"}, role=Role.ARBITER, back="/floor"),
    form_route(f"{_TABLE}/note", _note, {"text"}, role=Role.ARBITER, back="/floor"),
    PageRoute(_TABLE + "/{act}", _page, Role.ARBITER, back="/floor"),
    PageRoute(_TABLE + "/{act}", _send_order, Role.ARBITER, "POST", fields=FIELDS, back="/floor"),
]
