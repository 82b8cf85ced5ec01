"""The page of a person across venues and years: events, places, certificates, and the score against each opponent and
with each opening."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from starlette.responses import RedirectResponse, Response

from engine.i18n import say
from kiosk.head.errors import NotFound
from kiosk.head.federation.database import page_queries
from kiosk.head.federation.database.background_update import Projection
from kiosk.head.federation.database.person_registry_and_identity_decisions import entry_keys
from kiosk.head.web.form_player_and_result_parsing import number_in
from kiosk.head.web.page_routes_and_password_reentry import PageRoute
from kiosk.head.web.request_context_and_page_rendering import RequestContext

#: maximum length of a searched name
_TYPED = 60


def _search(visit: RequestContext) -> Response:
    typed = visit.query.get("name", "").strip()[:_TYPED].replace("\0", "")
    people = query(visit, page_queries.search, typed) if typed else ()
    entries = query(visit, page_queries.unidentified_entries, typed) if typed else ()
    projection(visit)
    return visit.show(
        "federation/people.html", title="persons", typed=typed, people=people, entries=entries, most=page_queries.MOST
    )


def _person_of(visit: RequestContext, name: str = "person") -> page_queries.Line:
    """Return the row of a person.

    :raises NotFound: there is no such person.
    """
    found = query(visit, page_queries.person, number_in(visit.path[name], 0))
    if found is None:
        raise NotFound(say("there is no such person; look by name"))
    return found


def _person(visit: RequestContext) -> Response:
    person = _person_of(visit)
    if person.merged_into is not None:
        return RedirectResponse(f"/people/{person.merged_into}", 302)
    entries = query(visit, page_queries.entries, person.id)
    scores = query(visit, page_queries.opponent_scores, person.id)
    lines = query(visit, page_queries.opening_scores, person.id)
    granted = query(visit, page_queries.person_certificates, person.id)
    keys = projection(visit).register.people.keys(person.id)
    own = [(entry_keys(row.venue, row.source, row.entry, None, None)[0], row) for row in entries]
    return visit.show(
        "federation/person.html",
        title="persons",
        person=person,
        entries=entries,
        scores=scores,
        lines=lines,
        granted=granted,
        numbers=[key for key in keys if not key.startswith("entry:")],
        own=own,
    )


def _against(visit: RequestContext) -> Response:
    person, other = _person_of(visit), _person_of(visit, "other")
    games = query(visit, page_queries.games_between, person.id, other.id)
    return visit.show("federation/against.html", title="persons", person=person, other=other, games=games)


ADDRESSES = [
    PageRoute("/people", _search),
    PageRoute("/people/{person}", _person, back="/people"),
    PageRoute("/people/{person}/against/{other}", _against, back="/people"),
]


# Functions shared by the pages of a federation.

T = TypeVar("T")


def projection(visit: RequestContext) -> Projection:
    """Return the federation's database.

    :raises NotFound: this head is not a federation's.
    """
    if visit.head.remote.projection is None:
        raise NotFound(say("this head does not collect from venues; see docs/setup/federation.md"))
    return visit.head.remote.projection


def query(visit: RequestContext, question: Callable[..., T], *about: object) -> T:
    """Return the answer of the federation's database.

    :raises NotFound: this head is not a federation's.
    """
    with projection(visit).engine.connect() as connection:
        return question(connection, *about)
