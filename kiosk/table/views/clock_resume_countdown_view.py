"""View of the countdown before a clock resumes: both players see the same figure, without sound."""

from __future__ import annotations

from engine.match import MatchState, Phase
from engine.match.screen_messages import COLORS
from kiosk.locale import render
from kiosk.table.arbiter.arbiter_screen_forms_to_orders import game_after_order
from kiosk.table.scene import Align, ColorRole, Digits, Panel, SceneText
from kiosk.table.state import TableState
from kiosk.table.state.arbiter_screen_state import SECOND_NS, Countdown
from kiosk.table.strings import arbiter_strings as words
from kiosk.table.views.player_halves_layout import Half


def countdown_half(state: TableState, half: Half, now_ns: int) -> Panel:
    """Return a half with the seconds left, as large as possible, and whose time will run."""
    assert state.countdown is not None
    language = state.languages[half.seat]
    title, figure, low = half.local.inset(half.local.h // 20).rows(0.2, 0.55, 0.25)
    after = None if state.match is None else game_after_order(state.match, state.countdown.ruling)
    side = after.running() if isinstance(after, MatchState) and after.phase is not Phase.HOLD else None
    runs = "" if side is None else render(words.THEN_RUNS, language, side=render(COLORS[side], language))
    seconds = max(1, -(-(state.countdown.until_ns - now_ns) // SECOND_NS))  # 0 is never shown: the clock runs then
    return half.panel(
        ColorRole.NIGHT,
        (
            SceneText(title, render(words.GOES_ON, language), ColorRole.QUIET, align=Align.CENTRE, name="message"),
            Digits(figure, str(seconds), "00", name="countdown"),
            SceneText(low, runs, bold=True, align=Align.CENTRE, lines=2, name="call"),
        ),
    )


def next_second_ns(countdown: Countdown, now_ns: int) -> int | None:
    """Return when the figure changes next; None if it does not change again."""
    left_ns = countdown.until_ns - now_ns
    return None if left_ns <= 0 else now_ns + (left_ns - 1) % SECOND_NS + 1
