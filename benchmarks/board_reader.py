"""The board reader: coverage, error rate and time.

    python -m benchmarks.board_reader [--pictures 20] [--first 1] [--split tune|unseen] [--photographs DIR]
    [--failures DIR] [--corners] [--things N] [--other-games N]

Prints one JSON object. ``--photographs`` is a folder with ``labels.json`` (file, corners, rows); they are only
measured, never trained on. The stress set is rendered: 50 to 64 discs or any number, cloth, light, lens, glare, JPEG
and hands as in the split, squares of 15 pixels and more. ``--corners`` supplies the corners instead of finding them,
which is ten times as fast. ``--failures`` keeps the rendered pictures that were misread. A square counts as wrong if it
is read as something that it is not; a covered square may only be ``?`` or its real content. ``--things`` draws boards
with arms, phones, clocks, trays, cups, bottles, score sheets and grippers over them, ``--other-games`` chessboards,
which have to be refused. A range after a count is its 95 % interval.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import cv2
import numpy as np
from boards.drawn_boards import UNSEEN, other_game, random_cells
from boards.solid_obstacles import SOLIDS, solid_obstacle
from drawn_tables.seeded_table_scene import TUNE, DatasetSplit, SceneRequest, moment_of, obstacle_of, table_of
from drawn_tables.table_renderer import RenderedImage, draw
from numpy.typing import NDArray

from hardware.camera.board_finder import find_board_near
from hardware.camera.board_reader import BoardReading, Refusal, read_board_picture

SMALLEST = ("--pictures", "1", "--corners")
#: a square hidden by this share need not be read
COVERED = 0.25
#: corners further off than this (squares) are another board
SAME_BOARD = 0.45
LEAST_SQUARE = 15.0
THINGS = ("arm", "phone", "clock", "tray", "cup", "bottle", "sheet", "gripper")


@dataclass
class Tally:
    pictures: int = 0
    right: int = 0
    unsure: int = 0
    wrong: int = 0
    whole: int = 0
    boards_with_wrong: int = 0
    covered: int = 0
    covered_unsure: int = 0
    covered_wrong: int = 0
    misplaced: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    read_ms: list[float] = field(default_factory=list)

    def add(
        self, seen: BoardReading | Refusal, corners: NDArray[np.float64], cells: str, covered: NDArray[np.float64]
    ) -> bool:
        """Add one picture; return whether anything in it was misread."""
        self.pictures += 1
        if isinstance(seen, Refusal):
            self.refused[str(seen.reason)] += 1
            return False
        turned = _turned(seen, corners)
        if turned is None:
            self.misplaced += 1
            self.boards_with_wrong += 1
            return True
        wrong = unsure = 0
        for reading, true, hidden in zip(turned, cells, covered, strict=True):
            if hidden > COVERED:
                self.covered += 1
                self.covered_unsure += reading == "?"
                self.covered_wrong += reading not in ("?", true)
            else:
                wrong += reading not in ("?", true)
                unsure += reading == "?"
                self.right += reading == true
        self.wrong += wrong
        self.unsure += unsure
        self.whole += wrong + unsure == 0
        self.boards_with_wrong += wrong > 0
        return wrong > 0

    def json(self) -> dict[str, object]:
        read = max(self.right + self.unsure + self.wrong, 1)
        return {
            "pictures": self.pictures,
            "refused": dict(self.refused),
            "misplaced": self.misplaced,
            "squares": self.right + self.unsure + self.wrong,
            "right_percent": round(100 * self.right / read, 3),
            "unsure_percent": round(100 * self.unsure / read, 3),
            "wrong": self.wrong,
            "wrong_percent": round(100 * self.wrong / read, 4),
            "boards_whole": self.whole,
            "boards_with_wrong": self.boards_with_wrong,
            "covered": {
                "squares": self.covered,
                "unsure": self.covered_unsure,
                "wrong": self.covered_wrong,
                "wrong_per_1000": [round(1000 * bound, 2) for bound in interval(self.covered_wrong, self.covered)],
            },
            "ms": round(median(self.read_ms), 1) if self.read_ms else None,
        }


def interval(count: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval (Wilson) of a share that was counted."""
    if of == 0:
        return 0.0, 1.0
    share, z2 = count / of, 1.96**2
    middle, half = share + z2 / (2 * of), 1.96 * math.sqrt(share * (1 - share) / of + z2 / (4 * of * of))
    return max((middle - half) / (1 + z2 / of), 0.0), min((middle + half) / (1 + z2 / of), 1.0)


def _turned(seen: BoardReading, corners: NDArray[np.float64]) -> str | None:
    """Return the reading with the true first row first; None if it is not that board."""
    side = float(np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1).min()) / 8
    away = [float(np.abs(np.roll(seen.corners, turn, axis=0) - corners).max()) for turn in range(4)]
    turn = int(np.argmin(away))
    if away[turn] > SAME_BOARD * side:
        return None
    return "".join(np.rot90(np.array(list(seen.cells)).reshape(8, 8), -turn).ravel())


def stressed(split: DatasetSplit, seed: int) -> RenderedImage:
    """Return one picture of the stress set."""
    random = np.random.default_rng([seed, 5])
    table = None
    for attempt in range(40):
        table = table_of(split, 10_000_000 + 100 * seed + attempt, SceneRequest(size=(640, 480)))
        corner = table.lens.at(np.array([[0.0, 0, 0], [8, 0, 0], [8, 8, 0], [0, 8, 0]]))
        if np.linalg.norm(np.roll(corner, -1, axis=0) - corner, axis=1).min() / 8 >= LEAST_SQUARE:
            break
    assert table is not None
    if random.random() < 0.5:
        discs = random.permutation(64) < random.integers(50, 65)
        cells = "".join(np.where(discs, np.where(random.random(64) < 0.5, "X", "O"), "-"))
    else:
        cells = random_cells(random)
    things = (obstacle_of(table, seed),) if random.random() < 0.25 else ()
    return draw(table, moment_of(table, cells, seed, things), 1.4)


def with_things(split: DatasetSplit, seed: int) -> RenderedImage:
    """Return a board with one or two things over it."""
    random = np.random.default_rng([seed, 45, 2])
    low = (20.0, 35.0) if random.random() < 0.3 else None
    wish = SceneRequest(size=(640, 480), stress=bool(random.random() < 0.6), elevation=low)
    table = table_of(split, 40_000_000 + seed, wish)
    kind = THINGS[seed % len(THINGS)]
    things = []
    for number in range(int(random.integers(1, 3))):
        place = random.uniform(-0.7, 8.7, 2)
        if kind in SOLIDS:
            things.append(solid_obstacle(kind, random, place))
        else:
            things.append(obstacle_of(table, seed + number, (float(place[0]), float(place[1])), kind))
    return draw(table, moment_of(table, random_cells(random), 1, tuple(things)), 1.2)


def photographs(folder: Path) -> Iterator[tuple[str, NDArray[np.uint8], NDArray[np.float64], str]]:
    for label in json.loads((folder / "labels.json").read_text()):
        image = cv2.imread(str(folder / label["file"]))
        yield label["file"], np.asarray(image, np.uint8), np.array(label["corners"]), "".join(label["rows"])


def timed(image: NDArray[np.uint8], corners: NDArray[np.float64] | None, tally: Tally) -> BoardReading | Refusal:
    began = time.process_time()
    seen = read_board_picture(image, corners)
    tally.read_ms.append(1000 * (time.process_time() - began))
    return seen


def once_found_ms(drawn: RenderedImage, rounds: int = 40) -> dict[str, float]:
    """Return the fastest and the median time of reading and following one picture of 640×480 whose board is known."""
    reads, follows = [], []
    for _ in range(rounds):
        began = time.process_time()
        read_board_picture(drawn.image, drawn.corners)
        between = time.process_time()
        find_board_near(drawn.image, drawn.corners)
        reads.append(1000 * (between - began))
        follows.append(1000 * (time.process_time() - between))
    return {
        "read_min_ms": round(min(reads), 1),
        "read_median_ms": round(median(reads), 1),
        "follow_min_ms": round(min(follows), 1),
        "follow_median_ms": round(median(follows), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=20)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--split", choices=["tune", "unseen"], default="tune")
    parser.add_argument("--photographs", type=Path)
    parser.add_argument("--failures", type=Path)
    parser.add_argument("--corners", action="store_true")
    parser.add_argument("--things", type=int, default=0)
    parser.add_argument("--other-games", type=int, default=0)
    arguments = parser.parse_args()
    out: dict[str, object] = {}
    if arguments.photographs:
        known, alone, files = Tally(), Tally(), {}
        for name, image, corners, cells in photographs(arguments.photographs):
            nothing = np.zeros(64)
            with_corners = timed(image, corners, known)
            known.add(with_corners, corners, cells, nothing)
            found = timed(image, None, alone)
            alone.add(found, corners, cells, nothing)
            files[name] = [_brief(with_corners, corners, cells), _brief(found, corners, cells)]
        out["photographs"] = {"with_corners": known.json(), "alone": alone.json(), "files": files}
    split = TUNE if arguments.split == "tune" else UNSEEN
    known, alone = Tally(), Tally()
    for seed in range(arguments.first, arguments.first + arguments.pictures):
        drawn = stressed(split, seed)
        wrong = known.add(timed(drawn.image, drawn.corners, known), drawn.corners, drawn.cells, drawn.covered)
        if not arguments.corners:
            wrong |= alone.add(timed(drawn.image, None, alone), drawn.corners, drawn.cells, drawn.covered)
        if wrong and arguments.failures:
            arguments.failures.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(arguments.failures / f"{split.name}-{seed}.png"), drawn.image)
    out[split.name] = {"with_corners": known.json(), "alone": alone.json()}
    seeds = range(arguments.first, arguments.first + arguments.things)
    things = Tally()
    for drawn in (with_things(split, seed) for seed in seeds):
        things.add(timed(drawn.image, drawn.corners, things), drawn.corners, drawn.cells, drawn.covered)
    taken_for_boards = [
        seed
        for seed in range(arguments.first, arguments.first + arguments.other_games)
        if isinstance(read_board_picture(other_game(split, seed).image), BoardReading)
    ]
    out["things"] = things.json()
    out["other_games"] = {"pictures": arguments.other_games, "taken_for_boards": taken_for_boards}
    if arguments.pictures:
        out["once_found_640x480"] = once_found_ms(drawn)
    print(json.dumps(out))


def _brief(seen: BoardReading | Refusal, corners: NDArray[np.float64], cells: str) -> str:
    if isinstance(seen, Refusal):
        return str(seen.reason)
    turned = _turned(seen, corners)
    if turned is None:
        return "another board"
    wrong = sum(reading not in ("?", true) for reading, true in zip(turned, cells, strict=True))
    return f"{wrong} wrong, {turned.count('?')} ?"


if __name__ == "__main__":
    main()
