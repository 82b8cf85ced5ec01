"""Sensor board firmware under MicroPython, on a pty, read by the table's own reader."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import tty
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue

import pytest
from waiting import HANGS_S, until

from hardware.real_and_simulated_time import SystemTime
from hardware.sensor_board_driver import SensorBoard
from hardware.sensor_board_protocol import Identity, SensorFrame

pytestmark = pytest.mark.slow

MICROPYTHON = shutil.which("micropython")
FIRMWARE = Path(__file__).parents[3] / "firmware"
START = "---------------------------OX------XO---------------------------"
LEVEL = {"-": 33_000, "X": 12_000, "O": 54_000}


class Rig:
    """An uncalibrated board, its cable, and a table."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lay("-" * 64)
        board, cable = os.openpty()
        tty.setraw(cable)
        assert MICROPYTHON is not None
        command = [MICROPYTHON, str(Path(__file__).with_name("unix_board.py")), str(FIRMWARE), str(folder)]
        self.board = subprocess.Popen(command, stdin=board, stdout=board)
        os.close(board)
        self.frames: SimpleQueue[SensorFrame] = SimpleQueue()
        self.table = SensorBoard(os.ttyname(cable), self.frames.put, SystemTime()).start()
        self._cable = cable
        until((folder / "turns").exists)

    def lay(self, cells: str, *, wrong: dict[int, int] | None = None) -> None:
        """Set the sensors to these discs. No two give quite the same value, and some are ``wrong``."""
        values = [LEVEL[cell] + 37 * square for square, cell in enumerate(cells)]
        for square, value in (wrong or {}).items():
            values[square] = value
        fresh = self.folder / "sensors.new"
        fresh.write_bytes(struct.pack("<64H", *values))
        fresh.rename(self.folder / "sensors")

    def press(self, held_ms: int = 100) -> None:
        """Hold the button for a time of the board's own clock, which counts the turns of its loop."""
        fresh = self.folder / "button.new"
        fresh.write_text(str(held_ms))
        fresh.rename(self.folder / "button")
        until(lambda: not (self.folder / "button").exists())
        let_go = self.turns()
        until(lambda: self.turns() > let_go + 20)  # 3 until the button rests

    def learn(self, face: str, *, wrong: dict[int, int] | None = None) -> None:
        """Do one step of a calibration. The board is full of this face, and the button is pressed."""
        self.lay(face * 64, wrong=wrong)
        self.press()
        start = self.turns()
        until(lambda: self.turns() > start + 40)  # 32 samples

    def turns(self) -> int:
        return int((self.folder / "turns").read_text())

    def shows(self, cells: str) -> SensorFrame:
        for _ in range(200):  # four or more a second
            if (frame := self.frames.get(timeout=HANGS_S)).cells == cells:
                return frame
        raise AssertionError(f"the board never shows {cells}; last {frame.cells}")

    def close(self) -> None:
        self.table.close()
        self.board.kill()
        self.board.wait()
        os.close(self._cable)


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    if MICROPYTHON is None:
        pytest.skip("needs MicroPython's unix port (CONTRIBUTING.md)")
    rig = Rig(tmp_path)
    yield rig
    rig.close()


def test_an_uncalibrated_board_sends_its_identity_and_unknown_squares(rig: Rig) -> None:
    rig.shows("?" * 64)
    until(lambda: rig.table.identity == Identity(1, "othello-pico-1", 8, 8))
    rig.table.ask(42)
    until(lambda: rig.frames.get(timeout=HANGS_S).answers == 42)
    assert rig.table.trouble() is None


def test_calibration_with_one_button(rig: Rig) -> None:
    """Empty, 64 discs with X up, then 64 with O up are learned and stored; meanwhile every square is unknown."""
    rig.press(held_ms=2_300)
    until(lambda: (rig.folder / "lamp").read_text() == "on")
    rig.learn("-")
    rig.learn("X")
    assert not (rig.folder / "levels.json").exists()
    rig.shows("?" * 64)
    rig.learn("O")
    rig.shows("O" * 64)
    rig.lay(START)
    frame = rig.shows(START)
    assert rig.shows(START).sequence == frame.sequence + 1
    assert [len(face) for face in json.loads((rig.folder / "levels.json").read_text())] == [64, 64, 64]


def test_a_broken_sensor_or_misplaced_disc_is_unknown(rig: Rig) -> None:
    """Square 9 gives the same value for every content; the disc of square 20 is half outside the square."""
    rig.press(held_ms=2_300)
    for face in "-XO":
        rig.learn(face, wrong={9: 30_000})
    rig.lay(START, wrong={9: 30_000, 20: 22_500})
    expected = list(START)
    expected[9] = expected[20] = "?"
    rig.shows("".join(expected))


def test_an_aborted_calibration_keeps_the_old_levels(rig: Rig) -> None:
    rig.press(held_ms=2_300)
    for face in "-XO":
        rig.learn(face)
    levels = (rig.folder / "levels.json").read_bytes()
    rig.press(held_ms=2_300)
    rig.learn("X")
    rig.shows("?" * 64)
    rig.press(held_ms=2_300)
    rig.lay(START)
    rig.shows(START)
    assert (rig.folder / "levels.json").read_bytes() == levels
