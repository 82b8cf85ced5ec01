"""Identity review: possible matches by name, the decisions made, and their undoing.

No two entries are joined by name alone: a signed-in person decides, under their own name in the audit trail.
"""

from __future__ import annotations

from starlette.responses import Response

from engine.text import say
from kiosk.head.access.rights import Role
from kiosk.head.federation.database import ask
from kiosk.head.federation.people import keys_of
from kiosk.head.pages.federation.common import asked, number, projection
from kiosk.head.web.address import Address, action
from kiosk.head.web.forms import BadForm
from kiosk.head.web.visit import Visit

#: number of decisions listed; maximum length of a reason
_LISTED, _REASON = 50, 300


def _who(visit: Visit) -> Response:
    people = projection(visit).register.people
    entries, pairs = asked(visit, ask.questions)
    asks = [(keys_of(row.venue, row.source, row.entry, None, None)[0], row) for row in entries]
    two = [row for row in pairs if not people.told_apart(row.one, row.two)][: ask.ASKED]
    decisions = people.decisions()[:_LISTED]
    return visit.show("federation/who.html", title="identities", entries=asks, pairs=two, decisions=decisions)


def _person(visit: Visit, name: str) -> int:
    found = number(visit.form[name])
    if not found:
        raise BadForm(say("that is no number of a person; it stands beside the name"))
    return found


def _reason(visit: Visit) -> str:
    if not (reason := visit.form["reason"][:_REASON]):
        raise BadForm(say("say why; it stands in the audit trail"))
    return reason


def _join(visit: Visit) -> None:
    database = projection(visit)
    database.register.join(database.engine, visit.form["entry"], _person(visit, "person"))


def _make(visit: Visit) -> str:
    database = projection(visit)
    return f"/people/{database.register.make(database.engine, visit.form['entry'])}"


def _merge(visit: Visit) -> str:
    database = projection(visit)
    person = _person(visit, "person")
    database.register.merge(database.engine, person, _person(visit, "other"), _reason(visit))
    return f"/people/{person}"


def _apart(visit: Visit) -> None:
    database = projection(visit)
    database.register.tell_apart(database.engine, _person(visit, "person"), _person(visit, "other"))


def _separate(visit: Visit) -> str:
    database, key = projection(visit), visit.form["key"]
    person = database.register.separate(database.engine, _person(visit, "person"), [key], _reason(visit))
    return f"/people/{person}"


def _undo(visit: Visit) -> None:
    database = projection(visit)
    database.register.undo(database.engine, _person(visit, "number"), _reason(visit))


ADDRESSES = [
    Address("/who", _who, Role.DESK),
    action("/who/join", _join, {"entry", "person"}, back="/who"),
    action("/who/new", _make, {"entry"}, back="/who"),
    action("/who/merge", _merge, {"person", "other", "reason"}, back="/who"),
    action("/who/apart", _apart, {"person", "other"}, back="/who"),
    action("/who/separate", _separate, {"person", "key", "reason"}, back="/who"),
    action("/who/undo", _undo, {"number", "reason"}, back="/who"),
]
