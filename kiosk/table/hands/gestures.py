"""What players do with the buttons and on the display, told from the times alone.

The law: a gesture is decided by *when* the edges happened, never by when this program got to see them. A press counts
at its edge (``Down``); what kind of press it was is known as soon as it can be:

- ``Short``: released before ``LONG_NS``;
- ``Long``: held so long, alone; it takes effect at its second, under the finger, and the release means nothing more.
  ``knocked``: a short press of the same button came right before it, so that nobody does it by leaning on a button;
- ``Still``: held further after a ``Long``, once more every ``RUN_NS``; what a long press turned goes on turning;
- ``Both``: both players' buttons held together for ``LONG_NS`` (a quick reply while the other still has the finger
  on his button is not that).

A finger on the display is a ``Tap`` on what a scene's ``Touch`` items name. Touch is optional, everything a player must
do works with the two buttons; and no single touch ends a game: what cannot be taken back by the next touch must be held
for ``LONG_NS``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.match.model import Seat
from engine.values import replace

LONG_NS = 1_000_000_000
#: a short press and a hold belong together if no more time passes between them
KNOCK_NS = 1_000_000_000
#: a button that is held on turns a figure so often, slowly enough for a hand to let go at the right one
RUN_NS = 300_000_000


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
    knocked: bool = False


@dataclass(frozen=True, slots=True)
class Still:
    seat: Seat
    at_ns: int


@dataclass(frozen=True, slots=True)
class Both:
    """``presses``: when the two buttons went down, the later one first."""

    at_ns: int
    presses: tuple[int, int]


Gesture = Down | Short | Long | Still | Both


@dataclass(frozen=True, slots=True)
class Fingers:
    """Which buttons are held, since when, and whose hold and release mean nothing any more. ``both_told``: those who
    hold both have had their answer. ``knocks``: when each button was last let go after a short press. ``still``: what a
    button means next that is held beyond its second."""

    left_since_ns: int | None = None
    right_since_ns: int | None = None
    spent: frozenset[Seat] = frozenset()
    both_told: bool = False
    knocks: tuple[tuple[Seat, int], ...] = ()
    still: Still | None = None

    def since_ns(self, seat: Seat) -> int | None:
        return self.left_since_ns if seat is Seat.LEFT else self.right_since_ns

    def down(self, seat: Seat, at_ns: int) -> tuple[Fingers, tuple[Gesture, ...]]:
        """The button at ``seat`` went down at ``at_ns``."""
        fingers, held = self.held_until(at_ns)
        fingers = replace(fingers._with(seat, at_ns), spent=fingers.spent - {seat}, both_told=False, still=None)
        return fingers, (*held, Down(seat, at_ns))

    def spend(self, seat: Seat) -> Fingers:
        """The press that is being held has had its meaning (it switched the clock): its release has none."""
        return replace(self, spent=self.spent | {seat})

    def forget(self, seat: Seat) -> Fingers:
        """The press was a disturbance: there is no finger."""
        return replace(self._with(seat, None), spent=self.spent - {seat}, still=None)

    def up(self, seat: Seat, at_ns: int) -> tuple[Fingers, tuple[Gesture, ...]]:
        """The button at ``seat`` was released at ``at_ns``; what it was held for before comes first."""
        fingers, held = self.held_until(at_ns)
        since, spent = fingers.since_ns(seat), seat in fingers.spent
        fingers = fingers.forget(seat)
        if since is None or spent:
            return fingers, held
        others = tuple(knock for knock in fingers.knocks if knock[0] is not seat)
        return replace(fingers, knocks=(*others, (seat, at_ns))), (*held, Short(seat, at_ns))

    def held_until(self, now_ns: int) -> tuple[Fingers, tuple[Gesture, ...]]:
        """What fingers that still lie on the buttons mean by ``now_ns``."""
        fingers, told = self, list[Gesture]()
        while (due := fingers._next()) is not None and due.at_ns <= now_ns:
            told.append(due)
            match due:
                case Both():
                    fingers = replace(fingers, spent=frozenset(Seat), both_told=True, still=None)
                case Long(seat, at_ns) | Still(seat, at_ns):
                    fingers = replace(fingers.spend(seat), still=Still(seat, at_ns + RUN_NS))
        return fingers, tuple(told)

    def next_due_ns(self) -> int | None:
        """When ``held_until`` next has something to tell if no finger moves; None: never."""
        due = self._next()
        return None if due is None else due.at_ns

    def _next(self) -> Long | Both | Still | None:
        return self.still or self.coming()

    def coming(self) -> Long | Both | None:
        """What the fingers will mean if none of them moves."""
        left, right = self.left_since_ns, self.right_since_ns
        if left is not None and right is not None:
            presses = max(left, right), min(left, right)
            return None if self.both_told else Both(presses[0] + LONG_NS, presses)
        for seat in Seat:
            since = self.since_ns(seat)
            if since is not None and seat not in self.spent:
                knocked = any(where is seat and since - let_go <= KNOCK_NS for where, let_go in self.knocks)
                return Long(seat, since + LONG_NS, knocked)
        return None

    def _with(self, seat: Seat, since_ns: int | None) -> Fingers:
        return replace(self, left_since_ns=since_ns) if seat is Seat.LEFT else replace(self, right_since_ns=since_ns)


# --- on the display ---------------------------------------------------------------------------------------------------

#: the seat's own button: down and up are its edges, so it can be pressed, held, and held together with the other's
BUTTON = "button"
#: to be held: what a long press of the seat's button means now
LONG = "long"
#: what the challenger says was wrong: a touch goes on, held it is said
NAME = "name"
#: a line of the menu: a touch marks it, held it is chosen; ``choice-0`` is the first
CHOICE = "choice-"
#: the count being entered; ``count+10`` or ``count-1`` change Black's discs, ``done`` is to be held
COUNT = "count"
DONE = "done"


@dataclass(frozen=True, slots=True)
class Tap:
    """A finger was lifted from ``action`` on ``panel``, or has lain there for ``LONG_NS`` (``held``)."""

    panel: str
    action: str
    held: bool
    at_ns: int


Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Touching:
    """What fingers lie on (panel and action), since when, and what has been told as held already."""

    since_ns: dict[Place, int] = field(default_factory=dict)
    told: frozenset[Place] = frozenset()

    def down(self, panel: str, action: str, at_ns: int) -> Touching:
        place = panel, action
        return Touching({**self.since_ns, place: at_ns}, self.told - {place})

    def up(self, panel: str, action: str, at_ns: int) -> tuple[Touching, Tap | None]:
        """The finger was lifted; no tap if nothing is known of its coming down, or all has been told."""
        place = panel, action
        since_ns = self.since_ns.get(place)
        rest = {where: since for where, since in self.since_ns.items() if where != place}
        if since_ns is None or place in self.told:
            return Touching(rest, self.told - {place}), None
        return Touching(rest, self.told), Tap(panel, action, at_ns - since_ns >= LONG_NS, at_ns)

    def held_until(self, now_ns: int) -> tuple[Touching, tuple[Tap, ...]]:
        """The fingers that by ``now_ns`` have lain for ``LONG_NS``: they are held under the finger."""
        held = [place for place, due_ns in self._due() if now_ns >= due_ns]
        if not held:
            return self, ()
        taps = tuple(Tap(*place, held=True, at_ns=self.since_ns[place] + LONG_NS) for place in held)
        return replace(self, told=self.told | frozenset(held)), taps

    def next_due_ns(self) -> int | None:
        return min((due_ns for _, due_ns in self._due()), default=None)

    def _due(self) -> list[tuple[Place, int]]:
        """A finger on the place of a button is an edge of that button, and held as that one is."""
        return [
            (place, since + LONG_NS)
            for place, since in self.since_ns.items()
            if place not in self.told and place[1] != BUTTON
        ]
