"""FAULTS.md 10 in process: a relay between table and head that resets, drops, delays and blocks one direction.

Packet loss needs a network namespace and is not here; TCP turns it into the delays and resets that are.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from random import Random

import pytest
from links.relay import Relay
from links.world import MemoryCollector, MemoryOutbox, head
from waiting import until

from kiosk.link import websocket_transport
from kiosk.link.endpoints import head_endpoint, table_link
from kiosk.link.endpoints.table_link import TableLink
from kiosk.link.table_keys import new_keys
from kiosk.link.websocket_transport import WebSocketTransport


@pytest.mark.fault(10, "resets, black hole, deaf one way, slow (no packet loss)")
def test_every_network_fault_ends_in_the_same_rows(
    times: Callable[[int, int], int],
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    """Every record arrives once after each fault.

    Timeouts are shortened, and grow while the link heals, so that a busy machine only takes longer.
    """
    monkeypatch.setattr(table_link, "PING_S", 0.1)
    monkeypatch.setattr(table_link, "MAX_BACKOFF_S", 0.3)

    def set_timeouts(seconds: float) -> None:
        monkeypatch.setattr(table_link, "READ_TIMEOUT_S", seconds)
        monkeypatch.setattr(websocket_transport, "OPEN_TIMEOUT_S", seconds)
        monkeypatch.setattr(head_endpoint, "READ_TIMEOUT_S", seconds)

    def all_arrived() -> bool:
        set_timeouts(max(0.5, (time.monotonic() - healing_since) / 4))
        return collector.accepted == outbox.last_seq()

    keys = new_keys([1])
    collector, outbox, random = MemoryCollector(keys), MemoryOutbox(), Random(10)
    with head(collector) as server:
        relay = Relay(server.port)
        up: list[bool] = []
        link = TableLink(
            [WebSocketTransport(f"ws://127.0.0.1:{relay.port}/link")],
            1,
            keys[1],
            outbox,
            on_command=lambda command: None,
            on_status=lambda now, why: up.append(now),
        )
        link.start()
        try:
            for _ in range(times(6, 200)):
                set_timeouts(0.5)
                relay.way = random.choice(("reset", "black hole", "to head", "to table", "slow"))
                if relay.way == "reset":
                    relay.reset()
                for _ in range(10):
                    outbox.grow(random.randint(1, 30))
                    link.wake()
                    threading.Event().wait(random.uniform(0, 0.12))
                relay.way = "open"
                healing_since = time.monotonic()
                until(all_arrived)
        finally:
            link.stop()
            relay.close()
    assert collector.rows[1, "epoch"] == outbox.records
    assert collector.accepted == len(outbox.records)
    assert True in up
    record_property("tried", times(6, 200))
