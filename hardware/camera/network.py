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


@dataclass(frozen=True, slots=True)
class Network:
    """Layers of weights and biases with rectifiers between; ``mean`` and ``spread`` bring the features to one scale;
    ``sure`` is the confidence below which a square is ``?``."""

    mean: Matrix
    spread: Matrix
    layers: tuple[tuple[Matrix, Matrix], ...]
    sure: float

    def odds(self, features: Matrix) -> Matrix:
        """The probability of every kind, n × 4."""
        out = (features - self.mean) / self.spread
        for number, (weights, bias) in enumerate(self.layers):
            out = out @ weights + bias
            if number < len(self.layers) - 1:
                out = np.maximum(out, 0)
        out = np.exp(out - out.max(axis=1, keepdims=True))
        return np.asarray(out / out.sum(axis=1, keepdims=True))


@cache
def trained() -> Network:
    """The network that comes with this package."""
    with (files(__package__) / "weights.npz").open("rb") as stream, np.load(stream) as held:
        count = sum(name.startswith("weights") for name in held.files)
        layers = tuple(
            (held[f"weights{index}"].astype(np.float32), held[f"bias{index}"].astype(np.float32))
            for index in range(count)
        )
        return Network(held["mean"].astype(np.float32), held["spread"].astype(np.float32), layers, float(held["sure"]))
