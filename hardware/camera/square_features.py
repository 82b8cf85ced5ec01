"""Features of squares: rectified image samples relative to the cloth of the same picture. Pure.

- All values are relative, because black discs reflect grey, white ones look lilac and glare whitens empty squares.
- The cloth is measured beside the crossings, where no discs lie.
- Every square is sampled along the line of sight, at the height of a disc's top, from behind it to its foot.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hardware.camera.camera_projection import TOP, Array, BoardPart, BoardView, Pose, square_sides

#: pixels per square of the picture that is sampled, and of one that shows a disc's rim
_SAMPLED, FINE = 13.0, 40.0
_WEIGHTS = np.array([0.25, 0.5, 0.25], np.float32)
#: bounds of brightness and of the two hues relative to the cloth
_BOUNDS = ((-2.5, 2.5), (-2.0, 3.0), (-2.0, 2.0))
_DARK = 0.03
#: brighter cloth than this (0 to 1) is overexposed: then white, empty and glare look the same
BURNT = 0.96
#: distance from a crossing (squares) where its four squares are compared; and from which share of one sign and which
#: contrast their colours alternate: discs that hide crossings lower the share of brightness, not that of a hue. On
#: boards of Othello, drawn and photographed, these shares were at most 0.71, and the contrast of those above 0.55 at
#: most 0.13
_BESIDE, _ALTERNATING = 0.15, ((0.55, 0.15), (0.8, 0.03))
#: a square's corners from its middle, inside its lines; and how near to each other's hue the cloth is there
_CORNERS, _SAME_HUE = np.array([[-0.42, -0.42], [0.42, -0.42], [0.42, 0.42], [-0.42, 0.42]]), 0.5
#: places around a square's middle: directions × distances; those in the middle, and those near the rim of a disc
_TURN, _RADII = np.arange(24)[:, None] * np.pi / 12, np.arange(13) * 0.04
_INNER, _OUTER = np.s_[..., :3], np.s_[..., 5:]
_SPOTS = np.stack([np.cos(_TURN) * _RADII, np.sin(_TURN) * _RADII], axis=-1).reshape(-1, 2)
_LEVELS = (0.04, 0.5, 0.96)
_MIDDLE = np.array([[dx, dy] for dx in (-0.12, 0.0, 0.12) for dy in (-0.12, 0.0, 0.12)])
#: the part of a square that is compared with what it was
_PATCH = np.stack(np.meshgrid(np.linspace(-0.3, 0.3, 7), np.linspace(-0.3, 0.3, 7)), axis=-1).reshape(-1, 2)
_CENTRES = np.stack([np.tile(np.arange(8), 8), np.repeat(np.arange(8), 8)], axis=1) + 0.5
#: squares of the whole board with one of frame on each side, and samples per square
_AROUND, _FINE = 10, 12
_STEPS = (np.arange(_AROUND * _FINE) + 0.5) / _FINE - 5
_SAMPLES = np.stack(np.meshgrid(_STEPS, _STEPS), axis=-1)
_SQUARES = np.stack(np.meshgrid(np.arange(_AROUND) - 4.5, np.arange(_AROUND) - 4.5), axis=-1)
#: quarter turns about the board's middle
_TURNS = np.array([[[1.0, 0], [0, 1]], [[0, -1], [1, 0]], [[-1, 0], [0, -1]], [[0, 1], [-1, 0]]])
_CROSSINGS = np.stack(np.meshgrid(np.arange(9.0), np.arange(9.0)), axis=-1).reshape(-1, 1, 2)
#: where the cloth is measured
_BESIDE_CROSSINGS = (_CROSSINGS + np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]]) * 0.13).reshape(-1, 2)
_BESIDE_CROSSINGS = _BESIDE_CROSSINGS[((_BESIDE_CROSSINGS > 0) & (_BESIDE_CROSSINGS < 8)).all(axis=1)]

#: the elevation (radians) from which shapes are compared; distances from a square's middle along its sides and its
#: diagonals; and how much further squares reach along the latter: on drawn full boards of TUNE and TRAIN discs reached
#: 1.08 times as far at most, squares between broad lines 1.2 to 1.3 times
_STEEP = 0.65
_REACH = np.linspace(0.16, 0.7, 28)
_WAYS = np.array([[[1, 0], [1, 1]], [[0, 1], [-1, 1]], [[-1, 0], [-1, -1]], [[0, -1], [1, -1]]]) / np.sqrt([[1], [2]])
_SPOKES = _WAYS[:, :, None] * _REACH[:, None]
_SQUARE_SHAPE = 1.15


Samples = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ClothModel:
    """Colour model of the cloth. ``chroma``: red and blue less green, by brightness; ``surface``: the six coefficients
    of its log brightness over the board; ``share``: the share of the measured places that match it (0 to 1)."""

    chroma: Array
    surface: Array
    share: float

    def level(self, points: Array) -> Array:
        """Return its brightness at board points (…×2), 0 to 1."""
        return np.asarray(np.exp(_terms(points) @ self.surface))


@dataclass(frozen=True, slots=True)
class BoardTensor:
    """Input of the whole-board network: a board turned so that the camera is at its last row.

    - ``seen``: 120 × 120 × 7, twelve samples per square and a square beyond the field: brightness and hue relative to
      the cloth at the height of the discs' tops and on the cloth, then the brightness itself.
    - ``about``: 10 × 10 × 9, for each square the direction of the camera, the cloth's brightness, and values common to
      all.
    - ``number``: 64, the picture's square index of each square of the field.
    """

    seen: NDArray[np.float32]
    about: NDArray[np.float32]
    number: NDArray[np.int64]

    def mirrored(self) -> BoardTensor:
        """Return the board with left and right exchanged; its cells are the same."""
        about = self.about[:, ::-1].copy()
        about[..., 0] *= -1
        return BoardTensor(self.seen[:, ::-1], about, self.number.reshape(8, 8)[:, ::-1].ravel())


@dataclass(frozen=True, slots=True)
class RectifiedBoard:
    """Board in a picture: its view, the cloth, and the brightness of the board's darkest, middle and brightest squares
    relative to it."""

    view: BoardView
    cloth: ClothModel
    levels: tuple[float, ...]

    @classmethod
    def of(cls, image: NDArray[np.uint8], corners: Array, most: float = _SAMPLED) -> RectifiedBoard:
        """Return the board in a picture, with at most so many pixels per square.

        :param corners: the outer corners of the field in ``image`` (BGR), 4×2, clockwise.
        :raises ValueError: if they are not a quadrilateral seen from above.
        """
        pose = Pose.of(corners, (image.shape[1], image.shape[0]))
        view = BoardView(BoardPart.of(image, corners, most / float(square_sides(corners).max())), pose)
        cloth = _cloth(view.colours(_BESIDE_CROSSINGS))
        lighter = _relative(view, cloth, _CENTRES[:, None] + _MIDDLE, TOP)[..., 0].mean(axis=1)
        return cls(view, cloth, tuple(float(level) for level in np.quantile(lighter, _LEVELS)))

    @property
    def is_overexposed(self) -> bool:
        """Whether its cloth is overexposed."""
        return self._brightness > BURNT

    @property
    def brightest_channel(self) -> float:
        """The brightness of the cloth in its strongest colour, 0 to 1, which overexposes first."""
        bright = self._brightness
        red, blue = self.cloth.chroma * (bright + 2 * _DARK)
        green = bright - _WEIGHTS[2] * red - _WEIGHTS[0] * blue
        return float(green + max(red, blue, 0.0))

    @property
    def _brightness(self) -> float:
        return float(np.median(self.cloth.level(_CENTRES)))

    @property
    def chequered(self) -> bool:
        """Whether two colours alternate from square to square around most of the inner crossings, as on a
        chessboard."""
        inner = np.stack(np.meshgrid(np.arange(1.0, 8), np.arange(1.0, 8)), axis=-1)
        around = inner[:, :, None] + np.array([[-1, -1], [1, 1], [1, -1], [-1, 1]]) * _BESIDE
        colours = self.view.colours(around.reshape(49, 4, 2))
        bright = colours @ _WEIGHTS
        parts = np.stack([np.log(bright + np.float32(_DARK)), *_chroma(colours, bright)], axis=-1)
        away = parts[:, :2].mean(axis=1) - parts[:, 2:].mean(axis=1)
        away *= (1 - 2 * (inner.sum(axis=-1) % 2)).reshape(49, 1)
        alike, contrast = np.abs(np.sign(away).mean(axis=0)), np.abs(np.median(away, axis=0))
        return any(bool(((alike > share) & (contrast > least)).any()) for share, least in _ALTERNATING)

    def shows_cloth_at_corners(self) -> NDArray[np.bool_]:
        """Return which of the 64 squares have the cloth's hue at one of their corners at least."""
        corners = _CENTRES[:, None] + _CORNERS
        away = np.linalg.norm(_relative(self.view, self.cloth, corners, 0.0)[..., 1:], axis=-1)
        return np.asarray((away < _SAME_HUE).any(axis=1))

    def contrast_to_rims(self) -> Samples:
        """Return how much brighter (log) the middle of each of the 64 squares is than the rim that a disc there would
        have, which is the darkest place in each of 24 directions."""
        bright = _relative(self.view, self.cloth, _CENTRES[:, None] + _SPOTS, TOP)[..., 0].reshape(64, len(_TURN), -1)
        return np.asarray(np.median(bright[_INNER], axis=(1, 2)) - np.median(bright[_OUTER].min(axis=2), axis=1))

    def has_square_shapes(self, squares: NDArray[np.bool_]) -> bool:
        """Return whether what differs from the cloth on these of the 64 squares reaches further along their diagonals
        than along their sides: discs are round, but squares between broad lines are not. From low, discs lie over the
        diagonals behind them, and nothing is told."""
        if self.view.pose.elevation < _STEEP:
            return False
        middles = _CENTRES[squares][:, None]
        middle = _relative(self.view, self.cloth, middles + _MIDDLE, 0.0).mean(axis=1)
        spokes = (middles[:, None, None] + _SPOKES).reshape(len(middles), -1, 2)
        seen = _relative(self.view, self.cloth, spokes, 0.0)
        share = (seen * middle[:, None]).sum(axis=-1) / np.maximum((middle**2).sum(axis=-1), 0.02)[:, None]
        cloth = share.reshape(-1, 2, len(_REACH)) < 0.5
        reach = np.where(cloth.any(axis=-1), _REACH[cloth.argmax(axis=-1)], _REACH[-1])
        sides, diagonals = np.median(reach.reshape(-1, 2), axis=0)
        return bool(diagonals / sides > _SQUARE_SHAPE)

    def whole(self, shift: tuple[float, float] = (0.0, 0.0), height: float = TOP) -> BoardTensor:
        """Return the input of the whole-board network; ``shift`` (squares) samples a little beside."""
        eye = self.view.pose.eye
        turn = _TURNS[int(np.argmax((_TURNS @ (eye[:2] - 4))[:, 1]))]
        middle = np.array([4.0, 4.0]) + np.array(shift)
        points, squares = middle + _SAMPLES @ turn, middle + _SQUARES @ turn
        level = self.cloth.level(points)
        top, ground = (self.view.colours(points, at) for at in (height, 0.0))
        bright = np.log(top @ _WEIGHTS + 0.02) / 2 + 1
        seen = [*(_compared(colours, level, self.cloth) for colours in (top, ground)), bright[..., None]]
        pixels = max(self.view.pose.square_pixels(), 3.0)
        same = (np.log(pixels / 30.0), np.linalg.norm(self.cloth.chroma), self.cloth.share)
        about = [
            np.clip((squares - eye[:2]) @ turn.T / max(float(eye[2]), 0.5), -4, 4) / 2,
            np.log(np.maximum(self.cloth.level(squares), 0.004))[..., None] / 3 + 0.5,
            np.broadcast_to(np.array([*same, *self.levels]), (_AROUND, _AROUND, 6)),
        ]
        column, row = np.floor(4 + _SQUARES[1:9, 1:9].reshape(64, 2) @ turn).astype(np.int64).T
        return BoardTensor(
            np.concatenate(seen, axis=-1, dtype=np.float32),
            np.concatenate(about, axis=-1, dtype=np.float32),
            row * 8 + column,
        )

    def patches(self) -> Samples:
        """Return the middle of every square at the height of a disc's top, 64 × samples × (brightness, two of hue)."""
        return _relative(self.view, self.cloth, _CENTRES[:, None] + _PATCH, TOP)


def _relative(view: BoardView, cloth: ClothModel, points: Array, height: float) -> Samples:
    """Return the brightness of board points (…×2) of that height relative to the cloth's, and the hue along cloth →
    neutral and across it."""
    return _compared(view.colours(points, height), cloth.level(points), cloth)


def _compared(colours: Samples, level: Array, cloth: ClothModel) -> Samples:
    """Return colours relative to a cloth of this brightness, as ``_relative``."""
    bright = colours @ _WEIGHTS
    red, blue = _chroma(colours, bright)
    cloth_red, cloth_blue = (np.float32(part) for part in cloth.chroma)
    red, blue = red - cloth_red, blue - cloth_blue
    far = float(np.linalg.norm(cloth.chroma))
    along, aside = (np.float32(part / max(far, 1e-6) / max(far, 0.25)) for part in cloth.chroma)
    out = np.empty(colours.shape, np.float32)
    np.log((bright + np.float32(_DARK)) / (level.astype(np.float32) + np.float32(_DARK)), out=out[..., 0])
    out[..., 1] = -(red * along + blue * aside)
    out[..., 2] = blue * along - red * aside
    for channel, (least, most) in enumerate(_BOUNDS):
        np.clip(out[..., channel], least, most, out=out[..., channel])
    return out


def _chroma(colours: Samples, bright: Samples) -> tuple[Samples, Samples]:
    """Return red and blue less green, by brightness."""
    by = bright + np.float32(2 * _DARK)
    return (colours[..., 2] - colours[..., 1]) / by, (colours[..., 0] - colours[..., 1]) / by


def _terms(points: Array) -> Array:
    x, y = points[..., 0] / 4 - 1, points[..., 1] / 4 - 1
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1)


def _cloth(colours: Samples) -> ClothModel:
    """Return the cloth model from the colours beside the crossings: the most common one, and its brightness over the
    board."""
    bright = colours @ _WEIGHTS
    chroma = np.stack(_chroma(colours, bright), axis=-1).astype(np.float64)
    middle = np.median(chroma, axis=0)
    for _ in range(6):
        weight = np.exp(-((chroma - middle) ** 2).sum(axis=1) / (2 * 0.15**2)) + 1e-9
        middle = (chroma * weight[:, None]).sum(axis=0) / weight.sum()
    alike = np.exp(-((chroma - middle) ** 2).sum(axis=1) / (2 * 0.25**2)) + 1e-6
    level, terms = np.log(np.maximum(bright, 0.004)), _terms(_BESIDE_CROSSINGS)
    weight, keep = alike.copy(), np.diag([1e-6, 0.5, 0.5, 2.0, 2.0, 2.0])
    surface = np.zeros(6)
    surface[0] = _weighted_median(level, alike)
    for _ in range(8):
        away = level - terms @ surface
        weight = alike / (1 + (away / 0.25) ** 2)
        surface = np.linalg.solve(terms.T @ (terms * weight[:, None]) + keep, terms.T @ (weight * level))
    return ClothModel(middle, surface, float(weight.mean()))


def _weighted_median(values: Array, weights: Array) -> float:
    order = np.argsort(values)
    cumulated = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(cumulated, cumulated[-1] / 2)])
