"""Renderer of a table at one moment as a camera would see it, with the ground truth.

- Every pixel is a ray through floor, frame, cloth, discs and obstacles as solids, so that tops shift, sides show and
  objects hide each other; then lens, sensor and compression degrade the picture.
- The same table and moment give the same picture, whatever was drawn of that table before.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from drawn_tables.lens_and_sensor_effects import exposed, sensor_light, shot_noise
from drawn_tables.seeded_table_scene import FrameState, TableScene
from drawn_tables.static_scene_parts import Array, Points, StaticScene, Window
from drawn_tables.table_textures_and_shadows import srgb_to_linear
from numpy.typing import NDArray

_CORNERS = np.array([[0.0, 0, 0], [8, 0, 0], [8, 8, 0], [0, 8, 0]])


@dataclass(frozen=True, slots=True)
class RenderedImage:
    """Rendered picture. ``image`` is BGR, 8 bits; ``corners`` the field's outer corners in pixels (4×2); ``covered``:
    for every square the share hidden by a foreign object (0 to 1)."""

    image: NDArray[np.uint8]
    corners: Points
    cells: str
    covered: Points


@dataclass(frozen=True, slots=True)
class RadianceImage:
    """Light on the sensor: linear RGB, with the ground truth as in ``RenderedImage``."""

    light: Array
    corners: Points
    cells: str
    covered: Points
    #: by exposure of the last picture: the light, and its noise
    _exposure: dict[float, tuple[Array, Array]] = field(default_factory=dict)

    def taken(self, table: TableScene, moment: FrameState, noise: Array) -> RenderedImage:
        """Return one picture of it, with the exposure of ``moment`` and the ``noise`` as in ``exposed``."""
        if moment.gain not in self._exposure:
            small = self.light * np.float32(moment.gain)
            self._exposure.clear()
            self._exposure[moment.gain] = small, shot_noise(table, small)
        image = exposed(table, *self._exposure[moment.gain], noise)
        return RenderedImage(image, self.corners, self.cells, self.covered)


def draw(table: TableScene, moment: FrameState, scale: float = 1.6) -> RenderedImage:
    """Return one picture. ``scale``: supersampling factor before it is made smaller."""
    seen = lit(StaticScene(table, moment.bump, scale), moment)
    noise = np.random.default_rng([table.seed, moment.seed, 5]).standard_normal(seen.light.shape, np.float32)
    return seen.taken(table, moment, noise)


def lit(stage: StaticScene, moment: FrameState) -> RadianceImage:
    """Return the light of everything that is constant while the table does not change.

    :raises ValueError: if the stage belongs to a board at another place.
    """
    if stage.bump != moment.bump:
        raise ValueError(f"the board was pushed by {moment.bump}, but its stage by {stage.bump}")
    placed = [index for index, cell in enumerate(moment.cells) if cell != "-"]
    colour = stage.empty(moment, placed)
    _draw_discs(stage, moment, placed, colour)
    stage.near_frame(colour)
    hidden = np.zeros(colour.shape[:2], np.uint8)
    for number, obstacle in enumerate(moment.things):
        for part in stage.painted(obstacle, np.random.default_rng([stage.table.seed, number, 9])):
            part.onto(colour)
            np.maximum(hidden[part.window], part.inside, out=hidden[part.window])
    return RadianceImage(
        sensor_light(stage.table, colour), stage.pixels(_CORNERS), moment.cells, _covered(stage, moment, hidden)
    )


@dataclass(frozen=True, slots=True)
class RenderedDisc:
    """Rendered disc: ``pixels`` (places in the picture row by row) and their ``colours``; ``mirrored``: where a glossy
    cloth shows its lower side, whose colour is ``below``."""

    pixels: NDArray[np.intp]
    colours: Array
    mirrored: NDArray[np.intp]
    below: Array


def _draw_discs(stage: StaticScene, moment: FrameState, placed: list[int], colour: Array) -> None:
    """Draw the discs' mirror images, then the discs from far to near; an unchanged disc is not rendered anew."""
    fresh = [at for at in placed if at not in stage.discs or stage.discs[at][0] != _what(moment, at)]
    if fresh:
        centres, radius, height = moment.places[fresh].astype(np.float32), stage.table.radius, stage.table.height
        windows, below = _windows(stage, centres, radius, height), _windows(stage, centres, radius, -height)
        for at, centre, window, under in zip(fresh, centres, windows, below, strict=True):
            stage.discs[at] = _what(moment, at), _seen(stage, centre, moment.cells[at] == "O", window, under)
    flat, stuff = colour.reshape(-1, 3), stage.table.material
    share = np.float32(min(stuff.cloth_gloss * stuff.mirror * 0.25, 0.3))
    for at in placed:
        disc = stage.discs[at][1]
        if len(disc.mirrored):
            flat[disc.mirrored] = flat[disc.mirrored] * (1 - share) + disc.below * share
    for at in sorted(placed, key=lambda at: -float(np.hypot(*(moment.places[at] - stage.eye[:2])))):
        disc = stage.discs[at][1]
        flat[disc.pixels] = disc.colours


def _what(moment: FrameState, at: int) -> tuple[str, bytes]:
    return moment.cells[at], moment.places[at].tobytes()


def _seen(stage: StaticScene, centre: Array, white: bool, window: Window, under: Window) -> RenderedDisc:
    """Return one disc as a cylinder of two colours: rim, side, top."""
    table, stuff = stage.table, stage.table.material
    radius, height = table.radius, table.height
    face, other = (stuff.white, stuff.black) if white else (stuff.black, stuff.white)
    mirrored = np.zeros(0, np.intp) if stuff.cloth_gloss < 0.05 else _mirrored(stage, centre, under)
    top, foot = stage.met(height, window), stage.met(0.0, window)
    if top[0].size == 0:
        return RenderedDisc(np.zeros(0, np.intp), np.zeros((0, 3), np.float32), mirrored, srgb_to_linear(other))
    away = top[0] - centre[0], top[1] - centre[1]
    leg = foot[0] - top[0], foot[1] - top[1]
    square = away[0] ** 2 + away[1] ** 2
    along, length = away[0] * leg[0] + away[1] * leg[1], np.maximum(leg[0] ** 2 + leg[1] ** 2, 1e-9)
    nearest = np.clip(-along / length, 0, 1)
    closest = (away[0] + leg[0] * nearest) ** 2 + (away[1] + leg[1] * nearest) ** 2
    on_top = square < radius**2
    on_side = (closest < radius**2) & ~on_top
    light = stage.light(top, height)
    distance = np.sqrt(square) / radius
    edge = distance > 1 - stuff.rim / radius
    tone = np.where(edge, 0.72, 1.0).astype(np.float32)
    if stuff.grooves:
        tone = tone * (1 + 0.14 * np.sin(2 * np.pi * stuff.grooves * distance) * (~edge))
    if stuff.ring:
        tone = tone * np.where(np.abs(distance - stuff.ring) < 0.05, 0.8, 1.0)
    bend = np.where(edge, 0.3 / radius, 0.05 / radius)
    tilt = (away[0] * bend).astype(np.float32), (away[1] * bend).astype(np.float32)
    shine = stage.mirrored(top, height, stuff.disc_gloss, tilt)
    spokes = _spokes(stage, centre, away) if stuff.turned else None
    # intersection with the side: the first root of |away + leg·t| = radius
    enter = (-along - np.sqrt(np.maximum(along**2 - length * (square - radius**2), 0))) / length
    enter = np.clip(enter, 0, 1)
    towards = table.lamps[0].place[:2] - 4
    towards = (towards / max(float(np.hypot(*towards)), 1e-6)).astype(np.float32)
    normal = (away[0] + leg[0] * enter) / radius * towards[0] + (away[1] + leg[1] * enter) / radius * towards[1]
    facing = 0.35 + 0.3 * np.clip(normal, -1, 1)
    colours = np.empty((*top[0].shape, 3), np.float32)
    for channel, (above, below) in enumerate(zip(srgb_to_linear(face), srgb_to_linear(other), strict=True)):
        lit = above * light[..., channel] * tone + shine[channel]
        if spokes is not None:
            lit = lit + spokes[channel]
        side = np.where(enter < 0.5, above, below) * light[..., channel] * facing
        colours[..., channel] = np.where(on_top, lit, side)
    shown = on_top | on_side
    return RenderedDisc(_pixels(stage, window, shown), colours[shown], mirrored, srgb_to_linear(other))


def _mirrored(stage: StaticScene, centre: Array, under: Window) -> NDArray[np.intp]:
    """Return where a glossy cloth mirrors a disc."""
    height = np.float32(stage.table.height)
    (x, y), leg = stage.met(0.0, under), [way[under] * height for way in stage.flat]
    x, y = x - centre[0], y - centre[1]
    along = np.clip(-(x * leg[0] + y * leg[1]) / np.maximum(leg[0] ** 2 + leg[1] ** 2, 1e-9), 0, 1)
    return _pixels(stage, under, (x + leg[0] * along) ** 2 + (y + leg[1] * along) ** 2 < stage.table.radius**2)


def _spokes(stage: StaticScene, centre: Array, away: tuple[Array, Array]) -> list[Array]:
    """Return the lamps' reflections on the rings of a lathe-turned disc: light along the two directions towards and
    from each; three colours."""
    table = stage.table
    place = np.array([*centre, table.height])
    seen = (stage.eye - place) / np.linalg.norm(stage.eye - place)
    far = np.maximum(np.sqrt(away[0] ** 2 + away[1] ** 2), 1e-6)
    out = [np.zeros(far.shape, np.float32) for _ in range(3)]
    for lamp in table.lamps:
        half = (lamp.place - place) / np.linalg.norm(lamp.place - place) + seen
        x, y = half[:2] / half[2]
        aside = np.abs(away[0] / far * y - away[1] / far * x)
        bright = table.material.turned * lamp.strength * np.exp(-(x * x + y * y) / 0.5)
        spoke = bright * np.exp(-((aside / 0.12) ** 2))
        for channel, part in zip(out, np.array(lamp.colour, np.float32), strict=True):
            channel += spoke * part
    return out


def _pixels(stage: StaticScene, window: Window, shown: NDArray[np.bool_]) -> NDArray[np.intp]:
    rows, columns = np.nonzero(shown)
    return np.asarray((rows + window[0].start) * stage.width + columns + window[1].start)


def _windows(stage: StaticScene, centres: Array, radius: float, height: float) -> list[Window]:
    """Return the part of the picture that can contain each disc."""
    turn = np.linspace(0, 2 * np.pi, 17)
    ring = np.stack([centres[:, :1] + radius * np.cos(turn), centres[:, 1:] + radius * np.sin(turn)], axis=-1)
    hull = np.concatenate([np.insert(ring, 2, height, axis=-1), np.insert(ring, 2, 0.0, axis=-1)], axis=1)
    seen = stage.pixels(hull) * stage.scale
    low = np.maximum(seen.min(axis=1).astype(int) - 3, 0)
    high = np.maximum(np.maximum(seen.max(axis=1).astype(int) + 4, 0), low)
    return [
        (slice(up, down), slice(left, right))
        for (left, up), (right, down) in zip(low.tolist(), high.tolist(), strict=True)
    ]


def _covered(stage: StaticScene, moment: FrameState, hidden: NDArray[np.uint8]) -> Points:
    """Return the share of every square's disc, or of its place, that an object hides."""
    out = np.zeros(64)
    if not hidden.any():
        return out
    table, turn = stage.table, np.linspace(0, 2 * np.pi, 16, endpoint=False)
    ring = np.concatenate([np.stack([np.cos(turn), np.sin(turn)], axis=1) * share for share in (0.35, 0.7, 1.0)])
    disc = np.array([cell != "-" for cell in moment.cells])
    squares = np.stack([np.tile(np.arange(8), 8), np.repeat(np.arange(8), 8)], axis=1) + 0.5
    middles = np.where(disc[:, None], moment.places, squares)
    spots = np.empty((64, len(ring), 3))
    spots[..., :2] = middles[:, None] + ring * table.radius
    spots[..., 2] = np.where(disc, table.height, 0.0)[:, None]
    x, y = np.moveaxis(np.round(stage.pixels(spots) * stage.scale).astype(int), -1, 0)
    inside = (x >= 0) & (y >= 0) & (x < stage.width) & (y < stage.height)
    behind = hidden[np.where(inside, y, 0), np.where(inside, x, 0)] > 127
    return np.asarray((behind & inside).mean(axis=1))
