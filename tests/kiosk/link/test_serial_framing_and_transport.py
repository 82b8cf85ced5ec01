"""Tests of a table and a head over a simulated serial cable, and of the framing alone."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from random import Random

import pytest
from devices.faulty_cable import FaultyCable, Noise, WireFaults
from hypothesis import given
from hypothesis import strategies as st
from links.linked_table import LinkedTable
from links.world import Head, MemoryCollector, MemoryOutbox, head
from waiting import until

from kiosk.link import serial_framing_and_transport
from kiosk.link.endpoints import head_serial_ports
from kiosk.link.link_messages import Command
from kiosk.link.message_macs_versions_handshake import CHALLENGE_MAGIC, MAX_FRAME
from kiosk.link.serial_framing_and_transport import SerialTransport, Unframer, encode_frame
from kiosk.link.table_keys import new_keys

KEYS = new_keys(range(1, 10))


@given(st.lists(st.binary(min_size=1, max_size=600)), st.lists(st.integers(1, 50), min_size=1))
def test_frames_are_decoded_however_the_bytes_are_split(frames: list[bytes], cuts: list[int]) -> None:
    line, unframer, found = b"".join(map(encode_frame, frames)), Unframer(), []
    number = 0
    while line:
        size = cuts[number % len(cuts)]
        found += unframer.feed(line[:size])
        line, number = line[size:], number + 1
    assert found == frames
    assert unframer.bad == 0


def test_the_bytes_on_the_line_are_those_of_the_document() -> None:
    """The CRC-32 of ``123456789`` is CBF43926; a zero byte inside is stuffed."""
    assert encode_frame(b"123456789") == b"\0\x0e123456789\xcb\xf4\x39\x26\0"
    assert encode_frame(b"\0") == bytes.fromhex("00 01 05 d2 02 ef 8d 00".replace(" ", ""))


@given(st.integers(0, 2**32))
def test_noise_loses_frames_and_changes_none(seed: int) -> None:
    random = Random(seed)
    frames = [random.randbytes(random.randint(1, 300)) for _ in range(20)]
    line = Noise(seed).distort(b"".join(map(encode_frame, frames)), WireFaults(corrupted=0.003, dropped=0.003))
    found = Unframer().feed(line)
    rest = iter(frames)
    assert all(frame in rest for frame in found)  # in order, each once, and none that was not sent


def test_endless_noise_takes_bounded_memory() -> None:
    unframer = Unframer()
    for _ in range(40):
        assert unframer.feed(b"\x55" * 50_000) == []
    assert len(unframer._rest) <= 2 * MAX_FRAME
    assert unframer.feed(b"\0" + encode_frame(b"after")) == [b"after"]
    assert unframer.bad >= 1


class BusyPort:
    """A port that takes no bytes before the event loop has run something else."""

    def __init__(self) -> None:
        self.written, self.refused, self.busy = b"", 0, True
        self._ends = os.pipe()

    def fileno(self) -> int:
        return self._ends[1]

    def read(self) -> bytes:
        return b""

    def write(self, data: bytes | memoryview) -> int:
        if self.busy:
            self.refused += 1
            assert self.refused < 100, "the line does not wait for the port"
            return 0
        self.written += data[:3]
        return len(data[:3])

    def close(self) -> None:
        for end in self._ends:
            os.close(end)


def test_a_line_waits_for_a_port_that_takes_nothing() -> None:
    port = BusyPort()

    async def run() -> None:
        asyncio.get_running_loop().call_soon(setattr, port, "busy", False)
        await serial_framing_and_transport.SerialLine(port).send(b"frame")

    asyncio.run(run())
    port.close()
    assert port.written == encode_frame(b"frame")


def test_frames_before_the_challenge_and_a_repeated_challenge_are_skipped() -> None:
    challenge = CHALLENGE_MAGIC + b"nonce"

    class Line(serial_framing_and_transport.SerialLine):
        frames = iter([b"late", challenge, challenge, b"next"])

        def __init__(self) -> None: ...

        async def receive(self) -> bytes:
            return next(self.frames)

    async def run() -> list[bytes]:
        channel = serial_framing_and_transport._SerialTableChannel(Line())
        return [await channel.receive() for _ in range(2)]

    assert asyncio.run(run()) == [challenge, b"next"]


Start = Callable[..., LinkedTable]


@pytest.fixture
def wire() -> Iterator[FaultyCable]:
    made = FaultyCable()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def quick_ports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serial_framing_and_transport._SerialTableChannel, "handshake_s", 0.3)
    monkeypatch.setattr(head_serial_ports, "REOPEN_S", 0.02)


def test_records_and_commands_are_sent_over_a_cable(start: Start, wire: FaultyCable) -> None:
    collector = MemoryCollector(KEYS)
    command = Command("c1", "hold", game="g7", body={"reason": "呼出"})
    with head(collector, serial=[wire.right]) as server:
        table = start([SerialTransport(wire.left)], KEYS[1], MemoryOutbox(count=700))
        until(lambda: collector.accepted == 700)
        until(lambda: table.outbox.acknowledgements[-1:] == [700])
        assert server.endpoint.connected() == [1]
        collector.commands[1] = [command]
        server.endpoint.wake([1])
        until(lambda: bool(table.commands))
        assert repr(table.commands[0]) == repr(command)
    assert collector.rows[1, "epoch"] == table.outbox.records


def test_each_port_serves_whichever_table_proves_its_key(start: Start) -> None:
    collector, wires = MemoryCollector(KEYS), [FaultyCable() for _ in range(3)]
    with head(collector, serial=[wire.right for wire in wires]) as server:
        for number, wire in zip((7, 2, 5), wires, strict=True):
            start([SerialTransport(wire.left)], KEYS[number], MemoryOutbox(count=30), table=number)
        until(lambda: server.endpoint.connected() == [2, 5, 7])
        until(lambda: collector.accepted == 90)
    for wire in wires:
        wire.close()


def test_a_wrong_key_is_reported_and_the_right_one_works_afterwards(start: Start, wire: FaultyCable) -> None:
    collector = MemoryCollector(KEYS)
    with head(collector, serial=[wire.right]):
        intruder = start([SerialTransport(wire.left)], KEYS[2], MemoryOutbox(count=3))
        until(lambda: intruder.why() == "link-refused")
        intruder.link.stop()
        start([SerialTransport(wire.left)], KEYS[1], MemoryOutbox(count=4))
        until(lambda: collector.accepted == 4)
    assert not any(up for up, _ in intruder.statuses)


def test_a_restarted_head_is_reconnected(start: Start, wire: FaultyCable) -> None:
    collector = MemoryCollector(KEYS)
    first = Head(collector, serial=[wire.right])
    table = start([SerialTransport(wire.left)], KEYS[1], MemoryOutbox(count=50))
    until(lambda: collector.accepted == 50)
    first.kill()
    table.grow(50)
    with head(collector, serial=[wire.right]):
        until(lambda: collector.accepted == 100)
        table.grow(5)
        until(lambda: collector.accepted == 105)


def test_a_restarted_table_is_reconnected_at_once(start: Start, wire: FaultyCable) -> None:
    collector = MemoryCollector(KEYS)
    with head(collector, serial=[wire.right]):
        outbox = MemoryOutbox(count=20)
        first = start([SerialTransport(wire.left)], KEYS[1], outbox)
        until(lambda: collector.accepted == 20)
        first.link.stop()
        assert not first.link._thread.is_alive()
        outbox.grow(5)
        start([SerialTransport(wire.left)], KEYS[1], outbox)
        until(lambda: collector.accepted == 25)


def test_a_missing_port_is_reported_and_used_once_present(start: Start, wire: FaultyCable) -> None:
    wire.unplug()
    collector = MemoryCollector(KEYS)
    with head(collector, serial=[wire.right]):
        table = start([SerialTransport(wire.left)], KEYS[1], MemoryOutbox(count=2))
        until(lambda: table.why() == "link-unreachable")
        wire.replug()
        until(lambda: collector.accepted == 2)
        assert table.up()
