"""Validation of incomplete or doubtful board readings, and the check of the start position. Pure.

- An unreadable square is filled in only if the rules leave one possibility: one legal move, or no change, that fits
  every readable square. If two fit, or none, the turn counts as not read. An unreadable square never leads to an
  accusation.
- A reading is repeated, where the source can do so, if it would accuse a player or is incomplete. Of an accusation,
  only what both readings show counts.
- A square is not filled in if a legal move had to change it and neither reading has it, or if it was readable at the
  press before: its disc may have been changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from itertools import product

from engine.board.color import Color
from engine.board.illegal_move_diagnosis_and_challenge import Verdict, diagnose
from engine.board.position import Position
from engine.i18n import say
from engine.match import MatchState, Phase
from kiosk.link.link_messages import TroubleInfo

UNKNOWN = "?"
_ALLOWED = {Verdict.LEGAL, Verdict.PASS}
#: with more unreadable squares than this, none is filled in
MOST_UNKNOWN = 3
#: with more wrong squares than this, they are not named
MOST_NAMED = 6


class ReadingDoubt(Enum):
    """Why a reading is doubtful. ``ACCUSES``: it shows anything but a legal move or a pass. ``UNSEEN``: a square that
    the move had to change, or that was readable at the press before, was only filled in. ``BLIND``: another square was
    not read.
    """

    ACCUSES = auto()
    UNSEEN = auto()
    BLIND = auto()


@dataclass(frozen=True, slots=True)
class BoardLook:
    """A board as read by one reading or by several combined (``seen``). ``cells``: with its unreadable squares filled
    in, None if impossible; ``why``: the doubt about it; ``last``: the doubt that led to this repetition.
    """

    seen: str
    cells: str | None
    why: ReadingDoubt | None = None
    last: ReadingDoubt | None = None

    @property
    def needs_repeat(self) -> bool:
        """Return whether to read once more: only for an accusation that the first reading did not make."""
        return self.why is not None and (
            self.last is None or (self.why is ReadingDoubt.ACCUSES and self.last is not ReadingDoubt.ACCUSES)
        )

    @property
    def is_acceptable(self) -> bool:
        """Return whether to accept it from a source that can read only once."""
        return self.cells is not None and (self.last is None or self.why is not ReadingDoubt.UNSEEN)


def evaluate_reading(before: Position, read: str, earlier: str | None, first: BoardLook | None = None) -> BoardLook:
    """Return the evaluation of the board that answers a press, read as ``read``. ``earlier``: the reading at the press
    before; ``first``: the reading that this one repeats.
    """
    seen, last = (read, None) if first is None else (_combine(first, read), first.why)
    cells = fill_unreadable(before, seen)
    return BoardLook(seen, cells, None if cells is None else _doubt(before, seen, cells, earlier), last)


def evaluate_match_reading(
    match: MatchState, read: str, answers: int | None, earlier: str | None, first: BoardLook | None
) -> BoardLook:
    """Return the evaluation of a match's reading; one that answers no press of the match is not doubted."""
    before, by = turn_of(match, answers)
    if before is not None and any(press.number == answers for press in match.pending):
        return evaluate_reading(match.position(before, by), read, earlier, first)
    return BoardLook(read, complete_reading(match, read, answers))


def complete_reading(match: MatchState, cells: str, answers: int | None) -> str | None:
    """Return the reading with its unreadable squares filled in; None if that is not certain."""
    before, by = turn_of(match, answers)
    if before is None:
        return None if UNKNOWN in cells else cells
    return fill_unreadable(match.position(before, by), cells)


def fill_unreadable(before: Position, cells: str) -> str | None:
    """Return the board after a turn with its unreadable squares filled in; None if the rules leave a choice. A complete
    board is returned unchanged.
    """
    unread = _unread_squares(cells)
    if not unread:
        return cells
    if len(unread) > MOST_UNKNOWN:
        return None
    same = before.cells()
    fits = {
        filled
        for filled in _fillings(cells, unread)
        if filled == same or diagnose(before, filled).verdict is Verdict.LEGAL
    }
    return fits.pop() if len(fits) == 1 else None


def turn_of(match: MatchState, answers: int | None) -> tuple[str | None, Color]:
    """Return the board at the start of the turn that a reading belongs to, and whose turn it is."""
    press = next((press for press in match.pending if press.number == answers), None)
    correcting = match.active_phase is Phase.CORR if press is None else press.phase is Phase.CORR
    if correcting and match.turns:
        return match.turns[-1].before, match.turns[-1].by
    return match.turn_board, press.by if press is not None else match.side or match.to_move


def _doubt(before: Position, seen: str, cells: str, earlier: str | None) -> ReadingDoubt | None:
    if diagnose(before, cells).verdict not in _ALLOWED:
        return ReadingDoubt.ACCUSES
    unread, was, last = _unread_squares(seen), before.cells(), earlier or UNKNOWN * len(seen)
    if any(was[index] != cells[index] or last[index] != UNKNOWN for index in unread):
        return ReadingDoubt.UNSEEN
    return ReadingDoubt.BLIND if unread else None


def _combine(first: BoardLook, second: str) -> str:
    """Combine two readings of one board. Squares in which they differ count as not read. A square that only one of them
    read counts, unless the first reading accuses a player.
    """
    alone = set[str]() if first.why is ReadingDoubt.ACCUSES else {UNKNOWN}
    return "".join(
        one if two in {one, *alone} else two if one in alone else UNKNOWN
        for one, two in zip(first.seen, second, strict=True)
    )


def _unread_squares(cells: str) -> list[int]:
    return [index for index, cell in enumerate(cells) if cell == UNKNOWN]


def _fillings(cells: str, unread: list[int]) -> Iterator[str]:
    for values in product("XO-", repeat=len(unread)):
        filled = list(cells)
        for index, value in zip(unread, values, strict=True):
            filled[index] = value
        yield "".join(filled)


def start_position_alarm(match: MatchState | None) -> TroubleInfo | None:
    """Return a warning if the board does not show the start position before the clock starts. Play that starts anyway
    begins from the physical board (K-09).
    """
    if match is None or match.phase is not Phase.READY or match.board is None:
        return None
    start = match.variant.start
    if match.board == start:
        return None
    cells = zip(match.variant.geometry.square_names, match.board, start, strict=True)
    wrong = [name for name, read, right in cells if read != right]
    named = f" ({' '.join(wrong)})" if len(wrong) <= MOST_NAMED else ""
    return TroubleInfo("board-start", say("The board does not show the start position{named}.", named=named))
