"""Neural network that classifies the squares of a board, in NumPy.

Its weights are trained by ``benchmarks/board_reader_training.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from hardware.camera.square_features import BoardTensor

Matrix = NDArray[np.float32]
#: kinds of a patch; the last is a foreign object
KINDS = "-XO?"


Layers = tuple[tuple[Matrix, Matrix], ...]
#: the first layers over the whole board: kernel, stride, margin. Twelve samples per square become one
_STEM = ((5, 2, 2), (3, 2, 1), (3, 1, 1), (3, 3, 0))
BLACK, WHITE, FOREIGN = (KINDS.index(kind) for kind in "XO?")


@dataclass(frozen=True, slots=True)
class Network:
    """Layers of weights and biases with rectifiers between.

    - ``layers`` classify each square alone and distinguish a row of frame from a row of squares (used by the finder);
      ``mean`` and ``spread`` normalise their features.
    - ``board`` classifies a whole board: convolutions down to one vector per square, a classifier of each square alone,
      and a final classifier that compares each with the means of this board's own empty squares, black and white discs,
      and with its neighbours.
    """

    mean: Matrix
    spread: Matrix
    layers: Layers
    board: Layers

    def odds(self, features: Matrix) -> Matrix:
        """Return the probability of every kind, n × 4, each square alone."""
        return softmax(_through(self.layers, (features - self.mean) / self.spread))

    def judged(self, whole: BoardTensor) -> Matrix:
        """Return the probability of every kind in the 64 squares of one board, 64 × 4, in the picture's order."""
        stem, (mix, *more, alone, join, beside, last) = self.board[: len(_STEM)], self.board[len(_STEM) :]
        out = whole.seen
        for layer, (kernel, stride, margin) in zip(stem, _STEM, strict=True):
            out = convolve(layer, out, kernel, stride, margin)
        out = convolve(mix, np.concatenate([out, whole.about], axis=-1))
        for first, second in zip(more[::2], more[1::2], strict=True):
            out = np.maximum(out + convolve(second, convolve(first, out, 3, 1, 1), 3, 1, 1, bent=False), 0)
        out = out[1:9, 1:9]
        said = convolve(alone, out, bent=False)
        weight = softmax(said.reshape(64, -1))[:, :FOREIGN] ** 2
        mean = (weight / (weight.sum(axis=0) + 0.5)).T @ out.reshape(64, -1)
        among = np.concatenate([mean.ravel(), np.log1p(weight.sum(axis=0)) / 4])
        parts = [out, np.broadcast_to(among, (8, 8, len(among))), np.clip(said, -12, 12) / 4]
        joined = convolve(join, np.concatenate(parts, axis=-1, dtype=np.float32))
        odds = np.empty((64, len(KINDS)), np.float32)
        odds[whole.number] = softmax(convolve(last, convolve(beside, joined, 3, 1, 1), bent=False).reshape(64, -1))
        return odds


def convolve(
    layer: tuple[Matrix, Matrix], out: Matrix, kernel: int = 1, stride: int = 1, margin: int = 0, bent: bool = True
) -> Matrix:
    """Return a convolution over rows × columns × channels; ``bent``: with a rectifier after it."""
    weights, bias = layer
    height, width, channels = out.shape
    padded = np.zeros((height + 2 * margin, width + 2 * margin, channels), np.float32)  # np.pad is seven times slower
    padded[margin : margin + height, margin : margin + width] = out
    rows, columns = ((side - kernel) // stride + 1 for side in padded.shape[:2])
    down, across, one = padded.strides
    windows = as_strided(
        padded,
        (rows, columns, kernel, kernel * channels),
        (down * stride, across * stride, down, one),
        writeable=False,
    )
    after = windows.reshape(rows * columns, -1) @ weights
    after += bias
    if bent:
        np.maximum(after, 0, out=after)
    return after.reshape(rows, columns, -1)


def softmax(out: Matrix) -> Matrix:
    """Return the last layer's output as probabilities."""
    powers = np.exp(out - out.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def _through(layers: Layers, out: Matrix) -> Matrix:
    for number, (weights, bias) in enumerate(layers):
        out = out @ weights + bias
        if number < len(layers) - 1:
            out = np.maximum(out, 0)
    return out


def load_quantised_layers(held: Mapping[str, NDArray[np.generic]], name: str) -> Layers:
    """Return the layers of that name, stored as integers from -127 to 127 (``NAME0`` …) with a scale and a bias for
    each output (``NAME_scale0`` …, 2 × n)."""
    count = sum(file.startswith(f"{name}_scale") for file in held)
    scales = (np.asarray(held[f"{name}_scale{number}"], np.float32) for number in range(count))
    return tuple((held[f"{name}{number}"] * scale[0], scale[1]) for number, scale in enumerate(scales))


@cache
def load_network() -> Network:
    """Return the network that comes with this package."""
    with (files(__package__) / "weights.npz").open("rb") as stream, np.load(stream) as held:
        layers = tuple(
            (held[f"layer_weights{number}"].astype(np.float32), held[f"layer_bias{number}"]) for number in range(3)
        )
        return Network(held["mean"], held["spread"], layers, load_quantised_layers(held, "board"))
