"""Text of a clock face, and when it changes next.

- Time left is rounded up, so that 0:00 appears exactly when the time is used up. After that it stays at 0:00, and
  nothing else shows the flag (K-02, K-03).
- Time used (up-count) is rounded down.
- Times are nanoseconds.
"""

from __future__ import annotations

from engine.match.time_controls import ControlKind
from kiosk.table.state.recent_games import clock_text
from kiosk.table.strings import player_strings as words
from kiosk.table.views.player_view_model import SideViewModel, TableViewModel

SECOND_NS = 1_000_000_000
TENTH_NS = 100_000_000
#: below this time tenths are shown
TENTHS_BELOW_NS = 20 * SECOND_NS

TEMPLATE = "00:00"


def template(figures: str) -> str:
    """Return the widest text for which the font size must suffice; longer times are set smaller."""
    return "0" * (len(figures) - len(TEMPLATE)) + TEMPLATE


def face(left_ns: int) -> str:
    """Return ``mm:ss``, below 20 seconds ``s.t``, and ``0:00`` after the flag."""
    if left_ns <= 0:
        return "0:00"
    if left_ns <= TENTHS_BELOW_NS:
        tenths = -(-left_ns // TENTH_NS)
        return f"{tenths // 10}.{tenths % 10}"
    return clock_text(-(-left_ns // SECOND_NS))


def next_face_in_ns(left_ns: int) -> int | None:
    """Return how long the face of a running clock with ``left_ns`` stays the same. None: for ever, as it shows 0:00."""
    if left_ns <= 0:
        return None
    step = TENTH_NS if left_ns <= TENTHS_BELOW_NS else SECOND_NS
    return (left_ns - 1) % step + 1


def next_growth_in_ns(left_ns: int) -> int:
    """Return how long the face of a clock whose time grows (the other side of an hourglass) stays the same."""
    if left_ns <= 0:
        return 1 - left_ns
    step = TENTH_NS if left_ns < TENTHS_BELOW_NS else SECOND_NS
    return -left_ns % step + 1


# View of the time control in one short line, and the clock figures of each control.
#
# The text on periods and delays depends on the time alone, so a fallen flag adds nothing to it (K-02).

#: below this time the display says so in words
LAST_MINUTE_NS = 59 * SECOND_NS  # figures are rounded up: from 0:59 on


def clock_figures(model: TableViewModel, side: SideViewModel) -> str:
    """Return the figures of the side's clock."""
    if model.control.kind is ControlKind.UP_COUNT:
        return clock_text(side.left_ns // SECOND_NS)
    return face(side.left_ns)


def next_figures_in_ns(model: TableViewModel, side: SideViewModel) -> int | None:
    """Return how long time alone leaves the side's figures and its control line unchanged."""
    runs = any(one.running for one in model.sides.values())
    if side.running and side.delay_ns > 0:
        return (side.delay_ns - 1) % SECOND_NS + 1
    if side.running and model.control.kind is ControlKind.UP_COUNT:
        return SECOND_NS - side.left_ns % SECOND_NS
    if side.running:
        return next_face_in_ns(side.left_ns)
    return next_growth_in_ns(side.left_ns) if runs and model.control.kind is ControlKind.HOURGLASS else None


def is_last_minute(model: TableViewModel, side: SideViewModel) -> bool:
    """Return whether the last minute has begun; it stays true at zero. Only for a time that runs out for good."""
    return model.control.kind is ControlKind.SUDDEN_DEATH and side.left_ns <= LAST_MINUTE_NS


def control_line(model: TableViewModel, side: SideViewModel) -> str:
    """Return a line such as ``+5 s a move`` or ``60 s: 2 left``; empty where there is only a main time."""
    control = model.control
    figures = {"s": f"{control.step_ns / SECOND_NS:g}", "n": side.periods, "time": face(control.step_ns)}
    match control.kind:
        case ControlKind.SUDDEN_DEATH:
            return ""
        case ControlKind.SIMPLE_DELAY if side.delay_ns > 0:
            return side.say(words.DELAY_LEFT, s=-(-side.delay_ns // SECOND_NS))
        case ControlKind.BYO_YOMI if control.periods == 1:
            return side.say(words.IN_PERIOD_EACH if side.in_period else words.PERIOD_EACH, **figures)
        case ControlKind.BYO_YOMI if side.in_period:
            return side.say(words.PERIOD, **figures)
        case ControlKind.CANADIAN if side.in_period:
            return side.say(words.TURNS_DUE, n=side.turns_due)
        case ControlKind.CANADIAN:
            return side.say(words.CONTROLS[control.kind], **figures | {"n": control.turns})
        case _:
            return side.say(words.CONTROLS[control.kind], **figures)
