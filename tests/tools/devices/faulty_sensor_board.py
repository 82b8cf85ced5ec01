"""A simulated sensor board with faults; the noise of a seed is the same each time."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from hardware.real_and_simulated_time import NS_PER_MS, TimeBase
from hardware.simulated_sensor_board import SimulatedSensorBoard


@dataclass(slots=True)
class BoardFaults:
    """Faults of the board; all may be changed while it runs.

    ``dropped`` and ``corrupted`` are the probabilities for each byte sent; ``answer_ms`` delays answers; ``missing``
    squares (indices into the cells) read ``?``; ``mute`` stops all output.
    """

    dropped: float = 0.0
    corrupted: float = 0.0
    answer_ms: int = 0
    mute: bool = False
    missing: set[int] = field(default_factory=set)


class FaultySensorBoard(SimulatedSensorBoard):
    def __init__(self, time_base: TimeBase, seed: int = 0, folder: Path | None = None) -> None:
        self.faults = BoardFaults()
        self._random = Random(seed)
        self._answers: list[tuple[int, int]] = []
        super().__init__(time_base, folder)

    def replug(self) -> None:
        with self._lock:
            self._answers.clear()
            super().replug()

    def _next_ns(self) -> int:
        return min([super()._next_ns(), *(due for due, _ in self._answers)])

    def _answer(self, number: int) -> None:
        self._answers.append((self._time_base.now_ns() + self.faults.answer_ms * NS_PER_MS, number))

    def _act(self, now_ns: int) -> None:
        self._read_sensors(now_ns)
        for answer in [answer for answer in self._answers if answer[0] <= now_ns]:
            self._answers.remove(answer)
            self._send_frame(now_ns, answer[1])
        super()._act(now_ns)

    def _sensed(self) -> str:
        return "".join("?" if at in self.faults.missing else cell for at, cell in enumerate(self._cells))

    def _write(self, line: bytes) -> None:
        if self.faults.mute:
            return
        if self.faults.dropped or self.faults.corrupted:
            line = bytes(self._disturb(byte) for byte in line if self._random.random() >= self.faults.dropped)
        super()._write(line)

    def _disturb(self, byte: int) -> int:
        return self._random.randrange(256) if self._random.random() < self.faults.corrupted else byte
