"""The board reader: coverage, error rate and time.

    python -m benchmarks.board_reader [--pictures 20] [--things N] [--cut N] [--other-games N] [--first 1]
    [--split tune|unseen] [--photographs DIR [--spoilt SEED]] [--corners] [--failures DIR]

Prints one JSON object with an entry for every set of pictures. A set is read twice: with the corners given, and alone;
``--corners`` leaves the second out, which takes ten times as long. A square counts as wrong if it is read as something
that it is not; a covered one may only be ``?`` or its real content. A range after a count is its 95 % interval.

- ``pictures``: drawn boards, half of them nearly full; cloth, light, lens, glare, JPEG and hands as in the split,
  squares of 15 pixels and more. ``things``: with arms, phones, clocks, trays, cups, bottles, score sheets and grippers
  over them.
- ``cut`` and ``other_games``: drawn boards of which an eighth to a half is outside the picture, and chessboards. Those
  that are not refused are listed.
- ``photographs``: a folder with ``labels.json`` (file, corners, rows, hidden_cells, unsure_cells). They are only
  measured, never trained on. ``spoilt``: the same, each spoilt in twelve ways.

``--failures`` keeps the pictures that were misread.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
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
Picture = NDArray[np.uint8]
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


@dataclass(frozen=True, slots=True)
class Sample:
    """A picture with its true ``corners`` and ``cells``, and the share of each square that is ``covered``."""

    name: str
    image: Picture
    corners: NDArray[np.float64]
    cells: str
    covered: NDArray[np.float64]


def photographs(folder: Path) -> Iterator[Sample]:
    for label in json.loads((folder / "labels.json").read_text()):
        covered = np.zeros((8, 8))
        for row, column in (*label.get("hidden_cells", ()), *label.get("unsure_cells", ())):
            covered[row, column] = 1
        image = np.asarray(cv2.imread(str(folder / label["file"])), np.uint8)
        yield Sample(label["file"], image, np.array(label["corners"]), "".join(label["rows"]), covered.ravel())


def spoilt(sample: Sample, seed: int) -> Iterator[Sample]:
    """Yield the picture spoilt in twelve ways: light, colour, focus, motion, noise, resolution."""
    random = np.random.default_rng(seed)
    image = sample.image.astype(np.float32)
    height, width = image.shape[:2]
    side = float(np.linalg.norm(np.roll(sample.corners, -1, axis=0) - sample.corners, axis=1).mean()) / 8
    across, down = np.meshgrid(np.linspace(0, 1, width, dtype=np.float32), np.linspace(0, 1, height, dtype=np.float32))
    middle, angle = sample.corners.mean(axis=0) / (width, height), random.uniform(0, 2 * np.pi)
    slope = (across - middle[0]) * np.cos(angle) + (down - middle[1]) * np.sin(angle)
    away = np.hypot(across - middle[0], down - middle[1]) / random.uniform(0.05, 0.2)
    length = max(round(random.uniform(0.05, 0.12) * side), 2)
    kernel = np.eye(length, dtype=np.float32) / length
    small = min(random.uniform(12, 20) / side, 1.0)
    grain = random.standard_normal(image.shape, np.float32)
    packed = cv2.imencode(".jpg", sample.image, [cv2.IMWRITE_JPEG_QUALITY, int(random.integers(8, 25))])[1]
    ways = {
        "dark": image * random.uniform(0.25, 0.5),
        "bright": image * random.uniform(1.3, 1.7),
        "pale": 128 + (image - 128) * random.uniform(0.3, 0.6),
        "tinted": image * random.uniform(0.55, 1.15, 3),
        "grey": image * 0.2 + image.mean(axis=2, keepdims=True) * 0.8,
        "shadow": image * np.where(slope < 0, random.uniform(0.35, 0.6), 1.0)[..., None],
        "glare": image + 255 * random.uniform(0.3, 0.7) * np.exp(-(away**2))[..., None],
        "noise": image + grain * random.uniform(12, 30),
        "blurred": cv2.GaussianBlur(image, (0, 0), random.uniform(0.03, 0.08) * side),
        "moved": cv2.filter2D(image, -1, kernel),
        "packed": cv2.imdecode(packed, cv2.IMREAD_COLOR),
        "small": cv2.resize(cv2.resize(image, None, fx=small, fy=small, interpolation=cv2.INTER_AREA), (width, height)),
    }
    for way, result in ways.items():
        out = np.clip(result, 0, 255).astype(np.uint8)
        yield replace(sample, name=f"{sample.name} {way}", image=out)


def drawn_samples(kind: str, split: DatasetSplit, seeds: Iterable[int]) -> Iterator[Sample]:
    make = {"pictures": stressed, "things": with_things, "cut": stressed, "other_games": other_game}[kind]
    for seed in seeds:
        drawn = make(split, seed)
        sample = Sample(f"{kind}-{split.name}-{seed}", drawn.image, drawn.corners, drawn.cells, drawn.covered)
        yield cut(sample, seed) if kind == "cut" else sample


def cut(sample: Sample, seed: int) -> Sample:
    """Return the picture without an eighth to a half of its board at one side."""
    random = np.random.default_rng([seed, 46])
    turn, share = int(random.integers(4)), random.uniform(1 / 8, 1 / 2)
    low, high = sample.corners.min(axis=0), sample.corners.max(axis=0)
    at = np.where(turn < 2, low + share * (high - low), high - share * (high - low)).astype(int)[turn % 2]
    kept = slice(at, None) if turn < 2 else slice(None, at)
    image = sample.image[:, kept] if turn % 2 == 0 else sample.image[kept]
    return replace(sample, image=np.ascontiguousarray(image))


class SampleSet:
    """Readings of a set of pictures, with the corners given and alone."""

    def __init__(self, alone: bool, failures: Path | None) -> None:
        self._tallies = {"given": Tally(), "alone": Tally()} if alone else {"given": Tally()}
        self._failures = failures

    def add(self, sample: Sample) -> None:
        for way, tally in self._tallies.items():
            began = time.process_time()
            seen = read_board_picture(sample.image, sample.corners if way == "given" else None)
            tally.read_ms.append(1000 * (time.process_time() - began))
            if tally.add(seen, sample.corners, sample.cells, sample.covered) and self._failures:
                self._failures.mkdir(parents=True, exist_ok=True)
                cv2.imwrite(str(self._failures / f"{sample.name} {way}.png"), sample.image)

    def json(self) -> dict[str, object]:
        return {way: tally.json() for way, tally in self._tallies.items()}


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
    for kind, count in (("pictures", 20), ("things", 0), ("cut", 0), ("other-games", 0)):
        parser.add_argument(f"--{kind}", type=int, default=count)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--split", choices=["tune", "unseen"], default="tune")
    parser.add_argument("--photographs", type=Path)
    parser.add_argument("--spoilt", type=int)
    parser.add_argument("--failures", type=Path)
    parser.add_argument("--corners", action="store_true")
    arguments = parser.parse_args()
    split, first = TUNE if arguments.split == "tune" else UNSEEN, arguments.first
    out: dict[str, object] = {}
    sets: dict[str, Iterable[Sample]] = {
        kind: drawn_samples(kind, split, range(first, first + count))
        for kind in ("pictures", "things")
        if (count := getattr(arguments, kind))
    }
    if arguments.photographs:
        sets["photographs"] = photographs(arguments.photographs)
        if arguments.spoilt is not None:
            several = enumerate(photographs(arguments.photographs))
            sets["spoilt"] = (one for at, sample in several for one in spoilt(sample, arguments.spoilt + at))
    for kind, samples in sets.items():
        measured = SampleSet(not arguments.corners, arguments.failures)
        for sample in samples:
            measured.add(sample)
        out[kind] = measured.json()
    for kind in ("cut", "other_games"):
        if count := getattr(arguments, kind):
            read = [
                sample.name
                for sample in drawn_samples(kind, split, range(first, first + count))
                if isinstance(read_board_picture(sample.image), BoardReading)
            ]
            out[kind] = {"pictures": count, "taken_for_boards": read}
    if arguments.pictures:
        out["once_found_640x480"] = once_found_ms(stressed(split, first))
    print(json.dumps(out))


if __name__ == "__main__":
    main()
