"""What players do with the buttons, told from the edge times alone.

The law: a gesture is decided by *when* the edges happened, never by when this program got to see them. A press counts
at its edge (``Down``); what kind of press it was is known at its release:

- ``Short``: released before ``LONG_NS``;
- ``Long``: held longer, alone;
- ``Both``: both players' buttons held together for ``LONG_NS`` (a quick reply while the other still has the finger
  on his button is not that).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.match.model import Seat

LONG_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Down:
    seat: Seat
    at_ns: int


@dataclass(frozen=True, slots=True)
class Short:
    seat: Seat
    at_ns: int


@dataclass(frozen=True, slots=True)
class Long:
    seat: Seat
    at_ns: int


@dataclass(frozen=True, slots=True)
class Both:
    """``presses``: when the two buttons went down, the later one first."""

    at_ns: int
    presses: tuple[int, int]


Gesture = Down | Short | Long | Both


@dataclass(frozen=True, slots=True)
class Fingers:
    """Which buttons are held, since when, and whose release means nothing any more."""

    left_since_ns: int | None = None
    right_since_ns: int | None = None
    spent: frozenset[Seat] = frozenset()

    def since_ns(self, seat: Seat) -> int | None:
        return self.left_since_ns if seat is Seat.LEFT else self.right_since_ns

    def down(self, seat: Seat, at_ns: int) -> tuple[Fingers, tuple[Gesture, ...]]:
        """The button at ``seat`` went down at ``at_ns``."""
        return replace(self._with(seat, at_ns), spent=self.spent - {seat}), (Down(seat, at_ns),)

    def spend(self, seat: Seat) -> Fingers:
        """The press that is being held has had its meaning (it switched the clock): its release has none."""
        return replace(self, spent=self.spent | {seat})

    def forget(self, seat: Seat) -> Fingers:
        """The press was a disturbance: there is no finger."""
        return replace(self._with(seat, None), spent=self.spent - {seat})

    def up(self, seat: Seat, at_ns: int) -> tuple[Fingers, tuple[Gesture, ...]]:
        """The button at ``seat`` was released at ``at_ns``."""
        since, other_since = self.since_ns(seat), self.since_ns(seat.other)
        fingers = replace(self._with(seat, None), spent=self.spent - {seat})
        if since is None:
            return fingers, ()
        if other_since is not None and at_ns - max(since, other_since) >= LONG_NS:
            presses = max(since, other_since), min(since, other_since)
            return fingers.spend(seat.other), (Both(at_ns, presses),)
        if seat in self.spent:
            return fingers, ()
        return fingers, (Long(seat, at_ns) if at_ns - since >= LONG_NS else Short(seat, at_ns),)

    def _with(self, seat: Seat, since_ns: int | None) -> Fingers:
        return replace(self, left_since_ns=since_ns) if seat is Seat.LEFT else replace(self, right_since_ns=since_ns)
