"""View of ChouChou's score board: pieces captured by both, the target, and plus and minus at the end (CC-WIN-1,
CC-SCO-1).

It shows what the players entered; the board is not read.
"""

from __future__ import annotations

from kiosk.locale import render
from kiosk.table.game.chouchou_capture_entry import CAPTURED_LESS, CAPTURED_MORE
from kiosk.table.scene import Align, ColorRole, Digits, Item, Rect, SceneText
from kiosk.table.strings import player_strings as words
from kiosk.table.views.player_view_model import SideViewModel, TableViewModel
from kiosk.table.views.touch_key import key

#: player numbers in turn order
NUMBERS = "①②③④"


def score_board(
    facts: TableViewModel, side: SideViewModel, box: Rect, ink: ColorRole, quiet: ColorRole, touch: bool
) -> tuple[Item, ...]:
    """Return the player's own pieces large, the opponent's small; with a touch display, keys to add and subtract."""
    if not touch:
        return _counts(facts, side, box, ink, quiet)
    if box.w >= 3 * box.h:
        board, keys = box.columns(1, 1, gap=box.h // 6)
    else:
        board, keys = box.rows(0.54, 0.46, gap=box.h // 30)
    less, more = keys.columns(1, 1, gap=box.w // 16)
    counts = _counts(facts, side, board, ink, quiet)
    return (*counts, *key(less, "－1", CAPTURED_LESS, ink), *key(more, "＋1", CAPTURED_MORE, ink))


def _counts(
    facts: TableViewModel, side: SideViewModel, box: Rect, ink: ColorRole, quiet: ColorRole
) -> tuple[Item, ...]:
    above, below = box.rows(0.34, 0.66, gap=box.h // 30)
    title, target = above.columns(0.7, 0.3)
    own, theirs = below.columns(0.4, 0.6) if facts.company else below.columns(0.6, 0.4, gap=box.w // 20)
    return (
        SceneText(title, render(words.CAPTURED, side.language), quiet, name="captured-title"),
        SceneText(
            target, render(words.OF_TARGET, side.language, n=facts.target), quiet, align=Align.RIGHT, name="target"
        ),
        Digits(own, str(side.captures), "00", ink, name="captured"),
        *_others(facts, side, theirs, quiet),
    )


def _others(facts: TableViewModel, side: SideViewModel, box: Rect, ink: ColorRole) -> tuple[Item, ...]:
    """Return the opponent's pieces; with more than two players everybody's by number, two in a line."""
    if not facts.company:
        other = facts.sides[side.seat.other]
        return (Digits(box.inset(0, box.h // 5), str(other.captures), "00", ink, name="captured-opponent"),)
    places = (place for row in box.rows(1, 1) for place in row.columns(1, 1, gap=box.w // 16))
    return tuple(
        SceneText(place, f"{mark}{pieces}", ink, align=Align.RIGHT, name="captured-each")
        for place, mark, pieces in zip(places, NUMBERS, facts.company, strict=False)
    )


def plus_minus(pieces: int | None, target: int) -> str:
    """Return ``+2`` or ``−3`` as on the score sheet; empty before anything was entered."""
    if pieces is None:
        return ""
    return f"+{pieces - target}" if pieces >= target else f"−{target - pieces}"
