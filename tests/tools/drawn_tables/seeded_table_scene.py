"""Scene of one drawn table, determined by a seed: the board, its light, the camera. Pure.

A ``TableScene`` is constant during a game; a ``FrameState`` changes from picture to picture.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

# Parameter ranges of drawn boards. The seed determines everything.

Span = tuple[float, float]
Colour = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class DatasetSplit:
    """Ranges of one split; colours are sRGB from 0 to 1, lengths are squares, angles degrees."""

    name: str
    cloths: tuple[Colour, ...]
    woods: tuple[Colour, ...]
    sleeves: tuple[Colour, ...]
    skins: tuple[Colour, ...]
    frames: tuple[Colour, ...]
    floors: tuple[Colour, ...]
    floor_kinds: tuple[str, ...]
    line_kinds: tuple[str, ...]
    disc_radius: Span
    disc_height: Span
    off_centre: float
    elevation: Span
    field_of_view: Span
    distortion: Span
    square_pixels: Span
    jpeg: Span
    lux: Span
    grain_turns: Span
    things: tuple[str, ...]
    #: share of the tables with a polished cloth and lathe-turned discs, including folding boards
    polished: float = 0.0


TUNE = DatasetSplit(
    name="tune",
    cloths=(
        (0.05, 0.45, 0.22),  # the usual green
        (0.10, 0.55, 0.30),
        (0.02, 0.30, 0.16),
        (0.05, 0.42, 0.38),  # teal
        (0.10, 0.25, 0.55),  # blue
        (0.55, 0.14, 0.14),  # red
        (0.40, 0.40, 0.42),  # grey
        (0.45, 0.38, 0.20),  # khaki
    ),
    woods=((0.62, 0.42, 0.24), (0.76, 0.60, 0.40)),
    sleeves=(
        (0.05, 0.05, 0.06),
        (0.85, 0.85, 0.88),
        (0.12, 0.15, 0.35),
        (0.45, 0.45, 0.47),
        (0.55, 0.12, 0.15),
        (0.06, 0.40, 0.20),
    ),
    skins=((0.87, 0.68, 0.56), (0.78, 0.56, 0.42), (0.45, 0.29, 0.20), (0.93, 0.78, 0.68)),
    frames=((0.04, 0.04, 0.05), (0.12, 0.12, 0.13), (0.35, 0.22, 0.12), (0.75, 0.76, 0.78), (0.05, 0.25, 0.12)),
    floors=(
        (0.85, 0.82, 0.78),
        (0.55, 0.36, 0.20),
        (0.30, 0.30, 0.32),
        (0.95, 0.95, 0.96),
        (0.20, 0.13, 0.09),
        (0.60, 0.64, 0.70),
    ),
    floor_kinds=("plain", "planks", "noise", "clutter"),
    line_kinds=("printed", "embossed", "light"),
    disc_radius=(0.38, 0.46),
    disc_height=(0.11, 0.25),
    off_centre=0.16,
    elevation=(20.0, 90.0),
    field_of_view=(40.0, 72.0),
    distortion=(-0.12, 0.06),
    square_pixels=(15.0, 60.0),
    jpeg=(30.0, 95.0),
    lux=(3.0, 600.0),
    grain_turns=(2.0, 9.0),
    things=("arm", "arm", "arm", "pen", "card"),
)


Array = NDArray[np.float64]
Plane = NDArray[np.float32]
#: squares of cloth, frame and table in the board's textures beyond the field
MARGIN = 3.0
_STREAMS = {"tune": 1, "unseen": 2, "train": 3, "wild": 4}


@dataclass(frozen=True, slots=True)
class Lens:
    """Camera in the board's coordinates. ``turn`` (3×3) takes board directions to camera directions."""

    eye: Array
    turn: Array
    focal: float
    size: tuple[int, int]
    distortion: float

    def rays(self, scale: float) -> tuple[Plane, Plane, Plane]:
        """Return the direction of every pixel (three times height × width) of the picture drawn at ``scale``."""
        width, height = round(self.size[0] * scale), round(self.size[1] * scale)
        u = ((np.arange(width) + 0.5) / scale - self.size[0] / 2) / self.focal
        v = ((np.arange(height) + 0.5) / scale - self.size[1] / 2) / self.focal
        x, y = u.astype(np.float32)[None, :], v.astype(np.float32)[:, None]
        bent = 1 + np.float32(self.distortion) * (x * x + y * y)
        x, y = x * bent, y * bent
        first, second, third = (x * across + y * down + ahead for across, down, ahead in self.turn.astype(np.float32).T)
        return first, second, third

    def at(self, points: Array) -> Array:
        """Return the pixels (…×2) of board points (…×3)."""
        seen = (points - self.eye) @ self.turn.T
        straight = seen[..., :2] / np.maximum(seen[..., 2:], 1e-3)
        bent = straight
        for _ in range(12):
            bent = straight / (1 + self.distortion * (bent**2).sum(axis=-1, keepdims=True))
        return np.asarray(bent * self.focal + np.array(self.size) / 2)


@dataclass(frozen=True, slots=True)
class Lamp:
    """Light source: position (board coordinates), intensity, half width, colour; ``slim`` is its other half side as a
    share of that, ``angle`` its rotation."""

    place: Array
    strength: float
    width: float
    colour: Colour
    slim: float
    angle: float


@dataclass(frozen=True, slots=True)
class Material:
    cloth: Colour
    wood: bool
    grain_turns: float
    line_kind: str
    line_width: float
    line_strength: float
    cloth_gloss: float
    disc_gloss: float
    roughness: float
    haze: float
    mirror: float
    worn: float
    black: Colour
    white: Colour
    rim: float
    ring: float
    grooves: float
    frame: Colour
    frame_width: float
    frame_height: float
    frame_gloss: float
    margin: float
    floor: Colour
    floor_kind: str
    thickness: float
    dots: bool
    #: width of the halo around a mirrored lamp, as a share of the lamp's height
    halo: float = 0.35
    #: strength of a disc's reflection along two spokes, as of lathe-turned discs
    turned: float = 0.0
    #: a folding board has a gap through its middle: along 0 a row, 1 a column, None nowhere
    hinge: int | None = None
    #: colour of every second square, as of a chessboard
    chequer: Colour | None = None


#: faces (outline, counterclockwise from outside, and colour) of a convex solid
Solid = tuple[tuple[Array, Colour], ...]


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Foreign object on or over a board: capsules (from, to, radii) and solids in the board's coordinates."""

    kind: str
    capsules: tuple[tuple[Array, Array, float, float], ...]
    colours: tuple[Colour, ...]
    stripes: float = 0.0
    solids: tuple[Solid, ...] = ()


@dataclass(frozen=True, slots=True)
class TableScene:
    """Constants of a scene. ``noise`` is the sensor's at full light; ``lux`` dims the room."""

    lens: Lens
    material: Material
    radius: float
    height: float
    off_centre: float
    lamps: tuple[Lamp, ...]
    ambient: Colour
    lux: float
    exposure: float
    white_balance: Colour
    saturation: float
    contrast: float
    sharpen: float
    blur: float
    vignette: float
    jpeg: int
    sleeves: tuple[Colour, ...]
    skins: tuple[Colour, ...]
    things: tuple[str, ...]
    scenery: tuple[Obstacle, ...]
    seed: int


@dataclass(frozen=True, slots=True)
class FrameState:
    """State of a scene. ``cells``: 64 of X O - ; ``places``: the discs' centres (64×2); ``bump``: shift and rotation of
    the board (squares, squares, radians); ``gain``: the camera's exposure as a multiple of the light."""

    cells: str
    places: Array
    things: tuple[Obstacle, ...] = ()
    bump: tuple[float, float, float] = (0.0, 0.0, 0.0)
    gain: float = 1.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class SceneRequest:
    """Scene parameters fixed by a caller; None leaves them to the seed."""

    size: tuple[int, int] | None = None
    stress: bool = True
    elevation: Span | None = None
    square_pixels: Span | None = None


def table_of(split: DatasetSplit, seed: int, wish: SceneRequest | None = None) -> TableScene:
    """Return the table of that seed."""
    wish = wish or SceneRequest()
    random = np.random.default_rng([seed, _STREAMS[split.name]])
    size = wish.size or ((640, 480), (640, 480), (800, 600), (480, 640))[random.integers(4)]
    material = _material(split, random)
    lux = float(np.exp(random.uniform(*np.log(split.lux)))) if wish.stress else 300.0
    lens = _lens(split, random, size, wish, material)
    warm = random.uniform(-0.35, 0.25) if wish.stress else 0.0
    light = (1.0 - min(warm, 0.0) * 0.6, 1.0, 1.0 + max(warm, 0.0) - max(-warm, 0.0) * 0.8)
    balance = random.uniform(0.3, 1.0)
    direct = random.uniform(0.2, 0.9)
    lamps = tuple(
        Lamp(
            _hung(random, lens),
            float(direct / (1 + index) * random.uniform(0.6, 1.2)),
            float(np.exp(random.uniform(np.log(0.5), np.log(9.0)))),
            (light[0], light[1], light[2]),
            float(np.exp(random.uniform(np.log(0.08), 0.0))),
            float(random.uniform(0, np.pi)),
        )
        for index in range(int(random.integers(1, 4)))
    )
    ambient = 1.0 - 0.6 * direct
    polish = np.random.default_rng([seed, _STREAMS[split.name], 41])
    if polish.random() < split.polished:
        material = _polished(material, polish)
        lamps = _tubes(lamps, polish, lens)
    return TableScene(
        lens=lens,
        material=material,
        radius=float(random.uniform(*split.disc_radius)),
        height=float(random.uniform(*split.disc_height)),
        off_centre=float(random.uniform(0.02, split.off_centre)),
        lamps=lamps,
        ambient=(ambient * light[0], ambient, ambient * light[2]),
        lux=lux,
        exposure=float(np.exp(random.normal(0, 0.28))),
        white_balance=(
            float(light[0] ** -balance * np.exp(random.normal(0, 0.06))),
            1.0,
            float(light[2] ** -balance * np.exp(random.normal(0, 0.06))),
        ),
        saturation=float(random.uniform(0.6, 1.35)),
        contrast=float(random.uniform(0.8, 1.35)),
        sharpen=float(random.uniform(0.0, 1.2)) if random.random() < 0.6 else 0.0,
        blur=float(random.uniform(0.0, 1.1)) if random.random() < 0.6 else 0.0,
        vignette=float(random.uniform(0.0, 0.5)),
        jpeg=int(random.uniform(*split.jpeg)),
        sleeves=split.sleeves,
        skins=split.skins,
        things=split.things,
        scenery=_scenery(random, material),
        seed=seed,
    )


def _scenery(random: np.random.Generator, material: Material) -> tuple[Obstacle, ...]:
    """Return the objects around a board: boxes, clocks, people."""
    out = []
    for _ in range(int(random.integers(0, 7)) if random.random() < 0.6 else 0):
        angle, thick = random.uniform(0, 2 * np.pi), random.uniform(0.3, 2.0)
        away = 6.5 + material.frame_width + thick + random.uniform(0, 8)
        foot = np.array([4 + away * np.cos(angle), 4 + away * np.sin(angle), -material.thickness])
        top = foot + np.array([*random.normal(0, 0.8, 2), random.uniform(0.3, 8.0)])
        out.append(Obstacle("box", ((foot, top, thick, thick * random.uniform(0.5, 1.2)),), (_any(random),)))
    return tuple(out)


def _hung(random: np.random.Generator, lens: Lens) -> Array:
    """Return the position of a lamp: anywhere above, or where the camera sees its mirror image on the board."""
    up = float(random.uniform(7, 26))
    if random.random() < 0.6:
        return np.array([4 + random.uniform(-14, 14), 4 + random.uniform(-14, 14), up])
    return mirrored_place(random, lens, up)


def mirrored_place(random: np.random.Generator, lens: Lens, up: float = 12.0) -> Array:
    """Return the position of a lamp that the camera sees mirrored in the field."""
    point = random.uniform(0, 8, 2)
    away = (point - lens.eye[:2]) / lens.eye[2] * up
    return np.array([*(point + away), up])


def _tubes(lamps: tuple[Lamp, ...], random: np.random.Generator, lens: Lens) -> tuple[Lamp, ...]:
    """Return the lamps with the first one as a tube, or two side by side, that the camera sees mirrored in the
    field."""
    tube = replace(
        lamps[0],
        place=mirrored_place(random, lens, float(random.uniform(7, 26))),
        width=float(random.uniform(1.2, 6.0)),
        slim=float(np.exp(random.uniform(np.log(0.03), np.log(0.4)))),
    )
    if random.random() < 0.5:
        return (tube, *lamps[1:])
    aside = np.array([-np.sin(tube.angle), np.cos(tube.angle), 0.0]) * tube.width * random.uniform(0.1, 0.5)
    return (tube, replace(tube, place=tube.place + aside), *lamps[1:2])


def _polished(material: Material, random: np.random.Generator) -> Material:
    """Return the same board in smooth plastic: lamps reflect sharply in it with a haze around them, in its discs as
    spokes."""
    return replace(
        material,
        cloth_gloss=float(np.exp(random.uniform(np.log(0.06), np.log(0.6)))),
        roughness=float(np.exp(random.uniform(np.log(0.012), np.log(0.1)))),
        haze=float(np.exp(random.uniform(np.log(0.2), np.log(4.0)))),
        halo=float(np.exp(random.uniform(np.log(0.04), np.log(0.35)))),
        worn=float(random.uniform(0.0, 0.2)),
        turned=float(random.uniform(0.0, 0.5)),
        hinge=(None, 0, 1)[random.integers(3)],
    )


def _material(split: DatasetSplit, random: np.random.Generator) -> Material:
    wood = bool(random.random() < 0.14)
    pool = split.woods if wood else split.cloths
    # the usual greens are first in the list and are drawn more often
    base = pool[min(int(random.exponential(0.4 * max(len(pool), 8))), 99) % len(pool)]
    grey = float(random.uniform(0.02, 0.16) if random.random() < 0.7 else random.uniform(0.13, 0.26))
    tint = random.normal(0, 0.012, 3)
    whites = ((0.93, 0.92, 0.90), (0.92, 0.90, 0.95), (0.95, 0.92, 0.84), (0.86, 0.87, 0.88))
    white = np.array(whites[random.integers(4)])
    shade = random.uniform(0.8, 1.03)
    return Material(
        cloth=_near(base, random, 0.05),
        wood=wood,
        grain_turns=float(random.uniform(*split.grain_turns)),
        line_kind=str(random.choice(split.line_kinds, p=_weights(len(split.line_kinds)))),
        line_width=float(random.uniform(0.018, 0.075)),
        line_strength=float(random.uniform(0.45, 1.0)),
        cloth_gloss=float(random.uniform(0.0, 0.2)) if random.random() < 0.65 else 0.0,
        disc_gloss=float(random.uniform(0.0, 0.22)),
        mirror=float(random.uniform(0.5, 4.0)),
        haze=float(random.uniform(0.0, 0.7)),
        worn=float(random.uniform(0.0, 0.5)),
        roughness=float(np.exp(random.uniform(np.log(0.03), np.log(0.5)))),
        black=_clip(grey + tint),
        white=_clip(white * shade),
        rim=float(random.uniform(0.02, 0.10)),
        ring=float(random.uniform(0.3, 0.85)) if random.random() < 0.4 else 0.0,
        grooves=float(random.uniform(2.0, 5.0)) if random.random() < 0.35 else 0.0,
        frame=_near(split.frames[random.integers(len(split.frames))], random, 0.02),
        frame_width=float(random.uniform(0.25, 1.3)),
        frame_height=float(random.uniform(0.0, 0.35)),
        frame_gloss=float(random.uniform(0.0, 0.08)),
        margin=float(random.uniform(0.0, 0.35)) if random.random() < 0.7 else 0.02,
        floor=_near(split.floors[random.integers(len(split.floors))], random, 0.04),
        floor_kind=str(split.floor_kinds[random.integers(len(split.floor_kinds))]),
        thickness=float(random.uniform(0.1, 0.9)),
        dots=bool(random.random() < 0.75),
    )


def _weights(count: int) -> list[float]:
    return [0.6] + [0.4 / (count - 1)] * (count - 1)


def _near(colour: Colour, random: np.random.Generator, spread: float) -> Colour:
    return _clip(np.array(colour) * np.exp(random.normal(0, 0.12)) + random.normal(0, spread / 2, 3))


def _clip(colour: Array) -> Colour:
    red, green, blue = np.clip(colour, 0.01, 0.98)
    return float(red), float(green), float(blue)


def _lens(
    split: DatasetSplit, random: np.random.Generator, size: tuple[int, int], wish: SceneRequest, material: Material
) -> Lens:
    """Return a camera whose picture contains the whole board."""
    low, high = wish.elevation or split.elevation
    # uniform in the sine: steep and flat angles are equally frequent
    elevation = float(np.arcsin(random.uniform(np.sin(np.radians(low)), np.sin(np.radians(high)))))
    azimuth = random.uniform(0, 2 * np.pi) if random.random() < 0.4 else random.normal(0, 0.08) + np.pi / 2
    field_of_view = np.radians(random.uniform(*split.field_of_view))
    focal = max(size) / 2 / np.tan(field_of_view / 2)
    roll = random.normal(0, 0.06)
    distortion = float(random.uniform(*split.distortion))
    aim = np.array([4 + random.normal(0, 0.5), 4 + random.normal(0, 0.5), 0.0])
    wanted = random.uniform(0.62, 0.97)
    least, most = wish.square_pixels or split.square_pixels
    away = np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])
    reach = random.uniform(0.1, 0.6)
    outer = 8 + reach
    box = np.array([[x, y, z] for x in (-reach, outer) for y in (-reach, outer) for z in (0.0, 0.3)])
    near, far = 6.0, 120.0
    for _ in range(28):
        distance = (near + far) / 2
        lens = Lens(aim + away * distance, _looking(away, roll), focal, size, distortion)
        seen = np.abs(lens.at(box) - np.array(size) / 2) / (np.array(size) / 2)
        if seen.max() > wanted or not np.isfinite(seen).all():
            near = distance
        else:
            far = distance
    lens = Lens(aim + away * far, _looking(away, roll), focal, size, distortion)
    across = float(np.linalg.norm(np.diff(lens.at(np.array([[4.0, 4.0, 0], [5.0, 4.0, 0]])), axis=0)))
    if across > most or (across < least and wanted < 0.9):
        # Too near or too far for the requested size: change the distance, as long as the board stays in the picture.
        factor = across / (most if across > most else least)
        further = max(far * factor, far)
        lens = Lens(aim + away * further, _looking(away, roll), focal, size, distortion)
    return lens


def _looking(away: Array, roll: float) -> Array:
    forward = -away
    upright = abs(away[2]) > 0.999
    right = np.array([1.0, 0.0, 0.0]) if upright else np.cross(away, np.array([0.0, 0.0, 1.0]))
    right = right / np.linalg.norm(right)
    down = np.cross(right, forward)
    c, s = np.cos(roll), np.sin(roll)
    return np.stack([c * right + s * down, -s * right + c * down, forward])


def moment_of(table: TableScene, cells: str, seed: int, things: tuple[Obstacle, ...] = ()) -> FrameState:
    """Return the moment of that position on that table."""
    places = scattered(table, np.random.default_rng([table.seed, seed, 7]))
    return FrameState(cells, places, things, seed=seed)


def scattered(table: TableScene, random: np.random.Generator) -> Array:
    """Return a disc's position in every square: mostly near the middle, occasionally over a line."""
    squares = np.stack([np.tile(np.arange(8), 8), np.repeat(np.arange(8), 8)], axis=1) + 0.5
    shift = random.normal(0, table.off_centre / 1.6, (64, 2))
    length = np.linalg.norm(shift, axis=1, keepdims=True)
    return np.asarray(squares + shift * np.minimum(1.0, 0.26 / np.maximum(length, 1e-9)))


def obstacle_of(
    table: TableScene, seed: int, target: tuple[float, float] | None = None, kind: str | None = None
) -> Obstacle:
    """Return an object that reaches over or lies on the board; ``target`` is the point of the field it reaches for."""
    random = np.random.default_rng([table.seed, seed, 11])
    kind = kind or str(table.things[random.integers(len(table.things))])
    x, y = target or (float(random.uniform(0.5, 7.5)), float(random.uniform(0.5, 7.5)))
    match kind:
        case "arm":
            return _arm(table, random, np.array([x, y]))
        case "pen":
            angle, length = random.uniform(0, np.pi), random.uniform(1.5, 4.0)
            along = np.array([np.cos(angle), np.sin(angle), 0.0]) * length / 2
            middle = np.array([x, y, 0.14])
            return Obstacle("pen", ((middle - along, middle + along, 0.14, 0.12),), (_any(random),))
        case _:
            angle, length, width = random.uniform(0, np.pi), random.uniform(1.6, 3.4), random.uniform(0.5, 1.0)
            along = np.array([np.cos(angle), np.sin(angle), 0.0]) * length / 2
            middle = np.array([x, y, 0.2])
            colour = (0.05, 0.05, 0.06) if kind == "phone" else _any(random)
            return Obstacle(kind, ((middle - along, middle + along, width, width),), (colour,))


def _any(random: np.random.Generator) -> Colour:
    return _clip(random.uniform(0.02, 0.95, 3))


def _arm(table: TableScene, random: np.random.Generator, target: Array) -> Obstacle:
    """Return an arm that enters over one edge: sleeve, wrist, palm and fingers down to the square."""
    side = random.uniform(0, 2 * np.pi)
    back = np.array([np.cos(side), np.sin(side)])
    low = random.uniform(0.25, 0.9)

    def over(distance: float, height: float, aside: float = 0.0) -> Array:
        place = target + back * distance + np.array([-back[1], back[0]]) * aside
        return np.array([place[0], place[1], height])

    skin = table.skins[random.integers(len(table.skins))]
    sleeve = table.sleeves[random.integers(len(table.sleeves))]
    thick = random.uniform(0.55, 0.95)
    bare = random.random() < 0.35
    capsules = [
        (over(2.6, low + 0.9), over(14.0, low + 3.2, random.uniform(-3, 3)), thick * 0.9, thick * 1.5),
        (over(1.4, low + 0.5), over(2.8, low + 0.9), thick * 0.8, thick * 0.7),
    ]
    colours = [skin if bare else sleeve, skin]
    for finger in range(int(random.integers(2, 6))):
        aside = (finger - 1.8) * 0.34
        tip = over(random.uniform(-0.35, 0.35), low * random.uniform(0.35, 1.0), aside * random.uniform(0.3, 1.0))
        capsules.append((over(1.2, low + 0.45, aside), tip, 0.26, 0.17))
        colours.append(skin)
    return Obstacle("arm", tuple(capsules), tuple(colours), float(random.choice([0.0, 0.0, 0.35])))
