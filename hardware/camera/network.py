"""The small network that says what a patch shows.

Pure NumPy; its weights are made by ``benchmarks/board_eye_training.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
#: what a patch can show; the last is something that does not belong there
KINDS = "-XO?"


#: how much of its neighbours' share each square has
_BESIDE = np.array(
    [[float(a != b and max(abs(a // 8 - b // 8), abs(a % 8 - b % 8)) == 1) / 8 for b in range(64)] for a in range(64)],
    np.float32,
)
_FOREIGN = KINDS.index("?")


@dataclass(frozen=True, slots=True)
class Network:
    """Layers of weights and biases with rectifiers between. ``layers`` look at each square alone and know a row of
    frame from a row of squares: the finder's. ``reading`` look at squares of a board that is found, ``judge`` at what
    these made of each beside this board's own empty squares, black and white discs; both empty: ``layers`` read too.
    ``mean`` and ``spread`` bring the features to one scale; ``sure`` is the confidence below which a square is ``?``.
    """

    mean: Matrix
    spread: Matrix
    layers: tuple[tuple[Matrix, Matrix], ...]
    reading: tuple[tuple[Matrix, Matrix], ...]
    judge: tuple[tuple[Matrix, Matrix], ...]
    sure: float

    def odds(self, features: Matrix) -> Matrix:
        """The probability of every kind, n × 4, each square alone."""
        return odds_of(_through(self.layers, (features - self.mean) / self.spread))

    def judged(self, features: Matrix) -> Matrix:
        """The probability of every kind in the 64 squares of one board, 64 × 4."""
        if not self.judge:
            return self.odds(features)
        hidden = np.maximum(_through(self.reading[:-1], (features - self.mean) / self.spread), 0)
        return odds_of(_through(self.judge, among(hidden, _through(self.reading[-1:], hidden))))


def among(hidden: Matrix, alone: Matrix) -> Matrix:
    """What the judge is given of a board: each square as it was seen (64 × hidden) and taken (64 × 4), the mean of what
    was taken for empty, black, white, how many they are, and what lies round it."""
    odds = odds_of(alone)
    weight = odds[:, :_FOREIGN] ** 2
    mean = (weight / (weight.sum(axis=0) + 0.5)).T @ hidden
    board = np.concatenate([mean.ravel(), np.log1p(weight.sum(axis=0)) / 4])
    outside = 1 - _BESIDE.sum(axis=1, keepdims=True)
    parts = [hidden, np.broadcast_to(board, (64, len(board))), np.clip(alone, -12, 12) / 4, _BESIDE @ odds, outside]
    return np.concatenate(parts, axis=1, dtype=np.float32)


def odds_of(out: Matrix) -> Matrix:
    """The last layer's answer as probabilities."""
    powers = np.exp(out - out.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def _through(layers: tuple[tuple[Matrix, Matrix], ...], out: Matrix) -> Matrix:
    for number, (weights, bias) in enumerate(layers):
        out = out @ weights + bias
        if number < len(layers) - 1:
            out = np.maximum(out, 0)
    return out


@cache
def trained() -> Network:
    """The network that comes with this package."""
    with (files(__package__) / "weights.npz").open("rb") as stream, np.load(stream) as held:

        def read(name: str) -> tuple[tuple[Matrix, Matrix], ...]:
            count = sum(file.startswith(f"{name}_weights") for file in held.files)
            return tuple(
                (
                    held[f"{name}_weights{index}"].astype(np.float32),
                    held[f"{name}_bias{index}"].astype(np.float32),
                )
                for index in range(count)
            )

        mean, spread = held["mean"].astype(np.float32), held["spread"].astype(np.float32)
        return Network(mean, spread, read("layer"), read("reading"), read("judge"), float(held["sure"]))
