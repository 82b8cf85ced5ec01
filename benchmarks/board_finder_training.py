"""Training of ``hardware/camera/board_candidate_and_refinement_networks.py`` from rendered boards alone.

    python -m benchmarks.board_finder_training draw DIR [--first 1300000] [--count 16000]  small pictures of boards
    python -m benchmarks.board_finder_training train DIR NAME [--steps STEPS]  hardware/camera/NAME.onnx.gz

No photograph and nothing of the splits ``TUNE``, ``WILD`` and ``UNSEEN`` is used. The same seeds give the same
pictures. ``train`` needs PyTorch and ONNX (group ``eye-training``).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from boards.drawn_boards import TRAIN, random_cells
from boards.solid_obstacles import SOLIDS, solid_obstacle
from drawn_tables.seeded_table_scene import Lens, Material, SceneRequest, TableScene, moment_of, obstacle_of, table_of
from drawn_tables.table_renderer import draw
from numpy.typing import NDArray

from benchmarks._network_files import write_network
from hardware.camera.board_candidate_and_refinement_networks import (
    CELL,
    POINTS,
    SEEN,
    normalise_brightness,
    rectify_board,
)
from hardware.camera.camera_projection import FIELD, apply, homography, is_convex

if TYPE_CHECKING:
    import torch

SMALLEST = ("draw", "FOLDER", "--count", "1")
SIZES = ((288, 216), (216, 288), (288, 162), (448, 336), (448, 336), (336, 448))
#: the longer side of the pictures that the first network learns from
SMALL = 288
LOW = (16.0, 35.0)
#: height of a high frame (squares), which hides squares behind it
HIGH_FRAME = (0.3, 0.8)
SOLID_KINDS = list(SOLIDS)
SPLIT = replace(TRAIN, polished=0.4, floor_kinds=(*TRAIN.floor_kinds, "tiles", "stripes"))
#: a quarter of the number of backgrounds
BUSY = 500
#: log scale of a board in the first network's picture: near, and far away
NEAR, FAR = (-0.45, 0.3), (-1.5, -0.3)
#: share of backgrounds without a board among the first network's pictures
NO_BOARD = 0.2
#: one in this many pictures shows no board
EMPTY = 16
#: input channels of the two networks, widths of their four levels, and output channels
SHAPES = {"board_heatmaps": (3, (16, 32, 56, 72), 4), "board_refinement": (4, (24, 48, 80, 96), 5)}
STEPS = {"board_heatmaps": 15000, "board_refinement": 24000}
#: boards per step, and the highest learning rate
BOARDS, RATE = 24, 3e-3
#: rows and columns of a board that a wrong guess takes for eight
PARTS = (3.0, 4.0, 4.0, 5.0, 6.0, 8.0, 8.0, 8.0, 12.0, 16.0)
NOISE = np.random.default_rng(7).standard_normal((400, 400, 3), np.float32)

Floats = NDArray[np.float32]
Points = NDArray[np.float64]
Picture = NDArray[np.uint8]
Random = np.random.Generator


def _table(seed: int) -> tuple[TableScene, Random]:
    """Return the table of one picture, and the random generator for the rest of it."""
    random = np.random.default_rng([seed, 81])
    low = LOW if random.random() < 0.5 else None
    wish = SceneRequest(size=SIZES[random.integers(len(SIZES))], stress=bool(random.random() < 0.7), elevation=low)
    return table_of(SPLIT, seed, wish), random


def draw_all(folder: Path, first: int, count: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(first, first + count):
        table, random = _table(seed)
        table = replace(table, material=_misleading(table.material, random))
        things = tuple(
            obstacle_of(table, seed + k)
            if random.random() < 0.4
            else solid_obstacle(str(random.choice(SOLID_KINDS)), random, random.uniform(-3.5, 11.5, 2))
            for k in range(random.choice([0, 1, 2, 4], p=[0.4, 0.25, 0.2, 0.15]))
        )
        cells = random_cells(random)
        if random.random() < 0.35:
            discs = random.permutation(64) < random.integers(50, 65)
            cells = "".join(np.where(discs, np.where(random.random(64) < 0.5, "X", "O"), "-"))
        moment = moment_of(table, cells, 1, things)
        if seed % EMPTY == 0:  # the board is pushed out of view
            moment = replace(moment, bump=(70.0, 40.0, 0.0))
        cv2.imwrite(str(folder / f"{seed}.png"), draw(table, moment, 1.0).image)


def _misleading(material: Material, random: Random) -> Material:
    """Return the same board, at times with a high frame, and with a frame or a floor in its cloth's colour, or a frame
    in the floor's or any colour.
    """
    if random.random() < 0.3:
        material = replace(material, frame_height=float(random.uniform(*HIGH_FRAME)))
    which = random.random()
    if which < 0.1:
        return replace(material, floor=material.cloth)
    if which < 0.2:
        return replace(material, frame=material.cloth)
    if which < 0.3:
        return replace(material, frame=material.floor)
    if which < 0.5:
        red, green, blue = random.uniform(0.02, 0.95, 3)
        return replace(material, frame=(float(red), float(green), float(blue)))
    return material


@dataclass(frozen=True, slots=True)
class TrainingPicture:
    """A picture; ``lens`` None: it shows no board; ``begins``: where it was cropped from the lens's image."""

    image: Picture
    lens: Lens | None
    begins: tuple[int, int] = (0, 0)

    def corners(self) -> Points:
        assert self.lens is not None
        return self.lens.at(np.insert(FIELD, 2, 0.0, axis=1)) - self.begins

    def cut(self, random: Random) -> TrainingPicture:
        """Return the picture cropped at one side, at times through the board."""
        size = np.array(self.image.shape[1::-1])
        corners = np.clip(self.corners(), 0, size)
        low, high = corners.min(axis=0), corners.max(axis=0)
        way, part = random.integers(2), random.uniform(0.05, 0.6)
        at = int(low[way] + part * (high[way] - low[way]))
        kept = slice(at, None) if random.random() < 0.5 else slice(None, int(size[way]) - at)
        if min(len(range(size[way])[kept]), high[way] - low[way]) < 16:
            return self
        image = np.ascontiguousarray(self.image[:, kept] if way == 0 else self.image[kept])
        begins = [0, 0]
        begins[way] = kept.start or 0
        return replace(self, image=image, begins=(begins[0], begins[1]))

    def on_board(self, pixels: Points) -> Points:
        """Return the points on the board's plane seen at pixels (…×2); points outside the picture for pixels that show
        none.
        """
        if self.lens is None:
            return np.full(pixels.shape, 1e3)
        lens = self.lens
        away = (pixels + self.begins - np.array(lens.size) / 2) / lens.focal
        bent = 1 + lens.distortion * (away**2).sum(axis=-1, keepdims=True)
        rays = np.concatenate([away * bent, np.ones((*away.shape[:-1], 1))], axis=-1) @ lens.turn
        steps = lens.eye[2] / np.maximum(-rays[..., 2:], 1e-3)
        return np.asarray(np.where(rays[..., 2:] < -1e-3, lens.eye[:2] + steps * rays[..., :2], 1e3))


def load_pictures(folder: Path, longest: int | None = None) -> list[TrainingPicture]:
    """Return all pictures; ``longest``: larger ones are scaled down to this."""
    out = []
    for path in sorted(folder.glob("*.png")):
        if not path.stem.isdecimal() or (image := cv2.imread(str(path))) is None:
            continue
        seed, lens = int(path.stem), None
        if longest and longest < max(image.shape):
            size = [round(side * longest / max(image.shape)) for side in image.shape[1::-1]]
            image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        if seed % EMPTY:
            lens = _table(seed)[0].lens
            scale = image.shape[1] / lens.size[0]
            lens = replace(lens, focal=lens.focal * scale, size=(image.shape[1], image.shape[0]))
        out.append(TrainingPicture(np.asarray(image, np.uint8), lens))
    return out


def recoloured(seen: Picture, random: Random) -> Floats:
    """Return the same picture in other light, of another camera."""
    grey = 0.0 if random.random() < 0.07 else random.uniform(0.6, 1.4)
    mix = grey * np.eye(3) + (1 - grey) / 3
    mix = mix * np.exp(random.normal(0, 0.12, 3))
    if random.random() < 0.12:
        mix = mix[:, random.permutation(3)]
    out = cv2.transform(seen, mix)
    tone = 255 * random.uniform(0.7, 1.2) * np.linspace(0, 1, 256) ** np.exp(random.normal(0, 0.25))
    out = cv2.LUT(out, np.clip(tone, 0, 255).astype(np.uint8))
    if random.random() < 0.3:
        out = cv2.GaussianBlur(out, (0, 0), random.uniform(0.3, 1.1))
    at = random.integers(0, len(NOISE) - max(out.shape), 2)
    noise = NOISE[at[0] : at[0] + out.shape[0], at[1] : at[1] + out.shape[1]]
    return np.asarray(out.astype(np.float32) + noise * np.float32(random.uniform(0, 7)), np.float32)


def whole_sample(
    shown_: TrainingPicture, grounds: list[Picture], size: tuple[int, int], random: Random
) -> tuple[Floats, Floats]:
    """Return a picture moved, turned, scaled down, cropped, on another background, as the first network's input; and
    its target for every cell: field, corner, and from the cell to the corner across and down.
    """
    if random.random() < NO_BOARD:
        shown_ = TrainingPicture(grounds[random.integers(len(grounds))], None)
    height, width = shown_.image.shape[:2]
    corners = shown_.corners() if shown_.lens else np.array([[0.0, 0], [width, 0], [width, height], [0, height]])
    spin = random.normal(0, 0.06) if random.random() < 0.85 else random.uniform(0, 2 * np.pi)
    if random.random() < 0.25:
        spin += random.integers(4) * np.pi / 2
    smaller = random.uniform(*(FAR if random.random() < 0.5 else NEAR))
    scale = min(size[0] / width, size[1] / height) * float(np.exp(smaller))
    c, s = scale * np.cos(spin), scale * np.sin(spin)
    move = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    if random.random() < 0.5:
        move = move @ np.diag([-1.0, 1.0, 1.0])
    move[2, :2] = random.normal(0, 0.0004, 2)
    if shown_.lens:
        seen = apply(move, corners)
        span = seen.max(axis=0) - seen.min(axis=0)
        cut = random.random() < 0.15
        if not cut and (span > 0.96 * np.array(size)).any():
            move[:2] *= float((0.93 * np.array(size) / span).min())
            seen = apply(move, corners)
            span = seen.max(axis=0) - seen.min(axis=0)
        # share of its room that the board leaves at its side: beyond 0 and 1 it is cropped
        place = random.uniform(0.02, 0.98, 2)
        wanted = place * (np.array(size) - span)
        if cut:
            way, part = random.integers(2), random.uniform(0.04, 0.6)
            wanted[way] = -part * span[way] if random.random() < 0.5 else size[way] - (1 - part) * span[way]
        shift = wanted - seen.min(axis=0)
    else:
        shift = np.array(size) / 2 - apply(move, np.array([[width / 2, height / 2]]))[0]
    move = np.array([[1.0, 0.0, shift[0]], [0.0, 1.0, shift[1]], [0.0, 0.0, 1.0]]) @ move
    less = [max(round(side * min(1.0, 1.5 * scale)), 2) for side in (width, height)]
    small = cv2.resize(shown_.image, less, interpolation=cv2.INTER_AREA)
    unscaled = move @ np.diag([width / less[0], height / less[1], 1.0])
    out = cv2.warpPerspective(small, unscaled, size, borderMode=cv2.BORDER_REPLICATE)
    seen_corners = apply(move, corners) if shown_.lens else None
    if random.random() < 0.75:
        ground = part_of(grounds[random.integers(len(grounds))], size, random)
        if random.random() < 0.15:
            ground[:] = random.integers(0, 256, 3)
        own: NDArray[Any] = np.zeros(size[::-1], np.uint8)
        if seen_corners is not None and random.random() < 0.6:  # the board and its frame alone
            around = random.uniform(0, 2, (4, 2)) if random.random() < 0.3 else np.full((4, 2), random.uniform(0, 2))
            outer = apply(homography(FIELD, seen_corners), FIELD + np.sign(FIELD - 4) * around)
            cv2.fillPoly(own, [np.round(outer).astype(np.int32)], 1)
        else:
            own = cv2.warpPerspective(np.ones((height, width), np.uint8), move, size)
        out = np.where(own[..., None] > 0, out, ground)
    if seen_corners is not None and random.random() < 0.35:
        out = with_tray(np.asarray(out, np.uint8), seen_corners, random)
    if random.random() < 0.7:
        out = with_clutter(np.asarray(out, np.uint8), seen_corners, grounds, random)
    rows, columns = -(-size[1] // CELL), -(-size[0] // CELL)
    cells = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), axis=-1) * CELL + CELL / 2
    target = np.zeros((4, rows, columns), np.float32)
    if shown_.lens:
        board = shown_.on_board(apply(np.linalg.inv(move), cells.astype(np.float64)))
        target[0] = ((board > 0) & (board < 8)).all(axis=-1)
        away = (apply(move, corners) - cells[..., None, :]) / CELL
        far = (away**2).sum(axis=-1)
        nearest = far.argmin(axis=-1)[..., None]
        target[1] = np.exp(-np.take_along_axis(far, nearest, axis=-1)[..., 0] / (2 * 0.9**2))
        target[2:] = np.take_along_axis(away, nearest[..., None], axis=-2)[..., 0, :].transpose(2, 0, 1)
    return normalise_brightness(recoloured(np.asarray(out, np.uint8), random)), target


def part_of(ground: Picture, size: tuple[int, int], random: Random) -> Picture:
    """Return a part of a background, of that size."""
    share = random.uniform(0.35, 1.0)
    height, width = (round(share * side) for side in ground.shape[:2])
    top, left = random.integers(0, ground.shape[0] - height + 1), random.integers(0, ground.shape[1] - width + 1)
    part = ground[top : top + height, left : left + width, :: random.choice([-1, 1])]
    return np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)


def busy_picture(random: Random) -> Picture:
    """Return a picture full of shapes, patterns, text, discs and rods of a few colours, and no board."""
    size = np.array([256, 192])
    out: NDArray[Any] = _patterned((256, 192), random.uniform(0, 255, 3), random)
    colours = random.uniform(0, 255, (random.integers(2, 7), 3))
    colours[random.random(len(colours)) < 0.5] = random.uniform(0, 255)
    colours = np.concatenate([colours, [[20, 20, 20], [235, 235, 235], [120, 160, 205]]])
    small = random.random() < 0.5
    for _ in range(int(np.exp(random.uniform(np.log(8), np.log(160))))):
        colour = colours[random.integers(len(colours))]
        kind = random.random()
        if kind < 0.1:
            letters = "".join(chr(code) for code in random.integers(33, 126, random.integers(1, 9)))
            place = (random.uniform(0, 1, 2) * size).astype(int).tolist()
            cv2.putText(out, letters, place, int(random.integers(8)), random.uniform(0.25, 1.2), colour.tolist(), 1)
        elif kind < 0.2:  # discs, without a board
            radius, step = random.uniform(1.5, 8), random.uniform(-1, 1, 2) * 14
            middle = random.uniform(0, 1, 2) * size
            for number in range(random.integers(1, 10)):
                disc = (20, 20, 20) if random.random() < 0.5 else (230, 230, 230)
                at = (middle + number * step).astype(int).tolist()
                axes = [int(radius) + 1, int(radius * random.uniform(0.4, 1)) + 1]
                cv2.ellipse(out, at, axes, 0, 0, 360, disc, -1, cv2.LINE_AA)
        elif kind < 0.3:
            begin, end = (random.uniform(-0.1, 1.1, (2, 2)) * size).astype(int).tolist()
            cv2.line(out, begin, end, colour.tolist(), int(random.integers(1, 7)), cv2.LINE_AA)
        else:
            mask = _shape(size, random, 0.25 if small else 1.0)
            _paint(out, mask, colour + random.normal(0, 10, 3), random)
    return np.asarray(out, np.uint8)


def with_tray(image: Picture, corners: Points, random: Random) -> Picture:
    """Return the picture with discs on edge in a tray along one side of the board."""
    discs, wide = int(random.integers(8, 33)), random.uniform(0.5, 1.1)
    stripes: NDArray[Any] = np.zeros((16, 8 * discs, 3), np.uint8)
    for number in range(2 * discs):
        stripes[:, 4 * number : 4 * number + 4] = (25, 25, 25) if number % 2 else random.integers(190, 250)
    if random.random() < 0.3:
        stripes[:, : 8 * int(random.integers(discs))] = random.integers(0, 60)
    wall = int(random.integers(0, 70))
    stripes = cv2.copyMakeBorder(stripes, 3, 3, 10, 10, cv2.BORDER_CONSTANT, value=(wall, wall, wall))
    begin, away = random.uniform(-0.5, 4), random.uniform(0.15, 1.5)
    end = begin + random.uniform(3, 8)
    place = np.array([[begin, 8 + away], [end, 8 + away], [end, 8 + away + wide], [begin, 8 + away + wide]])
    for _ in range(random.integers(4)):
        place = np.stack([8 - place[:, 1], place[:, 0]], axis=1)
    target = apply(homography(FIELD, corners), place)
    if np.abs(target).max() > 1000 or not is_convex(target):
        return image
    high, wide_ = stripes.shape[:2]
    outline = np.array([[0.0, 0], [wide_, 0], [wide_, high], [0, high]])
    matrix = homography(outline, target)
    size = (image.shape[1], image.shape[0])
    over = cv2.warpPerspective(np.full((high, wide_), 255, np.uint8), matrix, size)[..., None] > 127
    return np.where(over, cv2.warpPerspective(stripes, matrix, size, flags=cv2.INTER_AREA), image)


def with_clutter(image: Picture, corners: Points | None, grounds: list[Picture], random: Random) -> Picture:
    """Return the picture with boxes, rods, plates and clothes of any colour and pattern, also of the board's cloth; at
    most one of them hides a part of the field.
    """
    size = np.array(image.shape[1::-1])
    field: NDArray[Any] = np.zeros(image.shape[:2], np.uint8)
    cloth = image.reshape(-1, 3).mean(axis=0)
    if corners is not None:
        cv2.fillPoly(field, [np.round(corners).astype(np.int32)], 1)
        if field.any():
            cloth = np.median(image[field > 0], axis=0)
        field = cv2.dilate(field, np.ones((3, 3), np.uint8))
    out: NDArray[Any] = image.copy()
    over = random.random() < 0.4
    for number in range(random.integers(1, 12), -1, -1):
        mask = _shape(size, random)
        if number > 0 or not over:
            mask &= 1 - field
        elif (mask & field).sum() > 0.35 * field.sum():
            continue
        if random.random() < 0.3:
            textured = part_of(grounds[random.integers(len(grounds))], (image.shape[1], image.shape[0]), random)
            out[mask > 0] = textured[mask > 0]
            continue
        which = random.random()
        if which < 0.25:  # a shirt as the cloth
            colour = np.clip(cloth + random.normal(0, 12, 3), 0, 255)
        elif which < 0.6:
            colour = np.full(3, random.uniform(0, 255))
        else:
            colour = random.uniform(0, 255, 3)
        _paint(out, mask, colour, random)
    return np.asarray(out, np.uint8)


def _paint(image: NDArray[Any], mask: Picture, colour: NDArray[np.float64], random: Random) -> None:
    """Paint a pattern where the mask is 1."""
    left, top, width, height = cv2.boundingRect(mask)
    if width:
        part = np.s_[top : top + height, left : left + width]
        image[part] = np.where(mask[part][..., None] > 0, _patterned((width, height), colour, random), image[part])


def _shape(size: NDArray[np.int64], random: Random, largest: float = 1.0) -> Picture:
    """Return the mask of a plate, a rod, a box or something round."""
    mask: NDArray[Any] = np.zeros(size[::-1], np.uint8)
    middle, spin = random.uniform(-0.1, 1.1, 2) * size, random.uniform(0, 2 * np.pi)
    half = np.exp(random.uniform(np.log(0.01), np.log(0.3 * largest), 2)) * size.max()
    kind = random.random()
    if kind < 0.3:
        axes = [int(value) + 1 for value in half]
        cv2.ellipse(mask, middle.astype(int).tolist(), axes, float(np.degrees(spin)), 0, 360, 1, -1)
        return np.asarray(mask, np.uint8)
    turn = np.array([[np.cos(spin), np.sin(spin)], [-np.sin(spin), np.cos(spin)]])
    shape = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]]) * (1 + random.normal(0, 0.15, (4, 2)))
    if kind < 0.6:  # upright
        turn = np.eye(2)
    cv2.fillConvexPoly(mask, np.round(middle + shape * half @ turn).astype(np.int32), 1)
    return np.asarray(mask, np.uint8)


def _patterned(size: tuple[int, int], colour: NDArray[np.float64], random: Random) -> Picture:
    """Return a plane of a colour: plain, with folds and shades, or with stripes, checks or dots of another colour."""
    across, down = np.meshgrid(np.arange(size[0], dtype=np.float32), np.arange(size[1], dtype=np.float32))
    spin, period = random.uniform(0, np.pi), random.uniform(3, 16)
    first = (across * np.cos(spin) + down * np.sin(spin)) / period
    second = (down * np.cos(spin) - across * np.sin(spin)) / period
    kind = random.random()
    if kind < 0.3:
        share = np.zeros(first.shape)
    elif kind < 0.65:
        folds = cv2.resize(random.standard_normal((4, 5)).astype(np.float32), size, interpolation=cv2.INTER_CUBIC)
        share = np.clip(0.35 * folds, -0.6, 0.9)
    elif kind < 0.8:
        share = (np.sin(2 * np.pi * first) > random.uniform(-0.9, 0.9)).astype(float)
    elif kind < 0.9:
        share = ((first % 1 > 0.5) ^ (second % 1 > 0.5)).astype(float)
    else:
        share = ((first % 1 - 0.5) ** 2 + (second % 1 - 0.5) ** 2 < random.uniform(0.03, 0.2)).astype(float)
    other = random.uniform(0, 255, 3) if kind >= 0.65 else np.full(3, random.choice([0.0, 255.0]))
    return np.clip(colour + share[..., None] * (other - colour), 0, 255).astype(np.uint8)


def flat_samples(shown_: TrainingPicture, random: Random) -> list[tuple[Floats, Floats]]:
    """Return two rectified guesses (turned, mirrored), and the second network's target at ``POINTS``: field; the cosine
    and the sine of the distance between grid lines, across and down; and whether the last four are trained there.
    """
    if shown_.lens and random.random() < 0.25:
        shown_ = shown_.cut(random)
    height, width = shown_.image.shape[:2]
    if shown_.lens is None or random.random() < 0.06:
        middle = random.uniform(0.3, 0.7, 2) * (width, height)
        spin, side = random.uniform(0, 2 * np.pi), random.uniform(0.2, 0.5) * height
        away = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]]) * [1.0, random.uniform(0.4, 1.0)]
        corners = middle + side * away @ np.array([[np.cos(spin), np.sin(spin)], [-np.sin(spin), np.cos(spin)]])
    else:
        corners = shown_.corners()
        # uniform between two lines: if most guesses are nearly right, half of all errors are not learnt
        off = random.uniform(-0.55, 0.55, 2) + random.normal(0, 0.26, (4, 2))
        kind = random.random()
        if kind < 0.15:
            off = off + random.integers(-1, 2, 2)
        elif kind < 0.25:  # one or two sides moved out or in by a row
            off = off + (np.sign(FIELD - 4) + random.choice([-1, 1], 2)) / 2 * random.choice([-1, 1], 2)
        span = np.full(2, 8.0)
        if 0.25 < kind < 0.45:  # a part is taken for the whole: half a board has such squares too
            span = random.choice(PARTS, 2)
        part = FIELD * span / 8 + (8 - span) * random.integers(0, 3, 2) / 2
        corners = apply(homography(FIELD, corners), part + off * span / 8)
        if not is_convex(corners):
            corners = shown_.corners()
    colours, inside = rectify_board(shown_.image, corners)
    seen = np.asarray(colours, np.uint8)
    for _ in range(random.integers(1, 4) if random.random() < 0.3 else 0):
        if (mask := _shape(np.array(seen.shape[1::-1]), random)).mean() < 0.15:
            _paint(seen, mask, random.uniform(0, 255, 3), random)
    pixels = apply(homography(FIELD, corners), POINTS)
    count = round(len(POINTS) ** 0.5)
    board = shown_.on_board(pixels).reshape(count, count, 2)
    step = POINTS[1, 0] - POINTS[0, 0]
    across, down = np.gradient(board, axis=1) / step, np.gradient(board, axis=0) / step
    alike = (np.abs(across - [1, 0]).max(axis=-1) < 0.3) & (np.abs(down - [0, 1]).max(axis=-1) < 0.3)
    field = ((board > 0) & (board < 8)).all(axis=-1)
    there = ((pixels > 0) & (pixels < (width, height))).all(axis=-1).reshape(count, count)
    phase = 2 * np.pi * board.transpose(2, 0, 1)
    target = np.stack([field, np.cos(phase[0]), np.sin(phase[0]), np.cos(phase[1]), np.sin(phase[1]), there | ~field])
    target[1:5] *= field & alike
    out = []
    for turn in random.choice(4, 2, replace=False):
        one, value = (
            normalise_brightness(recoloured(np.rot90(seen, turn).copy(), random), np.rot90(inside, turn)),
            target.copy(),
        )
        for _ in range(turn):  # a quarter turn back: what ran across runs down, upwards
            value = np.rot90(value, axes=(1, 2))[[0, 3, 4, 1, 2, 5]] * np.array([1, 1, 1, 1, -1, 1])[:, None, None]
        if random.random() < 0.5:
            one, value = one[:, ::-1], value[:, :, ::-1] * np.array([1, 1, -1, 1, 1, 1])[:, None, None]
        out.append((one, value.astype(np.float32)))
    return out


def train(folder: Path, name: str, steps: int) -> None:
    import torch

    torch.manual_seed(14)
    torch.set_num_threads(1)
    random = np.random.default_rng([14, len(name)])
    everything = load_pictures(folder, SMALL if name == "board_heatmaps" else None)
    grounds = [one.image for one in everything if one.lens is None]
    print(f"{len(everything)} pictures, {len(grounds)} without a board", flush=True)
    if name == "board_heatmaps":
        grounds = grounds[:BUSY] + [busy_picture(random) for _ in range(3 * BUSY)]
    network = _network(name)
    adam = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=1e-3)
    mean = {key: value.clone() for key, value in network.state_dict().items()}
    losses = np.zeros(3)
    for step in range(steps):
        size = ((SEEN, 96), (SEEN, 96), (96, SEEN), (SEEN, 80))[random.integers(4)]
        count = BOARDS if name == "board_heatmaps" else BOARDS // 2
        batch = [everything[index] for index in random.integers(0, len(everything), count)]
        if name == "board_heatmaps":
            pairs = [whole_sample(one, grounds, size, random) for one in batch]
        else:
            pairs = [pair for one in batch for pair in flat_samples(one, random)]
        seen = torch.from_numpy(np.stack([one for one, _ in pairs]).transpose(0, 3, 1, 2).copy())
        targets = torch.from_numpy(np.stack([two for _, two in pairs]))
        adam.param_groups[0]["lr"] = RATE * min(1, step / 100) * max(0.5 * (1 + np.cos(np.pi * step / steps)), 0.003)
        with torch.autocast("cpu", torch.bfloat16):
            output = network(seen.to(memory_format=torch.channels_last))
        parts = LOSSES[name](output.float(), targets)
        adam.zero_grad(set_to_none=True)
        sum(parts).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        adam.step()
        keep = min(0.995, (step + 1) / (step + 11))  # weights are averaged over the last few hundred steps
        for key, value in network.state_dict().items():
            mean[key] = mean[key] * keep + value * (1 - keep) if value.dtype.is_floating_point else value.clone()
        losses += [part.item() for part in parts]
        if step % 50 == 49:
            print(f"step {step + 1} of {steps}: " + " ".join(f"{part / 50:.4f}" for part in losses), flush=True)
            losses[:] = 0
        if step % 300 == 299 or step == steps - 1:
            now = {key: value.clone() for key, value in network.state_dict().items()}
            network.load_state_dict(mean)
            write_network(name, network, seen=seen[:1])
            network.train()
            network.load_state_dict(now)


def _whole_lost(output: torch.Tensor, target: torch.Tensor) -> list[torch.Tensor]:
    from torch.nn import functional

    field = functional.binary_cross_entropy_with_logits(output[:, 0], target[:, 0])
    heat = target[:, 1]
    corner = functional.binary_cross_entropy_with_logits(output[:, 1], heat, reduction="none")
    corner = (corner * (0.3 + 6 * heat)).mean()
    near = (heat > 0.15).float()
    away = ((output[:, 2:] - target[:, 2:]).abs().sum(1) * near).sum() / (near.sum() + 1)
    return [field, 2 * corner, 0.15 * away]


def _flat_lost(output: torch.Tensor, target: torch.Tensor) -> list[torch.Tensor]:
    from torch.nn import functional

    field = functional.binary_cross_entropy_with_logits(output[:, 0], target[:, 0])
    square = ((output[:, 1:] - target[:, 1:5]) ** 2).sum(1) * target[:, 5]
    inside = target[:, 0]
    return [field, (square * inside).mean(), 0.5 * (square * (1 - inside)).mean()]


LOSSES: dict[str, Callable[[torch.Tensor, torch.Tensor], list[torch.Tensor]]] = {
    "board_heatmaps": _whole_lost,
    "board_refinement": _flat_lost,
}


def _network(name: str) -> torch.nn.Module:
    """Return a network that answers for every fourth pixel: down to sixteenths and up again, with skipped levels."""
    import torch
    from torch import nn

    before, (one, two, three, four), after = SHAPES[name]

    def over(inputs: int, outputs: int, kernel: int, stride: int = 1) -> nn.Sequential:
        return nn.Sequential(
            nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()
        )

    class Through(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList(
                [
                    over(before, one, 5, 2), over(one, two, 3, 2), over(two, two, 3),
                    over(two, three, 3, 2), over(three, three, 3),
                    over(three, four, 3, 2), over(four, four, 3), over(four, four, 3),
                    over(four + three, three, 1), over(three, three, 3),
                    over(three + two, two, 1), over(two, two, 3), nn.Conv2d(two, after, 1),
                ]
            )  # fmt: skip

        def forward(self, seen: torch.Tensor) -> torch.Tensor:
            first, fine, fine2, mid, mid2, deep, deep2, deep3, up, up2, top, top2, last = self.layers
            finest = fine2(fine(first(seen)))
            middle = mid2(mid(finest))
            out = deep(middle)
            out = out + deep2(out)
            out = out + deep3(out)
            out = up2(up(torch.cat([twice(out), middle], 1)))
            return last(top2(top(torch.cat([twice(out), finest], 1))))

    def twice(out: torch.Tensor) -> torch.Tensor:
        return nn.functional.interpolate(out, scale_factor=2.0)

    return Through().to(memory_format=torch.channels_last)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("act", choices=["draw", "train"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("name", nargs="?", choices=list(SHAPES), default="board_heatmaps")
    parser.add_argument("--first", type=int, default=1_300_000)
    parser.add_argument("--count", type=int, default=16000)
    parser.add_argument("--steps", type=int, help=f"if not {STEPS}")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    if arguments.act == "draw":
        draw_all(arguments.folder, arguments.first, arguments.count)
    else:
        train(arguments.folder, arguments.name, arguments.steps or STEPS[arguments.name])


if __name__ == "__main__":
    main()
