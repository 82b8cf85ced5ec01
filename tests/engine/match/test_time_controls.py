"""Tests of the time controls against a slow and obvious model, and against known answers."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.match import Seat
from engine.match.game_clock import Clock
from engine.match.time_controls import ControlError, ControlKind, TimeControl, read_control

MAIN, STEP = 40, 7
Does = tuple[str, int]
DOES = st.tuples(st.sampled_from(["press", "hold", "look"]), st.integers(0, 30))
KINDS = st.sampled_from(list(ControlKind))


@dataclass
class Model:
    """Two clocks that count down one unit at a time."""

    control: TimeControl
    left: dict[Seat, int] = field(default_factory=dict)
    periods: dict[Seat, int] = field(default_factory=dict)
    in_period: dict[Seat, bool] = field(default_factory=lambda: dict.fromkeys(Seat, False))
    flag: dict[Seat, int | None] = field(default_factory=lambda: dict.fromkeys(Seat))
    turn: Seat | None = None
    free: int = 0
    spent: int = 0
    now: int = 0

    def __post_init__(self) -> None:
        start = {ControlKind.PER_MOVE: STEP, ControlKind.UP_COUNT: 0}.get(self.control.kind, MAIN)
        self.left = dict.fromkeys(Seat, start)
        self.periods = dict.fromkeys(Seat, self.control.periods)

    def unit(self, running: Seat | None) -> None:
        self.now += 1
        if running is None:
            return
        if self.free:
            self.free -= 1
            return
        self.spent += 1
        if self.control.kind is ControlKind.UP_COUNT:
            self.left[running] += 1
            return
        self.left[running] -= 1
        if self.control.kind is ControlKind.HOURGLASS:
            self.left[running.other] += 1
        if self.left[running] == 0 and self.flag[running] is None:
            if self.control.kind is ControlKind.BYO_YOMI and not self.in_period[running]:
                self.in_period[running], self.left[running] = True, STEP
            elif self.control.kind is ControlKind.BYO_YOMI and self.periods[running] > 1:
                self.periods[running] -= 1
                self.left[running] = STEP
            else:
                self.flag[running] = self.now

    def begin(self, seat: Seat) -> None:
        if seat is not self.turn:
            self.turn, self.spent = seat, 0
            self.free = STEP if self.control.kind is ControlKind.SIMPLE_DELAY else 0

    def complete(self, seat: Seat) -> None:
        match self.control.kind:
            case ControlKind.FISCHER:
                self.left[seat] += STEP
            case ControlKind.BRONSTEIN:
                self.left[seat] += min(STEP, self.spent)
            case ControlKind.PER_MOVE:
                self.left[seat] = STEP
            case ControlKind.BYO_YOMI if self.in_period[seat] and self.flag[seat] is None:
                self.left[seat] = STEP
            case _:
                pass


@pytest.mark.slow
@given(
    kind=KINDS,
    periods=st.integers(1, 3),
    does=st.lists(DOES, max_size=25),
)
@settings(max_examples=400, deadline=None)
def test_the_clock_agrees_with_counting_down_one_by_one(
    kind: ControlKind, periods: int, does: list[tuple[str, int]]
) -> None:
    control = TimeControl(kind, STEP, periods if kind is ControlKind.BYO_YOMI else 0)
    model, clock = Model(control), Clock.new(MAIN, 0, control)
    side, running = Seat.LEFT, None
    for what, wait in does:
        zero = None if running is None else clock.zero_due_ns(running)
        for _ in range(wait):
            model.unit(running)
        if zero is not None and running is not None:
            assert (model.flag[running] is not None) is (zero <= model.now)
        match what:
            case "press" if running is not None:
                clock = clock.after_completed_turn(side, model.now)
                model.complete(side)
                side = running = side.other
                clock = clock.run(side, model.now)
                model.begin(side)
            case "press":
                running = side
                clock = clock.run(side, model.now)
                model.begin(side)
            case "hold":
                running = None
                clock = clock.run(None, model.now)
            case _:
                pass
        for seat in Seat:
            assert clock.remaining_ns(seat, model.now) == model.left[seat]
            assert clock.flag_at_ns(seat, model.now) == model.flag[seat]
            assert clock.side_at(seat, model.now).in_period is model.in_period[seat]


def test_a_turn_longer_than_several_periods_loses_them_at_once() -> None:
    clock = Clock.new(10, 0, TimeControl(ControlKind.BYO_YOMI, 5, 3)).run(Seat.LEFT, 0)
    assert clock.zero_due_ns(Seat.LEFT) == 25
    assert (clock.side_at(Seat.LEFT, 22).periods, clock.remaining_ns(Seat.LEFT, 22)) == (1, 3)
    assert (clock.flag_at_ns(Seat.LEFT, 24), clock.flag_at_ns(Seat.LEFT, 1000)) == (None, 25)
    assert clock.remaining_ns(Seat.LEFT, 27) == -2


def test_setting_a_time_in_a_period_keeps_to_the_period_if_it_fits() -> None:
    clock = Clock.new(10, 0, TimeControl(ControlKind.BYO_YOMI, 5, 2)).run(Seat.LEFT, 0).run(None, 12)
    assert clock.side(Seat.LEFT).in_period
    within, beyond = clock.set_left(Seat.LEFT, 4, 12), clock.set_left(Seat.LEFT, 9, 12)
    assert (within.side(Seat.LEFT).in_period, beyond.side(Seat.LEFT).in_period) == (True, False)
    fallen = clock.set_left(Seat.LEFT, 0, 12)
    assert (fallen.flag_at_ns(Seat.LEFT, 12), fallen.side(Seat.LEFT).periods_not_begun) == (12, 0)
    assert fallen.set_left(Seat.LEFT, 3, 13).flag_at_ns(Seat.LEFT, 13) is None


def test_a_control_is_read_strictly() -> None:
    default = TimeControl(ControlKind.BYO_YOMI, 60, 1)
    assert read_control(default, {}) == default
    assert read_control(default, {"period_s": 30}) == TimeControl(ControlKind.BYO_YOMI, 30 * 10**9, 1)
    assert read_control(default, {"control": "sudden-death"}) == TimeControl()
    assert read_control(TimeControl(), {"control": "hourglass"}) == TimeControl(ControlKind.HOURGLASS)
    for wrong in ({"control": "hourglass", "period_s": 3}, {"control": None}, {"periods": True}, {"period_s": 0}):
        with pytest.raises(ControlError):
            read_control(default, wrong)
