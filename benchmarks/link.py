"""The link over loopback and over serial cables: catching up, and the round trip of one record from ``wake`` to its
acknowledgement.

``python -m benchmarks.link [--records N]`` prints JSON. The head runs in its own process and keeps its rows in memory,
so that sessions and transports are measured without a store.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import socket
import threading
import time
from collections.abc import AsyncIterator
from multiprocessing.connection import Connection
from statistics import quantiles

import uvicorn
from devices.faulty_cable import FaultyCable
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute

from kiosk.link.endpoints.head_endpoint import LinkEndpoint
from kiosk.link.endpoints.head_serial_ports import SerialPorts
from kiosk.link.endpoints.table_link import TableLink
from kiosk.link.link_messages import Command, Health, TableRecord, TroubleInfo
from kiosk.link.message_macs_versions_handshake import MAX_FRAME
from kiosk.link.serial_framing_and_transport import SerialTransport
from kiosk.link.transport_interfaces import Transport
from kiosk.link.websocket_transport import WebSocketTransport

SMALLEST = ("--records", "40", "--trips", "10")
KEY = bytes(32)


class Rows:
    """A collector in memory."""

    def __init__(self) -> None:
        self.last: dict[tuple[int, str], int] = {}

    def key(self, table: int) -> bytes:
        return KEY

    def last_committed_seq(self, table: int, epoch: str) -> int:
        return self.last.get((table, epoch), 0)

    def commit(self, table: int, epoch: str, records: list[TableRecord]) -> int:
        self.last[table, epoch] = records[-1].seq
        return records[-1].seq

    def pending(self, table: int) -> list[Command]:
        return []

    def compare(self, table: int, epoch: str, record: TableRecord) -> None:
        pass

    def note_rejected_device(self, table: int, why: TroubleInfo) -> None:
        pass

    def note_alive(self, table: int, health: Health) -> None:
        pass


class Outbox:
    def __init__(self, epoch: str, count: int) -> None:
        self.epoch = epoch
        self.records: list[TableRecord] = []
        self.grow(count)
        self.done = threading.Event()
        self.wanted = count

    def grow(self, count: int) -> None:
        for _ in range(count):
            seq = len(self.records) + 1
            self.records.append(TableRecord(seq, "event", {"kind": "press", "at_ns": 10**12 + seq, "seat": "left"}))

    def last_seq(self) -> int:
        return len(self.records)

    def records_after(self, seq: int, limit: int) -> list[TableRecord]:
        return self.records[seq : seq + limit]

    def acknowledged(self, seq: int) -> None:
        if seq >= self.wanted:
            self.done.set()


def serve(pipe: Connection, devices: list[str]) -> None:
    endpoint = LinkEndpoint(Rows())

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        ports = asyncio.create_task(SerialPorts(endpoint, devices).run())
        yield
        ports.cancel()

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        pipe.send(listener.getsockname()[1])
        app = Starlette(routes=[WebSocketRoute("/link", endpoint)], lifespan=lifespan)
        uvicorn.Server(uvicorn.Config(app, log_level="critical", ws_max_size=MAX_FRAME)).run([listener])


def linked(transport: Transport, outbox: Outbox) -> TableLink:
    link = TableLink(
        [transport],
        1,
        KEY,
        outbox,
        on_command=lambda command: None,
        on_status=lambda up, why: None,
    )
    link.start()
    return link


def catch_up(transport: Transport, count: int) -> float:
    outbox = Outbox(f"many-{transport}"[:64], count)
    began = time.perf_counter()
    link = linked(transport, outbox)
    outbox.done.wait(60)
    took = time.perf_counter() - began
    link.stop()
    return took


def round_trips(transport: Transport, count: int) -> list[float]:
    outbox = Outbox(f"single-{transport}"[:64], 1)
    link = linked(transport, outbox)
    outbox.done.wait(60)
    took = []
    for _ in range(count):
        outbox.done.clear()
        outbox.wanted += 1
        began = time.perf_counter()
        outbox.grow(1)
        link.wake()
        outbox.done.wait(60)
        took.append(time.perf_counter() - began)
        time.sleep(0.002)
    link.stop()
    return took


def figures(transport: Transport, records: int, trips: int) -> dict[str, object]:
    took = catch_up(transport, records)
    times = round_trips(transport, trips)
    cuts = quantiles(times, n=100)
    return {
        "catch_up": {"records": records, "seconds": round(took, 3), "records_per_s": round(records / took)},
        "ack_round_trip_ms": {
            "p50": round(cuts[49] * 1e3, 2),
            "p99": round(cuts[98] * 1e3, 2),
            "max": round(max(times) * 1e3, 2),
        },
    }


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--records", type=int, default=10_000)
    options.add_argument("--trips", type=int, default=1000)
    arguments = options.parse_args()
    count, trips = arguments.records, arguments.trips
    wires = {f"serial_{baud}": FaultyCable(baud) for baud in (115_200, 921_600)}
    here, there = multiprocessing.Pipe()
    devices = [wire.right for wire in wires.values()]
    head = multiprocessing.get_context("spawn").Process(target=serve, args=(there, devices), daemon=True)
    head.start()
    transport = WebSocketTransport(f"ws://127.0.0.1:{here.recv()}/link")
    time.sleep(1)
    found = {"network": figures(transport, count, trips)}
    found |= {name: figures(SerialTransport(wire.left), count // 20, trips // 5) for name, wire in wires.items()}
    head.terminate()
    head.join()
    for wire in wires.values():
        wire.close()
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
