"""Tests of a table and a head over real WebSockets on loopback."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from links.linked_table import LinkedTable
from links.world import Head, MemoryCollector, MemoryOutbox, head
from waiting import until

from kiosk.link.endpoints.table_link import TableLink
from kiosk.link.errors import AddressError
from kiosk.link.link_messages import Command, Health, TableRecord, TroubleInfo
from kiosk.link.message_macs_versions_handshake import VersionRange
from kiosk.link.no_connection_reasons import SILENT
from kiosk.link.table_keys import new_keys
from kiosk.link.websocket_transport import WebSocketTransport

Start = Callable[..., LinkedTable]


KEYS = new_keys(range(1, 60))


def test_500_records_survive_a_head_killed_during_the_upload(start: Start) -> None:
    collector = MemoryCollector(KEYS)
    outbox = MemoryOutbox(count=200)
    first = Head(collector)
    table = start(first.url, KEYS[1], outbox)
    until(lambda: collector.accepted >= 50)
    first.kill()
    until(lambda: not table.up())
    outbox.grow(150)
    table.link.wake()
    with head(collector, first.port):
        until(table.up)
        for _ in range(150):
            outbox.grow(1)
            table.link.wake()
        until(lambda: collector.accepted >= 500)
        until(lambda: outbox.acknowledgements[-1] == 500)
    assert collector.rows[1, "epoch"] == outbox.records
    assert collector.accepted == 500


@pytest.mark.fault(17, "head restored from an empty disk")
def test_a_head_with_an_empty_disk_gets_all_records_again(start: Start) -> None:
    outbox = MemoryOutbox(count=300)
    lost, restored = MemoryCollector(KEYS), MemoryCollector(KEYS)
    first = Head(lost)
    start(first.url, KEYS[1], outbox)
    until(lambda: lost.accepted == 300)
    first.kill()
    with head(restored, first.port):
        until(lambda: restored.accepted == 300)
    assert restored.rows == lost.rows


def test_a_command_is_sent_until_it_is_done(start: Start) -> None:
    collector = MemoryCollector(KEYS)
    command = Command("c1", "hold", game="g7", revision=3, expires_s=60, body={"reason": "呼出"})
    with head(collector) as server:
        table = start(server.url, KEYS[1], MemoryOutbox())
        until(table.up)
        collector.commands[1] = [command]
        server.endpoint.wake([1])
        until(lambda: len(table.commands) >= 2)  # again with each ping while it is pending
        assert set(map(repr, table.commands)) == {repr(command)}
        collector.commands[1] = []
    assert collector.health[1] == Health(game="g7")


@pytest.mark.parametrize("table", [1, 999], ids=["a wrong key", "an unknown table"])
def test_a_client_without_the_key_changes_nothing(start: Start, table: int) -> None:
    collector = MemoryCollector(KEYS)
    with head(collector) as server:
        honest = start(server.url, KEYS[1], MemoryOutbox(count=3))
        until(lambda: collector.accepted == 3)
        intruder = start(server.url, KEYS[2], MemoryOutbox(epoch="evil", count=9), table=table)
        until(lambda: intruder.why() == "link-refused")
        assert honest.up()
        assert server.endpoint.connected() == [1]
    assert collector.accepted == 3
    assert not any(up for up, _ in intruder.statuses)


def test_different_versions_are_reported_on_both_sides(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kiosk.link.link_session.TableSession.versions", VersionRange(9, 9))
    collector = MemoryCollector(KEYS)
    with head(collector) as server:
        table = start(server.url, KEYS[1], MemoryOutbox(count=3))
        until(lambda: table.why() == "link-versions" and collector.refusals)
        assert set(collector.refusals) == {(1, "link-versions")}
    assert collector.accepted == 0


class Drawer:
    """Handler of replaced devices that stores their records
    (``kiosk.link.endpoints.head_endpoint.ReplacedDeviceHandler``)."""

    def __init__(self, keys: dict[int, bytes]) -> None:
        self._keys = keys
        self.kept: list[TableRecord] = []

    def keys(self, table: int) -> list[bytes]:
        return [self._keys[table]] if table in self._keys else []

    def last_committed_seq(self, table: int, epoch: str) -> int:
        return self.kept[-1].seq if self.kept else 4

    def commit(self, table: int, epoch: str, records: list[TableRecord]) -> int:
        self.kept += records
        return records[-1].seq


def test_a_replaced_device_uploads_its_remaining_records(start: Start) -> None:
    collector, old = MemoryCollector(dict(KEYS)), new_keys([1])
    collector.commands[1] = [Command("c1", "hold")]
    with head(collector) as server:
        server.endpoint.replaced_devices = drawer = Drawer(old)
        spare = start(server.url, KEYS[1], MemoryOutbox("epoch", count=6))
        until(lambda: collector.accepted == 6)
        back = start(server.url, old[1], MemoryOutbox("epoch", count=9))
        until(lambda: [record.seq for record in drawer.kept] == [5, 6, 7, 8, 9])
        until(lambda: back.why() == "link-replaced")
        assert back.commands == []
        assert (collector.accepted, spare.up(), server.endpoint.connected()) == (6, True, [1])
        server.endpoint.replaced_devices = Drawer({})  # revoked
        until(lambda: back.why() == "link-refused")


def test_a_revoked_key_ends_its_session(start: Start) -> None:
    collector = MemoryCollector(dict(KEYS))
    with head(collector) as server:
        table = start(server.url, KEYS[1], MemoryOutbox(count=3))
        until(lambda: collector.accepted == 3)
        del collector.keys[1]
        until(lambda: table.why() == "link-refused")
        collector.keys[1] = bytes(32)
        until(lambda: server.endpoint.connected() == [])
        collector.keys[1] = KEYS[1]
        until(table.up)


def test_a_newer_connection_of_the_same_table_replaces_the_older(start: Start) -> None:
    collector = MemoryCollector(KEYS)
    with head(collector) as server:
        older = start(server.url, KEYS[1], MemoryOutbox(count=3))
        until(older.up)
        newer = start(server.url, KEYS[1], MemoryOutbox(epoch="other", count=5))
        until(lambda: any(why is not None and why.kind == "link-replaced" for _, why in older.statuses))
        until(lambda: collector.accepted == 8)
        assert newer.statuses[0] == (True, None)
        assert (1, "link-replaced") in collector.refusals, "their journals differ, so the desk is told"


def test_a_missing_head_is_reported_once_and_connected_when_present(start: Start) -> None:
    collector = MemoryCollector(KEYS)
    first = Head(collector)
    first.kill()
    table = start(first.url, KEYS[1], MemoryOutbox(count=2))
    until(lambda: table.why() == "link-unreachable")
    with head(collector, first.port):
        until(lambda: collector.accepted == 2)
        until(table.up)
    assert [up for up, _ in table.statuses[:2]] == [False, True]


def test_a_journal_that_lost_records_is_sent_under_its_new_epoch(start: Start) -> None:
    class Renewing(MemoryOutbox):
        def acknowledged(self, seq: int) -> None:
            if seq > len(self.records):
                self.epoch = "renewed"
            super().acknowledged(seq)

    collector = MemoryCollector(KEYS)
    collector.commit(1, "epoch", MemoryOutbox(count=10).records)
    outbox = Renewing(count=6)
    with head(collector) as server:
        start(server.url, KEYS[1], outbox)
        until(lambda: collector.last_committed_seq(1, "renewed") == 6)
    assert collector.last_committed_seq(1, "epoch") == 10


def test_stop_ends_the_thread_also_while_nothing_can_be_reached() -> None:
    before = set(threading.enumerate())  # threads of earlier tests, which may end at any moment
    first = Head(MemoryCollector(KEYS))
    first.kill()
    link = unstarted(WebSocketTransport(first.url))
    link.start()
    link.stop()
    assert not link._thread.is_alive()
    assert not any(thread.name == "link" for thread in set(threading.enumerate()) - before)


def test_an_invalid_address_is_refused() -> None:
    with pytest.raises(AddressError, match="write it like ws://"):
        WebSocketTransport("http://head")


def unstarted(*ways: Any, **how: Any) -> TableLink:
    how.setdefault("on_status", lambda up, why: None)
    return TableLink(ways, 1, KEYS[1], MemoryOutbox(), on_command=lambda command: None, **how)


class Falling:
    """A transport whose connection ends when the test says so."""

    frame_bytes, handshake_s = 4_096, 60.0

    def __init__(self) -> None:
        self.end: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Falling]:
        yield self

    async def receive(self) -> bytes:
        return await self.end

    async def send(self, frame: bytes) -> None: ...


@pytest.mark.parametrize("turns", range(8))
def test_a_link_can_be_ended_while_its_connection_ends(turns: int) -> None:
    """Both orders are tested by single turns of the event loop: Python 3.11 loses a cancellation there."""

    async def run() -> bool:
        transport = Falling()
        link = unstarted(transport)
        serving = asyncio.create_task(link.keep_connected())
        await asyncio.sleep(0.01)
        transport.end.set_exception(OSError("the head has died"))
        for _ in range(turns):
            await asyncio.sleep(0)
        link.end()
        await asyncio.wait([serving], timeout=5)
        ended = serving.done()
        while not serving.done():  # else the test itself would hang
            serving.cancel()
            await asyncio.sleep(0.01)
        return ended

    assert asyncio.run(run())


def test_a_failed_connection_leaves_no_cancellation_to_the_next() -> None:
    """Neither to the close of its channel: up to Python 3.11.2 (Debian 12) ``asyncio.timeout`` would cancel the task of
    the link there.
    """

    async def run() -> list[int]:
        counted: list[int] = []

        class Failing(Falling):
            @asynccontextmanager
            async def open(self) -> AsyncIterator[Falling]:
                task = asyncio.current_task()
                counted.append(task.cancelling())
                if len(counted) == 5:
                    link.end()
                try:
                    yield self
                finally:
                    counted.append(task.cancelling())

            async def receive(self) -> bytes:
                await asyncio.sleep(0)
                raise OSError("the head has died")

        link = unstarted(Failing(), uniform=lambda low, high: 0.0)
        serving = asyncio.create_task(link.keep_connected())
        await asyncio.wait([serving], timeout=5)
        return counted

    assert asyncio.run(run())[:5] == [0] * 5


def test_a_carrier_has_its_own_time_for_the_handshake() -> None:
    """The head has not spoken when that time is over, long before an open connection is given up."""

    async def run() -> list[str | None]:
        transport, reported = Falling(), list[str | None]()
        transport.handshake_s = 0.0

        def on_status(up: bool, why: TroubleInfo | None) -> None:
            reported.append(why and why.kind)
            link.end()

        link = unstarted(transport, on_status=on_status)
        await asyncio.wait([asyncio.create_task(link.keep_connected())], timeout=5)
        return reported

    assert asyncio.run(run()) == [SILENT.kind]


def test_after_a_connection_has_ended_the_next_carrier_is_tried_at_once() -> None:
    async def run() -> list[str]:
        log: list[str] = []

        class Ending(Falling):
            @asynccontextmanager
            async def open(self) -> AsyncIterator[Falling]:
                log.append("cable" if self is cable else "network")
                if len(log) == 1:
                    link._note_open(cable)
                elif len(log) == 4:
                    link.end()
                raise OSError("the head has died")
                yield self

        cable, network = Ending(), Ending()
        link = unstarted(cable, network, uniform=lambda low, high: log.append("pause") or 0.0)
        await asyncio.wait([asyncio.create_task(link.keep_connected())], timeout=5)
        return log

    assert asyncio.run(run()) == ["cable", "network", "pause", "cable"]
