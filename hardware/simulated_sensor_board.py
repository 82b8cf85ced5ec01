"""Simulated sensor board: the firmware's side of docs/reference/sensor-board.md, on a pty."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import tempfile
import threading
from pathlib import Path

from hardware.real_and_simulated_time import NS_PER_MS, TimeBase
from hardware.sensor_board_driver import SQUARES
from hardware.sensor_board_protocol import (
    PROTOCOL,
    SEQUENCES,
    BoardRequest,
    FromBoard,
    Heartbeat,
    Identity,
    IdentityRequest,
    SensorFrame,
    from_table,
    to_line,
)
from hardware.serial_line_framing_and_reader import LineSplitter, decode_line
from hardware.simulated_serial_cable import open_simulated_pty

_IDENTITY = Identity(PROTOCOL, "simulated-1", 8, 8)
_REPEAT_NS = 250 * NS_PER_MS
_HEARTBEAT_NS = 1_000 * NS_PER_MS
#: Minimum real time between two frames, however fast game time runs.
_SHORTEST_WAIT_S = 0.01


class SimulatedSensorBoard:
    """Sensor board, empty at first; it runs until ``close``.

    ``device`` is the path for ``SensorBoard``: a link that ``unplug`` removes and ``replug`` restores. ``folder`` is
    the newly made folder of the link, for a process that may be killed; without it a temporary one is used.
    """

    def __init__(self, time_base: TimeBase, folder: Path | None = None) -> None:
        self._time_base = time_base
        self._lock = threading.RLock()
        self._cells = "-" * SQUARES
        self._sent_cells = self._cells
        self._directory = folder or Path(tempfile.mkdtemp(prefix="sensor-board-"))
        shutil.rmtree(self._directory, ignore_errors=True)
        self._directory.mkdir(parents=True)
        self.device = str(self._directory / "tty")
        self._master = self._slave = -1
        self._closing = False
        self.replug()
        self._thread = threading.Thread(target=self._run, name="simulated sensor board", daemon=True)
        self._thread.start()

    def set(self, cells: str) -> None:
        """Set the discs on the board, one of ``-XO?`` for each square."""
        with self._lock:
            self._cells = cells
            self._read_sensors(self._time_base.now_ns())

    def unplug(self) -> None:
        """Remove the device, as if the cable were pulled."""
        with self._lock:
            if self._master >= 0:
                Path(self.device).unlink()
                os.close(self._master)
                os.close(self._slave)
                self._master = self._slave = -1

    def replug(self) -> None:
        """Restore the device; the board restarts and identifies itself."""
        with self._lock:
            self._master, self._slave = open_simulated_pty(self.device)
            self._splitter = LineSplitter()
            now_ns = self._time_base.now_ns()
            self._started_ns = self._changed_ns = now_ns
            self._repeat_ns = now_ns + _REPEAT_NS
            self._heartbeat_ns = now_ns + _HEARTBEAT_NS
            self._sequence = SEQUENCES - 1
            self._send(_IDENTITY)
            self._send_frame(now_ns, None)

    def close(self) -> None:
        """End the board and wait for it."""
        self._closing = True
        self._thread.join()
        self.unplug()
        shutil.rmtree(self._directory)

    def _run(self) -> None:
        while not self._closing:
            with self._lock:
                master = self._master
                wait_ns = self._next_ns() - self._time_base.now_ns()
            wait_s = max(self._time_base.real_s(wait_ns), _SHORTEST_WAIT_S)
            ready, _, _ = select.select([] if master < 0 else [master], [], [], wait_s)
            with self._lock:
                if self._master < 0:
                    continue
                if self._master == master and ready:
                    self._hear(os.read(master, 4096))
                self._act(self._time_base.now_ns())

    def _next_ns(self) -> int:
        return min(self._repeat_ns, self._heartbeat_ns)

    def _hear(self, data: bytes) -> None:
        for line in self._splitter.feed(data):
            match from_table(decode_line(line) or ""):  # the table repeats an unreadable request
                case BoardRequest(number):
                    self._answer(number)
                case IdentityRequest():
                    self._send(_IDENTITY)

    def _answer(self, number: int) -> None:
        self._send_frame(self._time_base.now_ns(), number)

    def _act(self, now_ns: int) -> None:
        """Do what is due."""
        if now_ns >= self._repeat_ns:
            self._send_frame(now_ns, None)
        if now_ns >= self._heartbeat_ns:
            self._heartbeat_ns = now_ns + _HEARTBEAT_NS
            self._send(Heartbeat(self._sequence, (now_ns - self._started_ns) // NS_PER_MS))

    def _read_sensors(self, now_ns: int) -> None:
        """Read the sensors; a change is sent at once."""
        cells = self._sensed()
        if cells != self._sent_cells:
            self._sent_cells = cells
            self._changed_ns = now_ns
            self._send_frame(now_ns, None)

    def _sensed(self) -> str:
        return self._cells

    def _send_frame(self, now_ns: int, answers: int | None) -> None:
        self._repeat_ns = now_ns + _REPEAT_NS
        self._sequence = (self._sequence + 1) % SEQUENCES
        stable_ms = (now_ns - self._changed_ns) // NS_PER_MS
        self._send(SensorFrame(self._sequence, answers, stable_ms, self._sent_cells, now_ns))

    def _send(self, message: FromBoard) -> None:
        if self._master >= 0:
            self._write(to_line(message))

    def _write(self, line: bytes) -> None:
        """Send a line; bytes that do not fit into a full cable are lost, as on a real one."""
        with contextlib.suppress(BlockingIOError):
            os.write(self._master, line)
