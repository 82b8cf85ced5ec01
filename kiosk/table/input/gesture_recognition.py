"""Gestures at the buttons and on the display, recognised from the times of the edges alone.

A gesture depends on *when* the edges happened, never on when the program processed them. A press counts at its edge
(``ButtonDown``); its kind is reported as soon as it is known:

- ``ShortPress``: released before ``LONG_NS``;
- ``LongPress``: held that long, alone. It takes effect under the finger, and the release has no effect.
  ``pressed_before``: a short press of the same button came right before it, which leaning on a button does not produce;
- ``HoldRepeat``: still held after a ``LongPress``, repeated every ``RUN_NS``;
- ``BothPressed``: both players' buttons held together for ``LONG_NS`` (a quick reply while the other's finger is
  still on the button is not that).

A finger on the display is a ``Tap`` on what a scene's ``Touch`` items name. Touch is optional: everything a player must
do works with the two buttons. No single touch ends a game: what the next touch cannot undo must be held for
``LONG_NS``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.copy_with_changes import replace
from engine.match.match_value_types import Seat

LONG_NS = 1_000_000_000
#: longest pause between a short press and a hold that belong together
PRESS_BEFORE_HOLD_NS = 1_000_000_000
#: interval at which a held button repeats, slow enough to release at the right figure
RUN_NS = 300_000_000


@dataclass(frozen=True, slots=True)
class ButtonDown:
    seat: Seat
    at_ns: int


@dataclass(frozen=True, slots=True)
class ShortPress:
    seat: Seat
    at_ns: int


@dataclass(frozen=True, slots=True)
class LongPress:
    seat: Seat
    at_ns: int
    pressed_before: bool = False


@dataclass(frozen=True, slots=True)
class HoldRepeat:
    seat: Seat
    at_ns: int


@dataclass(frozen=True, slots=True)
class BothPressed:
    """Both buttons held. ``presses``: when they went down, the later one first."""

    at_ns: int
    presses: tuple[int, int]


Gesture = ButtonDown | ShortPress | LongPress | HoldRepeat | BothPressed


@dataclass(frozen=True, slots=True)
class ButtonState:
    """State of the buttons: which are held, since when, and whose hold and release have no further effect.

    ``holdable``: those of ``spent`` whose hold is still reported. ``both_reported``: the hold of both has been
    reported. ``short_presses``: when each button was last released after a short press. ``still``: the next repetition
    of a button held after its ``LongPress``.
    """

    left_since_ns: int | None = None
    right_since_ns: int | None = None
    spent: frozenset[Seat] = frozenset()
    holdable: frozenset[Seat] = frozenset()
    both_reported: bool = False
    short_presses: tuple[tuple[Seat, int], ...] = ()
    still: HoldRepeat | None = None

    def since_ns(self, seat: Seat) -> int | None:
        return self.left_since_ns if seat is Seat.LEFT else self.right_since_ns

    def down(self, seat: Seat, at_ns: int) -> tuple[ButtonState, tuple[Gesture, ...]]:
        """Handle the button at ``seat`` going down at ``at_ns``."""
        buttons, held = self.held_until(at_ns)
        buttons = replace(buttons.forget(seat)._with(seat, at_ns), both_reported=False)
        return buttons, (*held, ButtonDown(seat, at_ns))

    def mark_used(self, seat: Seat, *, holdable: bool = False) -> ButtonState:
        """Mark the held press as used (it switched the clock): its release has no effect."""
        holds = self.holdable | {seat} if holdable else self.holdable - {seat}
        return replace(self, spent=self.spent | {seat}, holdable=holds)

    def forget(self, seat: Seat) -> ButtonState:
        """Discard a press that was a voltage spike."""
        spent, holdable = self.spent - {seat}, self.holdable - {seat}
        return replace(self._with(seat, None), spent=spent, holdable=holdable, still=None)

    def up(self, seat: Seat, at_ns: int) -> tuple[ButtonState, tuple[Gesture, ...]]:
        """Handle the release of the button at ``seat`` at ``at_ns``; gestures of the hold before it come first."""
        buttons, held = self.held_until(at_ns)
        since, spent = buttons.since_ns(seat), seat in buttons.spent
        buttons = buttons.forget(seat)
        if since is None or spent:
            return buttons, held
        others = tuple(press for press in buttons.short_presses if press[0] is not seat)
        return replace(buttons, short_presses=(*others, (seat, at_ns))), (*held, ShortPress(seat, at_ns))

    def held_until(self, now_ns: int) -> tuple[ButtonState, tuple[Gesture, ...]]:
        """Return the gestures of held buttons that are complete by ``now_ns``."""
        buttons, gestures = self, list[Gesture]()
        while (due := buttons._next()) is not None and due.at_ns <= now_ns:
            gestures.append(due)
            match due:
                case BothPressed():
                    spent = frozenset(Seat)
                    buttons = replace(buttons, spent=spent, holdable=frozenset(), both_reported=True, still=None)
                case LongPress(seat, at_ns) | HoldRepeat(seat, at_ns):
                    buttons = replace(buttons.mark_used(seat), still=HoldRepeat(seat, at_ns + RUN_NS))
        return buttons, tuple(gestures)

    def next_due_ns(self) -> int | None:
        """Return when ``held_until`` next has a gesture if no finger moves; None: never."""
        due = self._next()
        return None if due is None else due.at_ns

    def _next(self) -> LongPress | BothPressed | HoldRepeat | None:
        return self.still or self.pending_gesture()

    def pending_gesture(self) -> LongPress | BothPressed | None:
        """Return the gesture that results if no finger moves."""
        left, right = self.left_since_ns, self.right_since_ns
        if left is not None and right is not None:
            presses = max(left, right), min(left, right)
            return None if self.both_reported else BothPressed(presses[0] + LONG_NS, presses)
        for seat in Seat:
            since = self.since_ns(seat)
            if since is not None and seat not in self.spent - self.holdable:
                gaps = [since - released for where, released in self.short_presses if where is seat]
                return LongPress(seat, since + LONG_NS, any(gap <= PRESS_BEFORE_HOLD_NS for gap in gaps))
        return None

    def _with(self, seat: Seat, since_ns: int | None) -> ButtonState:
        return replace(self, left_since_ns=since_ns) if seat is Seat.LEFT else replace(self, right_since_ns=since_ns)


# --- on the display ---------------------------------------------------------------------------------------------------

#: the seat's own button: down and up are its edges, so it can be pressed, held, and held with the other's
BUTTON = "button"
#: to be held: same meaning as a long press of the seat's button
LONG = "long"
#: the challenger's named error: a touch goes to the next, a hold chooses it
NAME = "name"
#: a line of the menu: a touch marks it, a hold chooses it; ``choice-0`` is the first
CHOICE = "choice-"
#: the count being entered; ``count+10`` or ``count-1`` change Black's discs, ``done`` must be held
COUNT = "count"
DONE = "done"


@dataclass(frozen=True, slots=True)
class Tap:
    """A finger was lifted from ``action`` on ``panel``, or has been there for ``LONG_NS`` (``held``)."""

    panel: str
    action: str
    held: bool
    at_ns: int


Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class TouchState:
    """State of the touch display: what fingers are on (panel and action), since when, and which holds have been
    reported.
    """

    since_ns: dict[Place, int] = field(default_factory=dict)
    reported: frozenset[Place] = frozenset()

    def down(self, panel: str, action: str, at_ns: int) -> TouchState:
        place = panel, action
        return TouchState({**self.since_ns, place: at_ns}, self.reported - {place})

    def up(self, panel: str, action: str, at_ns: int) -> tuple[TouchState, Tap | None]:
        """Handle a lifted finger; no tap if its touch is unknown or its hold has been reported."""
        place = panel, action
        since_ns = self.since_ns.get(place)
        rest = {where: since for where, since in self.since_ns.items() if where != place}
        if since_ns is None or place in self.reported:
            return TouchState(rest, self.reported - {place}), None
        return TouchState(rest, self.reported), Tap(panel, action, at_ns - since_ns >= LONG_NS, at_ns)

    def held_until(self, now_ns: int) -> tuple[TouchState, tuple[Tap, ...]]:
        """Return the touches that by ``now_ns`` have lasted ``LONG_NS``."""
        held = [place for place, due_ns in self._due() if now_ns >= due_ns]
        if not held:
            return self, ()
        taps = tuple(Tap(*place, held=True, at_ns=self.since_ns[place] + LONG_NS) for place in held)
        return replace(self, reported=self.reported | frozenset(held)), taps

    def next_due_ns(self) -> int | None:
        return min((due_ns for _, due_ns in self._due()), default=None)

    def _due(self) -> list[tuple[Place, int]]:
        """Return the holds that are due. A finger on a button's place counts as an edge of that button instead."""
        return [
            (place, since + LONG_NS)
            for place, since in self.since_ns.items()
            if place not in self.reported and place[1] != BUTTON
        ]
