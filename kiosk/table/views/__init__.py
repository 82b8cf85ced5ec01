"""Views of a table: scenes as pure functions of its state and the time.

- ``table_scene(state, now_ns, layout)`` is everything on the screen. It reads no clock and keeps nothing, and equal
  arguments give equal scenes.
- Views do not use pygame.
"""

from __future__ import annotations

from engine.copy_with_changes import replace
from engine.match.match_value_types import Phase
from kiosk.table.scene import Panel, Rect, Scene
from kiosk.table.state import TableState
from kiosk.table.state.arbiter_screen_state import SECOND_NS
from kiosk.table.views.arbiter_view import arbiter_scene
from kiosk.table.views.button_hold_progress import next_step_ns, with_progress_bars
from kiosk.table.views.clock_resume_countdown_view import countdown_half, next_second_ns
from kiosk.table.views.clock_time_text import next_figures_in_ns
from kiosk.table.views.disc_count_and_result_card_view import card_half
from kiosk.table.views.player_halves_layout import Facing, Half, Layout
from kiosk.table.views.player_view_model import TableViewModel, view_model_of
from kiosk.table.views.qr_code import game_code_panel
from kiosk.table.views.running_clock_view import clock_half
from kiosk.table.views.waiting_and_game_setup_view import setup_half, waiting_half

__all__ = ["Facing", "Layout", "next_change_ns", "table_scene"]


def table_scene(state: TableState, now_ns: int, layout: Layout) -> Scene:
    """Return the scene of the table's screen at ``now_ns``."""
    return with_progress_bars(_scene(state, now_ns, layout), state.holding, now_ns)


def _scene(state: TableState, now_ns: int, layout: Layout) -> Scene:
    if state.arbiter is not None:
        return arbiter_scene(state, now_ns, layout)
    if state.countdown is not None:
        left, right = (countdown_half(state, half, now_ns) for half in layout.halves())
        return Scene(layout.size, (left, layout.seam(), right))
    model, halves = view_model_of(state, now_ns), layout
    beside: tuple[Panel, ...] = ()
    if model.after_choices and state.games:
        wide = layout.width >= layout.height
        first, second = (
            Rect(0, 0, *layout.size).columns(0.62, 0.38) if wide else Rect(0, 0, *layout.size).rows(0.7, 0.3)
        )
        halves, beside = replace(layout, width=first.w, height=first.h), (game_code_panel(state, second),)
    left, right = (_half(model, half) for half in halves.halves())
    return Scene(layout.size, (left, halves.seam(), right, *beside))


def next_change_ns(state: TableState, now_ns: int) -> int | None:
    """Return when time alone next changes the scene; None: not before the state changes."""
    due = [_next_of_page_ns(state, now_ns), next_step_ns(state.holding, now_ns)]
    return min((at_ns for at_ns in due if at_ns is not None), default=None)


def _next_of_page_ns(state: TableState, now_ns: int) -> int | None:
    if state.countdown is not None:
        return next_second_ns(state.countdown, now_ns)
    if state.arbiter is not None and state.pin.locked_until_ns > now_ns:
        return now_ns + (state.pin.locked_until_ns - now_ns - 1) % SECOND_NS + 1
    model = view_model_of(state, now_ns)
    waits = (next_figures_in_ns(model, side) for side in model.sides.values())
    return min((now_ns + wait for wait in waits if wait is not None), default=None)


def _half(model: TableViewModel, half: Half) -> Panel:
    phase, decided = model.phase, (Phase.ENDED, Phase.RESULT, Phase.SIGNED, Phase.SUBMITTED)
    if phase is Phase.SETUP or (phase is None and model.players):
        return setup_half(model, half)
    if phase is None:
        return waiting_half(model, half)
    asks = (phase is Phase.RESULT and model.reading_open) or (phase is Phase.ENDED and model.claims_time)
    return card_half(model, half) if model.enters_count or (phase in decided and not asks) else clock_half(model, half)
