"""Drawn boards for training, tuning and final measurement of the board reader.

- ``UNSEEN`` was fixed before any tuning and is rendered for the final measurement only. It exceeds ``TUNE`` in every
  range, and they share no cloth, no floor and no sleeve.
- ``TRAIN`` has colours of every hue, so that no cloth is new to a trained network.
- ``WILD`` is for developing board detection: misleading grounds, lines and frames, none of them in ``UNSEEN``.
"""

from __future__ import annotations

from colorsys import hsv_to_rgb
from dataclasses import replace

import numpy as np
from boards.solid_obstacles import solid_obstacle
from drawn_tables.seeded_table_scene import TUNE, Colour, DatasetSplit, SceneRequest, moment_of, table_of
from drawn_tables.table_renderer import RenderedImage, draw
from numpy.typing import NDArray

_HUES = tuple(
    hsv_to_rgb(((7 * step) % 24) / 24, saturation, value)
    for step, (saturation, value) in enumerate([(0.85, 0.3), (0.6, 0.5), (0.75, 0.42), (0.35, 0.45)] * 6)
)
TRAIN = replace(
    TUNE,
    name="train",
    cloths=TUNE.cloths + _HUES,
    woods=(*TUNE.woods, (0.45, 0.28, 0.15), (0.86, 0.74, 0.56)),
    sleeves=TUNE.sleeves + _HUES,
    floors=TUNE.floors + _HUES[::3],
    frames=(*TUNE.frames, (0.28, 0.17, 0.09), (0.5, 0.4, 0.3)),
    disc_radius=(0.36, 0.47),
    disc_height=(0.08, 0.29),
    off_centre=0.19,
    elevation=(18.0, 90.0),
    field_of_view=(32.0, 80.0),
    distortion=(-0.15, 0.15),
    grain_turns=(1.0, 12.0),
    polished=0.8,
)

WILD = replace(
    TRAIN,
    name="wild",
    cloths=(
        (0.03, 0.34, 0.12),
        (0.30, 0.44, 0.16),  # olive
        (0.08, 0.08, 0.09),  # black, as the frame
        (0.12, 0.10, 0.40),
        (0.50, 0.20, 0.30),
        (0.28, 0.16, 0.08),
        (0.70, 0.66, 0.58),  # linen
        (0.14, 0.40, 0.48),
        *_HUES[1::2],
    ),
    floors=(
        (0.04, 0.40, 0.18),  # as a cloth
        (0.12, 0.12, 0.30),
        (0.50, 0.30, 0.12),
        (0.78, 0.78, 0.74),
        (0.06, 0.06, 0.06),
        (0.45, 0.42, 0.36),
        *_HUES[::4],
    ),
    frames=((0.03, 0.03, 0.03), (0.06, 0.30, 0.14), (0.68, 0.50, 0.30), (0.90, 0.90, 0.88), (0.18, 0.18, 0.40)),
    floor_kinds=("plain", "tiles", "stripes", "planks", "noise", "clutter"),
    line_kinds=("printed", "embossed", "light", "grooved", "broken"),
    field_of_view=(32.0, 84.0),
    distortion=(-0.18, 0.15),
    square_pixels=(14.0, 70.0),
    jpeg=(25.0, 97.0),
    lux=(3.0, 900.0),
    polished=0.0,
)

UNSEEN = DatasetSplit(
    name="unseen",
    cloths=(
        (0.16, 0.42, 0.10),  # leaf green
        (0.00, 0.22, 0.10),  # bottle green
        (0.22, 0.50, 0.42),
        (0.06, 0.12, 0.32),  # navy
        (0.36, 0.12, 0.40),  # purple
        (0.42, 0.06, 0.16),  # burgundy
        (0.62, 0.40, 0.16),  # ochre
        (0.25, 0.34, 0.40),  # slate
    ),
    woods=((0.50, 0.30, 0.18), (0.84, 0.70, 0.52)),
    sleeves=(
        (0.02, 0.02, 0.02),
        (0.95, 0.94, 0.90),
        (0.25, 0.32, 0.22),
        (0.70, 0.55, 0.40),
        (0.10, 0.45, 0.28),
        (0.30, 0.45, 0.70),
    ),
    skins=((0.90, 0.72, 0.62), (0.66, 0.46, 0.34), (0.32, 0.20, 0.14), (0.82, 0.63, 0.50)),
    frames=((0.02, 0.02, 0.02), (0.22, 0.14, 0.08), (0.55, 0.38, 0.22), (0.60, 0.60, 0.58), (0.30, 0.05, 0.05)),
    floors=(
        (0.72, 0.68, 0.60),
        (0.40, 0.24, 0.13),
        (0.10, 0.10, 0.11),
        (0.90, 0.90, 0.86),
        (0.16, 0.34, 0.22),
        (0.40, 0.20, 0.22),
    ),
    floor_kinds=("plain", "checks", "planks", "clutter", "weave"),
    line_kinds=("printed", "embossed", "light", "double"),
    disc_radius=(0.37, 0.47),
    disc_height=(0.09, 0.28),
    off_centre=0.18,
    elevation=(19.0, 90.0),
    field_of_view=(34.0, 80.0),
    distortion=(-0.16, 0.08),
    square_pixels=(15.0, 70.0),
    jpeg=(30.0, 97.0),
    lux=(3.0, 900.0),
    grain_turns=(1.0, 14.0),
    things=("arm", "arm", "arm", "pen", "card", "phone"),
)


def random_cells(random: np.random.Generator) -> str:
    """Return random cells, independent of the rules, which the board reader does not know."""
    share = random.choice([0.0, 0.06, 0.3, 0.5, 0.8, 0.95], p=[0.03, 0.12, 0.25, 0.2, 0.2, 0.2])
    black = random.uniform(0.2, 0.8)
    kinds = np.where(random.random(64) < share, np.where(random.random(64) < black, "X", "O"), "-")
    return "".join(kinds)


def other_game(split: DatasetSplit, seed: int, size: tuple[int, int] = (640, 480)) -> RenderedImage:
    """Return a chessboard: empty, with draughtsmen on one colour, or with chess pieces."""
    random = np.random.default_rng([seed, 45])
    table = table_of(split, seed, SceneRequest(size=size))
    pale = random.uniform(0.55, 0.95) * np.array([1.0, random.uniform(0.8, 1.0), random.uniform(0.55, 1.0)])
    dark = pale * random.uniform(0.1, 0.6) * random.uniform(0.5, 1.0, 3)
    kind = ("printed", "light")[random.integers(2)]
    strength = float(random.choice([0.0, 0.6]))
    if random.random() < 0.5:
        pale, dark = dark, pale
    material = replace(
        table.material, cloth=_colour(pale), chequer=_colour(dark), line_kind=kind, line_strength=strength, dots=False
    )
    played = ("empty", "draughts", "chess")[random.integers(3)]
    even = np.add.outer(np.arange(8), np.arange(8)).ravel() % 2 == random.integers(2)
    taken = even & (random.random(64) < random.uniform(0.2, 0.9))
    colours = np.where(random.random(64) < 0.5, "X", "O")
    cells = "".join(np.where(taken, colours, "-")) if played == "draughts" else "-" * 64
    moment = moment_of(replace(table, material=material), cells, seed)
    squares = random.permutation(64)[: random.integers(4, 33)] if played == "chess" else ()
    things = tuple(solid_obstacle("piece", random, np.array([at % 8 + 0.5, at // 8 + 0.5])) for at in squares)
    return draw(replace(table, material=material), replace(moment, things=things), 1.2)


def _colour(tone: NDArray[np.float64]) -> Colour:
    red, green, blue = np.clip(tone, 0.02, 0.95)
    return float(red), float(green), float(blue)
