"""What a finger on the display says: the actions that a scene's ``Touch`` items may name on a player's half.

The law: touch is optional, everything a player must do works with the two buttons; and no single touch ends a game:
what cannot be taken back by the next touch must be held for ``LONG_NS``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kiosk.table.hands.gestures import LONG_NS

#: the seat's own button: down and up are its edges, so it can be pressed, held, and held together with the other's
BUTTON = "button"
#: to be held: what a long press of the seat's button means now
LONG = "long"
#: a line of the menu: a touch marks it, held it is chosen; ``choice-0`` is the first
CHOICE = "choice-"
#: the count being entered; ``count+10`` or ``count-1`` change Black's discs, ``done`` is to be held
COUNT = "count"
DONE = "done"


@dataclass(frozen=True, slots=True)
class Tap:
    """A finger was lifted from ``action`` on ``panel``. ``held``: it had lain there for ``LONG_NS``."""

    panel: str
    action: str
    held: bool
    at_ns: int


@dataclass(frozen=True, slots=True)
class Touching:
    """What fingers lie on, since when."""

    since_ns: dict[tuple[str, str], int] = field(default_factory=dict)

    def down(self, panel: str, action: str, at_ns: int) -> Touching:
        return Touching({**self.since_ns, (panel, action): at_ns})

    def up(self, panel: str, action: str, at_ns: int) -> tuple[Touching, Tap | None]:
        """The finger was lifted; no tap if nothing is known of its coming down."""
        since_ns = self.since_ns.get((panel, action))
        rest = {place: since for place, since in self.since_ns.items() if place != (panel, action)}
        if since_ns is None:
            return Touching(rest), None
        return Touching(rest), Tap(panel, action, at_ns - since_ns >= LONG_NS, at_ns)
