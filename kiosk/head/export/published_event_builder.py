"""Builds the book that is published and printed, from the divisions' state.

A division's part is computed once for each of its states. The public book contains nothing that spectators may not see.
"""

from __future__ import annotations

import threading
from dataclasses import replace

from engine.i18n import say
from engine.tournament import TournamentError
from kiosk.head.desk import Desk
from kiosk.head.errors import HeadError
from kiosk.head.event.publication_rules import redact_event
from kiosk.head.event.tournament_state import DivisionState
from kiosk.head.publish.published_event import Book, PublishedDivision, book_of

_LOCK = threading.Lock()
_KNOWN: dict[tuple[str, bool], tuple[DivisionState, str, PublishedDivision]] = {}


def public_book(desk: Desk) -> Book:
    """Return the tournament as it may be published."""
    return _book(desk, public=True)


def staff_book(desk: Desk) -> Book:
    """Return the tournament with the names as entered, for prints."""
    return _book(desk, public=False)


def _book(desk: Desk, *, public: bool) -> Book:
    state = desk.state
    divisions = [_division(desk, division, public) for division in state.divisions.values()]
    book = book_of(divisions, state.title, state.date, state.place)
    if public:
        return book
    seal, logo = (f"/organiser/{name}.jpg" if name else "" for name in (state.seal, state.logo))
    return replace(book, organiser=state.organiser, seal=seal, logo=logo)


def _division(desk: Desk, division: DivisionState, public: bool) -> PublishedDivision:
    day = desk.state.date
    with _LOCK:
        known = _KNOWN.get((division.slug, public))
    if known is not None and known[0] is division and known[1] == day and known[2].endings is desk.endings:
        return known[2]
    rule, event = division.spectators, division.whole()
    try:
        ranking = desk.ask_ranking(division.slug).result() if division.rounds else None
        made = PublishedDivision(
            division.slug,
            _title(division),
            redact_event(event, rule, over=ranking is not None and ranking.over, day=day) if public else event,
            standings=None if ranking is None else ranking.standings,
            endings=desk.endings,
        )
    except TournamentError as error:
        raise HeadError(
            say("the pages of division '{slug}' cannot be made: {error}", slug=division.slug, error=error)
        ) from error
    with _LOCK:
        _KNOWN[division.slug, public] = division, day, made
    return made


def _title(division: DivisionState) -> tuple[str, str]:
    ja, en = division.title
    name = division.event.name or division.slug
    return ja or en or name, en or ja or name
