"""The line reader over real ptys and sockets: unplugging, noise, full buffers."""

from __future__ import annotations

import os
import queue
import socket
import threading
import time
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest
from waiting import HANGS_S, until

from hardware.real_and_simulated_time import SystemTime
from hardware.serial_line_framing_and_reader import LineReader, encode_line

pytestmark = pytest.mark.slow


class Cable:
    """A pty whose far end the test holds, behind a link that stays when the pty changes."""

    def __init__(self, directory: Path) -> None:
        self.device = directory / "tty"
        self.plug()

    def plug(self) -> None:
        self.far, self.near = os.openpty()
        tty.setraw(self.near)
        self.device.symlink_to(os.ttyname(self.near))

    def unplug(self) -> None:
        self.device.unlink()
        os.close(self.far)
        os.close(self.near)


class ReaderProbe:
    """A reader, and what it reported."""

    def __init__(self, device: str) -> None:
        self.payloads: queue.SimpleQueue[tuple[str, int]] = queue.SimpleQueue()
        self.opened = 0
        self.reader = LineReader(
            device, lambda payload, at_ns: self.payloads.put((payload, at_ns)), SystemTime(), self.count_opening
        )
        self.reader.start()

    @property
    def is_open(self) -> bool:
        return not self.reader.reason

    def count_opening(self) -> None:
        self.opened += 1

    def next(self) -> str:
        return self.payloads.get(timeout=HANGS_S)[0]


@pytest.fixture
def cable(tmp_path: Path) -> Cable:
    return Cable(tmp_path)


@pytest.fixture
def table(cable: Cable) -> Iterator[ReaderProbe]:
    table = ReaderProbe(str(cable.device))
    until(lambda: table.is_open)
    yield table
    table.reader.close()


def test_lines_arrive_with_their_time(cable: Cable, table: ReaderProbe) -> None:
    before = time.monotonic_ns()
    os.write(cable.far, encode_line("hello") + encode_line("world"))
    payload, at_ns = table.payloads.get(timeout=HANGS_S)
    assert payload == "hello"
    assert before <= at_ns <= time.monotonic_ns()
    assert table.next() == "world"


def test_a_line_in_pieces_is_one_line(cable: Cable, table: ReaderProbe) -> None:
    for byte in encode_line("slow"):
        os.write(cable.far, bytes([byte]))
    assert table.next() == "slow"


def test_noise_is_dropped_and_the_next_line_is_read(cable: Cable, table: ReaderProbe) -> None:
    os.write(cable.far, b"\xff\x00garbage\nF 0*0000\n" + b"x" * 1_000 + b"\n" + encode_line("after"))
    assert table.next() == "after"


def test_written_bytes_arrive_at_the_far_end(cable: Cable, table: ReaderProbe) -> None:
    assert table.reader.write("A 7")
    assert os.read(cable.far, 100) == encode_line("A 7")


def test_writing_never_waits_for_a_board_that_does_not_read(cable: Cable, table: ReaderProbe) -> None:
    """A write to a full buffer returns, where pyserial's own non-blocking write would loop for ever."""
    done = threading.Event()

    def fill() -> None:
        while table.reader.write("x" * 200):
            pass
        done.set()

    threading.Thread(target=fill, daemon=True).start()
    assert done.wait(HANGS_S)


def test_every_line_arrives_after_twenty_unplugs(cable: Cable, table: ReaderProbe) -> None:
    """FAULTS.md 11, a fifth of it."""
    for number in range(20):
        os.write(cable.far, encode_line(f"line {number}"))
        assert table.next() == f"line {number}"
        cable.unplug()
        cable.plug()
        until(lambda opened=2 + number: table.opened >= opened)


def test_half_a_line_before_an_unplug_does_not_join_the_next_one(cable: Cable, table: ReaderProbe) -> None:
    os.write(cable.far, encode_line("first") + encode_line("whole")[:4])
    assert table.next() == "first"
    cable.unplug()
    until(lambda: not table.is_open)
    cable.plug()
    until(lambda: table.is_open)
    os.write(cable.far, encode_line("whole"))
    assert table.next() == "whole"


def test_a_reader_knows_why_it_is_closed_and_since_when(cable: Cable, table: ReaderProbe) -> None:
    opened_ns, unplugged_ns = table.reader.since_ns, time.monotonic_ns()
    cable.unplug()
    until(lambda: not table.is_open)
    closed_ns = table.reader.since_ns
    assert not table.reader.write("A 1")
    cable.plug()
    until(lambda: table.is_open)
    assert opened_ns <= unplugged_ns < closed_ns < table.reader.since_ns
    table.reader.close()
    assert table.reader.reason == "closed"


def test_a_device_that_appears_later_is_opened(tmp_path: Path) -> None:
    table = ReaderProbe(str(tmp_path / "tty"))
    until(lambda: "No such file" in table.reader.reason)
    cable = Cable(tmp_path)
    until(lambda: table.is_open)
    os.write(cable.far, encode_line("late"))
    assert table.next() == "late"
    table.reader.close()


@pytest.mark.parametrize("device", ["nonsense://x", "socket://127.0.0.1:0", "/dev/null", "/"])
def test_an_impossible_device_is_reported(device: str) -> None:
    table = ReaderProbe(device)
    until(lambda: table.reader.reason not in ("", "not opened yet"))
    assert not table.is_open
    table.reader.close()


def test_a_port_in_use_is_not_shared(cable: Cable, table: ReaderProbe) -> None:
    second = ReaderProbe(str(cable.device))
    until(lambda: "exclusively" in second.reader.reason)
    second.reader.close()


def test_a_socket_url_is_read_and_reopened() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        table = ReaderProbe(f"socket://127.0.0.1:{server.getsockname()[1]}")
        for number in range(3):
            far, _ = server.accept()
            with far:
                until(lambda: table.is_open)  # pyserial drops what comes while it opens
                far.sendall(encode_line(f"line {number}"))
                assert table.next() == f"line {number}"
                assert table.reader.write("A 5")
                assert far.recv(100) == encode_line("A 5")
            until(lambda: not table.is_open)
        table.reader.close()


def test_close_ends_the_thread_at_once_even_while_it_waits_to_reopen(tmp_path: Path) -> None:
    table = ReaderProbe(str(tmp_path / "never"))
    until(lambda: "No such file" in table.reader.reason)
    table.reader.close()
    assert not table.reader._thread.is_alive()
