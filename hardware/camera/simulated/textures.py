"""What lies on a drawn table as seen from straight above: cloth, lines, shadows, floors. Linear RGB."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.simulated.scene import MARGIN, Lamp, Material, Table, Thing

Array = NDArray[np.float32]
_TEXELS = 36
_SIDE = round((8 + 2 * MARGIN) * _TEXELS)
_FLOOR = 512
_FLOOR_SPAN = 26.0


def linear(colour: tuple[float, float, float]) -> Array:
    """sRGB to light."""
    return np.asarray(np.array(colour, np.float32) ** 2.2)


def turned(points: NDArray[Any], c: float, s: float) -> NDArray[Any]:
    """Points (…×2) turned by the angle of that cosine and sine."""
    return np.stack([c * points[..., 0] - s * points[..., 1], s * points[..., 0] + c * points[..., 1]], axis=-1)


def sample(texture: Array, places: Array) -> Array:
    """A board texture at places of the board."""
    x = (places[..., 0] + MARGIN) * _TEXELS - 0.5
    y = (places[..., 1] + MARGIN) * _TEXELS - 0.5
    edge = texture.shape[0] - 1.001
    x, y = np.clip(x, 0, edge).astype(np.float32), np.clip(y, 0, edge).astype(np.float32)
    return np.asarray(cv2.remap(texture, x, y, cv2.INTER_LINEAR))


def board_texture(stuff: Material, random: np.random.Generator) -> Array:
    """Cloth and lines as seen from above, linear RGB."""
    base = linear(stuff.cloth)
    fibre = cv2.GaussianBlur(random.standard_normal((_SIDE, _SIDE), np.float32), (0, 0), 0.8)
    texture = np.ones((_SIDE, _SIDE, 3), np.float32) * base
    texture *= np.exp(0.09 * fibre)[..., None]
    axis = (np.arange(_SIDE, dtype=np.float32) + 0.5) / _TEXELS - MARGIN
    x, y = np.meshgrid(axis, axis)
    if stuff.wood:
        wave = x * stuff.grain_turns / 4 + 0.35 * np.sin(y * 0.7 + 1.3) + 0.05 * cv2.GaussianBlur(fibre, (0, 0), 6) * 20
        texture *= (1 + 0.22 * np.sin(2 * np.pi * wave) + 0.08 * np.sin(14 * np.pi * wave))[..., None]
    inside = (x > -0.03) & (x < 8.03) & (y > -0.03) & (y < 8.03)
    for along, across in ((x, y), (y, x)):
        near = np.abs(along - np.round(along))
        line = inside & (across > -0.03) & (across < 8.03)
        _draw_lines(texture, np.where(line, near, 1.0), along, across, stuff)
    if stuff.hinge is not None:
        texture[np.abs((y, x)[stuff.hinge] - 4) < stuff.line_width * 0.8] *= 0.3
    if stuff.dots:
        dot = np.zeros_like(x, bool)
        for px in (2, 6):
            for py in (2, 6):
                dot |= (x - px) ** 2 + (y - py) ** 2 < 0.075**2
        texture[dot] *= 1 - stuff.line_strength if stuff.line_kind != "light" else 0.2
    return texture


def _draw_lines(texture: Array, near: NDArray[Any], along: NDArray[Any], across: NDArray[Any], stuff: Material) -> None:
    width, strength = stuff.line_width, stuff.line_strength
    match stuff.line_kind:
        case "printed":
            texture *= 1 - strength * (near < width / 2)[..., None]
        case "light":
            line = (near < width / 2)[..., None]
            texture += line * (0.75 - texture) * strength * 0.8
        case "double":
            ring = (near > width * 0.6) & (near < width * 1.2)
            texture *= 1 - strength * ring[..., None]
        case "grooved":  # dark between two lit shoulders
            texture *= (1 - 0.8 * strength * (near < width / 2) + 0.35 * strength * (abs(near - width) < width / 2))[
                ..., None
            ]
        case "broken":  # worn off here and there
            texture *= (
                1 - strength * ((near < width / 2) & (np.sin(5.3 * across + 2 * np.round(along)) > -0.4))[..., None]
            )
        case _:  # embossed: a groove with a lit and a dark flank
            side = along - np.round(along)
            groove = np.exp(-((near / (width * 1.3)) ** 2))
            flank = np.clip(side / (width * 1.3), -1, 1) * groove
            texture *= (1 - 0.55 * strength * groove * 0.8 + 0.7 * strength * flank)[..., None]


def shadow_texture(table: Table, discs: NDArray[np.float64], things: tuple[Thing, ...]) -> Array:
    """How much of each lamp reaches the cloth: one channel for each of up to three lamps."""
    out = np.ones((_SIDE, _SIDE, 3), np.float32)
    for channel, lamp in enumerate(table.lamps[:3]):
        hard = np.ones((_SIDE, _SIDE), np.float32)
        soft = np.ones((_SIDE, _SIDE), np.float32)
        for disc in discs:
            _cast(
                hard,
                lamp,
                (
                    np.array([disc[0], disc[1], 0.0]),
                    np.array([disc[0], disc[1], table.height]),
                    table.radius,
                    table.radius,
                ),
            )
        for thing in things:
            for capsule in thing.capsules:
                _cast(soft, lamp, capsule)
        away = max(float(np.linalg.norm(lamp.place - 4)), 4.0)
        spread = lamp.width / away
        hard = _blurred(hard, max(0.6, spread * table.height * 0.5 * _TEXELS))
        soft = _blurred(soft, max(1.5, spread * 0.6 * _TEXELS))
        out[..., channel] = hard * soft
    # what is hidden from the sky close to a disc
    near = np.zeros((_SIDE, _SIDE), np.float32)
    for disc in discs:
        _spot(near, disc[0], disc[1], table.radius * 1.12)
    dim = 1 - 0.28 * cv2.GaussianBlur(near, (0, 0), 0.12 * _TEXELS)
    out *= dim[..., None] ** 0.5
    return out


def _blurred(texture: Array, sigma: float) -> Array:
    return np.asarray(cv2.GaussianBlur(texture, (0, 0), sigma), np.float32)


def _cast(onto: Array, lamp: Lamp, capsule: tuple[NDArray[np.float64], NDArray[np.float64], float, float]) -> None:
    first, second, thick_first, thick_second = capsule
    ends = []
    for point, thick in ((first, thick_first), (second, thick_second)):
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


def floor_at(stuff: Material, places: Array, spin: float, random: np.random.Generator) -> Array:
    """The table or floor that the board lies on, at places of its plane."""
    noise = random.standard_normal((_FLOOR, _FLOOR), np.float32)
    texture = np.ones((_FLOOR, _FLOOR, 3), np.float32) * linear(stuff.floor)
    axis = np.arange(_FLOOR, dtype=np.float32)
    x, y = np.meshgrid(axis, axis)
    match stuff.floor_kind:
        case "planks":
            grain = cv2.GaussianBlur(noise, (0, 0), 14, None, 1.0)
            texture *= np.maximum(1 + 1.5 * grain + 0.12 * np.sin(np.floor(y / 42) * 2.4), 0.1)[..., None]
            texture[(y % 42) < 1.5] *= 0.5
        case "tiles":
            texture[((x % 40) < 2) | ((y % 40) < 2)] *= 0.4
        case "stripes":
            texture[(y % 30) < 12] *= 0.55
        case "noise":
            texture *= np.exp(2.0 * cv2.GaussianBlur(noise, (0, 0), 4))[..., None]
        case "checks":
            texture *= np.where(((x // 32) + (y // 32)) % 2 == 0, 1.0, 0.45)[..., None]
        case "weave":
            texture *= (1 + 0.25 * np.sin(x * 0.9) * np.sin(y * 0.9))[..., None]
        case "clutter":
            for _ in range(int(random.integers(4, 14))):
                _clutter(texture, random)
        case _:
            pass
    texture *= np.exp(0.05 * noise)[..., None]
    spun = turned(places - 4, float(np.cos(spin)), float(np.sin(spin)))
    x = ((spun[..., 0] / _FLOOR_SPAN + 0.5) % 1 * (_FLOOR - 1)).astype(np.float32)
    y = ((spun[..., 1] / _FLOOR_SPAN + 0.5) % 1 * (_FLOOR - 1)).astype(np.float32)
    return np.asarray(np.clip(cv2.remap(texture, x, y, cv2.INTER_LINEAR), 0.003, 1))


def _clutter(texture: Array, random: np.random.Generator) -> None:
    tone = tuple(float(part) for part in random.uniform(0.01, 0.9, 3))
    middle, size = random.integers(0, _FLOOR, 2), random.integers(12, 90, 2)
    box = ((float(middle[0]), float(middle[1])), (float(size[0]), float(size[1])), float(random.uniform(0, 180)))
    if random.random() < 0.5:
        cv2.ellipse(texture, box, tone, -1)
    else:
        cv2.fillConvexPoly(texture, np.round(cv2.boxPoints(box)).astype(np.int32), tone)
