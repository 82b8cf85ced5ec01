"""Draws a table at one moment as a camera would see it, with the truth beside it.

The law: every pixel is a ray. It meets floor, frame, cloth, discs and whatever reaches in as solids, so that tops
shift, sides show and things hide each other as they do in a room; then lens, sensor and compression spoil it. The same
table and moment give the same picture.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.simulated.scene import Moment, Table, Thing
from hardware.camera.simulated.sensor import exposed, gathered, shot_noise
from hardware.camera.simulated.textures import board_texture, floor_at, linear, sample, shadow_texture, turned

Array = NDArray[np.float32]
Points = NDArray[np.float64]
#: from so many pixels on, slow changes are computed coarsely
_LARGE = 60_000
_CORNERS = np.array([[0.0, 0, 0], [8, 0, 0], [8, 8, 0], [0, 8, 0]])


@dataclass(frozen=True, slots=True)
class Drawn:
    """``image`` is BGR, 8 bits; ``corners`` the field's outer corners in pixels (4×2); ``covered`` says for every
    square how much of what should be seen there a foreign thing hides (0 to 1)."""

    image: NDArray[np.uint8]
    corners: Points
    cells: str
    covered: Points


@dataclass(frozen=True, slots=True)
class Lit:
    """What falls on the sensor: linear RGB, with the truth as in ``Drawn``."""

    light: Array
    corners: Points
    cells: str
    covered: Points

    def taken(self, table: Table, moment: Moment) -> Drawn:
        """One picture of it; ``moment`` says its noise and its exposure."""
        small = self.light * np.float32(moment.gain)
        image = exposed(table, small, shot_noise(table, small), np.random.default_rng([table.seed, moment.seed, 5]))
        return Drawn(image, self.corners, self.cells, self.covered)


def draw(table: Table, moment: Moment, scale: float = 1.6) -> Drawn:
    """One picture. ``scale``: how much larger it is drawn before it is made smaller."""
    return lit(table, moment, scale).taken(table, moment)


def lit(table: Table, moment: Moment, scale: float = 1.6) -> Lit:
    """What does not change while nothing is done to the table: most of the work."""
    canvas = _Canvas(table, moment, scale)
    canvas.board()
    canvas.surroundings()
    canvas.discs()
    canvas.near_frame()
    hidden = canvas.things()
    return Lit(gathered(table, moment, canvas.colour), canvas.pixels(_CORNERS), moment.cells, canvas.covered(hidden))


class _Canvas:
    """The picture while it is drawn, linear RGB, ``scale`` times as large."""

    def __init__(self, table: Table, moment: Moment, scale: float) -> None:
        self.table, self.moment, self.scale = table, moment, scale
        self.random = np.random.default_rng([table.seed, 3])
        lens, (dx, dy, angle) = table.lens, moment.bump
        # A pushed board is a camera pushed the other way.
        c, s = float(np.cos(angle)), float(np.sin(angle))
        place = turned((lens.eye[:2] - 4 - np.array([dx, dy])).astype(np.float32), c, -s) + 4
        self.eye = np.array([place[0], place[1], lens.eye[2]], np.float32)
        rays = lens.rays(scale)
        down = np.minimum(rays[..., 2:], np.float32(-2e-2))
        self.rays = np.concatenate([turned(rays[..., :2], c, -s), down], axis=-1)
        self.flat = self.rays[..., :2] / -down
        self.white = [cell == "O" for cell in moment.cells]
        self.placed = [index for index, cell in enumerate(moment.cells) if cell != "-"]
        # what a level mirror would show of the room, by direction: windows, walls, people
        walls = cv2.GaussianBlur(self.random.standard_normal((32, 32), np.float32), (0, 0), 1.6)
        self.room = np.exp(4.0 * walls).astype(np.float32)
        self.colour: Array
        self.level: tuple[Array, Array] | None = None
        self.shadow = shadow_texture(table, moment.places[self.placed], moment.things)

    def met(self, height: float, window: tuple[slice, slice] = (slice(None), slice(None))) -> Array:
        """Where the rays meet the plane of that height."""
        return np.asarray(self.eye[:2] + self.flat[window] * (self.eye[2] - np.float32(height)))

    def pixels(self, points: Points) -> Points:
        """Board points (…×3) in the finished picture, the push included."""
        dx, dy, angle = self.moment.bump
        moved = points.copy()
        away = turned(points[..., :2] - 4, float(np.cos(angle)), float(np.sin(angle)))
        moved[..., :2] = away + 4 + np.array([dx, dy])
        return self.table.lens.at(moved)

    def board(self) -> None:
        stuff, cloth = self.table.material, self.met(0.0)
        lit = sample(board_texture(stuff, self.random), cloth) * self.light(cloth, 0.0, self.shadow)
        shine = self.glare(cloth, 0.0, stuff.cloth_gloss)
        if stuff.worn and stuff.cloth_gloss > 0:
            marks = cv2.GaussianBlur(self.random.standard_normal((256, 256), np.float32), (0, 0), 2.5)
            at = (np.clip(cloth / 8, 0, 1) * 255).astype(np.float32)
            shine *= np.exp(6 * stuff.worn * cv2.remap(marks, at[..., 0], at[..., 1], cv2.INTER_LINEAR))[..., None]
        self.colour = lit + shine

    def light(self, places: Array, height: float, shadow: Array | None = None) -> Array:
        """What arrives at places of a level plane; ``shadow`` None where nothing stands in the way."""
        table = self.table
        falls = _smoothly(8, places, lambda coarse: self.falls(coarse, height))
        if shadow is not None:
            falls = falls * sample(shadow, places)
        colours = np.zeros((3, 3), np.float32)
        colours[: len(table.lamps)] = [lamp.colour for lamp in table.lamps]
        return np.asarray(falls @ colours + np.array(table.ambient, np.float32))

    def falls(self, places: Array, height: float) -> Array:
        """How much of every lamp would arrive if nothing stood in its way."""
        out = np.zeros((*places.shape[:2], 3), np.float32)
        for channel, lamp in enumerate(self.table.lamps):
            x, y, up = (float(part) for part in lamp.place)
            up -= height
            square = (places[..., 0] - x) ** 2 + (places[..., 1] - y) ** 2 + up**2
            out[..., channel] = (((4 - x) ** 2 + (4 - y) ** 2 + up**2) / square) ** 1.5 * lamp.strength
        return out

    def glare(self, places: Array, height: float, gloss: float, tilt: Array | None = None) -> Array:
        """The lamps' mirror images on a level surface; ``tilt`` (…×2) bends it."""
        if gloss <= 0:
            return np.zeros((*places.shape[:2], 3), np.float32)
        if tilt is not None:
            return self.mirrored(places, height, gloss, tilt)
        return _smoothly(3, places, lambda coarse: self.mirrored(coarse, height, gloss, None))

    def mirrored(self, places: Array, height: float, gloss: float, tilt: Array | None) -> Array:
        rough = self.table.material.roughness
        slope = (places - self.eye[:2]) / np.float32(self.eye[2] - height)
        steep = 1 / np.sqrt((slope**2).sum(axis=-1) + 1)
        fresnel = 0.25 + 0.75 * (1 - steep) ** 4
        if tilt is not None:
            slope = slope + 2 * tilt
        mirror = self.table.material.mirror if tilt is None else 1.0  # discs are of another stuff
        room = np.array(self.table.ambient, np.float32) * gloss * mirror
        seen = (np.clip(slope / 3 + 0.5, 0, 1) * 31).astype(np.float32)
        walls = cv2.remap(self.room, seen[..., 0], seen[..., 1], cv2.INTER_LINEAR)
        out = ((fresnel - 0.17) * walls)[..., None] * room
        for lamp in self.table.lamps:
            up = float(lamp.place[2]) - height
            image = places + slope * np.float32(up) - lamp.place[:2].astype(np.float32)
            image = np.abs(turned(image, float(np.cos(lamp.angle)), float(np.sin(lamp.angle))))
            soft = 2 / max(rough * up, 0.05)
            half = (lamp.width * 1.2, lamp.width * 1.2 * lamp.slim)
            shape = _soft(image[..., 0] - half[0], soft) * _soft(image[..., 1] - half[1], soft)
            around = np.float32(self.table.material.halo * up) ** 2
            shape = shape + self.table.material.haze * 0.12 * around / (
                around + np.maximum(image[..., 0] - half[0], 0) ** 2 + np.maximum(image[..., 1] - half[1], 0) ** 2
            )
            bright = 14.0 * lamp.strength * gloss / (1 + 8 * rough)
            out += (shape * fresnel * bright)[..., None] * np.array(lamp.colour, np.float32)
        return np.asarray(out, np.float32)

    def frame_top(self) -> tuple[Array, Array]:
        """Its colour, and how far outside the field the rays meet its plane."""
        if self.level is not None:
            return self.level
        stuff = self.table.material
        top = self.met(stuff.frame_height)
        lit = linear(stuff.frame) * self.light(top, stuff.frame_height)
        self.level = lit + self.glare(top, stuff.frame_height, stuff.frame_gloss), _outside(top)
        return self.level

    def surroundings(self) -> None:
        """Frame and floor where the cloth is not."""
        stuff = self.table.material
        inner, outer = stuff.margin, stuff.margin + stuff.frame_width
        floor = self.met(-stuff.thickness)
        level, at_top = self.frame_top()
        ground = floor_at(stuff, floor, float(self.table.seed), self.random)
        ground *= np.clip(self.light(floor, 0.0, self.shadow), 0, 3)
        beyond = (_outside(self.met(0.0)) > inner)[..., None]
        self.colour = np.where(beyond, np.where((at_top < outer)[..., None], level, ground), self.colour)
        walls = (beyond[..., 0] & (at_top <= inner)) | ((at_top >= outer) & (_outside(floor) < outer))
        self.colour[walls] = linear(stuff.frame) * 0.45
        if self.table.scenery:
            bare = self.colour.copy()
            unused = np.zeros(bare.shape[:2], np.uint8)
            for number, thing in enumerate(self.table.scenery):
                self.thing(thing, unused, np.random.default_rng([self.table.seed, number, 13]))
            open_floor = beyond & (at_top >= outer)[..., None] & (_outside(floor) >= outer)[..., None]
            self.colour = np.where(open_floor, self.colour, bare)

    def near_frame(self) -> None:
        """A near frame hides what lies behind it."""
        stuff = self.table.material
        if stuff.frame_height > 0.05:
            level, at_top = self.frame_top()
            ring = (at_top > stuff.margin) & (at_top < stuff.margin + stuff.frame_width)
            self.colour[ring] = level[ring]

    def reflections(self) -> None:
        """What a glossy cloth mirrors of the discs."""
        table, stuff = self.table, self.table.material
        if stuff.cloth_gloss < 0.05:
            return
        share = np.float32(min(stuff.cloth_gloss * stuff.mirror * 0.25, 0.3))
        for index in self.placed:
            centre = self.moment.places[index].astype(np.float32)
            window = self.window(centre, table.radius, -table.height)
            if self.colour[window].size == 0:
                continue
            away, leg = self.met(0.0, window) - centre, self.flat[window] * np.float32(table.height)
            along = np.clip(-(away * leg).sum(axis=-1) / np.maximum((leg**2).sum(axis=-1), 1e-9), 0, 1)
            inside = ((away + leg * along[..., None]) ** 2).sum(axis=-1) < table.radius**2
            face = linear(stuff.black if self.white[index] else stuff.white)  # its lower side
            self.colour[window][inside] = self.colour[window][inside] * (1 - share) + face * share

    def discs(self) -> None:
        """From the far ones to the near ones."""
        self.reflections()
        places = self.moment.places
        for index in sorted(self.placed, key=lambda index: -float(np.hypot(*(places[index] - self.eye[:2])))):
            self.disc(places[index].astype(np.float32), self.white[index])

    def disc(self, centre: Array, white: bool) -> None:
        """One disc as a cylinder of two colours: rim, side, top."""
        table, stuff = self.table, self.table.material
        radius, height = table.radius, table.height
        window = self.window(centre, radius, height)
        if self.colour[window].size == 0:
            return
        top, foot = self.met(height, window), self.met(0.0, window)
        away, leg = top - centre, foot - top
        square = (away**2).sum(axis=-1)
        along, length = (away * leg).sum(axis=-1), np.maximum((leg**2).sum(axis=-1), 1e-9)
        closest = away + leg * np.clip(-along / length, 0, 1)[..., None]
        on_top = square < radius**2
        on_side = ((closest**2).sum(axis=-1) < radius**2) & ~on_top
        face, other = (stuff.white, stuff.black) if white else (stuff.black, stuff.white)
        light = self.light(top, height)
        distance = np.sqrt(square) / radius
        edge = distance > 1 - stuff.rim / radius
        tone = np.where(edge, 0.72, 1.0).astype(np.float32)
        if stuff.grooves:
            tone = tone * (1 + 0.14 * np.sin(2 * np.pi * stuff.grooves * distance) * (~edge))
        if stuff.ring:
            tone = tone * np.where(np.abs(distance - stuff.ring) < 0.05, 0.8, 1.0)
        tilt = away * np.where(edge, 0.3 / radius, 0.05 / radius)[..., None]
        lit = linear(face) * light * tone[..., None]
        lit += self.glare(top, height, stuff.disc_gloss, tilt.astype(np.float32))
        if stuff.turned:
            lit += self.spokes(centre, away)
        self.colour[window][on_top] = lit[on_top]
        # where the side is met: the first root of |away + leg·t| = radius
        enter = (-along - np.sqrt(np.maximum(along**2 - length * (square - radius**2), 0))) / length
        enter = np.clip(enter, 0, 1)
        normal = (away + leg * enter[..., None]) / radius
        towards = table.lamps[0].place[:2] - 4
        towards = towards / max(float(np.hypot(*towards)), 1e-6)
        facing = 0.35 + 0.3 * np.clip((normal * towards.astype(np.float32)).sum(axis=-1), -1, 1)
        side = np.where((enter < 0.5)[..., None], linear(face), linear(other)) * light * facing[..., None]
        self.colour[window][on_side] = side[on_side]

    def spokes(self, centre: Array, away: Array) -> Array:
        """What rings that a lathe left show of the lamps: light along the two ways towards and from each."""
        table = self.table
        place = np.array([*centre, table.height])
        seen = (self.eye - place) / np.linalg.norm(self.eye - place)
        round_it = away / np.maximum(np.linalg.norm(away, axis=-1, keepdims=True), 1e-6)
        out = np.zeros((*away.shape[:2], 3), np.float32)
        for lamp in table.lamps:
            half = (lamp.place - place) / np.linalg.norm(lamp.place - place) + seen
            x, y = half[:2] / half[2]
            aside = np.abs(round_it[..., 0] * y - round_it[..., 1] * x)
            bright = table.material.turned * lamp.strength * np.exp(-(x * x + y * y) / 0.5)
            out += (bright * np.exp(-((aside / 0.12) ** 2)))[..., None] * np.array(lamp.colour, np.float32)
        return out

    def window(self, centre: Array, radius: float, height: float) -> tuple[slice, slice]:
        """The part of the picture that a disc can be in."""
        turn = np.linspace(0, 2 * np.pi, 17)
        ring = np.stack([centre[0] + radius * np.cos(turn), centre[1] + radius * np.sin(turn)], axis=1)
        hull = np.concatenate([np.insert(ring, 2, height, axis=1), np.insert(ring, 2, 0.0, axis=1)])
        seen = self.pixels(hull) * self.scale
        left, up = (max(int(low) - 3, 0) for low in seen.min(axis=0))
        right, down = (max(int(high) + 4, 0) for high in seen.max(axis=0))
        return slice(up, max(down, up)), slice(left, max(right, left))

    def things(self) -> NDArray[np.uint8]:
        """Draws what does not belong on a board; gives the mask of it."""
        hidden = np.zeros(self.colour.shape[:2], np.uint8)
        for number, thing in enumerate(self.moment.things):
            self.thing(thing, hidden, np.random.default_rng([self.table.seed, number, 9]))
        return hidden

    def thing(self, thing: Thing, hidden: NDArray[np.uint8], random: np.random.Generator) -> None:
        lens = self.table.lens
        turn = np.linspace(0, 2 * np.pi, 25)
        ring = np.stack([np.cos(turn), np.sin(turn)], axis=1)
        light = self.light(np.array([[[4.0, 4.0]]], np.float32), 0.0)[0, 0]
        for number, (first, second, thick_first, thick_second) in enumerate(thing.capsules):
            outline, ends = [], []
            ends_seen = _in_sight(lens.eye, lens.turn[2], first, second, thick_first, thick_second)
            for point, thick in zip(*ends_seen, strict=True):
                middle = lens.at(point) * self.scale
                ends.append(middle)
                outline.append(middle + ring * (thick * lens.focal / ((point - lens.eye) @ lens.turn[2]) * self.scale))
            hull = cv2.convexHull(np.clip(np.concatenate(outline) * 8, -2e6, 2e6).astype(np.int32))
            mask = np.zeros_like(hidden)
            cv2.fillConvexPoly(mask, hull, 255, cv2.LINE_AA, 3)
            left, up, width, height = cv2.boundingRect(mask)
            window = slice(up, up + height), slice(left, left + width)
            if width == 0:
                continue
            inside = mask[window]
            deep = cv2.distanceTransform((inside > 127).astype(np.uint8), cv2.DIST_L2, 3)
            bulge = np.sqrt(np.clip(deep / max(float(deep.max()), 1.0), 0, 1))
            tone = linear(thing.colours[min(number, len(thing.colours) - 1)])
            shade = 0.35 + 0.65 * bulge if thing.kind == "arm" else 0.8 + 0.2 * bulge
            shade = shade + random.normal(0, 0.04, shade.shape).astype(np.float32)
            if thing.stripes and number == 0:
                axis = (ends[1] - ends[0]) / max(float(np.hypot(*(ends[1] - ends[0]))), 1.0) / (6 * self.scale)
                rows, columns = np.mgrid[window].astype(np.float32)
                shade = shade * np.where((columns * axis[0] + rows * axis[1]) % 2 < 1, 1.0, thing.stripes)
            part = (inside / 255.0).astype(np.float32)[..., None]
            self.colour[window] = self.colour[window] * (1 - part) + part * tone * light * shade[..., None]
            np.maximum(hidden, mask, out=hidden)

    def covered(self, hidden: NDArray[np.uint8]) -> Points:
        """How much of every square's disc, or of its place, a thing hides."""
        table = self.table
        out = np.zeros(64)
        if not hidden.any():
            return out
        turn = np.linspace(0, 2 * np.pi, 16, endpoint=False)
        ring = np.concatenate([np.stack([np.cos(turn), np.sin(turn)], axis=1) * share for share in (0.35, 0.7, 1.0)])
        for index, cell in enumerate(self.moment.cells):
            middle = self.moment.places[index] if cell != "-" else np.array([index % 8 + 0.5, index // 8 + 0.5])
            height = table.height if cell != "-" else 0.0
            spots = self.pixels(np.insert(middle + ring * table.radius, 2, height, axis=1)) * self.scale
            x, y = np.round(spots).astype(int).T
            inside = (x >= 0) & (y >= 0) & (x < hidden.shape[1]) & (y < hidden.shape[0])
            if inside.any():
                out[index] = float((hidden[y[inside], x[inside]] > 127).sum()) / len(x)
        return out


def _smoothly(step: int, places: Array, compute: Callable[[Array], Array]) -> Array:
    """Something that changes slowly over a large picture, computed for every few pixels."""
    height, width = places.shape[:2]
    if height * width < _LARGE:
        return compute(places)
    coarse = np.asarray(cv2.resize(places, (width // step, height // step), interpolation=cv2.INTER_AREA), np.float32)
    return np.asarray(cv2.resize(compute(coarse), (width, height), interpolation=cv2.INTER_LINEAR), np.float32)


def _soft(away: NDArray[Any], steep: float) -> Array:
    return np.asarray(1 / (1 + np.exp(np.clip(away * np.float32(steep), -30, 30))))


def _outside(places: Array) -> Array:
    """How far outside the field; negative within."""
    x, y = places[..., 0], places[..., 1]
    return np.asarray(np.maximum(np.maximum(-x, x - 8), np.maximum(-y, y - 8)))


def _in_sight(
    eye: Points, forward: Points, first: Points, second: Points, thick_first: float, thick_second: float
) -> tuple[tuple[Points, Points], tuple[float, float]]:
    """The part of a capsule that lies well in front of the camera."""
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
