"""A season's ranking by rules that are data (``seasons`` in head.toml).

The law: the rules stand in the file and nowhere else. Only people are ranked: an entry of nobody known is counted and
named as such. Points are integers in halves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from kiosk.head.federation.database.ask import Result
from kiosk.toml import read_toml

_Points = Annotated[int, Meta(ge=0, le=100_000)]
_Key = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,40}$")]


class Points(msgspec.Struct, forbid_unknown_fields=True):
    """``place``: for 1st, 2nd, 3rd …; equal places get the same. ``win``: for each game won, half of it for a draw."""

    place: list[_Points] = []
    win: _Points = 0


class Ranking(msgspec.Struct, forbid_unknown_fields=True, rename={"first": "from", "last": "to"}):
    """``formats``, ``venues``: empty: all. ``entrants``: smaller divisions do not count. ``best``: so many results of a
    person count; 0: all. ``players``: so many qualify; 0: none by points. ``qualify``: who was granted this does."""

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
    ranking: list[Ranking] = []


def load_seasons(path: Path) -> list[Ranking]:
    """:raises UnusableInput: the file cannot be used."""
    return read_toml(path, Seasons).ranking


@dataclass(frozen=True, slots=True)
class Line:
    """``halves``: points, in halves; ``results``: so many of his count, of ``entered``. ``by``: what he was granted."""

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
    """A ranking as it was made from what ``stamp`` stands for. ``unknown``: so many entries of nobody with a number."""

    stamp: tuple[int, ...]
    lines: Sequence[Line]
    unknown: int


def ranking_of(rules: Ranking, results: Sequence[Result]) -> list[Line]:
    """Everybody with a result that counts, the most points first; who has as many shares the rank, and who shares the
    last place that qualifies qualifies."""
    of_person: dict[int, list[Result]] = {}
    for result in results:
        if result.entrants >= rules.entrants:
            of_person.setdefault(result.person, []).append(result)
    scored = []
    for person, own in of_person.items():
        points = sorted((_halves(rules.points, result) for result in own), reverse=True)
        counted = points[: rules.best or None]
        granted = tuple(kind for kind in rules.qualify if any(kind in result.granted for result in own))
        last = max(own, key=lambda result: result.day)
        scored.append((sum(counted), person, last.name, len(counted), len(own), min(r.rank for r in own), granted))
    scored.sort(key=lambda one: (-one[0], one[2], one[1]))
    lines, rank, before = [], 0, None
    for number, (halves, person, name, counted_results, entered, best_rank, granted) in enumerate(scored, start=1):
        rank = rank if halves == before else number
        before = halves
        qualified = bool(granted) or rank <= rules.players
        lines.append(Line(rank, person, name, halves, counted_results, entered, best_rank, granted, qualified))
    return lines


def _halves(points: Points, result: Result) -> int:
    place = points.place[result.rank - 1] if result.rank <= len(points.place) else 0
    return 2 * place + points.win * round(2 * result.wins)
