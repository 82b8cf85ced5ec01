"""View of the QR code of a finished game, by which a phone gets its page or record."""

from __future__ import annotations

from engine.match.model import Seat
from kiosk.locale import render
from kiosk.table.scene import Align, ColorRole, Panel, Rect, SceneText
from kiosk.table.state import TableState
from kiosk.table.state.kept_games import KeptGame, record_text
from kiosk.table.strings import player_strings as words
from kiosk.table.views.qr_code import qr_code, qr_modules


def game_code_panel(state: TableState, box: Rect) -> Panel:
    """Return the code of the last game, beside the players' halves."""
    local = Rect(0, 0, box.w, box.h)
    code, low = local.rows(0.86, 0.14) if box.h >= box.w else local.columns(0.6, 0.4)
    caption = render(words.SCAN, state.languages[Seat.LEFT])
    items = (
        *qr_code(qr_modules(phone_text(state.games[-1])[0], "l"), code.inset(4)),
        SceneText(low.inset(6), caption, ColorRole.ON_NIGHT, bold=True, align=Align.CENTRE, lines=3, name="scan"),
    )
    return Panel(box, False, ColorRole.NIGHT, items, name="phone")


def phone_text(game: KeptGame, record: bool = False) -> tuple[str, bool]:
    """Return what the code of a game says, and whether that is its address. ``record``: not its address."""
    return (game.page, True) if game.page and not record else (record_text(game), False)
