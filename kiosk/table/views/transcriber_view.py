"""View of the transcriber's display: the board to tap on, the flips of a tapped move, whose turn is to be entered.

Promise 3: it is drawn only on the transcriber's own display, never on a player's half. It shows what was entered and
its flips, but no legal moves, findings or evaluation, because the transcriber sits beside the players.
"""

from __future__ import annotations

from engine.board.color import Color
from engine.board.variants import shape_of
from engine.i18n import say
from engine.match import MatchState
from engine.match.rule_sets_and_options import ScoreRule
from engine.match.screen_messages import COLORS
from kiosk.locale import Lang, render
from kiosk.table.board_sources import transcriber_source as transcriber
from kiosk.table.board_sources.chouchou_game_transcriber import ChouChouSheet
from kiosk.table.scene import Align, Box, ColorRole, Items, Panel, Rect, Scene, SceneDisc, SceneText
from kiosk.table.state import TableState
from kiosk.table.views.arbiter_page_parts import warning_box
from kiosk.table.views.board_drawing import board
from kiosk.table.views.chouchou_game_transcriber_view import chouchou_ask, chouchou_board, chouchou_keys
from kiosk.table.views.clock_time_text import face
from kiosk.table.views.shared_widgets import key

#: number of squares shown of the transcript
TAIL = 6

TITLE = say("Transcript · Table {table}")
WAITING = say("Waiting for a game")
NOTHING = say("Nothing to enter now")
TO_ENTER = say("Turn {n}: enter {side}'s move")
PRESSED = say("Pressed. Turn {n}: enter {side}'s move")
CORRECTS = say("Enter {side}'s correction")
ENTERED = say("Entered. Waiting for the press")
BEHIND = say("{n} turns behind")
EDITING = say("Touch discs until this is the board on the table")
UNCHANGED_KEY = say("Pass or challenge")
EDIT_KEY = say("Turn discs")
DONE_KEY = say("This is the board")
ENTER_AGAIN = say("Turn {n}: enter {side}'s move again")
AGAIN_KEY = say("Correct last move")
UNDO_KEY = say("Take back")


def transcriber_scene(state: TableState, now_ns: int, size: tuple[int, int], language: Lang) -> Scene:
    """Return the scene of the transcriber's display at ``now_ns``."""
    local = Rect(0, 0, *size)
    inside = local.inset(max(4, min(size) // 60))
    left, right = inside.columns(0.62, 0.38, gap=inside.w // 50) if size[0] > size[1] else inside.rows(0.62, 0.38)
    match = state.match
    chouchou = None if state.sheet is None else state.sheet.chouchou
    if match is not None and chouchou is not None and match.rules.score is ScoreRule.CAPTURES:
        side = _chouchou_side(state, match, chouchou, now_ns, right, language)
        items: Items = (*chouchou_board(chouchou, left), *side)
    elif match is None or state.sheet is None or match.board is None:
        items = (SceneText(left.rows(1, 1, 1)[1], render(WAITING, language), lines=3, name="message"),)
    else:
        seen, before = transcriber.displayed_boards(state.sheet, match)
        items = (
            *board(
                left,
                seen or "",
                framed=_flipped_discs(before, seen),
                filled=_last_disc(match, before, seen),
                touch=True,
            ),
            *_side(state, match, now_ns, right, language),
        )
    return Scene(size, (Panel(local, False, ColorRole.NIGHT, items, transcriber.PANEL),))


def _flipped_discs(before: str | None, seen: str | None) -> frozenset[str]:
    """Return the discs that differ from the board before: the flips of the tapped move, or the edited discs."""
    if before is None or seen is None:
        return frozenset()
    pairs = zip(shape_of(seen).square_names, before, seen, strict=True)
    return frozenset(name for name, old, new in pairs if old != new and "-" not in (old, new))


def _last_disc(match: MatchState, before: str | None, seen: str | None) -> frozenset[str]:
    """Return the last disc that was entered."""
    if before is not None and seen is not None and seen != before:
        pairs = zip(shape_of(seen).square_names, before, seen, strict=True)
        return frozenset(name for name, old, new in pairs if old == "-" and new != "-")
    return frozenset({turn.move for turn in match.turns[-1:] if turn.move is not None})


def _side(state: TableState, match: MatchState, now_ns: int, box: Rect, language: Lang) -> Items:
    title, clocks, ask, transcript, keys = box.rows(0.09, 0.2, 0.25, 0.12, 0.34, gap=box.h // 60)
    tail = [f"{ply}.{move}" for ply, move in enumerate(match.moves, start=1)][-TAIL:]
    return (
        SceneText(title, render(TITLE, language, table=state.table), ColorRole.QUIET, name="title"),
        *_clocks(state, match, now_ns, clocks, language),
        *_ask(state, match, ask, language),
        SceneText(transcript, " ".join(tail), ColorRole.QUIET, align=Align.RIGHT, name="transcript"),
        *_keys(state, match, keys, language),
    )


def _chouchou_side(
    state: TableState, match: MatchState, sheet: ChouChouSheet, now_ns: int, box: Rect, language: Lang
) -> Items:
    """Return the clocks, what is to be entered, and the keys of a game of ChouChou."""
    title, clocks, ask, keys = box.rows(0.09, 0.2, 0.25, 0.46, gap=box.h // 60)
    return (
        SceneText(title, render(TITLE, language, table=state.table), ColorRole.QUIET, name="title"),
        *_clocks(state, match, now_ns, clocks, language),
        *chouchou_ask(sheet, ask, language),
        *chouchou_keys(sheet, keys, language),
    )


def _clocks(state: TableState, match: MatchState, now_ns: int, box: Rect, language: Lang) -> Items:
    """Return both players with their times, as on the players' halves; the running one is bright."""
    items: Items = ()
    for color, row in zip(Color, box.rows(1, 1, gap=box.h // 20), strict=True):
        seat = match.seat_of(color)
        if seat is None:
            continue
        runs = match.clock.running is seat
        ink = ColorRole.ON_DAY if runs else ColorRole.ON_NIGHT
        disc, name, time = row.left(row.h), *row.after(row.h).columns(0.62, 0.38)
        label = state.name_at(seat) or render(COLORS[color], language)
        items = (
            *items,
            *((Box(row, ColorRole.DAY, name="running"),) if runs else ()),
            SceneDisc(disc.inset(row.h // 6), color),
            SceneText(name.inset(0, row.h // 5), label, ink, name="player"),
            SceneText(
                time.inset(row.h // 8, row.h // 8),
                face(match.remaining_ns(seat, now_ns)),
                ink,
                bold=True,
                align=Align.RIGHT,
                name="time",
            ),
        )
    return items


def _ask(state: TableState, match: MatchState, box: Rect, language: Lang) -> Items:
    """Return what is to be entered next; late entries, editing and corrections are emphasised."""
    assert state.sheet is not None
    now = transcriber.pending_turn(match)
    if state.sheet.draft is not None:
        return warning_box(box, render(EDITING, language))
    if state.sheet.again:
        side = render(COLORS[match.turns[-1].by], language)
        return warning_box(box, render(ENTER_AGAIN, language, n=len(match.turns), side=side))
    if now is None:
        return (SceneText(box, render(NOTHING, language), ColorRole.QUIET, lines=3, name="message"),)
    text = _turn_request(match, now, language)
    if len(match.pending) > 1:
        return warning_box(box, f"{render(BEHIND, language, n=len(match.pending))}\n{text}")
    if now.press is not None:
        return (
            Box(box, ColorRole.DAY, name="call"),
            SceneText(box.inset(box.h // 10), text, ColorRole.ON_DAY, bold=True, lines=3, name="call"),
        )
    return (SceneText(box, text, lines=3, name="message"),)


def _turn_request(match: MatchState, now: transcriber.PendingTurn, language: Lang) -> str:
    side = render(COLORS[now.by], language)
    number = len(match.turns) + 1
    if match.challenge is not None and (now.press is None or now.press.by is now.by) and now.by is match.side:
        return render(CORRECTS, language, side=side)
    if now.press is not None:
        return render(PRESSED, language, n=number, side=side)
    entered = match.board != match.turn_board
    return render(ENTERED, language) if entered else render(TO_ENTER, language, n=number, side=side)


def _keys(state: TableState, match: MatchState, box: Rect, language: Lang) -> Items:
    """Return the keys that have an effect now."""
    assert state.sheet is not None
    upper, lower = box.rows(1, 1, gap=box.h // 20)
    left, right = lower.columns(1, 1, gap=box.w // 30)
    if state.sheet.draft is not None:
        return (
            *key(upper, render(DONE_KEY, language), transcriber.DONE),
            *key(lower, render(UNDO_KEY, language), transcriber.UNDO),
        )
    items = key(left, render(EDIT_KEY, language), transcriber.EDIT)
    if state.sheet.again:
        return (*items, *key(right, render(UNDO_KEY, language), transcriber.UNDO))
    if transcriber.can_be_corrected(match) and match.board == match.turn_board:
        items = (*items, *key(upper, render(AGAIN_KEY, language), transcriber.AGAIN))
    if match.pending:
        items = (*items, *key(upper, render(UNCHANGED_KEY, language), transcriber.UNCHANGED))
    elif match.board != match.turn_board:
        items = (*items, *key(right, render(UNDO_KEY, language), transcriber.UNDO))
    return items
