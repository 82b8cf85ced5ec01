"""Makes the weights of the board eye from drawn boards alone.

    python benchmarks/board_eye_training.py draw DIR [--first 1000000] [--count 900]   drawn boards of the split TRAIN
    python benchmarks/board_eye_training.py train DIR [--epochs 8] [--sure 0.86]      hardware/camera/weights.npz

The law: no photograph and nothing of the split UNSEEN is looked at here. ``draw`` may run several times side by side;
the same seeds give the same pictures, the same pictures the same weights. ``train`` goes on with the layers that the
package reads with; its judge begins anew. The finder's layers stay.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.finder import found_again
from hardware.camera.network import KINDS, among, odds_of, trained
from hardware.camera.patches import FEATURES, SCALARS, Sight, mirrored
from hardware.camera.simulated.drawing import draw
from hardware.camera.simulated.scene import Wish, moment_of, random_cells, table_of, thing_of
from hardware.camera.simulated.settings import TRAIN

OUT = Path(__file__).parents[1] / "hardware" / "camera" / "weights.npz"
SIZES = ((320, 240), (480, 360), (640, 480), (480, 640), (640, 360))
#: what the judge has between what it is given and its answer
JUDGE = 96
LOW = (18.0, 35.0)
#: a square that is hidden by less shows what lies on it; by more, what hides it; between it is not learnt from
SEEN, HIDDEN_FROM = 0.10, 0.35
#: a table has so many foreign squares for one that is drawn: half of the drawn boards have something on them
FOREIGN_SHARE = 0.25
#: boards of one step, and the share of the loss that the squares looked at alone have
BOARDS, ALONE = 8, 0.5
#: share of the boards of which some squares are looked at one row beside the field, and where discs lie between squares
BESIDE, BETWEEN = 0.1, 0.25
FOREIGN = KINDS.index("?")

Floats = NDArray[np.float32]
Picture = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Board:
    """One picture: ``seen`` its squares with several small errors of the corners (errors × 64 × features); ``kinds``
    what lies there, -1 where nobody can say; ``beside`` and ``between`` (64 × features) as seen one row off and half a
    square off, with the squares of which that is foreign."""

    seen: NDArray[np.float16]
    kinds: NDArray[np.int64]
    beside: NDArray[np.float16]
    outside: NDArray[np.int64]
    between: NDArray[np.float16]
    split: NDArray[np.int64]


def draw_all(folder: Path, first: int, count: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(first, first + count):
        random = np.random.default_rng([seed, 77])
        size = SIZES[random.integers(len(SIZES))]
        low = LOW if random.random() < 0.25 else None  # what lies behind a field is seen over its far row
        table = table_of(TRAIN, seed, Wish(size=size, stress=bool(random.random() < 0.6), elevation=low))
        things = tuple(thing_of(table, seed + k) for k in range(random.choice([0, 1, 2], p=[0.5, 0.35, 0.15])))
        drawn = draw(table, moment_of(table, random_cells(random), 1, things), 1.2)
        cv2.imwrite(str(folder / f"{seed}.png"), drawn.image)
        np.savez(
            folder / f"{seed}.npz", corners=drawn.corners, cells=np.array(list(drawn.cells)), covered=drawn.covered
        )


def boards(folder: Path) -> list[Board]:
    """Every picture that can be read, in the order of their seeds."""
    seen = []
    for path in sorted(folder.glob("**/*.npz")):
        truth = np.load(path)
        image = np.asarray(cv2.imread(str(path.with_suffix(".png"))), np.uint8)
        right = np.array([KINDS.index(cell) for cell in truth["cells"]])
        board = _board(image, truth["corners"], right, truth["covered"], np.random.default_rng([int(path.stem), 78]))
        seen += [] if board is None else [board]
    return seen


def _board(
    image: Picture,
    true_corners: NDArray[np.float64],
    right: NDArray[np.int64],
    hidden: NDArray[np.float64],
    random: np.random.Generator,
) -> Board | None:
    again = found_again(image, true_corners)
    bend = 0.0 if again is None else again.bend
    seen = []
    for spread in (0.015, 0.05, 0.09):
        sight = Sight.of(image, _nudged(true_corners, random.normal(0, spread, (4, 2))), bend)
        if sight.view.square_pixels() < 5:
            return None
        seen.append(sight.features(height=float(random.uniform(0.14, 0.22))))
    kinds = np.where(hidden > HIDDEN_FROM, FOREIGN, np.where(hidden < SEEN, right, -1))
    shift, outside = (
        ((1.0, 0.0), np.s_[7::8]),
        ((-1.0, 0.0), np.s_[0::8]),
        ((0.0, 1.0), np.s_[56:]),
        ((0.0, -1.0), np.s_[:8]),
    )[random.integers(4)]
    beside = sight.features(shift)
    half = random.uniform(0.42, 0.5) * random.choice([-1, 1])
    between = sight.features((half, 0.0) if random.random() < 0.5 else (0.0, half))
    split = np.flatnonzero((hidden < SEEN) & (right > 0))
    return Board(
        np.stack(seen).astype(np.float16),
        kinds,
        beside.astype(np.float16),
        np.arange(64)[outside],
        between.astype(np.float16),
        split,
    )


def _nudged(corners: NDArray[np.float64], squares: NDArray[np.float64]) -> NDArray[np.float64]:
    """The corners moved by so many squares along the board's sides."""
    across = (corners[1] - corners[0] + corners[2] - corners[3]) / 16
    down = (corners[3] - corners[0] + corners[2] - corners[1]) / 16
    return np.asarray(corners + squares[:, :1] * across + squares[:, 1:] * down)


def train(folder: Path, epochs: int, sure: float) -> None:
    held = boards(folder)
    learnt = [board for number, board in enumerate(held) if number % 10]
    kept = [board for number, board in enumerate(held) if number % 10 == 0]
    print(f"{len(learnt)} boards to learn from, {len(kept)} kept back", flush=True)
    random = np.random.default_rng(14)
    before = trained()
    alone = before.reading or before.layers
    width = len(alone[-1][0])
    sizes = (4 * width + 3 + 2 * len(KINDS) + 1, JUDGE, len(KINDS))
    judge = [random.normal(0, np.sqrt(2 / a), (a, b)).astype(np.float32) for a, b in pairwise(sizes)]
    judge[-1] *= 0.1
    params = [part.copy() for layer in alone for part in layer]
    params += [part for weights in judge for part in (weights, np.zeros(weights.shape[1], np.float32))]
    flip = mirrored(np.arange(FEATURES, dtype=np.float32)[None]).astype(int)[0]
    adam = Adam(params)
    order = np.array([(board, seen) for board in range(len(learnt)) for seen in range(3)])
    steps = epochs * (len(order) // BOARDS)
    for epoch in range(epochs):
        random.shuffle(order)
        lost = 0.0
        for start in range(0, len(order) - BOARDS + 1, BOARDS):
            rows, kinds = [], []
            for number, seen in order[start : start + BOARDS]:
                features, kind = spoilt(learnt[number], seen, random)
                features = (features - before.mean) / before.spread
                if random.random() < 0.5:
                    features = features[:, flip]
                # the cloth's brightness is never known exactly
                features[:, : FEATURES - SCALARS : 3] += random.normal(0, 0.08) + random.normal(0, 0.06, (64, 1))
                rows.append(features + random.standard_normal(features.shape, np.float32) * np.float32(0.12))
                kinds.append(kind)
            loss, slopes = learn(params, np.concatenate(rows, dtype=np.float32), np.concatenate(kinds))
            lost += loss
            adam.step(params, slopes, 1e-3 * 0.5 * (1 + np.cos(np.pi * adam.count / steps)))
        right, wrong, unread = held_back(params, kept, before.mean, before.spread, sure)
        print(
            f"epoch {epoch + 1}: loss {lost * BOARDS / len(order):.4f}, "
            f"kept back {right:.3%} right, {wrong:.3%} wrong, {unread:.3%} unread",
            flush=True,
        )
    params[-1][FOREIGN] += np.float32(np.log(FOREIGN_SHARE))
    out: dict[str, Floats] = {"mean": before.mean, "spread": before.spread, "sure": np.array(sure, np.float32)}
    made = [(params[2 * index], params[2 * index + 1]) for index in range(len(params) // 2)]
    for name, layers in (("layer", before.layers), ("reading", made[: len(alone)]), ("judge", made[len(alone) :])):
        for number, (weights, bias) in enumerate(layers):
            out[f"{name}_weights{number}"], out[f"{name}_bias{number}"] = weights.astype(np.float16), bias
    np.savez_compressed(OUT, **out)
    print(f"{OUT}: {OUT.stat().st_size} bytes")


def spoilt(board: Board, seen: int, random: np.random.Generator) -> tuple[Floats, NDArray[np.int64]]:
    """A board's squares as the network will see them, some of them beside the field or between two squares."""
    features, kinds = board.seen[seen].astype(np.float32), board.kinds.copy()
    which = random.random()
    if which < BESIDE:
        at = random.choice(board.outside, 4, replace=False)
        features[at], kinds[at] = board.beside[at], FOREIGN
    elif which < BESIDE + BETWEEN and len(board.split):
        at = random.choice(board.split, min(len(board.split), int(random.integers(1, 9))), replace=False)
        features[at], kinds[at] = board.between[at], FOREIGN
    return features, kinds


def held_back(
    params: list[Floats], kept: list[Board], mean: Floats, spread: Floats, sure: float
) -> tuple[float, float, float]:
    """Of the squares nobody learnt from, the shares that are right, wrong, and unread though something lies there."""
    right = wrong = unread = count = 0
    for board in kept:
        odds = odds_of(forward(params, ((board.seen[1] - mean) / spread).astype(np.float32))[-1])
        said = np.where(odds.max(axis=1) < sure, FOREIGN, odds.argmax(axis=1))
        known = board.kinds >= 0
        right += int((said == board.kinds)[known].sum())
        wrong += int(((said != board.kinds) & (said != FOREIGN))[known].sum())
        unread += int(((said == FOREIGN) & (board.kinds != FOREIGN))[known].sum())
        count += int(known.sum())
    return right / count, wrong / count, unread / count


def forward(params: list[Floats], batch: Floats) -> list[Floats]:
    """What every layer makes of some boards: the layers that see a square alone, then what the judge is given, and
    its layers."""
    out = [batch]
    judged = len(params) // 2 - 2
    for index in range(len(params) // 2):
        if index == judged:
            pairs = zip(np.split(out[-2], len(batch) // 64), np.split(out[-1], len(batch) // 64), strict=True)
            out.append(np.concatenate([among(hidden, alone) for hidden, alone in pairs]))
        after = out[-1] @ params[2 * index] + params[2 * index + 1]
        last = index in (judged - 1, judged + 1)
        out.append(after if last else np.maximum(after, 0))
    return out


def learn(params: list[Floats], batch: Floats, kinds: NDArray[np.int64]) -> tuple[float, list[Floats]]:
    """Cross-entropy with a little smoothing, and its slopes. How the judge's means weigh a board's squares is taken as
    given."""
    *layers, hidden, alone, given, between, out = forward(params, batch)
    known = kinds >= 0
    rows, width = np.arange(len(kinds)), hidden.shape[1]
    wanted = np.full_like(out, 0.01 / len(KINDS))
    wanted[rows, np.maximum(kinds, 0)] += 0.99
    share = (known / max(int(known.sum()), 1)).astype(np.float32)[:, None]
    loss = float(-(np.log(odds_of(out)[rows, np.maximum(kinds, 0)] + 1e-9) * share[:, 0]).sum())
    slopes = [np.empty(0, np.float32)] * len(params)

    def back(index: int, slope: Floats, came: Floats) -> Floats:
        slopes[2 * index] = came.T @ slope + np.float32(2e-5) * params[2 * index]
        slopes[2 * index + 1] = slope.sum(axis=0)
        return np.asarray(slope @ params[2 * index].T)

    count = len(params) // 2
    slope = back(count - 1, (odds_of(out) - wanted) * share, between)
    slope = back(count - 2, slope * (between > 0), given)
    down = slope[:, :width].copy()
    taken = odds_of(alone)[:, :FOREIGN].reshape(-1, 64, FOREIGN) ** 2
    weight = taken / (taken.sum(axis=1, keepdims=True) + 0.5)
    of_means = slope[:, width : 4 * width].reshape(-1, 64, FOREIGN, width).sum(axis=1)
    down += np.einsum("bsk,bkh->bsh", weight, of_means).reshape(-1, width)
    slope = down + back(count - 3, (odds_of(alone) - wanted) * share * np.float32(ALONE), hidden)
    for index, came in zip(reversed(range(count - 3)), reversed(layers), strict=True):
        slope = back(index, slope * (hidden > 0), came)
        hidden = came
    return loss, slopes


class Adam:
    def __init__(self, params: list[Floats]) -> None:
        self.first = [np.zeros_like(part) for part in params]
        self.second = [np.zeros_like(part) for part in params]
        self.count = 0

    def step(self, params: list[Floats], slopes: list[Floats], rate: float) -> None:
        self.count += 1
        for part, slope, first, second in zip(params, slopes, self.first, self.second, strict=True):
            first += np.float32(0.1) * (slope - first)
            second += np.float32(0.002) * (slope * slope - second)
            away = first / (1 - 0.9**self.count) / (np.sqrt(second / (1 - 0.998**self.count)) + 1e-8)
            part -= (np.float32(rate) * away).astype(np.float32)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("act", choices=["draw", "train"])
    asked.add_argument("folder", type=Path)
    asked.add_argument("--first", type=int, default=1_000_000)
    asked.add_argument("--count", type=int, default=900)
    asked.add_argument("--epochs", type=int, default=8)
    asked.add_argument("--sure", type=float, default=0.86, help="the confidence below which a square is ?")
    given = asked.parse_args()
    cv2.setNumThreads(1)
    if given.act == "draw":
        draw_all(given.folder, given.first, given.count)
    else:
        train(given.folder, given.epochs, given.sure)


if __name__ == "__main__":
    main()
