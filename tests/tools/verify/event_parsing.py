"""The verifier's view of an event file.

The syntax is read by the common reader; the meaning is implemented again here, without rules of ``engine.tournament``,
so that an error there cannot go undetected. Scores are half points.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import asdict

from engine.i18n import text_of
from kiosk.records.event_file import EntryLine, PlayerLine, RoundLine, read_file

#: results of games that did not take place: they count neither as a meeting nor as a colour
UNPLAYED = ("forfeit", "late", "not-played")


#: RULES.md 1.4: the squares of boards that have not 64
TOTALS = {"6x6": 36, "10x10": 100, "88": 88, "nip-octagon": 52}


class UnreadableEventError(ValueError):
    """Error for an unreadable event file. The message names the faulty field."""


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game as in the file."""

    black: str
    white: str
    stage: str
    league: str | None
    winner: str | None
    black_discs: int | None
    white_discs: int | None
    end: str | None
    total: int
    forfeit_discs: int

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
        """Return the player's discs where only the winner was recorded: half of the board, or all and none if the loser
        did not come (AMB-05, AMB-09).
        """
        discs = self.black_discs if player == self.black else self.white_discs
        if discs is None and self.won_by and self.end in ("forfeit", "late"):
            return self.forfeit_discs if player == self.won_by else self.total - self.forfeit_discs
        return self.total // 2 if discs is None else discs

    def other(self, player: str) -> str:
        return self.white if player == self.black else self.black

    @property
    def double_forfeit(self) -> bool:
        """Neither came: both lose, without discs."""
        return self.winner == "neither"

    @property
    def won_by(self) -> str | None:
        return {"black": self.black, "white": self.white}.get(self.winner or "")

    @property
    def lost_by(self) -> str | None:
        return None if self.won_by is None else self.other(self.won_by)


@dataclass(frozen=True, slots=True)
class ParsedBye:
    """A bye."""

    player: str
    stage: str
    league: str | None


@dataclass(frozen=True, slots=True)
class PlayedRound:
    number: int
    games: tuple[PlayedGame, ...]
    byes: tuple[ParsedBye, ...]

    @property
    def players(self) -> list[str]:
        return [p for g in self.games for p in g.players] + [b.player for b in self.byes]

    @property
    def stages(self) -> set[str]:
        return {g.stage for g in self.games} | {b.stage for b in self.byes}


@dataclass(frozen=True, slots=True)
class ParsedEvent:
    """A finished event. ``teams``: player -> team. ``away``: round, or "*" -> absent players. ``captains``: team -> its
    captain, the first player if none is named. ``orders``: (team, round) -> order sheet. ``staged``: whether any game
    of the file names its stage.
    """

    format: str
    options: Mapping[str, Any]
    entries: Mapping[str, PlayerLine]
    rounds: tuple[PlayedRound, ...]
    teams: Mapping[str, str] = field(default_factory=dict)
    away: Mapping[str, frozenset[str]] = field(default_factory=dict)
    captains: Mapping[str, str] = field(default_factory=dict)
    orders: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    staged: bool = True

    @property
    def total(self) -> int:
        """The squares of the board, which the discs of a game add up to."""
        return _total(self.options)

    def share(self, discs: int) -> int:
        """Return these discs of 64 as a share of the board, rounded up (AMB-48)."""
        return math.ceil(discs * self.total / 64)

    def kept_apart(self, round_: int) -> list[Any]:
        """Return the constraints for several rounds that apply to this one."""
        return [w for w in self.options.get("apart", ()) if w.first <= round_ and (w.last is None or round_ <= w.last)]

    @property
    def no_shows(self) -> set[str]:
        """Return the absent players who have met nobody and had no bye."""
        present = {n for r in self.rounds for g in r.games if g.met for n in g.players}
        present |= {b.player for r in self.rounds for b in r.byes}
        return {e.id for e in self.entries.values() if e.absent} - present

    def here(self, round_: int) -> set[str]:
        """Return who belongs to a round by the list of players and the absences; late entries are not distinguished."""
        away = self.away.get("*", frozenset[str]()) | self.away.get(str(round_), frozenset[str]())
        return {
            e.id
            for e in self.entries.values()
            if not e.absent
            and (e.withdrawn_after_round is None or e.withdrawn_after_round >= round_)
            and e.id not in away
        }


def read(data: object) -> ParsedEvent:
    """Return an event from the parsed JSON of an event file.

    :raises UnreadableEventError: it is not one, with the path of the faulty field
    """
    try:
        file = read_file(data)
    except ValueError as error:
        raise UnreadableEventError(text_of(error)) from None
    teams = {player: team.id for team in file.teams for player in team.players}
    options = {name: value for name, value in asdict(file.options).items() if value is not None}
    total = _total(options)
    return ParsedEvent(
        file.format,
        options,
        {line.id: line for line in file.players},
        tuple(_round(line, total, options.get("forfeit_discs") or total) for line in file.rounds),
        teams,
        {number: _missing(names, teams) for number, names in options["absences"].items()},
        {team.id: team.captain or team.players[0] for team in file.teams if team.players},
        {(team.id, number): sheet for team in file.teams for number, sheet in team.orders.items()},
        staged=any(line.stage for round_ in file.rounds for line in round_.games),
    )


def _total(options: Mapping[str, Any]) -> int:
    return TOTALS.get(options.get("variant") or "", 64)


def _missing(names: Iterable[str], teams: Mapping[str, str]) -> frozenset[str]:
    """Return the absent players; a team's name in absences means its players."""
    listed = set(names)
    return frozenset(listed | {player for player, team in teams.items() if team in listed})


def _result(line: EntryLine) -> tuple[str | None, int | None, int | None]:
    """Winner and discs; a forfeit that nobody won is a double forfeit."""
    if line.winner is None and line.end == "forfeit" and not (line.black_discs or line.white_discs):
        return "neither", 0, 0
    return line.winner, line.black_discs, line.white_discs


def _round(line: RoundLine, total: int, forfeit_discs: int) -> PlayedRound:
    byes = [ParsedBye(g.bye, g.stage or "league", g.league) for g in line.games if g.bye is not None]
    counts = total, forfeit_discs
    games = [
        PlayedGame(g.black or "", g.white or "", g.stage or "league", g.league, *_result(g), g.end, *counts)
        for g in line.games
        if g.bye is None
    ]
    return PlayedRound(line.round, tuple(games), tuple(byes))


@dataclass(frozen=True, slots=True)
class RoundHistory:
    """The state before a round, over the games of some stages."""

    points: Mapping[str, int]
    byes: Mapping[str, int]
    met: Mapping[frozenset[str], list[int]]


def round_history(event: ParsedEvent, before: int, stages: Iterable[str] | None = None) -> RoundHistory:
    points = dict.fromkeys(event.entries, 0)
    byes = dict.fromkeys(event.entries, 0)
    met: dict[frozenset[str], list[int]] = {}
    for round_ in event.rounds[: before - 1]:
        for game in _of(round_.games, stages):
            for player in game.players:
                points[player] += game.points(player)
            if game.met:
                met.setdefault(frozenset(game.players), []).append(round_.number)
        for free in _of(round_.byes, stages):
            points[free.player] += 2
            byes[free.player] += 1
    return RoundHistory(points, byes, met)


def _of(items: Iterable[Any], stages: Iterable[str] | None) -> Iterator[Any]:
    wanted = None if stages is None else set(stages)
    return (item for item in items if wanted is None or item.stage in wanted)
