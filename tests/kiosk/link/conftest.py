"""Tables that are linked to a head over any transport, with short waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from links.linked_table import LinkedTable

from kiosk.link.endpoints import table_link
from kiosk.link.transport_interfaces import Transport
from kiosk.link.websocket_transport import WebSocketTransport


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., LinkedTable]]:
    """Start a table with these transports, or the one to this address; it is stopped at the end."""
    monkeypatch.setattr(table_link, "PING_S", 0.1)
    monkeypatch.setattr(table_link, "FIRST_BACKOFF_S", 0.02)
    monkeypatch.setattr(table_link, "MAX_BACKOFF_S", 0.1)

    def make(to: str | list[Transport], *args: object, **kwargs: object) -> LinkedTable:
        ways = [WebSocketTransport(to)] if isinstance(to, str) else to
        table = LinkedTable(ways, *args, **kwargs)  # type: ignore[arg-type]
        open_.callback(table.link.stop)
        return table

    with ExitStack() as open_:
        yield make
