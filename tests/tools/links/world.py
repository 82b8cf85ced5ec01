"""Both ends of a link for tests: an outbox and a collector in memory, and a head that listens on a real port."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import AsyncIterator, Iterator, Sequence

import uvicorn
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from waiting import HANGS_S, until

from kiosk.link.endpoints.head_endpoint import LinkEndpoint
from kiosk.link.endpoints.head_serial_ports import SerialPorts
from kiosk.link.link_messages import Command, Health, TableRecord, TroubleInfo
from kiosk.link.message_macs_versions_handshake import MAX_FRAME


def record(seq: int, **body: object) -> TableRecord:
    return TableRecord(seq, "event", {"n": seq, **body})


class MemoryOutbox:
    """A journal whose records are all durable."""

    def __init__(self, epoch: str = "epoch", count: int = 0) -> None:
        self.epoch = epoch
        self.records = [record(seq) for seq in range(1, count + 1)]
        self.acknowledgements: list[int] = []

    def grow(self, count: int) -> None:
        first = len(self.records) + 1
        self.records.extend(record(seq) for seq in range(first, first + count))

    def last_seq(self) -> int:
        return len(self.records)

    def records_after(self, seq: int, limit: int) -> list[TableRecord]:
        return self.records[seq : seq + limit]

    def acknowledged(self, seq: int) -> None:
        self.acknowledgements.append(seq)


class MemoryCollector:
    """A head's store in memory. ``accepted`` counts every row ever written, to detect duplicates."""

    def __init__(self, keys: dict[int, bytes]) -> None:
        self.keys = keys
        self.rows: dict[tuple[int, str], list[TableRecord]] = {}
        self.accepted = 0
        self.commands: dict[int, list[Command]] = {}
        self.health: dict[int, Health] = {}
        self.refusals: list[tuple[int, str]] = []
        self._lock = threading.Lock()

    def key(self, table: int) -> bytes | None:
        return self.keys.get(table)

    def last_committed_seq(self, table: int, epoch: str) -> int:
        return len(self.rows.get((table, epoch), []))

    def commit(self, table: int, epoch: str, records: list[TableRecord]) -> int:
        with self._lock:
            rows = self.rows.setdefault((table, epoch), [])
            for each in records:
                if each.seq == len(rows) + 1:
                    rows.append(each)
                    self.accepted += 1
            return len(rows)

    def compare(self, table: int, epoch: str, record: TableRecord) -> None:
        if self.rows[table, epoch][record.seq - 1] != record:
            self.refusals.append((table, "another record"))

    def pending(self, table: int) -> list[Command]:
        return list(self.commands.get(table, []))

    def note_rejected_device(self, table: int, why: TroubleInfo) -> None:
        self.refusals.append((table, why.kind))

    def note_alive(self, table: int, health: Health) -> None:
        self.health[table] = health


class Head:
    """A uvicorn server in a thread on a free port, and serial ports if given. ``kill`` drops all connections without
    closing them."""

    def __init__(self, collector: MemoryCollector, port: int = 0, serial: Sequence[str] = ()) -> None:
        self.endpoint = LinkEndpoint(collector)
        self._serial = SerialPorts(self.endpoint, list(serial))
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", port))
        self.port = self._socket.getsockname()[1]
        self.url = f"ws://127.0.0.1:{self.port}/link"
        app = Starlette(routes=[WebSocketRoute("/link", self.endpoint)], lifespan=self._lifespan)
        config = uvicorn.Config(
            app,
            log_level="critical",
            ws="websockets-sansio",
            ws_max_size=MAX_FRAME,
            ws_ping_interval=None,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)
        self._thread.start()
        until(lambda: self._server.started)

    @contextlib.asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        ports = asyncio.create_task(self._serial.run())
        yield
        ports.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await ports

    def kill(self) -> None:
        self._server.force_exit = True
        self._server.should_exit = True
        self._thread.join(HANGS_S)
        self._socket.close()
        self.endpoint.close()


@contextlib.contextmanager
def head(collector: MemoryCollector, port: int = 0, serial: Sequence[str] = ()) -> Iterator[Head]:
    server = Head(collector, port, serial)
    try:
        yield server
    finally:
        server.kill()
