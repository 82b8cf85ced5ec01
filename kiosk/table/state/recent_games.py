"""Finished games that a table keeps, to be read on it and on a phone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.board.color import Color
from engine.board.variants import STANDARD, VARIANTS
from engine.match import MatchState, Phase, Seat
from engine.match.match_events_and_effects import Event
from engine.match.rule_sets_and_options import RULE_SETS

#: number of games that a table keeps
MOST = 50


@dataclass(frozen=True, slots=True)
class KeptGame:
    """A finished game. ``key``: the journal and the game in it. ``when``: local date and time. ``round``: of a free
    clock, the number of the game in its series of rematches. ``spent_s``: seconds of each move, empty if unknown;
    ``left_s``: Black's and White's remaining seconds. ``page``: its address at the head.
    """

    key: str
    when: str
    rules: str
    black: str
    white: str
    winner: Color | None
    black_discs: int | None
    white_discs: int | None
    left_s: tuple[int, int]
    black_seat: Seat
    round: int = 1
    moves: tuple[str, ...] = ()
    spent_s: tuple[int, ...] = ()
    board: str = STANDARD.name
    page: str = ""

    @property
    def is_known(self) -> bool:
        """Return whether this version can show the game; a file may come from another."""
        return self.rules in RULE_SETS and self.board in VARIANTS and len(self.spent_s) in (0, len(self.moves))


def with_game(games: Sequence[KeptGame], game: KeptGame) -> tuple[KeptGame, ...]:
    """Return the games with ``game`` as the last one, in the place of what was kept of it before."""
    return (*(one for one in games if one.key != game.key), game)[-MOST:]


def series_score(games: Sequence[KeptGame], played: int) -> Mapping[Seat, int]:
    """Return the half points of the seats in the last ``played`` games: two for a win, one for a draw."""
    points = dict.fromkeys(Seat, 0)
    for game in games[-played:] if played else ():
        for color, seat in ((Color.BLACK, game.black_seat), (Color.WHITE, game.black_seat.other)):
            points[seat] += 1 if game.winner is None else 2 * (game.winner is color)
    return points


def seconds_of_moves(steps: Iterable[tuple[MatchState, Event, MatchState]], last: MatchState) -> tuple[int, ...]:
    """Return the whole seconds that each move of ``last`` took; ``steps`` are all of its steps, each with the state
    before and after. Empty if a move was not timed.
    """
    spent: dict[int, int] = {}
    for before, event, after in steps:
        if before.phase is Phase.TURN and before.clock.running is not None and after.clock != before.clock:
            spent[before.move_number] = before.clock.spent_at_ns(event.at_ns)
    timed = [spent.get(number) for number, turn in enumerate(last.turns, start=1) if turn.move]
    placed = [move for move in last.moves if move != "--"]
    if len(timed) != len(placed) or None in timed:
        return ()
    return tuple(round(ns / 1_000_000_000) for ns in timed if ns is not None)


def record_text(game: KeptGame) -> str:
    """Return the game as a few lines that a phone shows: date, players with result and time, moves with seconds."""
    lines = [f"Othello {game.when}"]
    discs, names = (game.black_discs, game.white_discs), (game.black, game.white)
    for sign, name, number, left_s in zip("●○", names, discs, game.left_s, strict=True):
        score = "" if number is None else f" {number}"
        lines.append(f"{sign} {name or '–'}{score} ({clock_text(left_s)})")
    if game.black_discs is None and game.winner is not None:
        lines.append("●" if game.winner is Color.BLACK else "○")
    if game.board != STANDARD.name:
        lines.append(game.board)
    timed = zip(game.moves, game.spent_s, strict=True) if game.spent_s else ()
    moves = " ".join(f"{move}:{seconds}" for move, seconds in timed) or "".join(game.moves)
    return "\n".join([*lines, moves]) if moves else "\n".join(lines)


def clock_text(seconds: int) -> str:
    """Return a clock's time as minutes and seconds; negative after a flag."""
    minutes, rest = divmod(abs(seconds), 60)
    return f"{'-' if seconds < 0 else ''}{minutes}:{rest:02}"
