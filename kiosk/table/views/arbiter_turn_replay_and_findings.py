"""Views of the game's turns, one after the other, and of the challenged turn with the engine's findings.

The board is shown as it physically was (K-09). Findings are for the arbiter and are drawn only here (K-08).
"""

from __future__ import annotations

from engine.board.variants import shape_of
from engine.match import MatchState
from engine.match.match_value_types import CompletedTurn
from kiosk.table.arbiter.two_button_form_input import DONE
from kiosk.table.scene import ColorRole, Items, Rect, SceneText, flat
from kiosk.table.strings import arbiter_strings as words
from kiosk.table.views.arbiter_page_parts import Reader, warning_box
from kiosk.table.views.board_drawing import board
from kiosk.table.views.shared_widgets import key

FINDINGS_SHOWN = 3


def replay_page(reader: Reader, box: Rect) -> Items:
    """Return the board after a number of turns, the session's ``cell``; 0 is the start."""
    match = reader.state.match
    if match is None:
        return ()
    count = min(reader.session.cell, len(match.turns))
    if count == 0:
        left, right = _halves(box)
        title = reader.say(words.START_POSITION, last=len(match.turns))
        shown = () if match.start_board is None else board(left, match.start_board)
        return (*shown, SceneText(right.rows(1, 5)[0], title, bold=True, lines=2, name="turn"))
    return _turn(reader, match, match.turns[count - 1], count, box)


def board_page(reader: Reader, box: Rect) -> Items:
    """Return the board to be edited to match the one on the table."""
    left, right = _halves(box)
    session = reader.session
    ask, _, done = right.rows(0.4, 0.3, 0.3)
    keys = key(done, reader.say(words.THIS_IS_IT), DONE) if reader.touch else ()
    return (
        *board(left, session.draft, framed={shape_of(session.draft).square_names[session.cell]}, touch=reader.touch),
        SceneText(ask, reader.say(words.AS_IT_STANDS), bold=True, lines=3, name="ask"),
        *keys,
    )


def challenged_turn(reader: Reader, match: MatchState, box: Rect) -> Items:
    """Return the last turn, the only one that can be challenged (M43-6a.2)."""
    if not match.turns:
        return (SceneText(box.rows(1, 3)[0], reader.say(words.UNSEEN), ColorRole.QUIET, lines=2, name="unseen"),)
    return _turn(reader, match, match.turns[-1], len(match.turns), box)


def _halves(box: Rect) -> tuple[Rect, Rect]:
    cut = box.columns(0.64, 0.36, gap=box.w // 40) if box.w > box.h else box.rows(0.62, 0.38, gap=box.h // 40)
    return cut[0], cut[1]


def _turn(reader: Reader, match: MatchState, turn: CompletedTurn, number: int, box: Rect) -> Items:
    left, right = _halves(box)
    side = reader.side(turn.by)
    title, what, rest = right.rows(0.2, 0.16, 0.64, gap=box.h // 50)
    title_text = reader.say(words.TURN, n=number, last=len(match.turns), side=side)
    items: Items = (
        SceneText(title, title_text, bold=True, lines=2, name="turn"),
        SceneText(
            what, reader.say(words.KINDS[turn.kind], move=turn.move or "?"), ColorRole.QUIET, lines=2, name="kind"
        ),
    )
    found = [violation for violation in match.findings if violation.ply == number][:FINDINGS_SHOWN]
    low = rest.rows(*([1.0] * max(2, len(found))), gap=box.h // 50)
    if turn.after is None:
        return (
            *items,
            SceneText(left.rows(1, 3)[0], reader.say(words.UNSEEN), ColorRole.QUIET, lines=2, name="unseen"),
        )
    wrong = {square for violation in found for square in violation.squares}
    items = (*items, *board(left, turn.after, framed=wrong, filled=_played_square(turn)))
    if not found:
        return (*items, SceneText(low[0], reader.say(words.NO_FINDINGS), ColorRole.QUIET, lines=3, name="finding"))
    return *items, *flat(warning_box(row, reader.finding(one), 5) for row, one in zip(low, found, strict=False))


def _played_square(turn: CompletedTurn) -> frozenset[str]:
    """Return the square that was played. Flipped discs are not marked; comparing with the turn before shows them."""
    if turn.move is not None:
        return frozenset({turn.move})
    if turn.before is None or turn.after is None:
        return frozenset()
    both = zip(shape_of(turn.after).square_names, turn.before, turn.after, strict=True)
    return frozenset(name for name, old, new in both if old != new)
