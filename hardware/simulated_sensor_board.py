"""Simulated sensor board: the firmware's side of docs/reference/sensor-board.md, on a pty.

Faults occur only as configured, and the noise of a seed is the same each time.
"""

from __future__ import annotations

import os
import select
import shutil
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from hardware.errors import LineError
from hardware.sensor_board_protocol import (
    CELLS,
    PROTOCOL,
    SEQUENCES,
    BoardRequest,
    FromBoard,
    Heartbeat,
    Identity,
    SensorFrame,
    from_table,
    to_line,
)
from hardware.serial_line_checksums import LineSplitter, decode_line
from hardware.simulated_pty import open_simulated_pty
from hardware.timebase import NS_PER_MS, TimeBase

_REPEAT_NS = 250 * NS_PER_MS
_HEARTBEAT_NS = 1_000 * NS_PER_MS
_FLICKER_NS = 60 * NS_PER_MS
#: Minimum real time between two frames, however fast game time runs.
_SHORTEST_WAIT_S = 0.01


@dataclass(slots=True)
class BoardFaults:
    """Faults of the board; all may be changed while it runs.

    ``dropped`` and ``corrupted`` are the probabilities for each byte sent; ``answer_ms`` delays answers; ``flickering``
    squares come and go, ``missing`` squares read ``?`` (indices into the cells); ``mute`` stops all output.
    """

    dropped: float = 0.0
    corrupted: float = 0.0
    answer_ms: int = 0
    mute: bool = False
    flickering: set[int] = field(default_factory=set)
    missing: set[int] = field(default_factory=set)


class SimulatedSensorBoard:
    """Sensor board with ``columns × rows`` squares, empty at first; it runs until ``close``.

    ``device`` is the path for ``SensorBoard``: a link that ``unplug`` removes and ``replug`` restores. ``folder`` is
    the newly made folder of the link, for a process that may be killed; without it a temporary one is used.
    """

    def __init__(
        self, time_base: TimeBase, columns: int = 8, rows: int = 8, seed: int = 0, folder: Path | None = None
    ) -> None:
        self._time_base = time_base
        self._identity = Identity(PROTOCOL, "simulated-1", columns, rows)
        self._random = Random(seed)
        self._lock = threading.RLock()
        self._cells = "-" * (columns * rows)
        self._shown = self._cells
        self.faults = BoardFaults()
        if folder is None:
            folder = Path(tempfile.mkdtemp(prefix="sensor-board-"))
        else:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        self._directory = folder
        self.device = str(self._directory / "tty")
        self._master = self._slave = -1
        self._answers: list[tuple[int, int]] = []
        self._wake_read, self._wake_write = os.pipe()
        self._closing = False
        self.replug()
        self._thread = threading.Thread(target=self._run, name="simulated sensor board", daemon=True)
        self._thread.start()

    def set(self, cells: str) -> None:
        """Set the discs on the board.

        :raises ValueError: unless there is one of ``-XO?`` for each square.
        """
        if len(cells) != len(self._cells) or set(cells) - set(CELLS):
            raise ValueError(f"a picture is {len(self._cells)} of {CELLS!r}, not {cells!r}")
        with self._lock:
            self._cells = cells
            self._look(self._time_base.now_ns())

    def unplug(self) -> None:
        """Remove the device, as if the cable were pulled."""
        with self._lock:
            if self._master >= 0:
                Path(self.device).unlink()
                os.close(self._master)
                os.close(self._slave)
                self._master = self._slave = -1
        self._wake()

    def replug(self) -> None:
        """Restore the device; the board restarts."""
        with self._lock:
            if self._master >= 0:
                return
            self._master, self._slave = open_simulated_pty(self.device)
            self.restart()

    def restart(self) -> None:
        """Simulate a short power failure of the board while the cable stays in: it restarts and identifies itself."""
        with self._lock:
            self._splitter = LineSplitter()
            self._answers.clear()
            now_ns = self._time_base.now_ns()
            self._started_ns = self._changed_ns = now_ns
            self._repeat_ns = now_ns + _REPEAT_NS
            self._heartbeat_ns = now_ns + _HEARTBEAT_NS
            self._flicker_ns = now_ns
            self._flicker_on = False
            self._sequence = SEQUENCES - 1
            self._send(self._identity)
            self._send_frame(now_ns, None)
        self._wake()

    def close(self) -> None:
        """End the board and wait for it."""
        self._closing = True
        self._wake()
        self._thread.join()
        self.unplug()
        os.close(self._wake_read)
        os.close(self._wake_write)
        shutil.rmtree(self._directory)

    def _wake(self) -> None:
        os.write(self._wake_write, b".")

    def _run(self) -> None:
        while not self._closing:
            with self._lock:
                master = self._master
                wait_ns = self._next_ns() - self._time_base.now_ns()
            watched = [self._wake_read] if master < 0 else [self._wake_read, master]
            wait_s = max(self._time_base.real_s(wait_ns), _SHORTEST_WAIT_S)
            ready, _, _ = select.select(watched, [], [], wait_s)
            if self._wake_read in ready:
                os.read(self._wake_read, 4096)
            with self._lock:
                if self._master < 0:
                    continue
                if self._master == master and master in ready:
                    self._hear(os.read(master, 4096))
                self._act(self._time_base.now_ns())

    def _next_ns(self) -> int:
        dues = [self._repeat_ns, self._heartbeat_ns, *(due for due, _ in self._answers)]
        if self.faults.flickering:
            dues.append(self._flicker_ns)
        return min(dues)

    def _hear(self, data: bytes) -> None:
        for line in self._splitter.feed(data):
            try:
                message = from_table(decode_line(line))
            except LineError:
                continue  # the table repeats the request
            if isinstance(message, BoardRequest):
                due_ns = self._time_base.now_ns() + self.faults.answer_ms * NS_PER_MS
                self._answers.append((due_ns, message.number))
            else:
                self._send(self._identity)

    def _act(self, now_ns: int) -> None:
        """Do what is due."""
        if now_ns >= self._flicker_ns:
            self._flicker_ns = now_ns + _FLICKER_NS
            self._flicker_on = not self._flicker_on
        self._look(now_ns)
        for answer in [answer for answer in self._answers if answer[0] <= now_ns]:
            self._answers.remove(answer)
            self._send_frame(now_ns, answer[1])
        if now_ns >= self._repeat_ns:
            self._send_frame(now_ns, None)
        if now_ns >= self._heartbeat_ns:
            self._heartbeat_ns = now_ns + _HEARTBEAT_NS
            self._send(Heartbeat(self._sequence, (now_ns - self._started_ns) // NS_PER_MS))

    def _look(self, now_ns: int) -> None:
        """Read the sensors; a change is sent at once."""
        shown = "".join(self._sense(square, cell) for square, cell in enumerate(self._cells))
        if shown != self._shown:
            self._shown = shown
            self._changed_ns = now_ns
            self._send_frame(now_ns, None)

    def _sense(self, square: int, cell: str) -> str:
        if square in self.faults.missing:
            return "?"
        if square in self.faults.flickering and self._flicker_on:
            return "X" if cell == "-" else "-"
        return cell

    def _send_frame(self, now_ns: int, answers: int | None) -> None:
        self._repeat_ns = now_ns + _REPEAT_NS
        self._sequence = (self._sequence + 1) % SEQUENCES
        stable_ms = (now_ns - self._changed_ns) // NS_PER_MS
        self._send(SensorFrame(self._sequence, answers, stable_ms, self._shown, now_ns))

    def _send(self, message: FromBoard) -> None:
        """Send through the faults; bytes that do not fit into a full cable are lost, as on a real one."""
        if self._master < 0 or self.faults.mute:
            return
        line = to_line(message)
        if self.faults.dropped or self.faults.corrupted:
            line = bytes(self._disturb(byte) for byte in line if self._random.random() >= self.faults.dropped)
        try:
            os.write(self._master, line)
        except BlockingIOError:
            return

    def _disturb(self, byte: int) -> int:
        return self._random.randrange(256) if self._random.random() < self.faults.corrupted else byte
