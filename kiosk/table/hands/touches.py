"""What a finger on the display says: the actions that a scene's ``Touch`` items may name on a player's half.

The law: touch is optional, everything a player must do works with the two buttons; and no single touch ends a game:
what cannot be taken back by the next touch must be held for ``LONG_NS``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.values import replace
from kiosk.table.hands.gestures import LONG_NS

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
