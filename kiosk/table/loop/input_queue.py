"""Input queue of the main loop. All threads put their messages here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue

from hardware.button_edge_types import ButtonEdge
from hardware.power_monitoring import PowerEdge
from hardware.reading_stability_filter import SquareFault, StableReading
from kiosk.link.link_messages import Command, TroubleInfo
from kiosk.table.state import Battery

#: time by which an edge may be processed late when the machine is busy. Nothing is decided by the passing of time alone
#: before it is over; otherwise noise whose end is still unprocessed would count as a press, or as a power failure
ON_ITS_WAY_NS = 20_000_000


@dataclass(frozen=True, slots=True)
class LinkChanged:
    """The connection to the head was made or lost, with the reason."""

    up: bool
    why: TroubleInfo | None = None


@dataclass(frozen=True, slots=True)
class RecordsSaved:
    """The journal has this record, and all before it, on disk."""

    seq: int


@dataclass(frozen=True, slots=True)
class CardAcknowledged:
    """The head has committed this record, and all before it."""

    seq: int


@dataclass(frozen=True, slots=True)
class AlarmsChanged:
    """All present alarms of one ``source``; an empty tuple: none."""

    source: str
    troubles: tuple[TroubleInfo, ...]


@dataclass(frozen=True, slots=True)
class BatteryStatus:
    """The present charge of the battery; None: there is no battery."""

    battery: Battery | None


@dataclass(frozen=True, slots=True)
class TouchEvent:
    """A finger touched what a scene calls ``action``, or was lifted from it."""

    panel: str
    action: str
    down: bool
    at_ns: int


@dataclass(frozen=True, slots=True)
class PinChecked:
    """Whether the entered digits are the arbiter's PIN."""

    right: bool


@dataclass(frozen=True, slots=True)
class StopProgram:
    """Request to end the program after what is already in the inbox."""


Item = (
    ButtonEdge | PowerEdge | TouchEvent | StableReading | SquareFault | Command | PinChecked | LinkChanged
    | RecordsSaved
    | CardAcknowledged | AlarmsChanged | BatteryStatus | StopProgram
)  # fmt: skip


class Inbox(SimpleQueue[Item]):
    """The queue, with the callbacks for the components that fill it."""

    def durable(self, seq: int) -> None:
        self.put(RecordsSaved(seq))

    def acknowledged(self, seq: int) -> None:
        self.put(CardAcknowledged(seq))

    def link_changed(self, up: bool, why: TroubleInfo | None) -> None:
        self.put(LinkChanged(up, why))

    def pin_checked(self, right: bool) -> None:
        self.put(PinChecked(right))

    def battery_told(self, battery: Battery | None) -> None:
        self.put(BatteryStatus(battery))

    def troubles_of(self, source: str) -> Callable[[tuple[TroubleInfo, ...]], None]:
        """Return the callback for all alarms of ``source``, called whenever they change."""
        return lambda troubles: self.put(AlarmsChanged(source, troubles))
