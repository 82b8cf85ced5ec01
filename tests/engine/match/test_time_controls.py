"""Tests of the time controls against a slow, simple model, and against known answers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matches.games import PASSES
from matches.steps import READ, S, after, played, press, read

from engine.match import Seat
from engine.match.game_clock import Clock
from engine.match.match_events_and_effects import Pass
from engine.match.match_value_types import TurnKind
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
    due: dict[Seat, int] = field(default_factory=dict)
    turn: Seat | None = None
    free: int = 0
    spent: int = 0
    now: int = 0

    def __post_init__(self) -> None:
        start = {ControlKind.PER_MOVE: STEP, ControlKind.UP_COUNT: 0}.get(self.control.kind, MAIN)
        self.left = dict.fromkeys(Seat, start)
        self.periods = dict.fromkeys(Seat, self.control.periods)
        self.due = dict.fromkeys(Seat, self.control.turns)

    def advance_one_unit(self, running: Seat | None) -> None:
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
            if self.control.kind in (ControlKind.BYO_YOMI, ControlKind.CANADIAN) and not self.in_period[running]:
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
            case ControlKind.CANADIAN if self.in_period[seat] and self.flag[seat] is None:
                self.due[seat] -= 1
                if self.due[seat] == 0:
                    self.due[seat], self.left[seat] = self.control.turns, STEP
            case _:
                pass


@pytest.mark.slow
@given(kind=KINDS, periods=st.integers(1, 3), does=st.lists(DOES, max_size=25))
@settings(max_examples=400, deadline=None)
def test_the_clock_agrees_with_counting_down_one_by_one(
    kind: ControlKind, periods: int, does: list[tuple[str, int]]
) -> None:
    control = TimeControl(kind, STEP, periods if kind is ControlKind.BYO_YOMI else 0)
    if kind is ControlKind.CANADIAN:
        control = TimeControl(kind, STEP, 1, turns=periods)
    model, clock = Model(control), Clock.new(MAIN, 0, control)
    side, running = Seat.LEFT, None
    for what, wait in does:
        zero = None if running is None else clock.zero_due_ns(running)
        for _ in range(wait):
            model.advance_one_unit(running)
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
            assert clock.side_at(seat, model.now).turns_due == model.due[seat]


def test_a_turn_longer_than_several_periods_uses_them_at_once() -> None:
    clock = Clock.new(10, 0, TimeControl(ControlKind.BYO_YOMI, 5, 3)).run(Seat.LEFT, 0)
    assert clock.zero_due_ns(Seat.LEFT) == 25
    assert (clock.side_at(Seat.LEFT, 22).periods, clock.remaining_ns(Seat.LEFT, 22)) == (1, 3)
    assert (clock.flag_at_ns(Seat.LEFT, 24), clock.flag_at_ns(Seat.LEFT, 1000)) == (None, 25)
    assert clock.remaining_ns(Seat.LEFT, 27) == -2


#: Worked by hand, in seconds: the turns of LEFT and RIGHT in order, then what each clock shows.
EXAMPLES = {
    # 10 + 5 a turn: LEFT 10-4+5=11, then 11-12=-1; RIGHT 10-3+5=12
    "fischer": (TimeControl(ControlKind.FISCHER, 5), 10, (4, 3), (11, 12)),
    # gives back what was used, at most 5: LEFT 10-3+3=10, 10-8+5=7; RIGHT 10-5+5=10
    "bronstein": (TimeControl(ControlKind.BRONSTEIN, 5), 10, (3, 5, 8), (7, 10)),
    # the first 5 are free: LEFT 10, then 10-3=7; RIGHT 10-1=9
    "simple-delay": (TimeControl(ControlKind.SIMPLE_DELAY, 5), 10, (3, 6, 8), (7, 9)),
    # LEFT uses 10, then 2 of the first period: full again; then 5 of it and 2 of the second, which is full again
    "byo-yomi": (TimeControl(ControlKind.BYO_YOMI, 5, 3), 10, (12, 1, 7, 1), (5, 8)),
    # 3 turns in 20: LEFT uses 10 and 4 of the period, then 5, then 6: three turns, so 20 again, then 2
    "canadian": (TimeControl(ControlKind.CANADIAN, 20, 1, turns=3), 10, (14, 1, 5, 1, 6, 1, 2), (18, 7)),
    # LEFT 10-4+3-2=7, RIGHT 10+4-3+2=13
    "hourglass": (TimeControl(ControlKind.HOURGLASS), 10, (4, 3, 2), (7, 13)),
    "per-move": (TimeControl(ControlKind.PER_MOVE, 30), 10, (29, 1, 7), (30, 30)),
    "up-count": (TimeControl(ControlKind.UP_COUNT), 10, (29, 1, 7), (36, 1)),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_worked_examples_of_each_control(name: str) -> None:
    control, main, turns, left = EXAMPLES[name]
    clock, seat, now = Clock.new(main, 0, control).run(Seat.LEFT, 0), Seat.LEFT, 0
    for used in turns:
        now += used
        clock, seat = clock.after_completed_turn(seat, now).run(seat.other, now), seat.other
    assert (clock.remaining_ns(Seat.LEFT, now), clock.remaining_ns(Seat.RIGHT, now)) == left
    assert not clock.has_flag_fallen(now)


def test_canadian_byo_yomi_equals_a_worked_example() -> None:
    """With 10 of main time, then 3 turns in each 20, the flag falls at 30 unless three turns were completed by then."""
    clock = Clock.new(10, 0, TimeControl(ControlKind.CANADIAN, 20, 1, turns=3)).run(Seat.LEFT, 0)
    assert clock.zero_due_ns(Seat.LEFT) == 30
    assert (clock.side_at(Seat.LEFT, 9).turns_due, clock.side_at(Seat.LEFT, 9).in_period) == (3, False)
    in_period = clock.after_completed_turn(Seat.LEFT, 12)
    assert (in_period.side(Seat.LEFT).left_ns, in_period.side(Seat.LEFT).turns_due) == (18, 2)
    again = in_period.run(Seat.RIGHT, 12).without_bonus(Seat.LEFT)
    assert again.side(Seat.LEFT).turns_due == 3, "a press that completed no turn does not count"
    assert again.without_bonus(Seat.LEFT) == again
    second = in_period.run(Seat.RIGHT, 12).run(Seat.LEFT, 13).after_completed_turn(Seat.LEFT, 20)
    third = second.run(Seat.RIGHT, 20).run(Seat.LEFT, 21).after_completed_turn(Seat.LEFT, 31)
    assert (third.side(Seat.LEFT).left_ns, third.side(Seat.LEFT).turns_due) == (20, 3)
    back = third.run(Seat.RIGHT, 31).without_bonus(Seat.LEFT).side(Seat.LEFT)
    assert (back.left_ns, back.turns_due) == (1, 1)
    late = second.run(Seat.RIGHT, 20).run(Seat.LEFT, 21).after_completed_turn(Seat.LEFT, 33).side(Seat.LEFT)
    assert (late.left_ns, late.flag_at_ns, late.turns_due) == (-1, 32, 1)


@pytest.mark.parametrize("seen", [True, False])
@pytest.mark.parametrize(
    "control",
    [
        {"control": "bronstein", "delay_s": 5},
        {"control": "per-move", "limit_s": 30},
        {"control": "byo-yomi", "period_s": 30},
    ],
)
def test_a_pass_that_is_not_charged_gives_no_time(control: dict[str, object], seen: bool) -> None:
    """AMB-47: what the control gave back for the turn is not given back a second time."""
    moves = [PASSES[at : at + 2] for at in range(0, len(PASSES), 2)]
    before = "".join(moves[: moves.index("--")])
    setup = replace(READ, main_ns=5 * S, options={**control, "pass_is_charged": False})
    state = played(before, setup)
    state = state if seen else replace(state, start_board=None)
    by, at_ns = state.to_move, state.clock.since_ns
    passed = after(state, Pass(at_ns + 3 * S, by), press(by, at_ns // S + 4))
    passed = after(passed, read(at_ns // S + 4, state.turn_board or "", passed.asked)) if seen else passed
    assert passed.turns[-1].kind is TurnKind.PASS
    assert passed.remaining_ns(by, at_ns + 4 * S) == state.remaining_ns(by, at_ns)


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
    canadian = {"control": "canadian-byo-yomi", "period_s": 300, "turns": 10}
    assert read_control(default, canadian) == TimeControl(ControlKind.CANADIAN, 300 * 10**9, 1, turns=10)
    for wrong in (canadian | {"turns": 0}, canadian | {"periods": 2}):
        with pytest.raises(ControlError):
            read_control(TimeControl(), wrong)
    for wrong in ({"control": "hourglass", "period_s": 3}, {"control": None}, {"periods": True}, {"period_s": 0}):
        with pytest.raises(ControlError):
            read_control(default, wrong)
