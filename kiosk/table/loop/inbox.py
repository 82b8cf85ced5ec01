"""What reaches the loop, from every thread, through one queue: whoever has something to tell only puts it here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue

from hardware.edges import ButtonEdge
from hardware.power import PowerEdge
from hardware.settler import Reading, SquareTrouble
from kiosk.link.messages import Command, TroubleInfo
from kiosk.table.state import Battery

#: an edge may be seen so much later than it happened, when the machine is busy: nothing is decided by the mere passing
#: of time before, or a disturbance whose end is still on its way would count as a press, or as the power going
ON_ITS_WAY_NS = 20_000_000


@dataclass(frozen=True, slots=True)
class LinkChanged:
    """The head was reached or lost, and why."""

    up: bool
    why: TroubleInfo | None = None


@dataclass(frozen=True, slots=True)
class Durable:
    """The journal has this record on the disk, and all before it."""

    seq: int


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The head has committed this record, and all before it."""

    seq: int


@dataclass(frozen=True, slots=True)
class Troubles:
    """All troubles of one ``source`` as they are now; an empty tuple: none any more."""

    source: str
    troubles: tuple[TroubleInfo, ...]


@dataclass(frozen=True, slots=True)
class BatteryTold:
    """How full the battery is now; None: there is none."""

    battery: Battery | None


@dataclass(frozen=True, slots=True)
class Touched:
    """A finger came down on what a scene calls ``action``, or was lifted from it."""

    panel: str
    action: str
    down: bool
    at_ns: int


@dataclass(frozen=True, slots=True)
class PinChecked:
    """Whether the figures that were entered are the arbiter's."""

    right: bool


@dataclass(frozen=True, slots=True)
class Stop:
    """End the program after what is already in the inbox."""


Item = (
    ButtonEdge | PowerEdge | Touched | Reading | SquareTrouble | Command | PinChecked | LinkChanged | Durable
    | Acknowledged | Troubles | BatteryTold | Stop
)  # fmt: skip


class Inbox(SimpleQueue[Item]):
    """The queue, with the callbacks of the parts that fill it."""

    def durable(self, seq: int) -> None:
        self.put(Durable(seq))

    def acknowledged(self, seq: int) -> None:
        self.put(Acknowledged(seq))

    def link_changed(self, up: bool, why: TroubleInfo | None) -> None:
        self.put(LinkChanged(up, why))

    def pin_checked(self, right: bool) -> None:
        self.put(PinChecked(right))

    def battery_told(self, battery: Battery | None) -> None:
        self.put(BatteryTold(battery))

    def troubles_of(self, source: str) -> Callable[[tuple[TroubleInfo, ...]], None]:
        """Hears all troubles of ``source`` whenever they change."""
        return lambda troubles: self.put(Troubles(source, troubles))
