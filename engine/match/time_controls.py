"""Time controls as data: what a turn costs and what it gives back.

``engine.match.game_clock`` does the arithmetic, in whole nanoseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from engine.i18n import raised_as, say
from engine.match.match_value_types import MatchError, seconds_to_ns


class ControlError(MatchError, ValueError):
    """An unknown time control, or a figure of one that is missing or not allowed; the message names it."""


class ControlKind(StrEnum):
    SUDDEN_DEATH = "sudden-death"  # the main time and no more (M43-3)
    FISCHER = "fischer"  # every completed turn adds the increment
    BRONSTEIN = "bronstein"  # every completed turn gives back what it took, up to the delay
    SIMPLE_DELAY = "simple-delay"  # the first seconds of every turn are free
    BYO_YOMI = "byo-yomi"  # after the main time, periods; a turn within one does not use it up (CC-SUP-2)
    CANADIAN = "canadian-byo-yomi"  # after the main time, so many turns in each period
    HOURGLASS = "hourglass"  # the time one side spends is added to the other
    PER_MOVE = "per-move"  # every turn has the full limit; there is no main time
    UP_COUNT = "up-count"  # time used is counted and never runs out


@dataclass(frozen=True, slots=True)
class TimeControl:
    """A time control.

    ``step_ns``: the increment, delay, period or limit. ``periods``: number of periods after the main time. ``turns``:
    those to be completed in each period of Canadian byo-yomi.
    ``exceeded``: the flag falls only when more than all the time is used (CC-WIN-5); otherwise when none is left.
    """

    kind: ControlKind = ControlKind.SUDDEN_DEATH
    step_ns: int = 0
    periods: int = 0
    exceeded: bool = False
    turns: int = 0


#: the set-up option that holds the figure of each control
STEP_OPTION: Mapping[ControlKind, str] = {
    ControlKind.FISCHER: "increment_s",
    ControlKind.BRONSTEIN: "delay_s",
    ControlKind.SIMPLE_DELAY: "delay_s",
    ControlKind.BYO_YOMI: "period_s",
    ControlKind.CANADIAN: "period_s",
    ControlKind.PER_MOVE: "limit_s",
}
SUDDEN_DEATH = TimeControl()
#: the set-up option that holds the number of a control: of its periods, or of the turns in a period
COUNT_OPTION: Mapping[ControlKind, str] = {ControlKind.BYO_YOMI: "periods", ControlKind.CANADIAN: "turns"}
CONTROL_OPTIONS = frozenset({"control", *COUNT_OPTION.values(), *STEP_OPTION.values()})


def read_control(default: TimeControl, raw: Mapping[str, object]) -> TimeControl:
    """Return the control named by options such as ``{"control": "fischer", "increment_s": 5}``.

    :raises ControlError: unknown control, or a figure that is missing, not a number of seconds, or of another control.
    """
    kind = _kind(raw.get("control", default.kind))
    step, counted = STEP_OPTION.get(kind), COUNT_OPTION.get(kind)
    known = {"control", step, counted}
    if unknown := [name for name in raw if name not in known]:
        text = say("option {option} does not belong to the time control {kind}", kind=kind)
        raise ControlError(text(option=unknown[0]))
    same = kind is default.kind
    step_ns = default.step_ns if same else 0
    if step is not None and step in raw:
        step_ns = _step(step, raw[step])
    if step is not None and step_ns <= 0:
        raise ControlError(say("the time control {kind} needs the option {option}, in seconds", kind=kind, option=step))
    count = _count(counted, raw.get(counted, (default.turns or default.periods) if same else 1)) if counted else 0
    if kind is ControlKind.CANADIAN:
        return TimeControl(kind, step_ns, 1, default.exceeded, count)
    return TimeControl(kind, step_ns, count, default.exceeded)


def _count(name: str, value: object) -> int:
    if type(value) is int and 1 <= value <= 1000:
        return value
    raise ControlError(say("option {name} must be a whole number from 1, not {value}", name=name, value=repr(value)))


def _kind(value: object) -> ControlKind:
    try:
        return ControlKind(value)  # type: ignore[arg-type]
    except ValueError:
        text = say("option control must be one of {known}, not {value}", known=", ".join(ControlKind))
        raise ControlError(text(value=repr(value))) from None


def _step(name: str, value: object) -> int:
    with raised_as(ControlError, say("option {name} {why}", name=name), ValueError):
        return seconds_to_ns(value)
