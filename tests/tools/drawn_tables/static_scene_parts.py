"""Static part of a drawn scene while its board is not moved: floor, frame, cloth and lamps, intersected with every ray.

It is computed once; a picture then only costs its discs and hands. Random numbers must be drawn in the existing order,
so that every seed's pictures stay the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from drawn_tables.seeded_table_scene import FrameState, Obstacle, Solid, TableScene
from drawn_tables.table_textures_and_shadows import (
    Places,
    Shadows,
    board_texture,
    floor_at,
    sample_texture,
    srgb_to_linear,
    texture_coordinates,
    turned,
)
from numpy.typing import NDArray

Array = NDArray[np.float32]
Points = NDArray[np.float64]
Window = tuple[slice, slice]
#: number of pixels from which slowly varying values are computed coarsely
_LARGE = 60_000
_WHOLE = slice(None), slice(None)


@dataclass(frozen=True, slots=True)
class Painted:
    """An object's part of a picture: the factor for what is behind it, and the added light; ``inside``: its coverage of
    a pixel, 0 to 255."""

    window: Window
    inside: NDArray[np.uint8]
    kept: Array
    added: NDArray[Any]

    def onto(self, colour: Array) -> None:
        colour[self.window] = colour[self.window] * self.kept + self.added


class StaticScene:
    """Static scene in linear RGB, ``scale`` times as large as the camera's picture."""

    def __init__(self, table: TableScene, bump: tuple[float, float, float], scale: float) -> None:
        self.table, self.bump, self.scale = table, bump, scale
        random = np.random.default_rng([table.seed, 3])
        lens, (dx, dy, angle) = table.lens, bump
        # Moving the board equals moving the camera the other way.
        c, s = float(np.cos(angle)), float(np.sin(angle))
        x, y = (lens.eye[:2] - 4 - np.array([dx, dy])).astype(np.float32)
        self.eye = np.array([*(part + 4 for part in turned(x, y, c, -s)), lens.eye[2]], np.float32)
        along, across, down = lens.rays(scale)
        down = -np.minimum(down, np.float32(-2e-2))
        self.flat = tuple(way / down for way in (turned(along, across, c, -s) if s else (along, across)))
        self.height, self.width = down.shape
        # the room's reflection in a level mirror, by direction: windows, walls, people
        walls = cv2.GaussianBlur(random.standard_normal((32, 32), np.float32), (0, 0), 1.6)
        self.room = np.exp(4.0 * walls).astype(np.float32)
        self.shadows = Shadows(table)
        self.ambient = np.array(table.ambient, np.float32)
        #: 3 × 4, the light of three lamps and the ambient light as colours
        self._lit = np.zeros((3, 4), np.float32)
        self._lit[:, : len(table.lamps)] = np.transpose([lamp.colour for lamp in table.lamps])
        self._lit[:, 3] = self.ambient
        #: the last rendering of each square: its content and its appearance
        self.discs: dict[int, tuple[tuple[str, bytes], Any]] = {}
        self._surfaces(random)
        self._scenery = self._stands_around()

    def met(self, height: float, window: Window = _WHOLE) -> Places:
        """Return where the rays meet the plane of that height."""
        up = self.eye[2] - np.float32(height)
        x, y = (self.eye[way] + self.flat[way][window] * up for way in (0, 1))
        return x, y

    def pixels(self, points: Points) -> Points:
        """Return the pixels of board points (…×3) in the finished picture, including the board's shift."""
        dx, dy, angle = self.bump
        moved = points.copy()
        x, y = turned(points[..., 0] - 4, points[..., 1] - 4, float(np.cos(angle)), float(np.sin(angle)))
        moved[..., 0], moved[..., 1] = x + 4 + dx, y + 4 + dy
        return self.table.lens.at(moved)

    def falls(self, places: Places, height: float) -> Array:
        """Return the light of every lamp that would arrive without obstacles, … × 3."""
        out = np.zeros((*places[0].shape, 3), np.float32)
        for channel, lamp in enumerate(self.table.lamps):
            x, y, up = (float(part) for part in lamp.place)
            up -= height
            square = (places[0] - x) ** 2 + (places[1] - y) ** 2 + up**2
            out[..., channel] = (((4 - x) ** 2 + (4 - y) ** 2 + up**2) / square) ** 1.5 * lamp.strength
        return out

    def light(self, places: Places, height: float) -> Array:
        """Return the light at places of a level plane without obstacles."""
        return self._coloured(self.falls(places, height))

    def _coloured(self, falls: Array) -> Array:
        return np.asarray(cv2.transform(falls, self._lit).reshape(falls.shape))

    def mirrored(self, places: Places, height: float, gloss: float, tilt: Places | None = None) -> list[NDArray[Any]]:
        """Return the lamps' mirror images on a level surface, three colours; ``tilt`` bends it."""
        material, table = self.table.material, self.table
        if gloss <= 0:
            return [np.zeros(places[0].shape, np.float32)] * 3
        rough, up = material.roughness, np.float32(self.eye[2] - height)
        slope = [(place - eye) / up for place, eye in zip(places, self.eye[:2], strict=True)]
        steep = 1 / np.sqrt(slope[0] ** 2 + slope[1] ** 2 + 1)
        fresnel = 0.25 + 0.75 * (1 - steep) ** 4
        if tilt is not None:
            slope = [way + 2 * bent for way, bent in zip(slope, tilt, strict=True)]
        mirror = material.mirror if tilt is None else 1.0  # discs are of another material
        x, y = ((np.clip(way / 3 + 0.5, 0, 1) * 31).astype(np.float32) for way in slope)
        walls = (fresnel - 0.17) * sample_texture(self.room, (x, y))
        out = [walls * part for part in self.ambient * gloss * mirror]
        for lamp in table.lamps:
            high = float(lamp.place[2]) - height
            x, y = (
                place + way * np.float32(high) - np.float32(at)
                for place, way, at in zip(places, slope, lamp.place[:2], strict=True)
            )
            image = turned(x, y, float(np.cos(lamp.angle)), float(np.sin(lamp.angle)))
            half = (lamp.width * 1.2, lamp.width * 1.2 * lamp.slim)
            away = [np.abs(way) - side for way, side in zip(image, half, strict=True)]
            soft = 2 / max(rough * high, 0.05)
            shape = _soft(away[0], soft) * _soft(away[1], soft)
            around = np.float32(material.halo * high) ** 2
            shape = shape + material.haze * 0.12 * around / (
                around + np.maximum(away[0], 0) ** 2 + np.maximum(away[1], 0) ** 2
            )
            bright = 14.0 * lamp.strength * gloss / (1 + 8 * rough)
            shine = shape * fresnel * bright
            for channel, part in zip(out, np.array(lamp.colour, np.float32), strict=True):
                channel += shine * part
        return out

    def _smoothly(self, step: int, places: Places, compute: Callable[[Places], Array]) -> Array:
        """Return a slowly varying value over a large picture, computed for every few pixels."""
        height, width = self.height, self.width
        if height * width < _LARGE:
            return compute(places)
        coarse = width // step, height // step
        x, y = (np.asarray(cv2.resize(part, coarse, interpolation=cv2.INTER_AREA), np.float32) for part in places)
        return np.asarray(cv2.resize(compute((x, y)), (width, height), interpolation=cv2.INTER_LINEAR), np.float32)

    def _surfaces(self, random: np.random.Generator) -> None:
        """Compute cloth, frame and floor. ``_stuff``: the reflectance; ``_falls``: the light that would arrive there;
        ``_most``: its upper limit; ``_shine``: the mirrored light; ``_bare``: what has no shadows, ``_is_bare``: where,
        ``_front``: where it hides discs."""
        stuff = self.table.material
        inner, outer = stuff.margin, stuff.margin + stuff.frame_width
        cloth, top, floor = (self.met(up) for up in (0.0, stuff.frame_height, -stuff.thickness))
        at_cloth, at_top, at_floor = (_outside(places) for places in (cloth, top, floor))
        beyond = at_cloth > inner
        open_floor = beyond & (at_top >= outer) & (at_floor >= outer)
        walls = (beyond & (at_top <= inner)) | ((at_top >= outer) & (at_floor < outer))
        self._open_floor = open_floor.view(np.uint8)
        self._is_bare = ((beyond | walls) & ~open_floor).view(np.uint8)
        at = texture_coordinates(*cloth)
        self._stuff = sample_texture(board_texture(stuff, random), at)
        self._shine = self._glare(cloth, 0.0, stuff.cloth_gloss)
        if stuff.worn and stuff.cloth_gloss > 0:
            marks = cv2.GaussianBlur(random.standard_normal((256, 256), np.float32), (0, 0), 2.5)
            x, y = ((np.clip(part / 8, 0, 1) * 255).astype(np.float32) for part in cloth)
            self._shine *= _three(np.exp(6 * stuff.worn * sample_texture(np.asarray(marks, np.float32), (x, y))))
        self._falls = self._smoothly(8, cloth, lambda coarse: self.falls(coarse, 0.0))
        # from here on these pixels belong to the floor
        self._most = _three(np.where(open_floor, np.float32(3), np.float32(np.inf)))
        for whole, of_floor in (
            (self._stuff, floor_at(stuff, floor, float(self.table.seed), random)),
            (self._falls, self._smoothly(8, floor, lambda coarse: self.falls(coarse, 0.0))),
            (self._shine, np.zeros_like(self._shine)),
            *zip(at, texture_coordinates(*floor), strict=True),
        ):
            cv2.copyTo(of_floor, self._open_floor, whole)
        self._at = at
        falls = self._smoothly(8, top, lambda coarse: self.falls(coarse, stuff.frame_height))
        self._bare = _rowwise(np.multiply, self._coloured(falls), srgb_to_linear(stuff.frame))
        self._bare += self._glare(top, stuff.frame_height, stuff.frame_gloss)
        self._bare[walls] = srgb_to_linear(stuff.frame) * 0.45
        self._front = ((at_top > inner) & (at_top < outer)).view(np.uint8) if stuff.frame_height > 0.05 else None

    def _glare(self, places: Places, height: float, gloss: float) -> Array:
        if gloss <= 0:
            return np.zeros((self.height, self.width, 3), np.float32)
        return self._smoothly(3, places, lambda at: np.stack(self.mirrored(at, height, gloss), axis=-1))

    def _stands_around(self) -> list[Painted]:
        """Return the objects on the floor, which hide nothing else."""
        painted = []
        for number, obstacle in enumerate(self.table.scenery):
            for part in self.painted(obstacle, np.random.default_rng([self.table.seed, number, 13])):
                open_floor = self._open_floor[part.window][..., None] > 0
                kept = np.where(open_floor, part.kept, np.float32(1))
                painted.append(Painted(part.window, part.inside, kept, np.where(open_floor, part.added, 0)))
        return painted

    def empty(self, moment: FrameState, placed: list[int]) -> Array:
        """Return the table without discs and objects, but with their shadows."""
        shadow = self.shadows.texture(moment.places[placed], moment.things)
        colour = sample_texture(shadow, self._at)
        colour *= self._falls
        colour = self._coloured(colour)
        np.minimum(colour, self._most, out=colour)
        colour *= self._stuff
        colour += self._shine
        cv2.copyTo(self._bare, self._is_bare, colour)
        for part in self._scenery:
            part.onto(colour)
        return colour

    def near_frame(self, colour: Array) -> None:
        """Draw the near frame over what lies behind it."""
        if self._front is not None:
            cv2.copyTo(self._bare, self._front, colour)

    def painted(self, obstacle: Obstacle, random: np.random.Generator) -> list[Painted]:
        """Return an object's capsules, in the order in which they hide each other."""
        lens, out = self.table.lens, []
        turn = np.linspace(0, 2 * np.pi, 25)
        ring = np.stack([np.cos(turn), np.sin(turn)], axis=1)
        middle = np.full((1, 1), 4, np.float32)
        light = self.light((middle, middle), 0.0)[0, 0]
        for number, (first, second, thick_first, thick_second) in enumerate(obstacle.capsules):
            outline, ends = [], []
            ends_seen = _in_sight(lens.eye, lens.turn[2], first, second, thick_first, thick_second)
            for point, thick in zip(*ends_seen, strict=True):
                seen = lens.at(point) * self.scale
                ends.append(seen)
                thickness = thick * lens.focal / ((point - lens.eye) @ lens.turn[2]) * self.scale
                outline.append(seen + ring * thickness)
            window, inside = self._filled(np.concatenate(outline))
            if not inside.size:
                continue
            deep = cv2.distanceTransform((inside > 127).astype(np.uint8), cv2.DIST_L2, 3)
            bulge = np.sqrt(np.clip(deep / max(float(deep.max()), 1.0), 0, 1))
            tone = srgb_to_linear(obstacle.colours[min(number, len(obstacle.colours) - 1)])
            shade = 0.35 + 0.65 * bulge if obstacle.kind == "arm" else 0.8 + 0.2 * bulge
            shade = shade + random.normal(0, 0.04, shade.shape).astype(np.float32)
            if obstacle.stripes and number == 0:
                axis = (ends[1] - ends[0]) / max(float(np.hypot(*(ends[1] - ends[0]))), 1.0) / (6 * self.scale)
                rows, columns = np.mgrid[window].astype(np.float32)
                shade = shade * np.where((columns * axis[0] + rows * axis[1]) % 2 < 1, 1.0, obstacle.stripes)
            part = _three((inside / 255.0).astype(np.float32))
            added = _rowwise(np.multiply, _rowwise(np.multiply, part, tone), light) * shade[..., None]
            out.append(Painted(window, inside, 1 - part, added))
        return out + self._painted_solids(obstacle, light)

    def _painted_solids(self, obstacle: Obstacle, light: Array) -> list[Painted]:
        """Return an object's solids, the lowest and the farthest first; their upright faces are darker."""
        lens, out = self.table.lens, []

        def order(solid: Solid) -> tuple[float, float]:
            points = np.concatenate([outline for outline, _ in solid])
            return round(float(points[:, 2].min()), 3), -float(np.linalg.norm(points.mean(axis=0) - lens.eye))

        for outline, colour in (face for solid in sorted(obstacle.solids, key=order) for face in solid):
            normal = np.cross(outline[1] - outline[0], outline[2] - outline[1])
            if normal @ (lens.eye - outline[0]) <= 0 or ((outline - lens.eye) @ lens.turn[2]).min() < 1.0:
                continue  # its back, or beside the camera
            window, inside = self._filled(lens.at(outline) * self.scale)
            if inside.size:
                facing = abs(float(normal[2])) / max(float(np.linalg.norm(normal)), 1e-9)
                part = _three((inside / 255.0).astype(np.float32))
                tone = srgb_to_linear(colour) * light * np.float32(0.45 + 0.5 * facing)
                out.append(Painted(window, inside, 1 - part, _rowwise(np.multiply, part, tone)))
        return out

    def _filled(self, points: Points) -> tuple[Window, NDArray[np.uint8]]:
        """Return the convex hull of pixels: the part of the picture, and its coverage there."""
        hull = cv2.convexHull(np.clip(points * 8, -2e6, 2e6).astype(np.int32))
        mask = np.zeros((self.height, self.width), np.uint8)
        cv2.fillConvexPoly(mask, hull, 255, cv2.LINE_AA, 3)
        left, up, width, height = cv2.boundingRect(mask)
        window = slice(up, up + height), slice(left, left + width)
        return window, mask[window]


def _rowwise(work: np.ufunc, picture: Array, colour: Array) -> Array:
    """Apply a colour to ``picture`` (… × 3) by rows, which is much faster than by pixels."""
    rows = picture.reshape(picture.shape[0], -1)
    return np.asarray(work(rows, np.tile(colour, picture.shape[1])).reshape(picture.shape))


def _three(plane: Array) -> Array:
    return np.asarray(cv2.cvtColor(plane, cv2.COLOR_GRAY2BGR))


def _soft(away: NDArray[Any], steep: float) -> Array:
    return np.asarray(1 / (1 + np.exp(np.clip(away * np.float32(steep), -30, 30))))


def _outside(places: Places) -> Array:
    """Return the distance outside the field; negative within."""
    x, y = places
    return np.asarray(np.maximum(np.maximum(-x, x - 8), np.maximum(-y, y - 8)))


def _in_sight(
    eye: Points, forward: Points, first: Points, second: Points, thick_first: float, thick_second: float
) -> tuple[tuple[Points, Points], tuple[float, float]]:
    """Return the part of a capsule that is well in front of the camera."""
    depths = [float((point - eye) @ forward) for point in (first, second)]
    nearest = 0.25 * float(np.linalg.norm(eye - np.array([4.0, 4.0, 0.0])))
    if depths[0] > nearest > depths[1]:
        share = (depths[0] - nearest) / (depths[0] - depths[1])
        second, thick_second = first + (second - first) * share, thick_first + (thick_second - thick_first) * share
    elif depths[1] > nearest > depths[0]:
        share = (depths[1] - nearest) / (depths[1] - depths[0])
        first, thick_first = second + (first - second) * share, thick_second + (thick_first - thick_second) * share
    elif max(depths) <= nearest:
        first = second = eye + forward * 1e3  # behind the camera: out of sight
    return (first, second), (thick_first, thick_second)
