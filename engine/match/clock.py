"""The two-sided clock.

The law: time is charged exactly from edge to edge, to the nanosecond, to one side only. Nothing is charged while the
clock is looked at: time is folded into a side only when that side stops, so a late-arriving edge still finds the truth.
A flag is latched at the exact instant the side reached zero (K-02), in silence, and time goes on below zero (K-03).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.match.model import Seat


@dataclass(frozen=True, slots=True)
class SideClock:
    """One side's time. ``left_ns`` is the time left when the side last stopped or started, and goes below zero
    after a flag (K-03); ``flag_at_ns`` is the instant it reached zero, latched (K-02)."""

    left_ns: int
    flag_at_ns: int | None = None

    def charged(self, since_ns: int, until_ns: int) -> SideClock:
        """The side after running from ``since_ns`` to ``until_ns``."""
        left_ns = self.left_ns - (until_ns - since_ns)
        flag_at_ns = self.flag_at_ns
        if flag_at_ns is None and left_ns <= 0:
            flag_at_ns = since_ns + self.left_ns
        return SideClock(left_ns, flag_at_ns)


@dataclass(frozen=True, slots=True)
class Clock:
    """``since_ns`` is the last time the clock was started, stopped, switched or set."""

    left: SideClock
    right: SideClock
    running: Seat | None = None
    since_ns: int = 0

    @classmethod
    def new(cls, main_ns: int, at_ns: int) -> Clock:
        return cls(SideClock(main_ns), SideClock(main_ns), None, at_ns)

    def side(self, seat: Seat) -> SideClock:
        return self.left if seat is Seat.LEFT else self.right

    def _with(self, seat: Seat, side: SideClock) -> Clock:
        return replace(self, left=side) if seat is Seat.LEFT else replace(self, right=side)

    def _side_at(self, seat: Seat, at_ns: int) -> SideClock:
        side = self.side(seat)
        if seat is not self.running:
            return side
        return side.charged(self.since_ns, max(at_ns, self.since_ns))

    def remaining_ns(self, seat: Seat, at_ns: int) -> int:
        """Time left at ``at_ns``; negative after a flag."""
        return self._side_at(seat, at_ns).left_ns

    def flag_at_ns(self, seat: Seat, at_ns: int) -> int | None:
        """The instant the side reached zero, if that was not after ``at_ns``."""
        return self._side_at(seat, at_ns).flag_at_ns

    def zero_ns(self, seat: Seat) -> int | None:
        """The instant at which the running side reaches zero; None if it stands or its flag has fallen before."""
        side = self.side(seat)
        if seat is not self.running or side.flag_at_ns is not None:
            return None
        return self.since_ns + side.left_ns

    def run(self, seat: Seat | None, at_ns: int) -> Clock:
        """Charges the running side up to ``at_ns``; then ``seat`` runs (None: both stand)."""
        clock = self
        if self.running is not None:
            clock = self._with(self.running, self._side_at(self.running, at_ns))
        return replace(clock, running=seat, since_ns=at_ns)

    def set_left(self, seat: Seat, left_ns: int, at_ns: int) -> Clock:
        """Sets one side's time (M43-28); a flag falls or is lifted with it."""
        clock = self.run(self.running, at_ns)
        flag_at_ns = None
        if left_ns <= 0:
            flag_at_ns = clock.side(seat).flag_at_ns
            flag_at_ns = at_ns if flag_at_ns is None else flag_at_ns
        return clock._with(seat, SideClock(left_ns, flag_at_ns))
