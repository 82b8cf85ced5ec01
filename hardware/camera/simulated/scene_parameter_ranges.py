"""Parameter ranges of drawn boards. The seed determines everything."""

from __future__ import annotations

from dataclasses import dataclass

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
