"""Two-sided game clock.

- Time is charged exactly from edge to edge, in nanoseconds, to one side only.
- Reading the clock changes nothing. Time is added to a side only when that side stops, so an edge that arrives late is
  still charged correctly.
- A flag is latched silently at the exact instant the side reached zero (K-02), and time goes on below zero (K-03).
- Increments, periods and free seconds of the time control are arithmetic on the same integers.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.copy_with_changes import replace
from engine.match.match_value_types import Seat
from engine.match.time_controls import SUDDEN_DEATH, ControlKind, TimeControl


@dataclass(frozen=True, slots=True)
class SideClock:
    """Time of one side.

    ``left_ns`` is the time left when the side last stopped or started; it is negative after a flag (K-03), and under
    up-count it is the time used. ``flag_at_ns`` is the latched instant at which it reached zero (K-02). ``periods`` are
    those left, including the current one (``in_period``). ``turns_due``: under Canadian byo-yomi those still to be
    completed in the period.
    """

    left_ns: int
    flag_at_ns: int | None = None
    periods: int = 0
    in_period: bool = False
    turns_due: int = 0

    def after_running(self, control: TimeControl, since_ns: int, until_ns: int) -> SideClock:
        """Return the side after running from ``since_ns`` to ``until_ns``."""
        spent_ns = until_ns - since_ns
        if control.kind is ControlKind.UP_COUNT:
            return replace(self, left_ns=self.left_ns + spent_ns)
        left_ns = self.left_ns - spent_ns
        if self.flag_at_ns is not None or left_ns > 0:
            return replace(self, left_ns=left_ns)
        if self.periods_not_begun:
            periods_used = -left_ns // control.step_ns + 1
            if periods_used <= self.periods_not_begun:
                periods = self.periods - periods_used + (not self.in_period)
                return replace(self, left_ns=left_ns + periods_used * control.step_ns, periods=periods, in_period=True)
        reserve_ns = self.periods_not_begun * control.step_ns
        left_ns += reserve_ns
        if control.exceeded and left_ns == 0:
            return self.with_flag_fallen(0, None)
        return self.with_flag_fallen(left_ns, since_ns + self.left_ns + reserve_ns + control.exceeded)

    def with_flag_fallen(self, left_ns: int, flag_at_ns: int | None) -> SideClock:
        """Return the side at its end, in its last period if it has any, with its flag fallen at ``flag_at_ns``."""
        periods = min(1, self.periods)
        return replace(self, left_ns=left_ns, flag_at_ns=flag_at_ns, periods=periods, in_period=self.periods > 0)

    @property
    def periods_not_begun(self) -> int:
        """Number of periods that have not begun."""
        return max(0, self.periods - self.in_period)


@dataclass(frozen=True, slots=True)
class Clock:
    """Clocks of both sides.

    ``since_ns`` is when the clock was last started, stopped, switched or set. ``turn`` is the side that ran last:
    ``spent_ns`` has been charged to it in its current turn, and ``free_ns`` of that turn are still free. ``bonus_ns``
    is what the control gave the other side when it pressed, and ``due_before`` the turns that it had to complete.
    """

    left: SideClock
    right: SideClock
    running: Seat | None = None
    since_ns: int = 0
    control: TimeControl = SUDDEN_DEATH
    turn: Seat | None = None
    spent_ns: int = 0
    free_ns: int = 0
    bonus_ns: int = 0
    due_before: int = 0

    @classmethod
    def new(cls, main_ns: int, at_ns: int, control: TimeControl = SUDDEN_DEATH) -> Clock:
        left_ns = {ControlKind.PER_MOVE: control.step_ns, ControlKind.UP_COUNT: 0}.get(control.kind, main_ns)
        side = SideClock(left_ns, periods=control.periods, turns_due=control.turns)
        return cls(side, side, None, at_ns, control)

    def side(self, seat: Seat) -> SideClock:
        return self.left if seat is Seat.LEFT else self.right

    def with_side(self, seat: Seat, side: SideClock) -> Clock:
        return replace(self, left=side) if seat is Seat.LEFT else replace(self, right=side)

    def _charge_from_ns(self, at_ns: int) -> int:
        """Return when charging of the running side begins: after the free seconds of its turn."""
        return min(self.since_ns + self.free_ns, max(at_ns, self.since_ns))

    def side_at(self, seat: Seat, at_ns: int) -> SideClock:
        """Return the side as it is at ``at_ns``."""
        side = self.side(seat)
        if self.running is None:
            return side
        from_ns, until_ns = self._charge_from_ns(at_ns), max(at_ns, self.since_ns)
        if seat is self.running:
            return side.after_running(self.control, from_ns, until_ns)
        if self.control.kind is ControlKind.HOURGLASS:
            return replace(side, left_ns=side.left_ns + until_ns - from_ns)
        return side

    def remaining_ns(self, seat: Seat, at_ns: int) -> int:
        """Return the displayed time at ``at_ns``: what is left of the main time or of the current period, negative
        after a flag; under up-count the time used.
        """
        return self.side_at(seat, at_ns).left_ns

    def flag_at_ns(self, seat: Seat, at_ns: int) -> int | None:
        """Return the instant the side reached zero, if that was not after ``at_ns``."""
        side = self.side(seat)
        if seat is not self.running or at_ns - self.since_ns < side.left_ns:
            return side.flag_at_ns  # the flag cannot fall while time is left
        return self.side_at(seat, at_ns).flag_at_ns

    def has_flag_fallen(self, at_ns: int) -> bool:
        return any(self.flag_at_ns(seat, at_ns) is not None for seat in Seat)

    def zero_due_ns(self, seat: Seat) -> int | None:
        """Return the instant at which the running side finally reaches zero; None if it is stopped, its flag has
        already fallen or its time never runs out.
        """
        side = self.side(seat)
        if seat is not self.running or side.flag_at_ns is not None or self.control.kind is ControlKind.UP_COUNT:
            return None
        return self.since_ns + self.free_ns + side.left_ns + side.periods_not_begun * self.control.step_ns

    def flag_due_ns(self, seat: Seat) -> int | None:
        """Return the instant at which that side's flag falls. It is later than ``zero_ns`` under rules that require the
        time to be exceeded.
        """
        zero_ns = self.zero_due_ns(seat)
        return None if zero_ns is None else zero_ns + self.control.exceeded

    def spent_at_ns(self, at_ns: int) -> int:
        """Return what the turn of the side that ran last has cost by ``at_ns``."""
        if self.running is None:
            return self.spent_ns
        return self.spent_ns + max(at_ns, self.since_ns) - self._charge_from_ns(at_ns)

    def run(self, seat: Seat | None, at_ns: int) -> Clock:
        """Charge the running side up to ``at_ns``, then run ``seat`` (None: stop both). A change of side begins a new
        turn.
        """
        clock = self
        if self.running is not None:
            clock = replace(
                self,
                left=self.side_at(Seat.LEFT, at_ns),
                right=self.side_at(Seat.RIGHT, at_ns),
                spent_ns=self.spent_at_ns(at_ns),
                free_ns=self.since_ns + self.free_ns - self._charge_from_ns(at_ns),
            )
        if seat is not None and seat is not clock.turn:
            free_ns = self.control.step_ns if self.control.kind is ControlKind.SIMPLE_DELAY else 0
            clock = replace(clock, turn=seat, spent_ns=0, free_ns=free_ns)
        return replace(clock, running=seat, since_ns=at_ns)

    def after_completed_turn(self, seat: Seat, at_ns: int) -> Clock:
        """Complete the running side's turn: add what the control gives for it."""
        clock = self.run(self.running, at_ns)
        side, step_ns, due = clock.side(seat), self.control.step_ns, clock.side(seat).turns_due
        bonus_ns = 0
        match self.control.kind:
            case ControlKind.FISCHER:
                bonus_ns = step_ns
            case ControlKind.BRONSTEIN:
                bonus_ns = min(step_ns, clock.spent_ns)
            case ControlKind.PER_MOVE:
                bonus_ns = step_ns - side.left_ns
            case ControlKind.BYO_YOMI if side.in_period and side.flag_at_ns is None:
                bonus_ns = step_ns - side.left_ns
            case ControlKind.CANADIAN if side.in_period and side.flag_at_ns is None:
                due = due - 1 or self.control.turns
                bonus_ns = step_ns - side.left_ns if due == self.control.turns else 0
            case _:
                pass
        after = replace(side, left_ns=side.left_ns + bonus_ns, turns_due=due)
        return replace(clock.with_side(seat, after), bonus_ns=bonus_ns, due_before=side.turns_due)

    def given(self, seat: Seat, amount_ns: int) -> Clock:
        """Change a stopped side's time by ``amount_ns``, which may be negative."""
        side = self.side(seat)
        return self.with_side(seat, replace(side, left_ns=side.left_ns + amount_ns))

    def with_turn_refunded(self, seat: Seat, amount_ns: int) -> Clock:
        """Give back what a turn cost; a flag that fell in it is lifted."""
        side = self.side(seat)
        left_ns = side.left_ns + amount_ns
        return self.with_side(
            seat, replace(side, left_ns=left_ns, flag_at_ns=side.flag_at_ns if left_ns <= 0 else None)
        )

    def without_bonus(self, seat: Seat) -> Clock:
        """Take back what the control gave for a press of ``seat`` that completed no turn. If it is that seat's turn
        again (two presses in one nanosecond), the last bonus is the other side's.
        """
        side = self.side(seat)
        if seat is self.turn or (self.bonus_ns == 0 and self.due_before in (0, side.turns_due)):
            return self
        before = replace(side, left_ns=side.left_ns - self.bonus_ns, turns_due=self.due_before)
        return replace(self.with_side(seat, before), bonus_ns=0)

    def set_left(self, seat: Seat, left_ns: int, at_ns: int) -> Clock:
        """Set one side's time (M43-28); its flag falls or is lifted accordingly."""
        clock = self.run(self.running, at_ns)
        side = clock.side(seat)
        if left_ns == 0 and side.periods and not side.in_period:  # no main time: the first period begins
            return clock.with_side(
                seat, replace(side, left_ns=0, flag_at_ns=None).after_running(self.control, at_ns, at_ns)
            )
        if left_ns <= 0 and self.control.kind is not ControlKind.UP_COUNT:
            return clock.with_side(
                seat, side.with_flag_fallen(left_ns, at_ns if side.flag_at_ns is None else side.flag_at_ns)
            )
        in_period = side.in_period and left_ns <= self.control.step_ns
        due = side.turns_due if in_period else self.control.turns
        return clock.with_side(seat, SideClock(left_ns, None, side.periods, in_period, due))

    def deducted(self, seat: Seat, amount_ns: int, at_ns: int) -> Clock:
        """Charge one side as if it had run for ``amount_ns`` more; a flag that falls by it falls at ``at_ns``."""
        clock = self.run(self.running, at_ns)
        before = clock.side(seat)
        after = before.after_running(self.control, at_ns - amount_ns, at_ns)
        if before.flag_at_ns is None and after.flag_at_ns is not None:
            after = replace(after, flag_at_ns=at_ns)
        return clock.with_side(seat, after)
