"""Makes the weights of the board eye from drawn boards alone.

    python benchmarks/board_eye_training.py draw DIR [--first 1000000] [--count 900]   drawn boards of the split TRAIN
    python benchmarks/board_eye_training.py train DIR [--epochs 10]                   hardware/camera/weights.npz

    python benchmarks/board_eye_training.py join ONE.npz OTHER.npz [--sure 0.7]       two trainings as one network

The law: no photograph and nothing of the split UNSEEN is looked at here. ``draw`` may run several times side by side;
the same seeds give the same pictures, the same pictures the same weights.
"""

from __future__ import annotations

import argparse
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.finder import found_again
from hardware.camera.network import KINDS
from hardware.camera.patches import ALONG, ASIDE, FEATURES, SCALARS, Sight
from hardware.camera.simulated.drawing import draw
from hardware.camera.simulated.scene import Wish, moment_of, random_cells, table_of, thing_of
from hardware.camera.simulated.settings import TRAIN

OUT = Path(__file__).parents[1] / "hardware" / "camera" / "weights.npz"
SIZES = ((320, 240), (480, 360), (640, 480), (480, 640), (640, 360))
HIDDEN = (208, 56)
LOW = (18.0, 35.0)
#: a square that is hidden by less shows what lies on it; by more, what hides it; between it is not learnt from
SEEN, HIDDEN_FROM = 0.10, 0.35
#: share of the squares kept back that may be read wrongly; most of them are in pictures nobody could read
MOST_WRONG = 0.001
FOREIGN = KINDS.index("?")

Floats = NDArray[np.float32]
Picture = NDArray[np.uint8]
#: features, kinds, and the number of the picture each row is from
Examples = tuple[Floats, NDArray[np.int64], NDArray[np.int64]]


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


def examples(folder: Path) -> Examples:
    """Features, kinds, and the picture each is from. Every picture is seen with several small errors of the corners,
    and once with the grid half a square off, where a disc lies between squares."""
    heap: list[Examples] = []
    for number, path in enumerate(sorted(folder.glob("**/*.npz"))):
        random = np.random.default_rng([int(path.stem), 78])
        truth = np.load(path)
        image = np.asarray(cv2.imread(str(path.with_suffix(".png"))), np.uint8)
        right = np.array([KINDS.index(cell) for cell in truth["cells"]])
        heap += _seen(image, truth["corners"], right, truth["covered"], (0.015, 0.05, 0.09), number, random)
    return _joined(heap)


def _seen(
    image: Picture,
    true_corners: NDArray[np.float64],
    right: NDArray[np.int64],
    hidden: NDArray[np.float64],
    spreads: tuple[float, ...],
    number: int,
    random: np.random.Generator,
) -> list[Examples]:
    """One picture's squares."""
    out: list[Examples] = []

    def add(features: Floats, kinds: NDArray[np.int64]) -> None:
        out.append((features, kinds, np.full(len(kinds), number)))

    again = found_again(image, true_corners)
    bend = 0.0 if again is None else again.bend
    for spread in spreads:
        corners = _nudged(true_corners, random.normal(0, spread, (4, 2)))
        sight = Sight.of(image, corners, bend)
        if sight.view.square_pixels() < 5:
            return out
        keep = (hidden < SEEN) | (hidden > HIDDEN_FROM)
        kinds = np.where(hidden > HIDDEN_FROM, FOREIGN, right)[keep]
        add(sight.features(height=float(random.uniform(0.14, 0.22)))[keep], kinds)
    add(rows := _beside(sight, random), np.full(len(rows), FOREIGN))
    shift = random.uniform(0.42, 0.5) * random.choice([-1, 1])
    between = (hidden < SEEN) & (right > 0)
    rows = sight.features((shift, 0.0) if random.random() < 0.5 else (0.0, shift))[between][:6]
    add(rows, np.full(len(rows), FOREIGN))
    return out


def _joined(heap: list[Examples]) -> Examples:
    features, kinds, pictures = zip(*heap, strict=True)
    return np.concatenate(features), np.concatenate(kinds), np.concatenate(pictures)


def _beside(sight: Sight, random: np.random.Generator) -> Floats:
    """Four of the places one row beside the board: a grid that lies a row off must not be believed."""
    shift, outside = (
        ((1.0, 0.0), np.s_[7::8]),
        ((-1.0, 0.0), np.s_[0::8]),
        ((0.0, 1.0), np.s_[56:]),
        ((0.0, -1.0), np.s_[:8]),
    )[random.integers(4)]
    return sight.features(shift)[outside][random.choice(8, 4, replace=False)]


def _nudged(corners: NDArray[np.float64], squares: NDArray[np.float64]) -> NDArray[np.float64]:
    """The corners moved by so many squares along the board's sides."""
    across = (corners[1] - corners[0] + corners[2] - corners[3]) / 16
    down = (corners[3] - corners[0] + corners[2] - corners[1]) / 16
    return np.asarray(corners + squares[:, :1] * across + squares[:, 1:] * down)


def mirrored(features: Floats) -> Floats:
    """Left and right of the line of sight changed over."""
    seen = features[:, :-SCALARS].reshape(-1, len(ALONG), len(ASIDE), 3)[:, :, ::-1]
    scalars = np.concatenate([features[:, -SCALARS:-2], features[:, -1:], features[:, -2:-1]], axis=1)
    return np.concatenate([seen.reshape(len(features), -1), scalars], axis=1)


def train(folder: Path, epochs: int) -> None:
    features, kinds, pictures = examples(folder)
    held_out = pictures % 10 == 0
    print(f"{len(kinds)} examples of {pictures.max() + 1} pictures, of each kind {np.bincount(kinds)}", flush=True)
    random = np.random.default_rng(14)
    mean = features.mean(axis=0)
    spread = features.std(axis=0) + 0.05
    data = ((features - mean) / spread).astype(np.float32)
    flip = mirrored(np.arange(FEATURES, dtype=np.float32)[None]).astype(int)[0]
    sizes = (FEATURES, *HIDDEN, len(KINDS))
    layers = [random.normal(0, np.sqrt(2 / a), (a, b)).astype(np.float32) for a, b in pairwise(sizes)]
    layers[-1] *= 0.1
    params = layers + [np.zeros(size, np.float32) for size in sizes[1:]]
    adam = Adam(params)
    chosen = np.flatnonzero(~held_out)
    steps = epochs * (len(chosen) // 256)
    step = 0
    for epoch in range(epochs):
        random.shuffle(chosen)
        lost = 0.0
        for start in range(0, len(chosen) - 255, 256):
            rows = chosen[start : start + 256]
            batch = data[rows]
            if random.random() < 0.5:
                batch = batch[:, flip]
            batch = batch + random.standard_normal(batch.shape, np.float32) * np.float32(0.12)
            # the cloth's brightness is never known exactly
            batch[:, : FEATURES - SCALARS : 3] += random.normal(0, 0.1, (len(rows), 1)).astype(np.float32)
            loss, slopes = learnt(params, batch, kinds[rows])
            lost += loss
            step += 1
            adam.step(params, slopes, 2e-3 * 0.5 * (1 + np.cos(np.pi * step / steps)))
        right = (forward(params, data[held_out])[-1].argmax(axis=1) == kinds[held_out]).mean()
        print(f"epoch {epoch + 1}: loss {lost * 256 / len(chosen):.4f}, held out {right:.4%} right", flush=True)
    half = len(HIDDEN) + 1
    held = {f"weights{index}": params[index].astype(np.float16) for index in range(half)}
    held |= {f"bias{index}": params[half + index] for index in range(half)}
    sure = surest(params, data[held_out], kinds[held_out])
    held |= {"mean": mean.astype(np.float32), "spread": spread.astype(np.float32), "sure": np.float32(sure)}
    np.savez_compressed(OUT, **held)
    print(f"{OUT}: {OUT.stat().st_size} bytes")


def joined(one: Path, other: Path, sure: float) -> None:
    """Two networks side by side as one whose answer is the mean of theirs, before it becomes odds: what one of them
    only happened to learn, the other doubts."""
    held: list[dict[str, Floats]] = []
    for path in (one, other):
        with np.load(path) as file:
            held.append({name: file[name].astype(np.float32) for name in file.files})
    a, b = held
    scale, moved = a["spread"] / b["spread"], (a["mean"] - b["mean"]) / b["spread"]
    last = len(HIDDEN)
    out = {
        "mean": a["mean"],
        "spread": a["spread"],
        "sure": np.float32(sure),
        "weights0": np.hstack([a["weights0"], scale[:, None] * b["weights0"]]),
        "bias0": np.concatenate([a["bias0"], b["bias0"] + moved @ b["weights0"]]),
    }
    for index in range(1, last):
        first, second = a[f"weights{index}"], b[f"weights{index}"]
        empty = np.zeros((len(first), second.shape[1])), np.zeros((len(second), first.shape[1]))
        out[f"weights{index}"] = np.block([[first, empty[0]], [empty[1], second]])
        out[f"bias{index}"] = np.concatenate([a[f"bias{index}"], b[f"bias{index}"]])
    out[f"weights{last}"] = np.vstack([a[f"weights{last}"], b[f"weights{last}"]]) / 2
    out[f"bias{last}"] = (a[f"bias{last}"] + b[f"bias{last}"]) / 2
    for name in out:
        out[name] = out[name].astype(np.float16 if name.startswith("weights") else np.float32)
    np.savez_compressed(OUT, **out)
    print(f"{OUT}: {OUT.stat().st_size} bytes")


def surest(params: list[Floats], data: Floats, kinds: NDArray[np.int64]) -> float:
    """The confidence below which a square is ``?``: the least at which so few squares of the pictures that were kept
    back, which are as hard as any, are said to be what they are not."""
    odds = np.exp(forward(params, data)[-1])
    odds /= odds.sum(axis=1, keepdims=True)
    said, confidence = odds.argmax(axis=1), odds.max(axis=1)
    wrong = (said != FOREIGN) & (kinds != FOREIGN) & (said != kinds)
    for sure in np.arange(0.5, 0.99, 0.01):
        share, unread = (wrong & (confidence >= sure)).mean(), ((confidence < sure) | (said == FOREIGN)).mean()
        if share <= MOST_WRONG:
            break
    print(f"sure from {sure:.2f}: {share:.4%} wrong, {unread:.2%} unread or foreign", flush=True)
    return float(sure)


def forward(params: list[Floats], batch: Floats) -> list[Floats]:
    half = len(params) // 2
    out = [batch]
    for index in range(half):
        after = out[-1] @ params[index] + params[half + index]
        out.append(np.maximum(after, 0) if index < half - 1 else after)
    return out


def learnt(params: list[Floats], batch: Floats, kinds: NDArray[np.int64]) -> tuple[float, list[Floats]]:
    """Cross-entropy with a little smoothing, and its slopes."""
    half = len(params) // 2
    out = forward(params, batch)
    odds = np.exp(out[-1] - out[-1].max(axis=1, keepdims=True))
    odds /= odds.sum(axis=1, keepdims=True)
    rows = np.arange(len(kinds))
    loss = float(-np.log(odds[rows, kinds] + 1e-9).mean())
    wanted = np.full_like(odds, 0.01 / len(KINDS))
    wanted[rows, kinds] += 0.99
    slope = (odds - wanted) / len(kinds)
    slopes: list[Floats] = [np.empty(0, np.float32)] * len(params)
    for index in reversed(range(half)):
        slopes[index] = out[index].T @ slope + np.float32(2e-5) * params[index]
        slopes[half + index] = slope.sum(axis=0)
        slope = (slope @ params[index].T) * (out[index] > 0)
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
    asked.add_argument("act", choices=["draw", "train", "join"])
    asked.add_argument("folder", type=Path)
    asked.add_argument("other", type=Path, nargs="?")
    asked.add_argument("--sure", type=float, default=0.7)
    asked.add_argument("--first", type=int, default=1_000_000)
    asked.add_argument("--count", type=int, default=900)
    asked.add_argument("--epochs", type=int, default=10)
    given = asked.parse_args()
    cv2.setNumThreads(1)
    if given.act == "draw":
        draw_all(given.folder, given.first, given.count)
    elif given.act == "join":
        joined(given.folder, given.other, given.sure)
    else:
        train(given.folder, given.epochs)


if __name__ == "__main__":
    main()
