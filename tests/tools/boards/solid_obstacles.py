"""Things with flat and round sides that stand on a table or a board: clocks, trays, cups, bottles, sheets, grippers,
chess pieces. Pure."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from drawn_tables.seeded_table_scene import Array, Colour, Obstacle, Solid

Solids = tuple[Solid, ...]
Random = np.random.Generator
_BLACK, _WHITE = (0.05, 0.05, 0.06), (0.92, 0.91, 0.88)
_TURN = np.linspace(0, 2 * np.pi, 16, endpoint=False)


def box(place: Array, angle: float, size: tuple[float, float, float], colour: Colour) -> Solid:
    """Return the top and the four sides of a box.

    :param place: the middle of its lower side.
    :param size: its length along ``angle``, its width and its height.
    """
    along = np.array([np.cos(angle), np.sin(angle), 0.0]) * size[0] / 2
    across = np.array([-np.sin(angle), np.cos(angle), 0.0]) * size[1] / 2
    return _prism(np.stack([place + one * along + two * across for one, two in _AROUND]), size[2], colour, colour)


_AROUND = ((-1, -1), (1, -1), (1, 1), (-1, 1))


def cylinder(place: Array, radius: float, height: float, side: Colour, top: Colour) -> Solid:
    """Return the top and the side of an upright cylinder; ``place``: the middle of its lower side."""
    ring = np.stack([np.cos(_TURN), np.sin(_TURN), np.zeros(len(_TURN))], axis=1)
    return _prism(place + radius * ring, height, side, top)


def _prism(foot: Array, height: float, side: Colour, top: Colour) -> Solid:
    above = foot + np.array([0.0, 0.0, height])
    sides = zip(foot, np.roll(foot, -1, axis=0), np.roll(above, -1, axis=0), above, strict=True)
    return (*((np.stack(outline), side) for outline in sides), (above, top))


def solid_obstacle(kind: str, random: Random, place: Array) -> Obstacle:
    """Return a thing of one of ``SOLIDS`` at a place of the board's plane (x, y)."""
    return Obstacle(kind, (), (), solids=SOLIDS[kind](random, np.array([*place, 0.0]), float(random.uniform(0, np.pi))))


def _tone(random: Random) -> Colour:
    if random.random() < 0.5:
        grey = float(random.uniform(0.03, 0.95))
        return grey, grey, grey
    red, green, blue = random.uniform(0.02, 0.95, 3)
    return float(red), float(green), float(blue)


def _disc_tone(random: Random) -> Colour:
    return (_WHITE, _BLACK)[random.integers(2)] if random.random() < 0.7 else _tone(random)


def _turned(angle: float, along: float, across: float, up: float = 0.0) -> Array:
    return np.array(
        [np.cos(angle) * along - np.sin(angle) * across, np.sin(angle) * along + np.cos(angle) * across, up]
    )


def _clock(random: Random, place: Array, angle: float) -> Solids:
    """Return a chess clock: a box with two round buttons on it."""
    length, width, height = random.uniform(2.2, 4.0), random.uniform(0.9, 1.6), random.uniform(0.5, 1.6)
    solids: Solids = (box(place, angle, (length, width, height), _tone(random)),)
    tone, radius = _disc_tone(random), random.uniform(0.2, 0.45)
    for end in (-1, 1):
        at = place + _turned(angle, end * length * random.uniform(0.3, 0.42), 0.0, height)
        solids += (cylinder(at, radius, random.uniform(0.08, 0.3), tone, tone),)
    return solids


def _tray(random: Random, place: Array, angle: float) -> Solids:
    """Return a tray with discs on edge: stripes of their two colours between dark walls."""
    discs, thick, high = int(random.integers(6, 28)), random.uniform(0.12, 0.25), random.uniform(0.4, 0.9)
    length, wall = discs * thick, _BLACK if random.random() < 0.7 else _tone(random)
    solids: Solids = ()
    for number in range(discs * 2):
        at = place + _turned(angle, (number + 0.5) * thick / 2 - length / 2, 0.0)
        solids += (box(at, angle, (thick / 2, 0.85, high), (_BLACK, _WHITE)[number // 2 % 2 ^ number % 2]),)
    low = high * random.uniform(0.3, 1.0)
    for side in (-1, 1):
        solids += (box(place + _turned(angle, 0.0, side * 0.5), angle, (length + 0.4, 0.1, low), wall),)
        solids += (box(place + _turned(angle, side * (length / 2 + 0.2), 0.0), angle, (0.4, 1.1, low), wall),)
    return solids


def _cup(random: Random, place: Array, angle: float) -> Solids:
    radius, tone = random.uniform(0.6, 1.3), _disc_tone(random)
    height = radius * random.uniform(0.7, 2.6)
    inside = cylinder(place + np.array([0.0, 0.0, height]), radius * 0.88, 0.0, tone, _tone(random))[-1:]
    return cylinder(place, radius, height, tone, tone), inside


def _bottle(random: Random, place: Array, angle: float) -> Solids:
    radius, height, tone = random.uniform(0.5, 0.9), random.uniform(2.5, 5.0), _tone(random)
    cap = cylinder(place + np.array([0, 0, height]), radius * 0.45, random.uniform(0.3, 0.8), tone, _disc_tone(random))
    return cylinder(place, radius, height, tone, tone), cap


def _sheet(random: Random, place: Array, angle: float) -> Solids:
    """Return a score sheet: a flat page with lines."""
    length, width, grey = random.uniform(2.5, 5.0), random.uniform(1.8, 3.5), random.uniform(0.75, 0.96)
    solids: Solids = (box(place, angle, (length, width, 0.02), (grey, grey, grey))[-1:],)
    for row in range(int(random.integers(0, 9))):
        at = place + _turned(angle, 0.0, width * (0.08 * row - 0.36), 0.021)
        solids += (box(at, angle, (length * random.uniform(0.2, 0.9), 0.06, 0.0), _BLACK)[-1:],)
    return solids


def _gripper(random: Random, place: Array, angle: float) -> Solids:
    """Return a robot's arm: a bar, and a round pad or two fingers held over the board."""
    up, tone = random.uniform(0.3, 1.8), _tone(random)
    at = place + np.array([0.0, 0.0, up])
    solids: Solids = (box(at + _turned(angle, 4.0, 0.0, 0.6), angle, (8.6, random.uniform(0.3, 1.0), 0.4), tone),)
    if random.random() < 0.6:
        return (*solids, cylinder(at, random.uniform(0.15, 0.5), 0.6, _disc_tone(random), tone))
    for side in (-0.5, 0.5):
        solids += (box(at + _turned(angle, 0.0, side, -0.2), angle, (0.3, 0.18, 0.9), _disc_tone(random)),)
    return solids


def _piece(random: Random, place: Array, angle: float) -> Solids:
    """Return a chess piece: a foot, a body and a head."""
    tone = _BLACK if random.random() < 0.5 else _WHITE
    height, foot = random.uniform(0.5, 1.4), random.uniform(0.28, 0.4)
    solids: Solids = ()
    for low, high, wide in ((0.0, 0.15, 1.0), (0.15, 0.75, random.uniform(0.4, 0.7)), (0.75, 1.0, 0.65)):
        at = place + np.array([0.0, 0.0, low * height])
        solids += (cylinder(at, foot * wide, (high - low) * height, tone, tone),)
    return solids


SOLIDS: dict[str, Callable[[Random, Array, float], Solids]] = {
    "clock": _clock,
    "tray": _tray,
    "cup": _cup,
    "bottle": _bottle,
    "sheet": _sheet,
    "gripper": _gripper,
    "piece": _piece,
}
