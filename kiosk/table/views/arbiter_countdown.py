"""The countdown before a clock goes on: both players see the same figure, in silence."""

from __future__ import annotations

from engine.board.color import Color
from engine.match import MatchState
from engine.match.model import Phase
from kiosk.table.arbiter import forms
from kiosk.table.scene import Align, Digits, Ink, Panel, Text
from kiosk.table.state import TableState
from kiosk.table.state.arbiter_session import SECOND_NS, Countdown
from kiosk.table.views.layout import Half
from kiosk.table.words import arbiter as words
from kiosk.table.words.players import COLORS


def countdown_half(state: TableState, half: Half, now_ns: int) -> Panel:
    """The seconds left as large as can be, and whose time will run."""
    assert state.countdown is not None
    language = state.languages[half.seat]
    title, figure, low = half.local.inset(half.local.h // 20).rows(0.2, 0.55, 0.25)
    who = "" if state.match is None else _who(state.match, state.countdown)
    runs = words.THEN_RUNS.say(language, side=COLORS[Color(who)].say(language)) if who else ""
    return half.panel(
        Ink.NIGHT,
        (
            Text(title, words.GOES_ON.say(language), Ink.QUIET, align=Align.CENTRE, name="message"),
            Digits(figure, str(seconds_left(state.countdown, now_ns)), "00", Ink.ON_NIGHT, name="countdown"),
            Text(low, runs, Ink.ON_NIGHT, bold=True, align=Align.CENTRE, lines=2, name="call"),
        ),
    )


def seconds_left(countdown: Countdown, now_ns: int) -> int:
    """Rounded up: 0 is never shown, because then the clock runs."""
    return max(1, -(-(countdown.until_ns - now_ns) // SECOND_NS))


def next_second_ns(countdown: Countdown, now_ns: int) -> int | None:
    """When the figure changes next."""
    left_ns = countdown.until_ns - now_ns
    return None if left_ns <= 0 else now_ns + (left_ns - 1) % SECOND_NS + 1


def _who(match: MatchState, countdown: Countdown) -> str:
    after = forms.after(match, countdown.ruling)
    running = None if after is None or after.phase is Phase.HOLD else after.running()
    return "" if running is None else str(running)
