"""Identity review: possible matches by name, the decisions made, and their undoing.

No two entries are joined by name alone: a signed-in person decides, under their own name in the audit trail.
"""

from __future__ import annotations

from starlette.responses import Response

from engine.i18n import say
from kiosk.head.access.roles import Role
from kiosk.head.federation.database import page_queries
from kiosk.head.federation.database.person_registry_and_identity_decisions import entry_keys
from kiosk.head.pages.federation.person_search_and_record_page import projection, query
from kiosk.head.web.form_player_and_result_parsing import BadForm, number_in
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, form_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext

#: number of decisions listed; maximum length of a reason
_LISTED, _REASON = 50, 300


def _page(visit: RequestContext) -> Response:
    people = projection(visit).register.people
    entries, pairs = query(visit, page_queries.undecided_identities)
    asks = [(entry_keys(row.venue, row.source, row.entry, None, None)[0], row) for row in entries]
    two = [row for row in pairs if not people.are_distinct(row.one, row.two)][: page_queries.ASKED]
    decisions = people.decisions()[:_LISTED]
    return visit.show(
        "federation/identity_review.html", title="identities", entries=asks, pairs=two, decisions=decisions
    )


def _person(visit: RequestContext, name: str) -> int:
    found = number_in(visit.form[name], 0)
    if not found:
        raise BadForm(say("that is no number of a person; it stands beside the name"))
    return found


def _reason(visit: RequestContext) -> str:
    if not (reason := visit.form["reason"][:_REASON]):
        raise BadForm(say("say why; it stands in the audit trail"))
    return reason


def _join(visit: RequestContext) -> None:
    database = projection(visit)
    database.register.join(database.engine, visit.form["entry"], _person(visit, "person"))


def _make(visit: RequestContext) -> str:
    database = projection(visit)
    return f"/people/{database.register.make(database.engine, visit.form['entry'])}"


def _merge(visit: RequestContext) -> str:
    database = projection(visit)
    person = _person(visit, "person")
    database.register.merge(database.engine, person, _person(visit, "other"), _reason(visit))
    return f"/people/{person}"


def _separate_persons(visit: RequestContext) -> None:
    database = projection(visit)
    database.register.mark_distinct(database.engine, _person(visit, "person"), _person(visit, "other"))


def _separate(visit: RequestContext) -> str:
    database, key = projection(visit), visit.form["key"]
    person = database.register.separate(database.engine, _person(visit, "person"), [key], _reason(visit))
    return f"/people/{person}"


def _undo(visit: RequestContext) -> None:
    database = projection(visit)
    database.register.undo(database.engine, _person(visit, "number"), _reason(visit))


ADDRESSES = [
    PageRoute("/who", _page, Role.DESK),
    form_route("/who/join", _join, {"entry", "person"}, back="/who"),
    form_route("/who/new", _make, {"entry"}, back="/who"),
    form_route("/who/merge", _merge, {"person", "other", "reason"}, back="/who"),
    form_route("/who/apart", _separate_persons, {"person", "other"}, back="/who"),
    form_route("/who/separate", _separate, {"person", "key", "reason"}, back="/who"),
    form_route("/who/undo", _undo, {"number", "reason"}, back="/who"),
]
