"""FAULTS.md 11 and 12: a noisy line, pulled cables, switching transports during synchronisation."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from random import Random

import pytest
from devices.faulty_cable import FaultyCable, Noise, WireFaults
from links.linked_table import LinkedTable
from links.relay import Relay
from links.world import MemoryCollector, MemoryOutbox, head
from waiting import until

from kiosk.link import serial_framing_and_transport, websocket_transport
from kiosk.link.endpoints import head_endpoint, head_serial_ports, table_link
from kiosk.link.link_messages import Health
from kiosk.link.link_session import HeadSession, PingReceived, RecordsReceived, TableProven, TableSession
from kiosk.link.link_states_and_checked_envelopes import ConnectionState
from kiosk.link.serial_framing_and_transport import FRAME_BYTES, SerialTransport, Unframer, encode_frame
from kiosk.link.table_keys import new_keys
from kiosk.link.websocket_transport import WebSocketTransport

Times = Callable[[int, int], int]
Note = Callable[[str, object], None]
KEYS = new_keys([1])
NOISE = WireFaults(corrupted=0.001)


class NoisyDirection:
    """One direction of a line. Output that is not the input in order is ``wrong``."""

    def __init__(self, seed: int) -> None:
        self._noise, self._unframer = Noise(seed), Unframer()
        self._sent: deque[bytes] = deque()
        self.frames = self.wrong = 0

    def carry(self, frames: list[bytes]) -> list[bytes]:
        self.frames += len(frames)
        self._sent.extend(frames)
        found = self._unframer.feed(self._noise.distort(b"".join(map(encode_frame, frames)), NOISE))
        for frame in found:
            while self._sent and self._sent[0] != frame:
                self._sent.popleft()  # lost
            self.wrong += not self._sent
        self._sent = deque(self._sent, maxlen=64)
        return found


@pytest.mark.fault(11, "frames on a line with 0.1 % byte errors")
def test_a_line_with_a_thousandth_of_its_bytes_wrong(times: Times, record_property: Note) -> None:
    up, down, rows = NoisyDirection(1), NoisyDirection(2), 0
    wanted = times(10_000, 1_000_000)
    outbox = MemoryOutbox()
    random = Random(11)
    handshakes = rounds = 0
    while up.frames + down.frames < wanted or rows < len(outbox.records):
        table, at_head = TableSession(1, "epoch", KEYS[1], frame_bytes=FRAME_BYTES), HeadSession(KEYS.get)
        handshakes += 1
        for _ in range(random.randint(200, 3000)):  # the table restarts at times
            rounds += 1
            if rounds % 3 == 0 and up.frames + down.frames < wanted:
                outbox.grow(random.randint(1, 8))
            for frame in down.carry(at_head.outgoing()):
                table.receive(frame)
            if (want := table.sendable_records()) and (records := outbox.records_after(*want)):
                table.send_records(records[:6])
            if rounds % 10 == 0 and table.state is ConnectionState.OPEN:
                table.ping(Health())
            for frame in up.carry(table.outgoing()):
                for event in at_head.receive(frame):
                    match event:
                        case TableProven():
                            at_head.welcome(rows)
                        case RecordsReceived(new):
                            assert [record.seq for record in new] == list(range(rows + 1, rows + 1 + len(new)))
                            assert new == outbox.records[rows : rows + len(new)]
                            rows += len(new)
                            at_head.committed(rows)
                        case PingReceived():
                            pass
            if table.state is not ConnectionState.OPEN and rounds % 4 == 3:
                break  # the handshake lost a frame; the carrier repeats it
    assert up.wrong == down.wrong == 0
    assert rows == len(outbox.records) > wanted // 10
    assert min(up._unframer.bad, down._unframer.bad) > wanted / 100  # the line was noisy
    record_property("tried", up.frames + down.frames)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_link, "PING_S", 0.1)
    monkeypatch.setattr(table_link, "READ_TIMEOUT_S", 0.6)
    monkeypatch.setattr(table_link, "FIRST_BACKOFF_S", 0.01)
    monkeypatch.setattr(table_link, "MAX_BACKOFF_S", 0.05)
    monkeypatch.setattr(websocket_transport, "OPEN_TIMEOUT_S", 0.5)
    monkeypatch.setattr(head_endpoint, "READ_TIMEOUT_S", 0.6)
    monkeypatch.setattr(serial_framing_and_transport._SerialTableChannel, "handshake_s", 0.2)
    monkeypatch.setattr(head_serial_ports, "REOPEN_S", 0.01)


@pytest.mark.fault(11, "cables pulled at either end")
@pytest.mark.usefixtures("quick")
def test_cables_pulled_at_either_end(times: Times, record_property: Note) -> None:
    collector, wire, random = MemoryCollector(KEYS), FaultyCable(), Random(11)
    pulls = times(6, 100)
    with head(collector, serial=[wire.right]):
        table = LinkedTable([SerialTransport(wire.left)], KEYS[1], MemoryOutbox())
        try:
            for _ in range(pulls):
                table.grow(random.randint(50, 600))
                until(lambda seen=collector.accepted: collector.accepted > seen)
                end = random.choice((wire.left, wire.right))
                wire.unplug(end)
                table.grow(random.randint(0, 20))
                until(lambda: random.random() < 0.2)
                wire.replug(end)
            until(lambda: collector.accepted >= table.outbox.last_seq())
        finally:
            table.link.stop()
    wire.close()
    assert collector.rows[1, "epoch"] == table.outbox.records
    assert collector.accepted == len(table.outbox.records)
    record_property("tried", pulls)


@pytest.mark.fault(12, "carrier switched in mid-sync")
@pytest.mark.usefixtures("quick")
def test_switching_carriers_during_synchronisation(times: Times, record_property: Note) -> None:
    """The network and the cable are removed in turn while records flow; each record arrives exactly once."""
    collector, wire, random = MemoryCollector(KEYS), FaultyCable(), Random(12)
    switches, used, in_mid_sync = times(8, 200), [], 0
    with head(collector, serial=[wire.right]) as server:
        relay = Relay(server.port)
        ways = [WebSocketTransport(f"ws://127.0.0.1:{relay.port}/link"), SerialTransport(wire.left)]
        table = LinkedTable(ways, KEYS[1], MemoryOutbox())
        try:
            until(lambda: table.link.via is ways[0])
            for number in range(switches):
                seen = collector.accepted
                table.grow(random.randint(1500, 3000))
                until(lambda seen=seen: collector.accepted > seen)
                if number % 2 == 0:
                    wire.replug()
                    relay.way = "refuse"
                    relay.reset()
                else:
                    relay.way = "open"
                    wire.unplug()
                in_mid_sync += collector.accepted < table.outbox.last_seq()
                until(lambda number=number: table.link.via is ways[(number + 1) % 2])
                used.append(table.link.via)
            until(lambda: collector.accepted >= table.outbox.last_seq())
        finally:
            table.link.stop()
            relay.close()
    wire.close()
    assert collector.rows[1, "epoch"] == table.outbox.records
    assert collector.accepted == len(table.outbox.records)
    assert used == [ways[(number + 1) % 2] for number in range(switches)]
    assert in_mid_sync > switches / 2
    record_property("tried", switches)
