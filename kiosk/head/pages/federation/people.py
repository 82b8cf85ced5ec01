"""The page of a person across venues and years: events, places, certificates, and the score against each opponent and
with each opening."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from engine.text import say
from kiosk.head.errors import NotFound
from kiosk.head.federation.database import ask
from kiosk.head.federation.people import keys_of
from kiosk.head.pages.federation.common import asked, number, projection
from kiosk.head.web.address import Address
from kiosk.head.web.visit import Visit

#: maximum length of a searched name
_TYPED = 60


def _search(visit: Visit) -> Response:
    typed = visit.query.get("name", "").strip()[:_TYPED].replace("\0", "")
    people, entries = (asked(visit, ask.search, typed), asked(visit, ask.unknown, typed)) if typed else ((), ())
    projection(visit)
    return visit.show(
        "federation/people.html", title="persons", typed=typed, people=people, entries=entries, most=ask.MOST
    )


def _person_of(visit: Visit, name: str = "person") -> ask.Line:
    """Return the row of a person.

    :raises NotFound: there is no such person.
    """
    found = asked(visit, ask.person, number(visit.path[name]))
    if found is None:
        raise NotFound(say("there is no such person; look by name"))
    return found


def _person(visit: Visit) -> Response:
    person = _person_of(visit)
    if person.merged_into is not None:
        return RedirectResponse(f"/people/{person.merged_into}", 302)
    entries = asked(visit, ask.entries, person.id)
    scores = asked(visit, ask.against, person.id)
    lines = asked(visit, ask.openings_of, person.id)
    granted = asked(visit, ask.granted, person.id)
    keys = projection(visit).register.people.keys(person.id)
    own = [(keys_of(row.venue, row.source, row.entry, None, None)[0], row) for row in entries]
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


def _against(visit: Visit) -> Response:
    person, other = _person_of(visit), _person_of(visit, "other")
    games = asked(visit, ask.games_between, person.id, other.id)
    return visit.show("federation/against.html", title="persons", person=person, other=other, games=games)


ADDRESSES = [
    Address("/people", _search),
    Address("/people/{person}", _person, back="/people"),
    Address("/people/{person}/against/{other}", _against, back="/people"),
]
