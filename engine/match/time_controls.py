"""Time controls as data: what a turn costs and what it gives back.

``engine.match.game_clock`` does the arithmetic, in whole nanoseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from engine.i18n import say
from engine.match.model import MatchError, seconds_to_ns


class ControlError(MatchError, ValueError):
    """An unknown time control, or a figure of one that is missing or not allowed; the message names it."""


class ControlKind(StrEnum):
    SUDDEN_DEATH = "sudden-death"  # the main time and no more (M43-3)
    FISCHER = "fischer"  # every completed turn adds the increment
    BRONSTEIN = "bronstein"  # every completed turn gives back what it took, up to the delay
    SIMPLE_DELAY = "simple-delay"  # the first seconds of every turn are free
    BYO_YOMI = "byo-yomi"  # after the main time, periods; a turn within one does not use it up (CC-SUP-2)
    HOURGLASS = "hourglass"  # the time one side spends is added to the other
    PER_MOVE = "per-move"  # every turn has the full limit; there is no main time
    UP_COUNT = "up-count"  # time used is counted and never runs out


@dataclass(frozen=True, slots=True)
class TimeControl:
    """A time control.

    ``step_ns``: the increment, delay, period or limit. ``periods``: number of periods after the main time.
    ``exceeded``: the flag falls only when more than all the time is used (CC-WIN-5); otherwise when none is left.
    """

    kind: ControlKind = ControlKind.SUDDEN_DEATH
    step_ns: int = 0
    periods: int = 0
    exceeded: bool = False


#: the set-up option that holds the figure of each control
STEP_OPTION: Mapping[ControlKind, str] = {
    ControlKind.FISCHER: "increment_s",
    ControlKind.BRONSTEIN: "delay_s",
    ControlKind.SIMPLE_DELAY: "delay_s",
    ControlKind.BYO_YOMI: "period_s",
    ControlKind.PER_MOVE: "limit_s",
}
SUDDEN_DEATH = TimeControl()
CONTROL_OPTIONS = frozenset({"control", "periods", *STEP_OPTION.values()})


def read_control(default: TimeControl, raw: Mapping[str, object]) -> TimeControl:
    """Return the control named by options such as ``{"control": "fischer", "increment_s": 5}``.

    :raises ControlError: unknown control, or a figure that is missing, not a number of seconds, or of another control.
    """
    kind = _kind(raw.get("control", default.kind))
    step = STEP_OPTION.get(kind)
    known = {"control", *((step,) if step else ()), *(("periods",) if kind is ControlKind.BYO_YOMI else ())}
    if wrong := [name for name in raw if name not in known]:
        raise ControlError(
            say("option {option} does not belong to the time control {kind}", option=wrong[0], kind=kind)
        )
    same = kind is default.kind
    step_ns = default.step_ns if same else 0
    if step is not None and step in raw:
        step_ns = _step(step, raw[step])
    if step is not None and step_ns <= 0:
        raise ControlError(say("the time control {kind} needs the option {option}, in seconds", kind=kind, option=step))
    periods = raw.get("periods", default.periods if same else 1) if kind is ControlKind.BYO_YOMI else 0
    if type(periods) is not int or not 0 <= periods <= 1000 or (kind is ControlKind.BYO_YOMI and periods < 1):
        raise ControlError(say("option periods must be a whole number from 1, not {periods}", periods=repr(periods)))
    return TimeControl(kind, step_ns, periods, default.exceeded)


def _kind(value: object) -> ControlKind:
    try:
        return ControlKind(value)  # type: ignore[arg-type]
    except ValueError:
        raise ControlError(
            say(
                "option control must be one of {known}, not {value}",
                known=", ".join(ControlKind),
                value=repr(value),
            )
        ) from None


def _step(name: str, value: object) -> int:
    try:
        return seconds_to_ns(value)
    except ValueError as error:
        raise ControlError(say("option {name} {why}", name=name, why=error)) from error
