"""Reasons for arbiter orders (K-15), each with the orders for which it is usual.

A reason is recorded as the English template here, or as ``code N`` from the tournament's own list; it is translated for
display. Where the rules require a reason, no order is recorded without one.
"""

from __future__ import annotations

from engine.i18n import say
from kiosk.table.state.arbiter_screen_state import Task

REASONS = (
    say("Clock pressed by mistake, or not pressed"),
    say("The equipment failed"),
    say("The board was not right"),
    say("Disturbance, conduct"),
    say("Late or absent"),
    say("Both players agree"),
    say("Ruling by the rules"),
)
#: line after the reasons: a numbered reason of the tournament's own list
CODE_LINE = len(REASONS)
CODE_DIGITS = 2

_USUAL = {
    Task.SET_TIME: 0,
    Task.CHALLENGE: 6,
    Task.DEDUCT: 3,
    Task.FLAG: 6,
    Task.BOTH_FLAGS: 6,
    Task.LATE_READING: 6,
    Task.LATE_START: 4,
    Task.REOPEN: 5,
    Task.FORFEIT: 6,
    Task.RESULT: 6,
    Task.RESIGNATION: 5,
    Task.UNRATED: 6,
}


def usual_line(task: Task) -> int:
    """Return the line to mark when the list opens."""
    return _USUAL.get(task, 0)


def recorded_reason(line: int) -> str:
    return REASONS[line].template


def recorded_code(figures: tuple[int, ...]) -> str:
    return f"code {''.join(map(str, figures))}"
