"""Season rankings by rules from a file (``seasons`` in head.toml; docs/reference/federation-database.md shows one).

All rules are in the file. Only known persons are ranked: other entries are counted and reported as such. Points are
integers in halves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta
from sqlalchemy import Connection

from kiosk.head.federation.database.page_queries import ask
from kiosk.typed_toml_reader import read_toml

_Points = Annotated[int, Meta(ge=0, le=100_000)]
_Key = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,40}$")]


class Points(msgspec.Struct, forbid_unknown_fields=True):
    """Points of a division. ``place``: for 1st, 2nd, 3rd …; equal places get the same. ``win``: for each game won, half
    of it for a draw.
    """

    place: list[_Points] = []
    win: _Points = 0


class SeasonRules(msgspec.Struct, forbid_unknown_fields=True, rename={"first": "from", "last": "to"}):
    """Rules of one ranking. ``formats``, ``venues``: empty: all. ``entrants``: smaller divisions do not count.
    ``best``: number of a person's results that count; 0: all. ``players``: number that qualify by points; 0: none.
    ``qualify``: a certificate that qualifies.
    """

    key: _Key
    title_ja: str
    title_en: str
    first: date
    last: date
    formats: list[str] = []
    venues: list[str] = []
    entrants: int = 0
    best: int = 0
    players: int = 0
    qualify: list[Literal["oza", "title", "grade", "place"]] = []
    points: Points = msgspec.field(default_factory=Points)


class Seasons(msgspec.Struct, forbid_unknown_fields=True):
    ranking: list[SeasonRules] = []


def load_seasons(path: Path) -> list[SeasonRules]:
    """Read the rules of rankings.

    :raises InputError: the file cannot be used.
    """
    return read_toml(path, Seasons).ranking


class PersonResult(NamedTuple):
    """One person's result in one division. ``granted``: kinds of certificates."""

    person: int
    name: str
    rank: int
    wins: float
    entrants: int
    granted: frozenset[str]
    day: date


@dataclass(frozen=True, slots=True)
class SeasonRow:
    """One row of a ranking. ``halves``: points, in halves; ``results``: number of counting results, of ``entered``.
    ``by``: the certificate that qualified.
    """

    rank: int
    person: int
    name: str
    halves: int
    results: int
    entered: int
    best_rank: int
    by: tuple[str, ...]
    qualified: bool

    @property
    def points(self) -> str:
        return f"{self.halves // 2}{'.5' if self.halves % 2 else ''}"


@dataclass(frozen=True, slots=True)
class Season:
    """A ranking computed for the database state ``stamp``. ``unknown``: number of entries without a known person."""

    stamp: tuple[int, ...]
    lines: Sequence[SeasonRow]
    unknown: int


def ranking_of(rules: SeasonRules, results: Sequence[PersonResult]) -> list[SeasonRow]:
    """Rank everybody with a counting result, the most points first; equal points share the rank, and all who share the
    last qualifying rank qualify.
    """
    of_person: dict[int, list[PersonResult]] = {}
    for result in results:
        if result.entrants >= rules.entrants:
            of_person.setdefault(result.person, []).append(result)
    scored: list[SeasonRow] = []
    for person, own in of_person.items():
        points = sorted((_halves(rules.points, result) for result in own), reverse=True)
        counted = points[: rules.best or None]
        granted = tuple(kind for kind in rules.qualify if any(kind in result.granted for result in own))
        last, best_rank = max(own, key=lambda result: result.day), min(result.rank for result in own)
        row = SeasonRow(0, person, last.name, sum(counted), len(counted), len(own), best_rank, granted, bool(granted))
        scored.append(row)
    scored.sort(key=lambda row: (-row.halves, row.name, row.person))
    lines: list[SeasonRow] = []
    for number, row in enumerate(scored, start=1):
        rank = lines[-1].rank if lines and lines[-1].halves == row.halves else number
        lines.append(replace(row, rank=rank, qualified=row.qualified or rank <= rules.players))
    return lines


def _halves(points: Points, result: PersonResult) -> int:
    place = points.place[result.rank - 1] if result.rank <= len(points.place) else 0
    return 2 * place + points.win * round(2 * result.wins)


def results(c: Connection, rules: SeasonRules) -> tuple[list[PersonResult], int]:
    """Return the results of persons in finished divisions, and the number of entries without a person."""
    within, wanted = _condition(c, rules)
    rows = ask(
        c,
        "SELECT s.person_id, s.name, s.rank, s.wins, d.entrants, s.division_id, d.day FROM division d "
        f"JOIN standing s ON s.division_id = d.division_id WHERE {within}",
        **wanted,
    )
    kinds = ask(
        c,
        "SELECT c.division_id, c.person_id, c.kind FROM division d "
        f"JOIN certificate c ON c.division_id = d.division_id WHERE c.person_id IS NOT NULL AND {within}",
        **wanted,
    )
    granted: dict[tuple[int, int], set[str]] = {}
    for division, person, kind in map(tuple, kinds):
        granted.setdefault((division, person), set()).add(kind)
    found = [
        PersonResult(person, name, rank, wins, entrants, frozenset(granted.get((division, person), ())), day)
        for person, name, rank, wins, entrants, division, day in map(tuple, rows)
        if person is not None
    ]
    return found, len(rows) - len(found)


def stamp(c: Connection, rules: SeasonRules) -> tuple[int, int, int]:
    """Return a value that changes whenever the results of these divisions may have changed."""
    within, wanted = _condition(c, rules)
    query = (
        "SELECT count(*) AS divisions, sum(d.division_id) AS ids, sum(e.entries) AS entries FROM division d "
        f"JOIN events e ON e.id = d.event_id WHERE {within}"
    )
    (found,) = ask(c, query, **wanted)
    return found.divisions, int(found.ids or 0), int(found.entries or 0)


def _condition(c: Connection, rules: SeasonRules) -> tuple[str, Mapping[str, str]]:
    """Return the SQL condition for a season's divisions, with its values."""
    wanted = {"first": rules.first.isoformat(), "last": rules.last.isoformat()}
    kind = "date" if c.dialect.name == "postgresql" else "text"
    query = f"d.is_over AND d.day BETWEEN CAST(:first AS {kind}) AND CAST(:last AS {kind})"
    for column, names in (("format", rules.formats), ("venue", rules.venues)):
        if names:
            values = {f"{column}{number}": name for number, name in enumerate(names)}
            query += f" AND d.{column} IN ({', '.join(f':{name}' for name in values)})"
            wanted |= values
    return query, wanted
