"""The verifier's own reading of an event file.

The law: nothing here comes from ``engine.tournament``; a mistake there must not be able to hide itself here. Only what
the checks need is read, and scores are half points.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

#: games that did not take place: neither a meeting nor a colour
UNPLAYED = ("forfeit", "late", "not-played")


class UnreadableEventError(ValueError):
    """The object is no event file. The message names what is missing."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A player of the event; ``left`` is the last round he belongs to."""

    id: str
    seed: int | None
    lot: int | None
    league: str | None
    sex: str | None
    country: str | None
    absent: bool
    left: int | None


@dataclass(frozen=True, slots=True)
class Played:
    """A game as it is in the file."""

    black: str
    white: str
    stage: str
    league: str | None
    winner: str | None
    black_discs: int | None
    white_discs: int | None
    end: str | None

    @property
    def players(self) -> tuple[str, str]:
        return self.black, self.white

    @property
    def met(self) -> bool:
        return self.end not in UNPLAYED

    def points(self, player: str) -> int:
        if self.winner == "draw":
            return 1
        return 2 if self.winner == ("black" if player == self.black else "white") else 0

    def discs(self, player: str) -> int:
        """32 where only the winner was recorded."""
        discs = self.black_discs if player == self.black else self.white_discs
        return 32 if discs is None else discs

    def other(self, player: str) -> str:
        return self.white if player == self.black else self.black

    @property
    def won_by(self) -> str | None:
        return {"black": self.black, "white": self.white}.get(self.winner or "")

    @property
    def lost_by(self) -> str | None:
        return None if self.won_by is None else self.other(self.won_by)


@dataclass(frozen=True, slots=True)
class Free:
    """A bye."""

    player: str
    stage: str
    league: str | None


@dataclass(frozen=True, slots=True)
class PlayedRound:
    number: int
    games: tuple[Played, ...]
    byes: tuple[Free, ...]

    @property
    def players(self) -> list[str]:
        return [p for g in self.games for p in g.players] + [b.player for b in self.byes]

    @property
    def stages(self) -> set[str]:
        return {g.stage for g in self.games} | {b.stage for b in self.byes}


@dataclass(frozen=True, slots=True)
class Held:
    """An event that was held. ``teams``: player -> team. ``away``: round, or "*" -> who missed it.
    ``captains``: team -> its captain, the first player if none is named. ``orders``: (team, round) -> order sheet.
    ``staged``: whether any game of the file names its stage."""

    format: str
    options: Mapping[str, Any]
    entries: Mapping[str, Entry]
    rounds: tuple[PlayedRound, ...]
    teams: Mapping[str, str] = field(default_factory=dict)
    away: Mapping[str, frozenset[str]] = field(default_factory=dict)
    captains: Mapping[str, str] = field(default_factory=dict)
    orders: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    staged: bool = True

    def here(self, round_: int) -> set[str]:
        """Who belongs to a round by the list of players and the absences; late entries are not told apart."""
        gone = self.away.get("*", frozenset[str]()) | self.away.get(str(round_), frozenset[str]())
        return {
            e.id
            for e in self.entries.values()
            if not e.absent and (e.left is None or e.left >= round_) and e.id not in gone
        }


def read(data: Any) -> Held:
    """An event from the parsed JSON of an event file.

    :raises UnreadableEventError: if a part that the checks need is missing or of the wrong kind
    """
    try:
        entries = {str(p["id"]): _entry(p) for p in data["players"]}
        rounds = tuple(_round(r) for r in data.get("rounds") or ())
        teams = {str(p): str(t["id"]) for t in data.get("teams") or () for p in t.get("players") or ()}
        options = dict(data.get("options") or {})
        away = {str(number): _missing(names, teams) for number, names in (options.get("absences") or {}).items()}
        captains = {
            str(t["id"]): str(t.get("captain") or t["players"][0]) for t in data.get("teams") or () if t.get("players")
        }
        orders = {
            (str(t["id"]), str(number)): tuple(map(str, sheet))
            for t in data.get("teams") or ()
            for number, sheet in (t.get("orders") or {}).items()
        }
        staged = any(g.get("stage") for r in data.get("rounds") or () for g in r["games"])
        return Held(str(data["format"]), options, entries, rounds, teams, away, captains, orders, staged)
    except (KeyError, TypeError, AttributeError) as error:
        raise UnreadableEventError(f"the file is no event: {error!r}; check it with 'kiosk standings'") from None


def _missing(names: Iterable[str], teams: Mapping[str, str]) -> frozenset[str]:
    """Absences may name a team, which means its players."""
    listed = set(map(str, names))
    return frozenset(listed | {player for player, team in teams.items() if team in listed})


def _entry(p: Mapping[str, Any]) -> Entry:
    return Entry(
        str(p["id"]), p.get("seed"), p.get("lot"), p.get("league"), p.get("sex"), p.get("country"),
        bool(p.get("absent")), p.get("withdrawn_after_round"),
    )  # fmt: skip


def _round(r: Mapping[str, Any]) -> PlayedRound:
    games, byes = [], []
    for g in r["games"]:
        stage, league = g.get("stage") or "league", g.get("league")
        if g.get("bye") is not None:
            byes.append(Free(str(g["bye"]), stage, league))
        else:
            games.append(
                Played(
                    str(g["black"]), str(g["white"]), stage, league, g.get("winner"),
                    g.get("black_discs"), g.get("white_discs"), g.get("end"),
                )
            )  # fmt: skip
    return PlayedRound(int(r["round"]), tuple(games), tuple(byes))


@dataclass(frozen=True, slots=True)
class Past:
    """What had happened before a round, over the games of some stages."""

    points: Mapping[str, int]
    byes: Mapping[str, int]
    met: Mapping[frozenset[str], list[int]]


def past(held: Held, before: int, stages: Iterable[str] | None = None) -> Past:
    points = dict.fromkeys(held.entries, 0)
    byes = dict.fromkeys(held.entries, 0)
    met: dict[frozenset[str], list[int]] = {}
    for round_ in held.rounds[: before - 1]:
        for game in _of(round_.games, stages):
            for player in game.players:
                points[player] += game.points(player)
            if game.met:
                met.setdefault(frozenset(game.players), []).append(round_.number)
        for free in _of(round_.byes, stages):
            points[free.player] += 2
            byes[free.player] += 1
    return Past(points, byes, met)


def _of(items: Iterable[Any], stages: Iterable[str] | None) -> Iterator[Any]:
    wanted = None if stages is None else set(stages)
    return (item for item in items if wanted is None or item.stage in wanted)
