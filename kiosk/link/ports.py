"""What the link asks of the two programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from kiosk.link.messages import Command, Health, Record, TroubleInfo


class Outbox(Protocol):
    """The table's journal, seen from the link. Called in the link's thread."""

    @property
    def epoch(self) -> str:
        """Names this journal. It changes when the journal finds that it lost saved records."""

    def last_seq(self) -> int:
        """The last durable record."""

    def records_after(self, seq: int, limit: int) -> list[Record]:
        """Durable records seq + 1 …, at most ``limit``."""

    def acknowledged(self, seq: int) -> None:
        """The head has committed 1..seq. May be more than was ever offered, if this journal lost records."""


class Returned(Protocol):
    """What the head does with devices that a spare replaced and that come back. Nothing they say counts as the word of
    their table; what never arrived is kept for the arbiter."""

    def keys(self, table: int) -> Sequence[bytes]:
        """The keys of devices that were replaced at a table. Called on the event loop: a look-up in memory."""

    def have(self, table: int, epoch: str) -> int:
        """The last record of the replaced device that is known. Called in a worker thread."""

    def commit(self, table: int, epoch: str, records: list[Record]) -> int:
        """Keeps what follows, and returns what ``have`` would give now. Called in a worker thread."""


class NothingReturns:
    """At a head whose keys are not in a file, no device is ever replaced."""

    def keys(self, table: int) -> Sequence[bytes]:
        return ()

    def have(self, table: int, epoch: str) -> int:
        raise AssertionError("no key, no proof")

    def commit(self, table: int, epoch: str, records: list[Record]) -> int:
        raise AssertionError("no key, no proof")


class Collector(Protocol):
    """The head's store, seen from the link."""

    def key(self, table: int) -> bytes | None:
        """The table's key, None if there is no such table. Called on the event loop: a look-up in memory."""

    def have(self, table: int, epoch: str) -> int:
        """The last seq of (table, epoch) in committed rows, 0 for a new epoch. Called in a worker thread."""

    def commit(self, table: int, epoch: str, records: list[Record]) -> int:
        """Stores what follows the last committed row, ignores what is there already, and returns what ``have`` would
        give now, when all of it is durable. Called in a worker thread, never twice at a time for one table."""

    def pending(self, table: int) -> list[Command]:
        """The commands whose ``command`` record has not been committed, oldest first. Called in a worker thread."""

    def remembered(self, table: int) -> list[Command] | None:
        """The same from memory; None: ``pending`` has to be asked. Called on the event loop."""

    def refused(self, table: int, why: TroubleInfo) -> None:
        """A device that names itself one of the tables was not heard. Whoever is in the hall can cause it: it may be
        told and must change nothing. Called on the event loop."""

    def seen(self, table: int, health: Health) -> None:
        """The table lives. Called on the event loop with every ping."""
