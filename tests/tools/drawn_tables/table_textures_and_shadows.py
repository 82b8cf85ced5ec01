"""Textures of a drawn table as seen from straight above: cloth, lines, shadows, floors. Linear RGB."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from drawn_tables.seeded_table_scene import MARGIN, Lamp, Material, Obstacle, TableScene
from numpy.typing import NDArray

Array = NDArray[np.float32]
#: x and y of places, each height × width
Places = tuple[Array, Array]
_TEXELS = 36
_SIDE = round((8 + 2 * MARGIN) * _TEXELS)
_FLOOR = 512
_FLOOR_SPAN = 26.0


def srgb_to_linear(colour: tuple[float, float, float]) -> Array:
    """Return the linear light of an sRGB colour."""
    return np.asarray(np.array(colour, np.float32) ** 2.2)


def sample_texture(picture: Array, places: Places) -> Array:
    """Return a picture's pixels (or three colours) at places given in its own x and y."""
    return np.asarray(cv2.remap(picture, *places, cv2.INTER_LINEAR), np.float32)


def turned(x: NDArray[Any], y: NDArray[Any], c: float, s: float) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return points rotated by the angle of that cosine and sine."""
    return c * x - s * y, s * x + c * y


def texture_coordinates(x: Array, y: Array) -> Places:
    """Return the positions in a board texture of places of the board, as ``cv2.remap`` takes them."""
    return _texel(x), _texel(y)


def _texel(places: Array) -> Array:
    out = np.asarray(places + np.float32(MARGIN))
    out *= _TEXELS
    out -= 0.5
    return np.clip(out, 0, _SIDE - 1.001, out=out)


def board_texture(stuff: Material, random: np.random.Generator) -> Array:
    """Return cloth and lines as seen from above, linear RGB."""
    fibre = cv2.GaussianBlur(random.standard_normal((_SIDE, _SIDE), np.float32), (0, 0), 0.8)
    texture = _tinted(srgb_to_linear(stuff.cloth), np.exp(0.09 * fibre))
    axis = np.asarray((np.arange(_SIDE, dtype=np.float32) + 0.5) / _TEXELS - MARGIN, np.float32)
    if stuff.chequer is not None:
        number, inside = np.floor(axis).astype(int), (axis > 0) & (axis < 8)
        other = ((number + number[:, None]) % 2 == 1) & inside & inside[:, None]
        texture[other] *= srgb_to_linear(stuff.chequer) / srgb_to_linear(stuff.cloth)
    if stuff.wood:
        wave = axis * stuff.grain_turns / 4 + 0.35 * np.sin(axis[:, None] * 0.7 + 1.3)
        wave += 0.05 * cv2.GaussianBlur(fibre, (0, 0), 6) * 20
        texture *= (1 + 0.22 * np.sin(2 * np.pi * wave) + 0.08 * np.sin(14 * np.pi * wave))[..., None]
    lined = np.flatnonzero((axis > -0.03) & (axis < 8.03))
    field = texture[lined[0] : lined[-1] + 1, lined[0] : lined[-1] + 1]
    for across in (field, field.transpose(1, 0, 2)):
        _draw_lines(across, axis[lined], stuff)
    if stuff.hinge is not None:
        texture.transpose((1, 0, 2) if stuff.hinge else (0, 1, 2))[np.abs(axis - 4) < stuff.line_width * 0.8] *= 0.3
    if stuff.dots:
        square = [(axis - middle) ** 2 for middle in (2, 6)]
        dot = np.logical_or.reduce([x + y[:, None] < 0.075**2 for x in square for y in square])
        texture[dot] *= 1 - stuff.line_strength if stuff.line_kind != "light" else 0.2
    return texture


def _tinted(colour: Array, shade: NDArray[Any]) -> Array:
    return np.asarray(cv2.merge([part * shade for part in colour]), np.float32)


def _draw_lines(field: Array, axis: Array, stuff: Material) -> None:
    """Draw the lines that cross the field's second axis at the places ``axis``; the first axis has the same."""
    width, strength = stuff.line_width, stuff.line_strength
    number = np.round(axis)
    near = np.abs(axis - number)
    match stuff.line_kind:
        case "printed":
            field[:, near < width / 2] *= np.float64(1 - strength)
        case "light":
            line = near < width / 2
            field[:, line] += (0.75 - field[:, line]) * strength * 0.8
        case "double":
            field[:, (near > width * 0.6) & (near < width * 1.2)] *= np.float64(1 - strength)
        case "grooved":  # dark between two lit shoulders
            field *= (1 - 0.8 * strength * (near < width / 2) + 0.35 * strength * (abs(near - width) < width / 2))[
                :, None
            ]
        case "broken":  # worn off in places
            whole = np.sin(5.3 * axis[:, None] + 2 * number) > -0.4
            field[(near < width / 2) & whole] *= np.float64(1 - strength)
        case _:  # embossed: a groove with a lit and a dark flank
            groove = np.exp(-((near / (width * 1.3)) ** 2))
            flank = np.clip((axis - number) / (width * 1.3), -1, 1) * groove
            field *= (1 - 0.55 * strength * groove * 0.8 + 0.7 * strength * flank)[:, None]


class Shadows:
    """Shadows of each lamp on the cloth. Those of the discs and of the objects are drawn anew only when they have
    changed."""

    def __init__(self, table: TableScene) -> None:
        self._table = table
        self._lamps = table.lamps[:3]
        self._discs: tuple[bytes, list[Array]] | None = None
        self._things: tuple[tuple[Obstacle, ...], list[Array]] | None = None

    def texture(self, discs: NDArray[np.float64], things: tuple[Obstacle, ...]) -> Array:
        """Return one channel for each of up to three lamps."""
        if self._discs is None or self._discs[0] != discs.tobytes():
            self._discs = discs.tobytes(), [*(self._of_discs(lamp, discs) for lamp in self._lamps), self._dim(discs)]
        if self._things is None or self._things[0] is not things:
            self._things = things, [self._of_things(lamp, things) for lamp in self._lamps]
        *hard, dim = self._discs[1]
        lit = [one * other * dim for one, other in zip(hard, self._things[1], strict=True)]
        return np.asarray(cv2.merge(lit + [dim] * (3 - len(lit))), np.float32)

    def _of_discs(self, lamp: Lamp, discs: NDArray[np.float64]) -> Array:
        hard, up = np.ones((_SIDE, _SIDE), np.float32), np.array([0.0, 0.0, self._table.height])
        for disc in discs:
            foot = np.array([disc[0], disc[1], 0.0])
            _cast(hard, lamp, (foot, self._table.radius), (foot + up, self._table.radius))
        return _blurred(hard, max(0.6, _spread(lamp) * self._table.height * 0.5 * _TEXELS))

    def _of_things(self, lamp: Lamp, things: tuple[Obstacle, ...]) -> Array:
        soft = np.ones((_SIDE, _SIDE), np.float32)
        if not things:
            return soft
        for obstacle in things:
            for first, second, thick_first, thick_second in obstacle.capsules:
                _cast(soft, lamp, (first, thick_first), (second, thick_second))
            for solid in obstacle.solids:
                _cast(soft, lamp, *((point, 0.0) for outline, _ in solid for point in outline))
        return _blurred(soft, max(1.5, _spread(lamp) * 0.6 * _TEXELS))

    def _dim(self, discs: NDArray[np.float64]) -> Array:
        """Return the ambient occlusion close to the discs."""
        near = np.zeros((_SIDE, _SIDE), np.float32)
        for disc in discs:
            _spot(near, disc[0], disc[1], self._table.radius * 1.12)
        dim = 1 - 0.28 * cv2.GaussianBlur(near, (0, 0), 0.12 * _TEXELS)
        return np.asarray(dim**0.5, np.float32)


def _spread(lamp: Lamp) -> float:
    return lamp.width / max(float(np.linalg.norm(lamp.place - 4)), 4.0)


def _blurred(texture: Array, sigma: float) -> Array:
    return np.asarray(cv2.GaussianBlur(texture, (0, 0), sigma), np.float32)


def _cast(onto: Array, lamp: Lamp, *balls: tuple[NDArray[np.float64], float]) -> None:
    """Cast the shadow of the convex hull of balls (middle, radius)."""
    ends = []
    for point, thick in balls:
        down = min(point[2] / max(lamp.place[2] - point[2], 2.0), 1.5)
        ends.append((point[:2] + (point[:2] - lamp.place[:2]) * down, thick))
    _hull(onto, ends)


def _hull(onto: Array, ends: list[tuple[NDArray[np.float64], float]]) -> None:
    turn = np.linspace(0, 2 * np.pi, 25)
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    points = np.concatenate([(middle + MARGIN) * _TEXELS + ring * (radius * _TEXELS) for middle, radius in ends])
    if np.abs(points).max() < 1e4:
        hull = cv2.convexHull(np.round(points * 16).astype(np.int32))
        cv2.fillConvexPoly(onto, hull, 0.0, cv2.LINE_AA, 4)


def _spot(onto: Array, x: float, y: float, radius: float) -> None:
    centre = (round((x + MARGIN) * _TEXELS * 16), round((y + MARGIN) * _TEXELS * 16))
    cv2.circle(onto, centre, round(radius * _TEXELS * 16), 1.0, -1, cv2.LINE_AA, 4)


def floor_at(stuff: Material, places: Places, spin: float, random: np.random.Generator) -> Array:
    """Return the table or floor on which the board lies, at places of its plane."""
    noise = random.standard_normal((_FLOOR, _FLOOR), np.float32)
    texture = np.tile(srgb_to_linear(stuff.floor), (_FLOOR, _FLOOR, 1))
    x = np.arange(_FLOOR, dtype=np.float32)
    y = x[:, None]
    match stuff.floor_kind:
        case "planks":
            grain = cv2.GaussianBlur(noise, (0, 0), 14, None, 1.0)
            _shade(texture, np.maximum(1 + 1.5 * grain + 0.12 * np.sin(np.floor(y / 42) * 2.4), 0.1))
            texture[(x % 42) < 1.5] *= 0.5
        case "tiles":
            texture[((x % 40) < 2) | ((y % 40) < 2)] *= 0.4
        case "stripes":
            texture[(x % 30) < 12] *= 0.55
        case "noise":
            _shade(texture, np.exp(2.0 * cv2.GaussianBlur(noise, (0, 0), 4)))
        case "checks":
            texture[((x // 32) + (y // 32)) % 2 != 0] *= np.float64(0.45)
        case "weave":
            _shade(texture, 1 + 0.25 * np.sin(x * 0.9) * np.sin(y * 0.9))
        case "clutter":
            for _ in range(int(random.integers(4, 14))):
                _clutter(texture, random)
        case _:
            pass
    _shade(texture, np.exp(0.05 * noise))
    x, y = turned(places[0] - 4, places[1] - 4, float(np.cos(spin)), float(np.sin(spin)))
    return np.clip(sample_texture(texture, (_repeated(x), _repeated(y))), 0.003, 1)


def _shade(texture: Array, shade: Array) -> None:
    texture *= cv2.cvtColor(shade, cv2.COLOR_GRAY2BGR)


def _repeated(places: Array) -> Array:
    """Return the positions in the floor's repeated texture."""
    at = places / _FLOOR_SPAN
    at += 0.5
    at -= np.floor(at)
    at *= _FLOOR - 1
    return np.asarray(at)


def _clutter(texture: Array, random: np.random.Generator) -> None:
    tone = tuple(float(part) for part in random.uniform(0.01, 0.9, 3))
    middle, size = random.integers(0, _FLOOR, 2), random.integers(12, 90, 2)
    box = ((float(middle[0]), float(middle[1])), (float(size[0]), float(size[1])), float(random.uniform(0, 180)))
    if random.random() < 0.5:
        cv2.ellipse(texture, box, tone, -1)
    else:
        cv2.fillConvexPoly(texture, np.round(cv2.boxPoints(box)).astype(np.int32), tone)
