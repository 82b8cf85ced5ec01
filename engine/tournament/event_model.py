"""Data model of an event: players, teams, rounds, games, byes.

- An ``Event`` is an immutable value. Scores, colours, standings and pairings are computed from it alone, so the same
  event file always gives the same results and any round can be undone.
- Scores are integers in half points: a win is 2, a draw 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from engine.board.variants import STANDARD, VARIANTS, Variant
from engine.end_reason import EndReason
from engine.i18n import LocalizedError, Text, say
from engine.tournament.format_spec_and_options import VARIANT, FormatSpec
from engine.tournament.player_entry_fields import Player as Player
from engine.tournament.player_entry_fields import name_key

WIN = 2
DRAW = 1
#: stands for every round in constraints and absences
EVERY_ROUND = "*"


class TournamentError(LocalizedError, ValueError):
    """Base of all errors of ``engine.tournament``."""


class EventError(TournamentError):
    """The event file cannot be used. The message names the field, what is wrong, and what to do."""


def event_error(template: str, /, **fields: object) -> EventError:
    """Return the error with a sentence. The template must be a literal to enter the catalogue, as that of ``say``."""
    return EventError(Text(template)(**fields))


class Winner(StrEnum):
    """``NEITHER``: a double forfeit, which both lose. An event file has no winner there, and the end "forfeit"."""

    BLACK = "black"
    WHITE = "white"
    DRAW = "draw"
    NEITHER = "neither"


COLOURS = {Winner.BLACK: say("Black"), Winner.WHITE: say("White")}


class Stage(StrEnum):
    LEAGUE = "league"
    PLACEMENT = "placement"
    SEMI_FINAL = "semi-final"
    FINAL = "final"
    THIRD_PLACE = "third-place"
    WOMENS_FINAL = "womens-final"
    KNOCKOUT = "knockout"

    @property
    def designated(self) -> bool:
        """Whether colours are designated: in league and placement games (M43-1, M43-2); elsewhere a hidden disc decides
        them."""
        return self in (Stage.LEAGUE, Stage.PLACEMENT)


#: ends of pairings not played over the board: no meeting, no colour
UNPLAYED = frozenset({EndReason.FORFEIT, EndReason.LATE, EndReason.NOT_PLAYED})


@dataclass(frozen=True, slots=True)
class Team:
    id: str
    name: str | None = None
    players: tuple[str, ...] = ()
    captain: str | None = None
    orders: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Game:
    """Two players at a table, with their result: what pairings and standings count.

    ``winner`` None: not played yet. Discs may be unknown (M40 cards do not record them).
    """

    black: str
    white: str
    stage: Stage = Stage.LEAGUE
    table: int | None = None
    league: str | None = None
    black_discs: int | None = None
    white_discs: int | None = None
    winner: Winner | None = None
    end: EndReason | None = None
    rated: bool | None = None
    transcript: str | None = None

    @property
    def players(self) -> tuple[str, str]:
        return self.black, self.white

    @property
    def decided(self) -> bool:
        """Whether one of the two won."""
        return self.winner in (Winner.BLACK, Winner.WHITE)

    @property
    def over_the_board(self) -> bool:
        """Whether the two really met. A forfeited pairing is not a meeting (PAIRING.md 4)."""
        return self.end not in UNPLAYED

    def half_points(self, player: str) -> int:
        """2, 1 or 0 for one of its players; 0 while there is no result."""
        if self.winner in (None, Winner.NEITHER):
            return 0
        if self.winner is Winner.DRAW:
            return DRAW
        return WIN if (self.winner is Winner.BLACK) == (player == self.black) else 0

    def discs(self, player: str) -> int | None:
        return self.black_discs if player == self.black else self.white_discs

    def opponent(self, player: str) -> str:
        return self.white if player == self.black else self.black


@dataclass(frozen=True, slots=True)
class Bye:
    """A round without an opponent that counts as a win."""

    player: str
    stage: Stage = Stage.LEAGUE
    league: str | None = None

    @property
    def players(self) -> tuple[str]:
        return (self.player,)


@dataclass(frozen=True, slots=True)
class Round:
    number: int
    games: tuple[Game, ...] = ()
    byes: tuple[Bye, ...] = ()

    @property
    def entries(self) -> tuple[Game | Bye, ...]:
        return (*self.games, *self.byes)

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(name for entry in self.entries for name in entry.players)

    @property
    def finished(self) -> bool:
        return all(game.winner is not None for game in self.games)


def round_of(number: int, entries: Iterable[Game | Bye]) -> Round:
    """Return the round of some games and byes."""
    all_ = tuple(entries)
    games = tuple(entry for entry in all_ if isinstance(entry, Game))
    return Round(number, games, tuple(entry for entry in all_ if isinstance(entry, Bye)))


@dataclass(frozen=True, slots=True)
class KeepApartRule:
    """Players kept apart for several rounds: all ``players`` named, or with ``by`` ("club", "country") all who have the
    same there. ``first``, ``last``: from which round and up to which; None: to the end."""

    by: str | None = None
    players: tuple[str, ...] = ()
    first: int = 1
    last: int | None = None

    def holds_in(self, round_: int) -> bool:
        return self.first <= round_ and (self.last is None or round_ <= self.last)


@dataclass(frozen=True, slots=True)
class EventOptions:
    """Settings of an event by the operator.

    - ``readings``: those of the format, by name (``engine.tournament.format_spec_and_options``).
    - ``brightwell_c``: points per win, or ``"64/games"`` (BW-2), or ``"modified"`` (MBQ).
    - ``kyu_by_entrants``: (from so many entrants, the grades of 4th place and below).
    - ``locked``, ``forbidden``, ``byes``, ``colours``: pairing constraints by round (PAIRING.md 4); ``apart``: those
      for many rounds.
    - ``ended_after``: the round after which the operator ended the event, before the format does.
    - ``absences``: players who were away in a round and had neither a game nor a bye; a fact, not a constraint.
    """

    readings: Mapping[str, Any] = field(default_factory=dict)
    brightwell_c: int | str | None = None
    random_seed: int | None = None
    ended_after: int | None = None
    lot_ballots: tuple[str, ...] = ()
    kyu_by_entrants: tuple[tuple[int, tuple[str, ...]], ...] = ()
    locked: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    forbidden: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    byes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    colours: dict[str, dict[str, str]] = field(default_factory=dict)
    absences: dict[str, tuple[str, ...]] = field(default_factory=dict)
    apart: tuple[KeepApartRule, ...] = ()


def place_called(round_: int, table: int | None) -> Text:
    """Return where a game is played, for a sentence."""
    if table is None:
        return say("round {n}", n=round_)
    return say("table {table} of round {round}", table=table, round=round_)


@dataclass(frozen=True, slots=True)
class Event:
    """One division: players, rounds and options. ``facts``: those of its format; ``name_en``: its name in English."""

    facts: FormatSpec
    players: tuple[Player, ...]
    name: str | None = None
    date: str | None = None
    options: EventOptions = field(default_factory=EventOptions)
    teams: tuple[Team, ...] = ()
    rounds: tuple[Round, ...] = ()
    name_en: str | None = None

    @property
    def format(self) -> str:
        return self.facts.name

    @property
    def variant(self) -> Variant:
        """The board of its games, their set-up, and who begins."""
        return VARIANTS[VARIANT.of(self) or STANDARD.name]

    @property
    def half(self) -> int:
        """Half the squares of its board: the discs of a draw, and of a game of which only the winner is known."""
        return self.variant.total // 2

    @property
    def total(self) -> int | None:
        """What the two counts of a result add up to (K-14); None where they are captured pieces."""
        return None if self.facts.captures else self.variant.total

    def player(self, player_id: str) -> Player:
        for player in self.players:
            if player.id == player_id:
                return player
        raise event_error("no player has the id {player_id!r}; use an id of the list 'players'", player_id=player_id)

    def called(self, entry: str) -> str:
        """Return the name of a player, with his team's, or of a team; namesakes get a distinguishing addition. The id
        stands for a missing name, and is returned without an entry."""
        entries: tuple[Player | Team, ...] = (*self.players, *self.teams)
        one = next((one for one in entries if one.id == entry), None)
        team = next((team for team in self.teams if entry in team.players), None)
        if one is not None and team is not None:
            return f"{one.name or entry} ({team.name or team.id})"
        if one is None or not one.name:
            return entry
        namesakes = [
            other for other in entries if other.id != one.id and name_key(other.name or "") == name_key(one.name)
        ]
        return f"{one.name} ({_distinguishing_value(one, namesakes)})" if namesakes else one.name

    def game_called(self, round_: int, game: Game) -> Text:
        """Return a game of a round for a sentence: its table if it has one, and its players."""
        place, black, white = place_called(round_, game.table), self.called(game.black), self.called(game.white)
        return say("{place}, {black} – {white}", place=place, black=black, white=white)

    def round(self, number: int) -> Round:
        for round_ in self.rounds:
            if round_.number == number:
                return round_
        last = len(self.rounds)
        if not last:
            raise event_error("no round yet")
        raise event_error("there is no round {number}; the event has rounds 1 to {last}", number=number, last=last)

    @property
    def last_finished_round(self) -> int:
        """The number of the latest round up to which every game has a result; 0 before the first."""
        number = 0
        for round_ in self.rounds:
            if not round_.finished:
                break
            number = round_.number
        return number


def _distinguishing_value(one: Player | Team, others: Sequence[Player | Team]) -> str:
    """Return what distinguishes a player from his namesakes, else the number of the entry. Only values that need no
    translation are used, which excludes grades."""
    for key in ("club", "country", "number", "birth_year"):
        value = getattr(one, key, None)
        if value and all(getattr(other, key, None) != value for other in others):
            return f"#{value}" if key == "number" else str(value)
    entered = re.fullmatch(r"[pt](\d+)", one.id)
    return f"#{entered[1] if entered else one.id}"
