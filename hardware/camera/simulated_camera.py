"""Simulated camera over a drawn board with a hand, for the demo.

It draws a plain board in even light. The developers' renderer in ``tests/tools/drawn_tables`` has the cloths, lamps and
lenses on which the board reader is trained and tested.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.frames_and_camera_faults import Frame
from hardware.real_and_simulated_time import NS_PER_MS

Points = NDArray[np.float64]
Picture = NDArray[np.uint8]
Colour = tuple[float, ...]

#: time between two pictures
_EVERY_NS = 100 * NS_PER_MS
# colours are BGR, lengths are squares
_FLOOR, _FRAME, _CLOTH, _LINE, _SHADOW = (150, 165, 180), (30, 28, 28), (62, 118, 30), (18, 30, 10), (24, 50, 14)
_DISCS = {"X": (38, 36, 36), "O": (228, 232, 234)}
#: from the shoulder to the finger tip: the ends of each part, its colour, its width
_ARM = (((6, 1.5), (1, 0.3), (120, 60, 40), 1.4), ((2, 0.6), (0, 0.1), (140, 175, 215), 0.8))
_RADIUS, _HEIGHT, _FRAME_WIDTH = 0.42, 0.16, 0.6
_TURN = np.linspace(0, 2 * np.pi, 32, endpoint=False)
#: fractional bits of drawn coordinates
_SHIFT = 4
_NOISE = 2.0


class SimulatedCamera:
    """A ``FrameReader`` over a board of 64 cells; ``seed`` determines the camera's place and those of the discs."""

    def __init__(self, cells: str, seed: int, size: tuple[int, int] = (320, 240)) -> None:
        random = np.random.default_rng(seed)
        self._size, self._at_ns, self._gain = size, 0, 1.0
        self._pixels = _projection(random, size)
        middles = np.stack([np.tile(np.arange(8), 8), np.repeat(np.arange(8), 8)], axis=1) + 0.5
        self._places = middles + random.normal(0, 0.03, (64, 2))
        # a picture's noise begins at a random place of this: to draw it anew takes longer than all the rest
        self._noise = random.normal(0, _NOISE, 6 * size[0] * size[1]).astype(np.float32)
        self._random = random
        self._empty = self._drawn_board()
        self._hand: Points | None = None
        #: pixels of the field's outer corners, from a1 clockwise
        self.corners = self._pixels(_square(0.0))
        self.lay(cells)

    def lay(self, cells: str) -> None:
        """Set the board's cells."""
        self._drawn = self._empty.copy()
        far_first = np.argsort(self._pixels(np.insert(self._places, 2, 0.0, axis=1))[:, 1])
        for square in far_first.tolist():
            if cells[square] in _DISCS:
                self._draw_disc(self._places[square], cells[square])

    def reach(self, square: int | None) -> None:
        """Hold a hand over a square; None removes it."""
        self._hand = None if square is None else self._places[square]

    def read(self) -> Frame:
        self._at_ns += _EVERY_NS
        picture = self._drawn
        if self._hand is not None:
            picture = picture.copy()
            for *ends, colour, width in _ARM:
                line = np.array([[self._hand[0], self._hand[1] + back, up] for back, up in ends])
                self._draw_line(picture, line, colour, round(width * self._size[0] / 14))
        begin = int(self._random.integers(picture.size))
        noisy = picture * np.float32(self._gain) + self._noise[begin : begin + picture.size].reshape(picture.shape)
        return Frame(np.clip(noisy, 0, 255).astype(np.uint8), self._at_ns)

    def brighten(self, stops: float) -> bool:
        self._gain *= 2.0**stops
        return True

    def close(self) -> None:
        pass

    def _drawn_board(self) -> Picture:
        picture = np.full((self._size[1], self._size[0], 3), _FLOOR, np.uint8)
        for beyond, colour in ((_FRAME_WIDTH, _FRAME), (0.05, _LINE), (0.0, _CLOTH)):
            self._fill(picture, _square(beyond), colour)
        for at in range(1, 8):
            self._draw_line(picture, np.array([[0, at, 0], [8, at, 0]]), _LINE, 1)
            self._draw_line(picture, np.array([[at, 0, 0], [at, 8, 0]]), _LINE, 1)
        for x, y in ((2, 2), (2, 6), (6, 2), (6, 6)):
            self._fill(picture, _circle(np.array([x, y]), 0.08, 0.0), _LINE)
        return picture

    def _draw_disc(self, place: Points, cell: str) -> None:
        foot, middle, top = (_circle(place, _RADIUS, height) for height in (0.0, _HEIGHT / 2, _HEIGHT))
        self._fill(self._drawn, foot + np.array([0.06, 0.06, 0]), _SHADOW)
        self._fill(self._drawn, np.concatenate([foot, middle]), _DISCS["O" if cell == "X" else "X"])
        self._fill(self._drawn, np.concatenate([middle, top]), tuple(0.8 * part for part in _DISCS[cell]))
        self._fill(self._drawn, top, _DISCS[cell])

    def _draw_line(self, picture: Picture, points: Points, colour: Colour, width: int) -> None:
        cv2.polylines(picture, [_fixed(self._pixels(points))], False, colour, width, cv2.LINE_AA, _SHIFT)

    def _fill(self, picture: Picture, points: Points, colour: Colour) -> None:
        """Fill the convex hull of board points."""
        cv2.fillConvexPoly(picture, cv2.convexHull(_fixed(self._pixels(points))), colour, cv2.LINE_AA, _SHIFT)


def _projection(random: np.random.Generator, size: tuple[int, int]) -> Callable[[Points], Points]:
    """Return the function from board points (n×3) to pixels (n×2) of a camera that sees the whole board."""
    tilt, turn = np.radians(random.uniform(10, 30)), np.radians(random.uniform(-6, 6))
    rotation = cv2.Rodrigues(np.array([-tilt, 0, 0]))[0] @ cv2.Rodrigues(np.array([0, 0, turn]))[0]
    rotation = rotation * (1, 1, -1)  # the board's third axis points up
    away = np.array([0, 0, random.uniform(15.0, 16.5)])

    def pixels(points: Points) -> Points:
        seen = (points - (4, 4, 0)) @ rotation.T + away
        return np.asarray(1.1 * size[0] * seen[:, :2] / seen[:, 2:] + np.array(size) / 2)

    return pixels


def _square(beyond: float) -> Points:
    """Return the corners of the field, enlarged on each side."""
    low, high = -beyond, 8 + beyond
    return np.array([[low, low, 0], [high, low, 0], [high, high, 0], [low, high, 0]])


def _circle(place: Points, radius: float, height: float) -> Points:
    ring = place + radius * np.stack([np.cos(_TURN), np.sin(_TURN)], axis=1)
    return np.insert(ring, 2, height, axis=1)


def _fixed(pixels: Points) -> NDArray[np.int32]:
    return np.asarray(np.round(pixels * (1 << _SHIFT)), np.int32)
