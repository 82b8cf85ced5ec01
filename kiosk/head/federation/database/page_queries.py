"""Queries of the pages to the federation's database.

Queries use the views, so a page shows what another program would get. Every query has a limit on its rows, and an
index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, text

from engine.board.errors import BoardError
from engine.board.opening_recognition import Opening, openings, recognise
from engine.board.transcript import parse_transcript
from engine.i18n import Text
from engine.tournament import TournamentError
from kiosk.head.errors import HeadError
from kiosk.head.event.act_types import event_of
from kiosk.head.publish.published_event import Book, PublishedDivision, book_of
from kiosk.records.japanese_name_search_and_order import HIRAGANA, search_key

_KATAKANA = {hiragana: katakana for katakana, hiragana in HIRAGANA.items()}
#: rows that a search shows; undecided identities that are shown at once
MOST, ASKED = 60, 30
Line = Row[Any]
Found = Sequence[Line]


def ask(c: Connection, query: str, **values: object) -> Found:
    """Return the rows of a query. PostgreSQL takes no text with a zero character, which an address may contain."""
    sent = {name: one.replace("\0", "\ufffd") if isinstance(one, str) else one for name, one in values.items()}
    return c.execute(text(query), sent).all()


# events


def years(c: Connection) -> list[int]:
    """Return the years that have events, the last first."""
    return [year for (year,) in ask(c, "SELECT DISTINCT year FROM event ORDER BY year DESC")]


@dataclass(frozen=True, slots=True)
class EventSummary:
    """An event of a list, with its divisions."""

    event: Line
    divisions: list[Line]


def calendar(c: Connection, year: int | None, venue: str = "") -> list[EventSummary]:
    """Return the events, of one year and of one venue if they are named, the last first."""
    here = [f"{name} = :{name}" for name, value in (("year", year), ("venue", venue)) if value not in (None, "")]
    query = f"SELECT * FROM event WHERE {' AND '.join(here)} ORDER BY day DESC, venue, trail"
    events = ask(c, query, year=year, venue=venue)
    of_event: dict[int, list[Line]] = {event.event_id: [] for event in events}
    if events:
        ids = ", ".join(str(int(id)) for id in of_event)
        query = (
            "SELECT d.*, (SELECT min(s.name) FROM standing s WHERE s.division_id = d.division_id AND s.rank = 1 "
            f"AND s.is_over) AS winner FROM division d WHERE d.event_id IN ({ids}) ORDER BY d.division_id"
        )
        for division in ask(c, query):
            of_event[division.event_id].append(division)
    return [EventSummary(event, of_event[event.event_id]) for event in events]


def venues(c: Connection) -> Found:
    """Return the venues that have events: how many, and the date of the last one."""
    return ask(c, "SELECT venue, count(*) AS events, max(day) AS last FROM event GROUP BY venue ORDER BY venue")


def book(c: Connection, venue: str, trail: str) -> Book | None:
    """Return an event in the form that its pages and files use; None: there is none such."""
    found = ask(c, "SELECT * FROM event WHERE venue = :venue AND trail = :trail", venue=venue, trail=trail)
    if not found:
        return None
    event = found[0]
    rows = ask(c, "SELECT * FROM divisions WHERE event_id = :event ORDER BY id", event=event.event_id)
    divisions = []
    for row in rows:
        try:
            made = event_of(msgspec.json.decode(row.file))
            divisions.append(PublishedDivision(row.slug, (row.title_ja, row.title_en), made))
        except (HeadError, TournamentError, ValueError):
            continue  # an event file of another version; its rows are in the views
    return book_of(divisions, event.name, str(event.day), event.place)


# people


#: a part of a name, its reading in either kana, or its Latin letters; the text typed is ``_typed_parts``
_SOUGHT = (
    "({of}sought LIKE :sought OR replace({of}kana, ' ', '') LIKE :sought OR replace({of}kana, ' ', '') LIKE :katakana "
    "OR replace(lower({of}latin), ' ', '') LIKE :sought)"
)


def _typed_parts(typed: str) -> dict[str, str]:
    key = search_key(typed)
    return {"sought": f"%{key}%", "katakana": f"%{key.translate(_KATAKANA)}%"}


def search(c: Connection, typed: str) -> Found:
    """Find persons with a federation number by a part of the name, its reading or its Latin letters."""
    return ask(
        c,
        f"SELECT *, id AS person_id FROM persons WHERE merged_into IS NULL AND {_SOUGHT.format(of='')} "
        f"AND name <> '' ORDER BY name, id LIMIT {MOST}",
        **_typed_parts(typed),
    )


def unidentified_entries(c: Connection, typed: str) -> Found:
    """Find entries without a known person, as ``search`` does."""
    return ask(
        c,
        "SELECT p.entry, d.source, p.name, p.kana, p.grade, e.venue, e.trail, e.day, e.name AS event, d.slug "
        "FROM players p JOIN divisions d ON d.id = p.division_id JOIN events e ON e.id = d.event_id "
        "JOIN event v ON v.event_id = e.id WHERE p.person_id IS NULL AND NOT p.is_team "
        f"AND {_SOUGHT.format(of='p.')} ORDER BY e.day DESC, p.id LIMIT {MOST}",
        **_typed_parts(typed),
    )


def person(c: Connection, id: int) -> Line | None:
    """Return a person, including one that was merged into another."""
    return next(iter(ask(c, "SELECT * FROM persons WHERE id = :id", id=id)), None)


def entries(c: Connection, id: int) -> Found:
    """Return a person's entries with their places, the last first."""
    return ask(
        c,
        "SELECT p.player_id, p.name, p.grade, p.national, p.wof, p.day, p.venue, p.division, d.title_ja, d.title_en, "
        "d.entrants, d.is_over, e.trail, e.name AS event, s.rank, s.wins, pl.entry, dv.source "
        "FROM player p JOIN division d ON d.division_id = p.division_id JOIN event e ON e.event_id = p.event_id "
        "JOIN players pl ON pl.id = p.player_id JOIN divisions dv ON dv.id = p.division_id "
        "LEFT JOIN standings s ON s.player_id = p.player_id WHERE p.person_id = :id ORDER BY p.day DESC, p.player_id",
        id=id,
    )


def person_certificates(c: Connection, id: int) -> Found:
    """Return a person's certificates, the last first."""
    query = "SELECT * FROM certificate WHERE person_id = :id AND kind <> 'place' ORDER BY day DESC, division_id, kind"
    return ask(c, query, id=id)


@dataclass(frozen=True, slots=True)
class OpponentScore:
    """Score against one opponent (``id`` None: not a known person), or with one opening."""

    id: int | None
    name: str | Text
    won: int
    lost: int
    drawn: int

    @property
    def games(self) -> int:
        return self.won + self.lost + self.drawn


_HIS = (
    "SELECT 'black' AS colour, white_person AS other, white AS name, g.* FROM game g WHERE black_person = :id "
    "UNION ALL SELECT 'white', black_person, black, g.* FROM game g WHERE white_person = :id"
)


_SCORE = (
    "sum(CASE WHEN winner = colour THEN 1 ELSE 0 END) AS won, "
    "sum(CASE WHEN winner <> colour AND winner <> 'draw' THEN 1 ELSE 0 END) AS lost, "
    "sum(CASE WHEN winner = 'draw' THEN 1 ELSE 0 END) AS drawn "
)


def opponent_scores(c: Connection, id: int) -> list[OpponentScore]:
    """Return a person's score against every opponent, the most frequent first."""
    query = (
        "SELECT other, CASE WHEN other IS NULL THEN name ELSE '' END AS unknown, min(name) AS name, "
        f"{_SCORE}FROM ({_HIS}) his WHERE winner IS NOT NULL AND name IS NOT NULL GROUP BY 1, 2"
    )
    found = [OpponentScore(row.other, row.name, row.won, row.lost, row.drawn) for row in ask(c, query, id=id)]
    return sorted(found, key=lambda one: (-one.games, str(one.name)))


#: openings that a page shows, and the number of moves after which no opening has a name
SHOWN, NAMED = 20, max(opening.plies for opening in openings())


def opening_scores(c: Connection, id: int) -> list[OpponentScore]:
    """Return a person's score by opening, the most frequent first; ``name`` is a text. Games that may not be shown, and
    those without a named opening, are left out.
    """
    query = (
        f"SELECT substr(transcript, 1, {2 * NAMED}) AS line, {_SCORE}"
        f"FROM ({_HIS}) his WHERE winner IS NOT NULL AND transcript IS NOT NULL GROUP BY 1"
    )
    found: dict[str, OpponentScore] = {}
    for row in ask(c, query, id=id):
        if (opening := _opening(row.line)) is not None:
            had = found.get(opening.transcript, OpponentScore(None, opening.name, 0, 0, 0))
            found[opening.transcript] = OpponentScore(
                None, had.name, had.won + row.won, had.lost + row.lost, had.drawn + row.drawn
            )
    return sorted(found.values(), key=lambda one: (-one.games, str(one.name)))[:SHOWN]


@lru_cache(maxsize=20_000)
def _opening(line: str) -> Opening | None:
    try:
        return recognise(parse_transcript(line))
    except BoardError:
        return None


def games_between(c: Connection, id: int, other: int) -> Found:
    """Return the games of two persons against each other, the last first; ``format``: that of the division."""
    query = (
        f"SELECT his.*, e.trail, e.name AS event, d.format FROM ({_HIS}) his "
        "JOIN event e ON e.event_id = his.event_id JOIN division d ON d.division_id = his.division_id "
        "WHERE other = :other ORDER BY his.day DESC, his.round DESC LIMIT 500"
    )
    return ask(c, query, id=id, other=other)


# identities


def undecided_identities(c: Connection) -> tuple[Found, Found]:
    """Return what the staff has to decide: entries without a person that have a known person's name; and persons of the
    same name whose numbers allow that they are one.
    """
    entries = ask(
        c,
        "SELECT p.entry, d.source, p.name, p.kana, p.grade, e.venue, e.trail, e.day, e.name AS event, "
        "o.id AS person_id, o.kana AS his_kana, o.grade AS his_grade, o.national, o.wof "
        "FROM players p JOIN persons o ON o.sought = p.sought AND o.merged_into IS NULL AND o.name <> '' "
        "JOIN divisions d ON d.id = p.division_id JOIN events e ON e.id = d.event_id "
        "JOIN event v ON v.event_id = e.id WHERE p.person_id IS NULL AND NOT p.is_team "
        f"ORDER BY e.day DESC, p.id, o.id LIMIT {ASKED}",
    )
    pair = (
        "SELECT a.id AS one, b.id AS two, a.name, a.kana, a.grade, a.national, a.wof, b.kana AS other_kana, "
        "b.grade AS other_grade, b.national AS other_national, b.wof AS other_wof "
        "FROM persons a JOIN persons b ON b.sought = a.sought AND a.id < b.id "
        "WHERE a.merged_into IS NULL AND b.merged_into IS NULL AND a.name <> '' AND b.name <> '' "
        "AND (a.wof IS NULL OR b.wof IS NULL) "
    )
    # most pairs of the same name both have a number, so the query starts from the few without one
    either = f"{pair} AND a.national IS NULL UNION ALL {pair} AND a.national IS NOT NULL AND b.national IS NULL"
    pairs = ask(c, f"SELECT * FROM ({either}) both_ways ORDER BY name, one, two LIMIT {10 * ASKED}")
    return entries, pairs
