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
from kiosk.head.event.publication_redaction_and_latin_names import redact_event
from kiosk.head.event.tournament_state import DivisionState, TournamentState
from kiosk.head.publish.published_event import Book, PublishedDivision, book_of
from kiosk.locale import ENGLISH, JAPANESE, render
from kiosk.records.elo_result_file_writer import EloHeader, file_name
from kiosk.records.rating_list_numbers_and_names import latin_name

#: the name of a tournament of several divisions that nobody has named
_UNNAMED = say("Othello tournament")
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
    name = state.title or render(_UNNAMED, JAPANESE)
    english = state.name_en or ("" if state.title else render(_UNNAMED, ENGLISH))
    book = book_of(divisions, name, state.date, state.place, english)
    if public:
        return book
    seal, logo = (f"/organiser/{name}.jpg" if name else "" for name in (state.seal, state.logo))
    return replace(book, organiser=state.organiser, seal=seal, logo=logo)


def _division(desk: Desk, division: DivisionState, public: bool) -> PublishedDivision:
    state = desk.state
    day, named = state.date, f"{state.date} {len(state.divisions)} {state.name} {state.name_en}"
    with _LOCK:
        known = _KNOWN.get((division.slug, public))
    if known is not None and known[0] is division and known[1] == named and known[2].endings is desk.endings:
        return known[2]
    rule, event = division.spectators, state.named_event(division)
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
        raise HeadError.saying(
            "the pages of division '{slug}' cannot be made: {error}", slug=division.slug, error=error
        ) from error
    with _LOCK:
        _KNOWN[division.slug, public] = division, named, made
    return made


def rating_list_header(state: TournamentState, division: DivisionState, country: str, sender: str) -> EloHeader:
    """Return what the file for the rating list says besides the event. Its title is used where the event's name is not
    in Latin letters: the words that are.
    """
    name, division_name = _latin_words(state.title), _latin_words(division.title[1] or division.title[0])
    return EloHeader(country, sender, f"{name} {division_name if len(state.divisions) > 1 or not name else ''}".strip())


def rating_list_files(state: TournamentState) -> dict[str, str]:
    """Return the name of each division's file for the rating list, by slug. In a long name the division, which is at
    its end, is cut off; its slug ends the name then."""
    found: dict[str, str] = {}
    for slug, division in state.divisions.items():
        event, title = state.named_event(division), rating_list_header(state, division, "", "").title or slug
        name = file_name(event, title)
        found[slug] = file_name(event, title, slug) if name in found.values() else name
    return found


def _latin_words(name: str) -> str:
    words = " ".join(word for word in name.split() if latin_name(word, "", "ascii"))
    return words if any(letter.isalpha() for letter in words) else ""


def _title(division: DivisionState) -> tuple[str, str]:
    ja, en = division.title
    name = division.event.name or division.slug
    return ja or en or name, en or ja or name
