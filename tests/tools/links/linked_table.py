"""The table end of a link, for tests of transports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from links.world import MemoryOutbox

from kiosk.link.endpoints.table_link import TableLink
from kiosk.link.link_messages import Command, Health, TroubleInfo
from kiosk.link.transport_interfaces import Transport
from kiosk.link.websocket_transport import WebSocketTransport


class LinkedTable:
    """A link and the status it reported."""

    def __init__(self, transports: Sequence[Transport], key: bytes, outbox: MemoryOutbox, table: int = 1) -> None:
        self.commands: list[Command] = []
        self.statuses: list[tuple[bool, TroubleInfo | None]] = []
        self.outbox = outbox
        self.link = TableLink(
            transports,
            table,
            key,
            outbox,
            on_command=self.commands.append,
            on_status=lambda up, why: self.statuses.append((up, why)),
            health=lambda: Health(game="g7", last_seq=outbox.last_seq()),
        )
        self.link.start()

    def grow(self, count: int) -> None:
        self.outbox.grow(count)
        self.link.wake()

    def up(self) -> bool:
        return bool(self.statuses) and self.statuses[-1][0]

    def why(self) -> str | None:
        return self.statuses[-1][1].kind if self.statuses and self.statuses[-1][1] else None


@contextmanager
def linked(url: str, key: bytes, outbox: MemoryOutbox, table: int = 1) -> Iterator[LinkedTable]:
    """Yield a table that is linked over the network to the head with this address."""
    made = LinkedTable([WebSocketTransport(f"{url.replace('http', 'ws')}/link")], key, outbox, table)
    try:
        yield made
    finally:
        made.link.stop()
