"""The forms of an arbiter's orders to one table, and their sending.

An order carries the revision of the game that the arbiter saw. Stopping, resuming and noting take one tap; any other
order has its own page; a grave one has a second page that shows its consequences, and only that page sends it.
"""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from engine.match.rulesets import rule_set
from engine.text import Text, say
from kiosk.head.access.rights import Role
from kiosk.head.errors import NotFound
from kiosk.head.pages.floor.all_tables import FloorTable
from kiosk.head.pages.floor.one_table import floor_table, rules_name
from kiosk.head.pages.floor.order_fields import BY_NAME, FIELDS, Act, body_of, named, possible_acts
from kiosk.head.web.address import Address, action
from kiosk.head.web.forms import BadForm, optional
from kiosk.head.web.labels import LABELS
from kiosk.head.web.visit import Visit

_REVISION = 0, 1_000_000


def _page(visit: Visit) -> Response:
    """Show the form of an order, on its own page so that no stray tap reaches a button of it."""
    act, table = _act(visit), floor_table(visit)
    possible = act in possible_acts(table.card, table.view)
    score = rule_set(rules_name(visit, table.card.game)).score
    return visit.show("floor/act.html", title="floor", table=table, act=act, possible=possible, score=score)


def _give(visit: Visit) -> Response:
    """Send the order, or first show the consequences of a grave one."""
    act, table = _act(visit), floor_table(visit)
    body = body_of(act, visit.form, rules_name(visit, table.card.game))
    if act.grave and visit.form["sure"] != "yes":
        sent = {name: value for name, value in visit.form.items() if name in FIELDS and value and name != "sure"}
        return visit.show(
            "floor/sure.html", title="floor", table=table, act=act, sent=sent, sentence=_consequence(table, body)
        )
    _send(visit, body)
    return _back(visit)


def _consequence(table: FloorTable, body: dict[str, object]) -> Text:
    """Return what the order will do, in words."""
    sides = table.view.sides
    loser = named(sides, str(body.get("loser", "")))
    winner = named(sides, str(body.get("winner", "")))
    discs = f"{body['black_discs']}–{body['white_discs']}" if "black_discs" in body else ""
    drawn = body["action"] == "result" and body["winner"] == "draw"
    text = LABELS["sure"]["draw" if drawn else str(body["action"])]
    return text(loser=loser.name if loser else "?", winner=winner.name if winner else "?", discs=discs)


def _hold(visit: Visit) -> str:
    visit.desk.orders.send(visit.path["table"], "hold", body={"reason": visit.form["reason"]})
    return _here(visit)


def _resume(visit: Visit) -> str:
    _send(visit, {"action": "resume", "reason": visit.form["reason"]})
    return _here(visit)


def _note(visit: Visit) -> str:
    visit.desk.orders.note(visit.path["table"], visit.form["text"][:1000])
    return _here(visit)


def _send(visit: Visit, body: dict[str, object]) -> None:
    revision = optional(visit.form, "revision", *_REVISION)
    if revision is None:
        raise BadForm(say("the form does not say which state of the game was looked at; open the table's page again"))
    visit.desk.orders.send(visit.path["table"], "arbiter", revision=revision, body=body)


def _act(visit: Visit) -> Act:
    act = BY_NAME.get(visit.path["act"])
    if act is None:
        raise NotFound(say("there is no such order; choose one from the table's page"))
    return act


def _here(visit: Visit) -> str:
    return f"/floor/{visit.path['table']}"


def _back(visit: Visit) -> Response:
    return RedirectResponse(_here(visit), 303)


_TABLE = "/floor/{table:int}"

ADDRESSES = [
    action(f"{_TABLE}/hold", _hold, {"reason"}, role=Role.ARBITER, back="/floor"),
    action(f"{_TABLE}/resume", _resume, {"reason", "revision"}, role=Role.ARBITER, back="/floor"),
    action(f"{_TABLE}/note", _note, {"text"}, role=Role.ARBITER, back="/floor"),
    Address(_TABLE + "/{act}", _page, Role.ARBITER, back="/floor"),
    Address(_TABLE + "/{act}", _give, Role.ARBITER, "POST", fields=FIELDS, back="/floor"),
]
