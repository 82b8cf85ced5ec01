"""FAULTS.md 10 in process: a relay between table and head that resets, swallows, delays and goes deaf one way.

Packet loss needs a network namespace and is not here; TCP turns it into the delays and resets that are.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from random import Random

import pytest
from link_world import MemoryCollector, MemoryOutbox, head, wait_until

from kiosk.link import endpoint, network, table_link
from kiosk.link.keys import new_keys
from kiosk.link.network import NetworkCarrier
from kiosk.link.table_link import TableLink


class Relay:
    """A TCP relay in a thread. ``way`` says what happens to bytes now."""

    def __init__(self, port: int) -> None:
        self.way = "open"
        self._target = port
        self._writers: set[asyncio.StreamWriter] = set()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        self._ready.wait(10)

    def reset(self) -> None:
        self._loop.call_soon_threadsafe(self._abort_all)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def _abort_all(self) -> None:
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        self._abort_all()
        server.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_connection("127.0.0.1", self._target)
        self._writers |= {writer, there[1]}
        await asyncio.gather(self._pump("to head", reader, there[1]), self._pump("to table", there[0], writer))

    async def _pump(self, direction: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(1000):
                if self.way in {"black hole", direction}:
                    continue  # "to head": deaf that way
                if self.way == "slow":
                    await asyncio.sleep(0.05)
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            pass
        writer.transport.abort()


def test_every_network_fault_ends_in_the_same_rows(
    times: Callable[[int, int], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Timeouts are shortened so that 200 faults take minutes; the long form heals as the short one does."""
    monkeypatch.setattr(table_link, "PING_S", 0.1)
    monkeypatch.setattr(table_link, "READ_TIMEOUT_S", 0.5)
    monkeypatch.setattr(network, "OPEN_TIMEOUT_S", 0.5)
    monkeypatch.setattr(table_link, "MAX_BACKOFF_S", 0.3)
    monkeypatch.setattr(endpoint, "READ_TIMEOUT_S", 0.5)
    keys = new_keys([1])
    collector, outbox, random = MemoryCollector(keys), MemoryOutbox(), Random(10)
    with head(collector) as server:
        relay = Relay(server.port)
        up: list[bool] = []
        link = TableLink(
            [NetworkCarrier(f"ws://127.0.0.1:{relay.port}/link")],
            1,
            keys[1],
            outbox,
            on_command=lambda command: None,
            on_status=lambda now, why: up.append(now),
        )
        link.start()
        try:
            for _ in range(times(6, 200)):
                relay.way = random.choice(("reset", "black hole", "to head", "to table", "slow"))
                if relay.way == "reset":
                    relay.reset()
                for _ in range(10):
                    outbox.grow(random.randint(1, 30))
                    link.wake()
                    threading.Event().wait(random.uniform(0, 0.12))
                relay.way = "open"
                wait_until(lambda: collector.accepted == outbox.last_seq(), timeout_s=15)
        finally:
            link.stop()
            relay.close()
    assert collector.rows[1, "epoch"] == outbox.records
    assert collector.accepted == len(outbox.records)
    assert True in up
