"""Time controls: what a turn costs and what it gives back.

The law: a control is data. ``engine.match.clock`` does its arithmetic, in whole nanoseconds; whoever presses decides
nothing about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from engine.match.model import MatchError, seconds_to_ns
from engine.text import say


class ControlError(MatchError, ValueError):
    """A time control or one of its figures is unknown, missing or out of place; it is named."""


class ControlKind(StrEnum):
    SUDDEN_DEATH = "sudden-death"  # the main time and no more (M43-3)
    FISCHER = "fischer"  # every completed turn adds the increment
    BRONSTEIN = "bronstein"  # every completed turn gives back what it took, up to the delay
    SIMPLE_DELAY = "simple-delay"  # the first seconds of every turn are free
    BYO_YOMI = "byo-yomi"  # after the main time, periods; a turn within one leaves it whole (CC-SUP-2)
    HOURGLASS = "hourglass"  # what one side spends the other gains
    PER_MOVE = "per-move"  # every turn has the limit anew; there is no main time
    UP_COUNT = "up-count"  # time used is counted, and never runs out


@dataclass(frozen=True, slots=True)
class Control:
    """``step_ns``: the increment, delay, period or limit. ``periods``: how many periods follow the main time.
    ``exceeded``: only more than all of it is too much (CC-WIN-5); else the flag falls when nothing is left."""

    kind: ControlKind = ControlKind.SUDDEN_DEATH
    step_ns: int = 0
    periods: int = 0
    exceeded: bool = False


#: the figure that each control has in the options of a set-up
STEP_OPTION: Mapping[ControlKind, str] = {
    ControlKind.FISCHER: "increment_s",
    ControlKind.BRONSTEIN: "delay_s",
    ControlKind.SIMPLE_DELAY: "delay_s",
    ControlKind.BYO_YOMI: "period_s",
    ControlKind.PER_MOVE: "limit_s",
}
SUDDEN_DEATH = Control()
CONTROL_OPTIONS = frozenset({"control", "periods", *STEP_OPTION.values()})


def read_control(default: Control, raw: Mapping[str, object]) -> Control:
    """The control that options such as ``{"control": "fischer", "increment_s": 5}`` name.

    :raises ControlError: unknown, a figure is missing, is no number of seconds, or belongs to another control.
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
    return Control(kind, step_ns, periods, default.exceeded)


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
