"""Whole games before a rendered camera: the readings at every press, and the engine's verdicts.

    python -m benchmarks.board_reader_games [--games 500] [--first 1] [--split tune|unseen] [--presses N]

One line of JSON after every game with the cumulative rates; stop it at any time. Legal games are played with hands; one
press in twelve is an illegal move, corrected afterwards. A press counts by the verdict of the chain:
``false_accusations`` are legal moves called illegal, ``false_legals`` illegal ones called legal (with the 95 % interval
among the legal and among the illegal presses), ``wrong_moves`` legal ones taken for others; ``within_1_s`` were
answered a second after the hand had gone, ``whole`` of them without a ``?``.
The board is located at the start position, which a person then confirms, as at a table's set-up; where it is not found
it is marked by hand; a board that cannot be confirmed in the set-up is not played. All that is counted. The camera
adjusts its exposure on request, as at a table.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import sys
import time
from collections import Counter

import numpy as np
from boards.drawn_boards import UNSEEN
from drawn_tables.camera_over_drawn_table import SimulatedCamera
from drawn_tables.seeded_table_scene import TUNE, DatasetSplit, SceneRequest, table_of

from benchmarks.board_reader import interval
from engine.board.illegal_move_diagnosis_and_challenge import Verdict, diagnose
from engine.board.position import Position
from hardware.camera.camera_pipeline import NEVER_FLICKERS, CameraPipeline
from hardware.camera.camera_projection import corner_distance
from hardware.reading_stability_filter import StabilityFilter, StableReading
from hardware.real_and_simulated_time import NS_PER_S
from kiosk.table.board_sources.doubtful_board_readings import UNKNOWN, BoardLook, evaluate_reading
from kiosk.table.views.camera_calibration_view import CameraView

SMALLEST = ("--games", "1", "--presses", "1")
#: elevation of a camera arm in degrees (docs/setup/camera.md)
ELEVATION = (45.0, 85.0)
ILLEGAL = 1 / 12
#: pictures: before the first press, with a hand over the board, and at most until an answer
BEFORE, HAND, LONGEST = 8, 3, 30
#: attempts of ``BEFORE`` pictures each to find a board
LOOKS = 5
SAME_BOARD = 0.35
#: parameters of glibc's ``mallopt`` (trim and mmap threshold): freed pictures are reused, not returned to the kernel
KEEP_FREED_MEMORY = ((-1, 1 << 30), (-3, 1 << 30))


class RenderedTable:
    """A rendered table with its camera, read as the kiosk does."""

    def __init__(self, split: DatasetSplit, seed: int) -> None:
        table = table_of(split, 30_000_000 + seed, SceneRequest(size=(640, 480), elevation=ELEVATION))
        self.camera = SimulatedCamera(table, Position.start().cells(), scale=1.0)
        self.watcher, self.settler = (
            CameraPipeline(known_cells=Position.start().cells()),
            StabilityFilter(flicker_changes=NEVER_FLICKERS),
        )
        self.heard: list[StableReading] = []
        self.cells = "?" * 64
        #: the reading at the last press; the table reads the board when a game begins
        self.earlier = Position.start().cells()
        for _ in range(LOOKS):
            self.run(BEFORE)
            if self.watcher.board.corners is not None:
                break
        self.how = "found"
        self.turn = self._turn()
        if self.turn is None:
            self.how = "not found" if self.watcher.board.corners is None else "misplaced"
            self.watcher, self.settler, self.turn = (
                CameraPipeline(corners=self.camera.corners),
                StabilityFilter(flicker_changes=NEVER_FLICKERS),
                0,
            )
            self.run(BEFORE)
        if not self.watcher.has_still_reading or not CameraView(cells=_rolled(self.cells, -self.turn)).can_be_learnt:
            self.how = "not set up"  # it never settles, or its reading could not be confirmed
            return
        self.watcher.learn(_rolled(Position.start().cells(), self.turn))

    def _turn(self) -> int | None:
        seen = self.watcher.board.corners
        if seen is None:
            return None
        away = [corner_distance(self.camera.corners, np.roll(seen, turn, axis=0)) for turn in range(4)]
        return int(np.argmin(away)) if min(away) < SAME_BOARD else None

    def run(self, pictures: int) -> None:
        for _ in range(pictures):
            frame = self.camera.read()
            assert frame is not None
            seen = self.watcher.feed(frame)
            if stops := self.watcher.stops():
                self.camera.brighten(stops)
            if seen is not None:
                self.cells = seen.cells
                self.heard += [item for item in self.settler.feed(seen) if isinstance(item, StableReading)]

    def press(self, number: int, square: int, after: str) -> tuple[str | None, int]:
        """Lay the board's next state and press; return the reading in the board's orientation, and the ns after the
        hand had gone.
        """
        self.camera.reach(square)
        self.run(HAND)
        self.camera.lay(after)
        self.watcher.ask(number, self.camera.at_ns)
        self.run(1)
        self.camera.reach(None)
        self._gone_ns = self.camera.at_ns
        return self._answer(number)

    def look_again(self, number: int) -> tuple[str | None, int]:
        """Return a second reading for the same press."""
        self.heard.clear()
        self.watcher.ask(number, self.camera.at_ns, again=True)
        return self._answer(number)

    def _answer(self, number: int) -> tuple[str | None, int]:
        for _ in range(LONGEST):
            self.run(1)
            for reading in self.heard:
                if reading.answers == number:
                    assert self.turn is not None
                    return _rolled(reading.cells, -self.turn), reading.at_ns - self._gone_ns
        return None, 0


def _rolled(cells: str, turn: int) -> str:
    """Return a board as read from corners rotated by this many."""
    return "".join(np.rot90(np.array(list(cells)).reshape(8, 8), turn).ravel())


def illegal_board(position: Position, move: str, random: np.random.Generator) -> str:
    """Return a board that no legal move makes: a disc not flipped, one flipped too many, or the wrong colour laid."""
    cells = list(position.play(position.geometry.square(move)).cells())
    before = position.cells()
    turned = [at for at in range(64) if before[at] != "-" and cells[at] != before[at]]
    unchanged = [at for at in range(64) if before[at] != "-" and cells[at] == before[at]]
    square = _index(move)
    kind = random.integers(3)
    at = int(random.choice(turned if kind == 0 else unchanged)) if kind < 2 and (kind == 0 or unchanged) else square
    cells[at] = "O" if cells[at] == "X" else "X"
    return "".join(cells)


def _index(move: str) -> int:
    return "abcdefgh".index(move[0]) + 8 * (int(move[1:]) - 1)


def play(split: DatasetSplit, seed: int, most: int, count: Counter[str], waits: list[float]) -> None:
    """Play one game, counting its presses."""
    random = np.random.default_rng([seed, 31])
    table = RenderedTable(split, seed)
    count[table.how] += 1
    if table.how == "not set up":
        return
    position = Position.start()
    for number in range(1, most + 1):
        if position.must_pass:
            position = position.pass_turn()
        legal = position.geometry.names(position.legal_moves())
        if not legal:
            break
        move = str(random.choice(legal))
        square = _index(move)
        after = position.play(position.geometry.square(move)).cells()
        if random.random() < ILLEGAL:
            cells = illegal_board(position, move, random)
            _press(table, position, 1000 + number, square, cells, count, waits)
        _press(table, position, number, square, after, count, waits)
        position = position.play(position.geometry.square(move))


def _press(
    table: RenderedTable,
    before: Position,
    number: int,
    square: int,
    cells: str,
    count: Counter[str],
    waits: list[float],
) -> None:
    """Press as at the kiosk: a doubtful reading is repeated."""
    read, after_ns = table.press(number, square, cells)
    look = None if read is None else evaluate_reading(before, read, table.earlier)
    while look is not None and look.needs_repeat:
        count["looked_at_again"] += 1
        read, after_ns = table.look_again(number)
        look = None if read is None else evaluate_reading(before, read, table.earlier, look)
    if look is not None:
        table.earlier = look.seen
    _judge(before, cells, look, after_ns, count, waits)


def _judge(
    before: Position,
    cells: str,
    look: BoardLook | None,
    after_ns: int,
    count: Counter[str],
    waits: list[float],
) -> None:
    count["presses"] += 1
    truth = diagnose(before, cells)
    legal = truth.verdict is Verdict.LEGAL
    count["illegal_moves"] += not legal
    if look is None:
        count["unanswered"] += 1
        return
    waits.append(after_ns / 1e6)
    count["within_1_s"] += after_ns <= NS_PER_S
    count["whole"] += after_ns <= NS_PER_S and UNKNOWN not in look.seen
    count["squares"] += 64
    count["unsure"] += look.seen.count(UNKNOWN)
    count["wrong"] += sum(diagnosis not in (UNKNOWN, true) for diagnosis, true in zip(look.seen, cells, strict=True))
    if look.cells is None or not look.is_acceptable:
        count["left_to_people"] += 1
        return
    diagnosis = diagnose(before, look.cells)
    if diagnosis.verdict is Verdict.LEGAL:
        count["false_legals"] += not legal
        count["wrong_moves"] += legal and diagnosis.move != truth.move
    else:
        count["false_accusations"] += legal


def main() -> None:
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        for parameter, value in KEEP_FREED_MEMORY:
            getattr(libc, "mallopt", lambda *_: 0)(parameter, value)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--presses", type=int, default=60)
    parser.add_argument("--split", choices=["tune", "unseen"], default="tune")
    arguments = parser.parse_args()
    split = TUNE if arguments.split == "tune" else UNSEEN
    count: Counter[str] = Counter()
    waits: list[float] = []
    began = time.monotonic()
    for seed in range(arguments.first, arguments.first + arguments.games):
        play(split, seed, arguments.presses, count, waits)
        shown = ("false_accusations", "false_legals", "wrong_moves", "wrong", "unanswered")
        rates = dict.fromkeys(shown, 0) | dict(count)
        illegal = rates.get("illegal_moves", 0)
        of = {"false_accusations": rates.get("presses", 0) - illegal, "false_legals": illegal}
        shares = {
            f"{name}_95_percent": [round(bound, 6) for bound in interval(rates[name], presses)]
            for name, presses in of.items()
        }
        middle = round(float(np.median(waits))) if waits else None
        seconds = round(time.monotonic() - began)
        figures = {"games": seed - arguments.first + 1, **rates, **shares, "median_ms": middle, "seconds": seconds}
        print(json.dumps(figures), file=sys.stderr, flush=True)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
