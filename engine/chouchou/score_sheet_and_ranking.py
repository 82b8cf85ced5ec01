"""Score sheet and ranking of ChouChou (CC-SCO-1, CC-RANK-1 to CC-RANK-6): rounds across, players down, ○ or × and below
it plus or minus points.

A point is a captured piece above (plus) or short of (minus) the target (CC-WIN-3). A pair has one row; its points are
the sum of its two players' (CC-RANK-6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from engine.chouchou.errors import BadSetup, IllegalMoveEvent
from engine.chouchou.game_options_state_and_events import ChouChouEnd, ChouChouState, TimeLossSheet, WorstMinus
from engine.i18n import Text, say


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """One game of one row."""

    won: bool
    points: int


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A player or a pair, with one mark per round (None: did not play)."""

    name: str
    marks: tuple[ScoreCell | None, ...]

    @property
    def wins(self) -> int:
        return sum(mark is not None and mark.won for mark in self.marks)

    @property
    def points(self) -> int:
        return sum(mark.points for mark in self.marks if mark)

    @property
    def best_plus(self) -> int:
        """The highest single plus; 0 without any."""
        return max((mark.points for mark in self.marks if mark and mark.points > 0), default=0)

    @property
    def worst_minus(self) -> int:
        """The lowest single minus, as a negative number; 0 without any."""
        return min((mark.points for mark in self.marks if mark and mark.points < 0), default=0)


def marks(state: ChouChouState) -> tuple[ScoreCell, ...]:
    """Return a finished game's marks: one for each player, or for each pair (seats 0 and 2, 1 and 3).

    :raises IllegalEvent: if the game is not over.
    """
    result, setup = state.result, state.setup
    if result is None:
        raise IllegalMoveEvent(say("the game is not over; the score sheet waits for its result"))
    found = []
    for color in range(setup.colors):
        seats = [seat for seat in setup.seats if setup.color_of(seat) == color]
        if setup.pairs and setup.options.one_score_board:
            seats = seats[:1]
        points = sum(state.score(seat) - setup.goal for seat in seats)
        won = result.winner is not None and setup.color_of(result.winner) == color
        # AMB-27: after a loss on time the winner may be short of the target.
        if won and result.end is ChouChouEnd.TIME and setup.options.time_loss_sheet is TimeLossSheet.WINNER_ZERO:
            points = max(points, 0)
        found.append(ScoreCell(won, points))
    return tuple(found)


def ranking(rows: Sequence[ScoreRow], worst: WorstMinus = WorstMinus.SMALLER_ABSOLUTE) -> list[tuple[int, ScoreRow]]:
    """Return the rows by wins, points, highest plus and worst minus (AMB-28), best first, with their ranks from 1. Rows
    equal in all four share a rank: rock-paper-scissors decides (CC-RANK-5)."""

    def key(row: ScoreRow) -> tuple[int, int, int, int]:
        minus = row.worst_minus if worst is WorstMinus.SMALLER_ABSOLUTE else -row.worst_minus
        return -row.wins, -row.points, -row.best_plus, -minus

    ordered = sorted(rows, key=key)
    keys = [key(row) for row in ordered]
    return [(keys.index(own) + 1, row) for own, row in zip(keys, ordered, strict=True)]


def sheet(title: str, date: str, rows: Sequence[ScoreRow]) -> list[list[str | Text]]:
    """Return the table of CC-SCO-1 as lines of cells: the title and date, the header, then two lines per row."""
    rounds = max((len(row.marks) for row in rows), default=0)
    numbers = [say("Round {n}", n=number) for number in range(1, rounds + 1)]
    table: list[list[str | Text]] = [[title, date], ["", *numbers, say("Total")]]
    for row in rows:
        padded = (*row.marks, *(None,) * (rounds - len(row.marks)))
        table.append([row.name, *("" if mark is None else "○" if mark.won else "×" for mark in padded), str(row.wins)])
        table.append(["", *("" if mark is None else signed(mark.points) for mark in padded), signed(row.points)])
    return table


def signed(points: int) -> str:
    """Return a signed number: ``+2``, ``-3``, ``0``."""
    return f"{points:+}" if points else "0"


# Seating and first player of ChouChou (CC-PUT-1, CC-SEAT-1 to CC-SEAT-3).

_T = TypeVar("_T")


def pair_seats(winners: tuple[_T, _T], losers: tuple[_T, _T]) -> tuple[_T, _T, _T, _T]:
    """Return the four seats clockwise, each pair in the order in which it declared its players 1 and 2 (CC-SEAT-2).
    Seat 1, the losers' player 1, moves first (CC-SEAT-3)."""
    return winners[0], losers[0], winners[1], losers[1]


def first_in_series(game: int, games: int, first: int) -> int | None:
    """Return which of two players (0 or 1) begins a game of a series, counted from 1, if ``first`` began the first one:
    they alternate. None: the last game of an odd series of several is drawn again (CC-PUT-1).

    :raises BadSetup: if the series has no such game, or there is no such player.
    """
    if not 1 <= game <= games or first not in (0, 1):
        raise BadSetup(
            say(
                "game {game} of {games}, begun by player {first}, is no game of a series of two players",
                game=game,
                games=games,
                first=first,
            )
        )
    if game == games and games % 2 and games > 1:
        return None
    return (first + game - 1) % 2
