"""View of the transcriber's display for ChouChou: the cells with everybody's pieces, the captures that the engine
proposes, and the keys."""

from __future__ import annotations

from engine.chouchou.turn_and_game_notation import format_turn
from engine.i18n import say, say_in
from kiosk.locale import Lang, render
from kiosk.table.board_sources import chouchou_game_transcriber as transcriber
from kiosk.table.scene import Align, Box, ColorRole, Items, Rect, SceneText, Touch
from kiosk.table.views.arbiter_page_parts import warning_box
from kiosk.table.views.shared_widgets import PLAYER_NUMBERS, key

PLACES = say("Turn {n}: where does player {player} place?")
MOVES_TWO = say("Turn {n}: two pieces of player {player}, from and to")
EXCHANGES = say("Turn {n}: player {player}'s piece, then the other")
CAPTURES = say("Captured: {cells}. Touch what was forgotten")
OVER = say("Player {player} has won")
PLACE_KEY, TWO_KEY, EXCHANGE_KEY = say_in("a piece", "Place"), say("Two pieces"), say("Exchange {whose}")
ENTER_KEY, BOARD_KEY, BACK_KEY = say("Enter the turn"), say("Board {name}"), say("Take back")


def chouchou_board(sheet: transcriber.ChouChouSheet, box: Rect) -> Items:
    """Return the cells; those with proposed captures are framed, those forgotten not."""
    now, shape = sheet.now, sheet.now.setup.shape
    edge = min(box.w, box.h) // shape.size
    x, y = box.x + (box.w - edge * shape.size) // 2, box.y + (box.h - edge * shape.size) // 2
    due = now.due_cells() - sheet.forgotten
    items: Items = ()
    for cell in shape.cells:
        row, column = divmod(cell, shape.size)
        place = Rect(x + column * edge, y + row * edge, edge, edge).inset(max(2, edge // 40))
        picked = cell == sheet.picked
        ground, ink = (ColorRole.DAY, ColorRole.ON_DAY) if picked else (ColorRole.PANEL, ColorRole.ON_NIGHT)
        title, pieces = place.inset(edge // 12).rows(0.25, 0.75)
        held = [f"{PLAYER_NUMBERS[color]}×{count}" for color, count in enumerate(now.cells[cell]) if count]
        items = (
            *items,
            Box(place, ground, name="cell"),
            SceneText(title, shape.name(cell), ColorRole.ON_DAY if picked else ColorRole.QUIET, name="cell-name"),
            SceneText(
                pieces, "\n".join(held), ink, bold=True, align=Align.CENTRE, lines=max(2, len(held)), name="pieces"
            ),
            *((Box(place, ColorRole.DAY, max(4, edge // 20), name="framed"),) if cell in due else ()),
            Touch(place, f"{transcriber.CELL}{cell}"),
        )
    return items


def chouchou_ask(sheet: transcriber.ChouChouSheet, box: Rect, language: Lang) -> Items:
    """Return what is to be tapped, the score, and the last turn."""
    now = sheet.now
    score = " ".join(f"{PLAYER_NUMBERS[seat]}{pieces}" for seat, pieces in enumerate(sheet.scores))
    last = format_turn(now.turns[-1], now.setup.shape) if now.turns else ""
    above, below = box.rows(0.68, 0.32)
    tail = SceneText(below, f"{score}  {last}", ColorRole.QUIET, align=Align.RIGHT, name="transcript")
    if sheet.refusal is not None:
        return *warning_box(above, render(sheet.refusal, language)), tail
    number, player = len(now.turns) + 1, now.seat + 1
    if now.result is not None:
        text = render(OVER, language, player=now.result.winner + 1)
    elif now.acted:
        cells = " ".join(now.setup.shape.name(cell) for cell in sorted(now.due_cells() - sheet.forgotten)) or "–"
        text = render(CAPTURES, language, cells=cells)
    else:
        asked = PLACES if sheet.mode == transcriber.PLACE else MOVES_TWO if sheet.mode == transcriber.TWO else EXCHANGES
        text = render(asked, language, n=number, player=player)
    return SceneText(above, text, bold=True, lines=3, name="message"), tail


def chouchou_keys(sheet: transcriber.ChouChouSheet, box: Rect, language: Lang) -> Items:
    """Return the keys that have an effect now."""
    ink, now = ColorRole.ON_NIGHT, sheet.now
    shown: list[tuple[str, str]] = []
    if now.acted and now.result is None:
        shown.append((render(ENTER_KEY, language), transcriber.ENTER))
    elif now.result is None:
        many = now.setup.colors > 2
        for mode in sheet.modes:
            whose = PLAYER_NUMBERS[int(mode[-1])] if mode not in (transcriber.PLACE, transcriber.TWO) and many else ""
            name = {transcriber.PLACE: PLACE_KEY, transcriber.TWO: TWO_KEY}.get(mode, EXCHANGE_KEY)
            if mode != sheet.mode:
                shown.append((render(name, language, whose=whose).strip(), transcriber.MODE + mode))
    if sheet.can_change_board:
        shown.append((render(BOARD_KEY, language, name=now.setup.board.value), transcriber.BOARD))
    else:
        shown.append((render(BACK_KEY, language), transcriber.BACK))
    rows = box.rows(*([1.0] * max(3, (len(shown) + 1) // 2)), gap=box.h // 30)
    places = [place for row in rows for place in row.columns(1, 1, gap=box.w // 30)]
    return tuple(
        item for place, (text, action) in zip(places, shown, strict=False) for item in key(place, text, action, ink)
    )
