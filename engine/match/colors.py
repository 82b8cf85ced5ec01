"""Who gets which colour, and who the draw right (RULES.md 2).

The law: these functions decide between two players, 0 and 1, and know nothing of seats; ``Seats`` brings the outcome to
the table. The hidden disc (fuseishi, 伏せ石) has two ways: with a draw right at stake (FS-04) and without (FS-03).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from engine.board.color import Color


class Right(StrEnum):
    """What a player takes (M43-2a, M43-2b)."""

    DRAW = "draw-right"  # a: a 32-32 is his win
    COLOR = "color"  # b: he names his colour


@dataclass(frozen=True, slots=True)
class Colors:
    """``black`` is the index of the player with Black, ``draw_right`` the colour that wins a 32-32."""

    black: int
    draw_right: Color | None = None


def hider(grades: Sequence[int | None], birth_years: Sequence[int | None]) -> int | None:
    """FS-01: the player of the higher grade hides (a larger number is a higher grade); if grades are equal or unknown,
    the older player. None: the arbiter decides."""
    first, second = grades
    if first is not None and second is not None and first != second:
        return 0 if first > second else 1
    born, other = birth_years
    if born is None or other is None or born == other:
        return None
    return 0 if born < other else 1


def designated(first_has_black: bool = True) -> Colors:
    """M43-1: the computer has decided."""
    return Colors(0 if first_has_black else 1)


def hidden_disc_with_draws(hides: int, top_named: bool, top: Color) -> Colors:
    """FS-03: the guesser names a face, top (``top_named``) or bottom, and gets the colour of it."""
    guesser = 1 - hides
    got = top if top_named else top.opponent
    return Colors(guesser if got is Color.BLACK else hides)


def first_choice(hides: int, guess: Color, top: Color) -> int:
    """FS-04: the guesser has said that the top is ``guess``; who may choose one of the two rights first."""
    return 1 - hides if guess is top else hides


def rights_chosen(chooser: int, takes: Right, color: Color) -> Colors:
    """FS-04, FS-05: ``chooser`` takes one right, the other player has the other. ``color`` is named by the player who
    chooses the colour, for himself."""
    names = chooser if takes is Right.COLOR else 1 - chooser
    black = names if color is Color.BLACK else 1 - names
    return Colors(black, draw_right=color.opponent)


def rock_paper_scissors(winner: int) -> Colors:
    """CC-SEAT-1: the winner chooses his seat, the loser moves first, as Black does here."""
    return Colors(1 - winner)
