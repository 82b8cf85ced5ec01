"""The two-sided clock.

The law: time is charged exactly from edge to edge, to the nanosecond, to one side only. Nothing is charged while the
clock is looked at: time is folded into a side only when that side stops, so a late-arriving edge still finds the truth.
A flag is latched at the exact instant the side reached zero (K-02), in silence, and time goes on below zero (K-03).
What a time control gives (``completed``, periods, free seconds) is arithmetic on the same integers.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.match.controls import SUDDEN_DEATH, Control, ControlKind
from engine.match.model import Seat
from engine.values import replace


@dataclass(frozen=True, slots=True)
class SideClock:
    """One side's time. ``left_ns`` is the time left when the side last stopped or started, and goes below zero
    after a flag (K-03); under up-count it is the time used. ``flag_at_ns`` is the instant it reached zero, latched
    (K-02). ``periods`` are those left, the one begun (``in_period``) included."""

    left_ns: int
    flag_at_ns: int | None = None
    periods: int = 0
    in_period: bool = False

    def charged(self, control: Control, since_ns: int, until_ns: int) -> SideClock:
        """The side after running from ``since_ns`` to ``until_ns``."""
        spent_ns = until_ns - since_ns
        if control.kind is ControlKind.UP_COUNT:
            return replace(self, left_ns=self.left_ns + spent_ns)
        left_ns = self.left_ns - spent_ns
        if self.flag_at_ns is not None or left_ns > 0:
            return replace(self, left_ns=left_ns)
        if self.further:
            begun = -left_ns // control.step_ns + 1
            if begun <= self.further:
                periods = self.periods - begun + (not self.in_period)
                return SideClock(left_ns + begun * control.step_ns, None, periods, in_period=True)
        reserve_ns = self.further * control.step_ns
        left_ns += reserve_ns
        if control.exceeded and left_ns == 0:
            return SideClock(0, None, min(1, self.periods), self.periods > 0)
        return self.fallen(left_ns, since_ns + self.left_ns + reserve_ns + control.exceeded)

    def fallen(self, left_ns: int, flag_at_ns: int) -> SideClock:
        """The side with its flag down; of its periods it is in the last."""
        return SideClock(left_ns, flag_at_ns, min(1, self.periods), self.periods > 0)

    @property
    def further(self) -> int:
        """Periods that have not begun."""
        return max(0, self.periods - self.in_period)


@dataclass(frozen=True, slots=True)
class Clock:
    """``since_ns`` is the last time the clock was started, stopped, switched or set. ``turn`` is the side that ran
    last: ``spent_ns`` was charged to it since its turn began, and ``free_ns`` of its turn are still free of charge.
    ``bonus_ns`` is what the control gave the other side when it pressed."""

    left: SideClock
    right: SideClock
    running: Seat | None = None
    since_ns: int = 0
    control: Control = SUDDEN_DEATH
    turn: Seat | None = None
    spent_ns: int = 0
    free_ns: int = 0
    bonus_ns: int = 0

    @classmethod
    def new(cls, main_ns: int, at_ns: int, control: Control = SUDDEN_DEATH) -> Clock:
        match control.kind:
            case ControlKind.PER_MOVE:
                main_ns = control.step_ns
            case ControlKind.UP_COUNT:
                main_ns = 0
            case _:
                pass
        side = SideClock(main_ns, periods=control.periods)
        return cls(side, side, None, at_ns, control)

    def side(self, seat: Seat) -> SideClock:
        return self.left if seat is Seat.LEFT else self.right

    def with_side(self, seat: Seat, side: SideClock) -> Clock:
        return replace(self, left=side) if seat is Seat.LEFT else replace(self, right=side)

    def _charge_from_ns(self, at_ns: int) -> int:
        """Where charging of the running side begins: after the free seconds of its turn."""
        return min(self.since_ns + self.free_ns, max(at_ns, self.since_ns))

    def side_at(self, seat: Seat, at_ns: int) -> SideClock:
        """The side as it is at ``at_ns``."""
        side = self.side(seat)
        if self.running is None:
            return side
        from_ns, until_ns = self._charge_from_ns(at_ns), max(at_ns, self.since_ns)
        if seat is self.running:
            return side.charged(self.control, from_ns, until_ns)
        if self.control.kind is ControlKind.HOURGLASS:
            return replace(side, left_ns=side.left_ns + until_ns - from_ns)
        return side

    def remaining_ns(self, seat: Seat, at_ns: int) -> int:
        """What the display shows at ``at_ns``: the time left of the main time or of the period begun, negative after
        a flag; under up-count the time used."""
        return self.side_at(seat, at_ns).left_ns

    def flag_at_ns(self, seat: Seat, at_ns: int) -> int | None:
        """The instant the side reached zero, if that was not after ``at_ns``."""
        side = self.side(seat)
        if seat is not self.running or at_ns - self.since_ns < side.left_ns:
            return side.flag_at_ns  # it cannot fall within the time that it has left
        return self.side_at(seat, at_ns).flag_at_ns

    def zero_ns(self, seat: Seat) -> int | None:
        """The instant at which the running side reaches zero for good; None if it stands, if its flag has fallen
        before or if its time never runs out."""
        side = self.side(seat)
        if seat is not self.running or side.flag_at_ns is not None or self.control.kind is ControlKind.UP_COUNT:
            return None
        return self.since_ns + self.free_ns + side.left_ns + side.further * self.control.step_ns

    def falls_ns(self, seat: Seat) -> int | None:
        """The instant at which that side's flag falls, as ``zero_ns`` has it: some rules want the time exceeded."""
        zero_ns = self.zero_ns(seat)
        return None if zero_ns is None else zero_ns + self.control.exceeded

    def spent_at_ns(self, at_ns: int) -> int:
        """What the turn of the side that ran last has cost by ``at_ns``."""
        if self.running is None:
            return self.spent_ns
        return self.spent_ns + max(at_ns, self.since_ns) - self._charge_from_ns(at_ns)

    def run(self, seat: Seat | None, at_ns: int) -> Clock:
        """Charges the running side up to ``at_ns``; then ``seat`` runs (None: both stand). Another side than the last
        begins a turn of its own."""
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

    def completed(self, seat: Seat, at_ns: int) -> Clock:
        """The running side has completed its turn: what the control gives for it is added."""
        clock = self.run(self.running, at_ns)
        side, step_ns = clock.side(seat), self.control.step_ns
        match self.control.kind:
            case ControlKind.FISCHER:
                bonus_ns = step_ns
            case ControlKind.BRONSTEIN:
                bonus_ns = min(step_ns, clock.spent_ns)
            case ControlKind.PER_MOVE:
                bonus_ns = step_ns - side.left_ns
            case ControlKind.BYO_YOMI if side.in_period and side.flag_at_ns is None:
                bonus_ns = step_ns - side.left_ns
            case _:
                bonus_ns = 0
        return replace(clock.with_side(seat, replace(side, left_ns=side.left_ns + bonus_ns)), bonus_ns=bonus_ns)

    def given(self, seat: Seat, amount_ns: int) -> Clock:
        """A standing side's time with ``amount_ns`` more, or less."""
        side = self.side(seat)
        return self.with_side(seat, replace(side, left_ns=side.left_ns + amount_ns))

    def refunded(self, seat: Seat, amount_ns: int) -> Clock:
        """What a turn cost is given back; a flag that fell in it is lifted."""
        side = self.side(seat)
        left_ns = side.left_ns + amount_ns
        return self.with_side(
            seat, replace(side, left_ns=left_ns, flag_at_ns=side.flag_at_ns if left_ns <= 0 else None)
        )

    def without_bonus(self, seat: Seat) -> Clock:
        """The press of ``seat`` completed no turn: what the control gave for it is taken back. If it is his turn again
        (two presses in one nanosecond), what was given last is the other side's."""
        if self.bonus_ns == 0 or seat is self.turn:
            return self
        return replace(self.given(seat, -self.bonus_ns), bonus_ns=0)

    def set_left(self, seat: Seat, left_ns: int, at_ns: int) -> Clock:
        """Sets one side's time (M43-28); a flag falls or is lifted with it."""
        clock = self.run(self.running, at_ns)
        side = clock.side(seat)
        if left_ns <= 0 and self.control.kind is not ControlKind.UP_COUNT:
            return clock.with_side(seat, side.fallen(left_ns, at_ns if side.flag_at_ns is None else side.flag_at_ns))
        in_period = side.in_period and left_ns <= self.control.step_ns
        return clock.with_side(seat, SideClock(left_ns, None, side.periods, in_period))
