"""QR codes as items of a scene."""

from __future__ import annotations

from functools import lru_cache

from engine.match.match_value_types import Seat
from kiosk.locale import render
from kiosk.table.scene import Align, Box, ColorRole, Items, Panel, Rect, SceneText
from kiosk.table.state import TableState
from kiosk.table.state.recent_games import KeptGame, record_text
from kiosk.table.strings import player_strings as words

#: rows of modules, True is dark; without the quiet zone
Modules = tuple[tuple[bool, ...], ...]
QUIET_MODULES = 4


@lru_cache(maxsize=8)
def qr_modules(text: str, error: str = "m") -> Modules:
    """Return the code of a text. ``error``: how much of it may be damaged; "l" makes the smallest code."""
    import segno  # here, because cameras are set up with these views and without this package

    return tuple(
        tuple(bool(module) for module in row) for row in segno.make_qr(text, error=error, encoding="utf-8").matrix
    )


def qr_code(modules: Modules, box: Rect) -> Items:
    """Return the code, dark on a light ground with its quiet zone; each run of dark modules is one box."""
    count = len(modules)
    module = max(1, min(box.w, box.h) // (count + 2 * QUIET_MODULES))
    side = module * (count + 2 * QUIET_MODULES)
    ground = Rect(box.x + (box.w - side) // 2, box.y + (box.h - side) // 2, side, side)
    x0, y0 = ground.x + QUIET_MODULES * module, ground.y + QUIET_MODULES * module
    runs = [
        Box(Rect(x0 + start * module, y0 + row * module, length * module, module), ColorRole.ON_DAY, name="qr")
        for row, line in enumerate(modules)
        for start, length in _runs(line)
    ]
    return (Box(ground, ColorRole.DAY, name="qr-ground"), *runs)


def _runs(line: tuple[bool, ...]) -> list[tuple[int, int]]:
    """Return (start, length) of each run of dark modules."""
    found: list[tuple[int, int]] = []
    for at, dark in enumerate(line):
        if dark and found and sum(found[-1]) == at:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        elif dark:
            found.append((at, 1))
    return found


def game_code_panel(state: TableState, box: Rect) -> Panel:
    """Return the code of the last game, beside the players' halves."""
    local = Rect(0, 0, box.w, box.h)
    code, low = local.rows(0.86, 0.14) if box.h >= box.w else local.columns(0.6, 0.4)
    caption = render(words.SCAN, state.languages[Seat.LEFT])
    items = (
        *qr_code(qr_modules(phone_text(state.games[-1])[0], "l"), code.inset(4)),
        SceneText(low.inset(6), caption, bold=True, align=Align.CENTRE, lines=3, name="scan"),
    )
    return Panel(box, False, ColorRole.NIGHT, items, name="phone")


def phone_text(game: KeptGame, record: bool = False) -> tuple[str, bool]:
    """Return what the code of a game says, and whether that is its address. ``record``: not its address."""
    return (game.page, True) if game.page and not record else (record_text(game), False)
