"""Decoding of picture files from untrusted sources within fixed limits, drawing of overlays, and measurement of
a picture's quality.

- The size and the number of scans are read from the headers before decoding; a picture with too many pixels or scans is
  refused undecoded.
- Only JPEG and PNG are accepted, because every other decoder adds attack surface.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.board_reader import BoardReading
from hardware.camera.camera_projection import FIELD, Array, Pose, apply, homography, square_sides
from hardware.errors import HardwareError, say

MOST_BYTES = 40_000_000
MOST_PIXELS = 64_000_000
#: maximum scans of a JPEG: progressive encoders make 10 to 20, and decoding each takes time proportional to the size
MOST_SCANS = 40
LEAST_SIDE = 64
_QUALITY = 82
#: overlay colours, RGB
_GRID, _DOUBTFUL = (255, 220, 0), (255, 60, 60)
#: start-of-frame markers of JPEG; the excluded ones in their range have other meanings
_FRAMES = set(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
#: any marker of JPEG except those within a scan; and markers without a length: start, TEM
_MARKER, _BARE = re.compile(rb"\xff+([\x01-\xcf\xd8-\xfe])", re.DOTALL), {0x01, 0xD8}
_SCAN, _END = 0xDA, 0xD9
#: what libjpeg writes of data that lack a part or make no sense; bytes too many between two segments do no harm
_DAMAGE = re.compile(rb"premature end|bad Huffman code", re.IGNORECASE)


class PictureError(HardwareError, ValueError):
    """A file is not a picture that can be read."""


def load(path: Path) -> NDArray[np.uint8]:
    """Return the picture in a file, BGR, with the camera's orientation applied.

    :raises PictureError: if it is not a picture, or too large.
    :raises OSError: if it cannot be read.
    """
    if (size := path.stat().st_size) > MOST_BYTES:
        text = say("{file} is too large ({size} bytes); 12 megapixels are enough")
        raise PictureError(text(file=path, size=size))
    with path.open("rb") as file:  # of a device, which has no size, as much as a picture may have
        return decode_picture(file.read(MOST_BYTES), str(path))


def decode_picture(packed: bytes, name: str, most_pixels: int = MOST_PIXELS) -> NDArray[np.uint8]:
    """Return the picture from bytes, as ``load``; ``name`` is its name in messages."""
    if not packed:
        raise PictureError(say("{file} is empty; copy it or take the picture again", file=name))
    if (size := dimensions(packed)) is None:
        raise PictureError(say("{file} is no JPEG or PNG picture; save it as one of these", file=name))
    width, height = size
    check_size(name, width, height, most_pixels)
    if min(width, height) < LEAST_SIDE:
        text = say("{file} has only {width}×{height} pixels; take a larger picture")
        raise PictureError(text(file=name, width=width, height=height))
    if count_scans(packed) > MOST_SCANS:
        text = say("{file} is a JPEG of more than {most} scans; take the picture again")
        raise PictureError(text(file=name, most=MOST_SCANS))
    image, told = _decode(np.frombuffer(packed, np.uint8))
    if image is None or _DAMAGE.search(told):
        raise PictureError(say("{file} is damaged; take the picture again", file=name))
    return np.asarray(image, np.uint8)


def _decode(packed: NDArray[np.uint8]) -> tuple[cv2.typing.MatLike | None, bytes]:
    """Return a picture, None if it cannot be decoded, and what the decoder wrote on stderr, which is where libjpeg
    tells damage. Threads share stderr, so it is read in a process of one thread only; and of a JPEG only, whose decoder
    writes one line at most, which a pipe holds."""
    if threading.active_count() > 1 or packed[0] != 0xFF:
        return cv2.imdecode(packed, cv2.IMREAD_COLOR), b""
    (reading, writing), stderr = os.pipe(), os.dup(2)
    with os.fdopen(reading, "rb") as told:
        os.dup2(writing, 2)
        os.close(writing)
        try:
            image = cv2.imdecode(packed, cv2.IMREAD_COLOR)
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)
        return image, told.read()


@contextmanager
def memory_errors() -> Iterator[None]:
    """Raise ``MemoryError`` for OpenCV's own errors: mostly it lacks memory, or a file is made to disturb it."""
    try:
        yield
    except cv2.error as error:
        raise MemoryError from error


def check_size(name: str, width: int, height: int, most_pixels: int = MOST_PIXELS) -> None:
    """Check the size of a picture, or of a film's pictures, before they are decoded.

    :raises PictureError: it is too large.
    """
    if width * height > most_pixels:
        text = say("{file} is too large ({width}×{height} pixels); 12 megapixels are enough")
        raise PictureError(text(file=name, width=width, height=height))


def encode_jpeg(image: NDArray[np.uint8]) -> bytes:
    """Return a JPEG of the pixels without metadata: no location, time or camera name."""
    return cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1].tobytes()


def downscale(image: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """Return the picture with a longer side of at most ``side`` pixels."""
    scale = side / max(image.shape[:2])
    if scale >= 1:
        return image
    height, width = (max(1, round(length * scale)) for length in image.shape[:2])
    return np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def rectify_field(image: NDArray[np.uint8], corners: Array, side: int) -> NDArray[np.uint8]:
    """Return the field alone as seen from above, ``side`` pixels per square."""
    flat = cv2.warpPerspective(image, homography(corners, FIELD * side), (8 * side, 8 * side), flags=cv2.INTER_AREA)
    return np.asarray(flat, np.uint8)


def _shown(image: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[np.uint8]:
    height, width = image.shape[:2]
    scale = min(size[0] / width, size[1] / height)
    small = cv2.resize(image, (round(width * scale), round(height * scale)), interpolation=cv2.INTER_AREA)
    return np.ascontiguousarray(small[..., ::-1], np.uint8)


def draw_overlay(
    image: NDArray[np.uint8], corners: Array | None, cells: str, size: tuple[int, int]
) -> NDArray[np.uint8]:
    """Return RGB of at most ``size`` with the board's grid, a ring on every disc read, a cross on unknown squares, and
    a dot in the first corner."""
    out = _shown(image, size)
    if corners is None:
        return out
    seen = homography(FIELD, corners * (out.shape[1] / image.shape[1]))

    def at(x: float, y: float) -> tuple[int, int]:
        left, up = np.round(apply(seen, np.array([[x, y]]))[0]).astype(int).tolist()
        return left, up

    thick = max(1, round(min(size) / 300))
    for line in range(9):
        cv2.line(out, at(line, 0), at(line, 8), _GRID, thick, cv2.LINE_AA)
        cv2.line(out, at(0, line), at(8, line), _GRID, thick, cv2.LINE_AA)
    radius = max(3, round(float(np.linalg.norm(np.subtract(at(4, 4), at(5, 4)))) * 0.3))
    for index, cell in enumerate(cells):
        middle = at(index % 8 + 0.5, index // 8 + 0.5)
        if cell in "XO":
            inner, outer = ((0, 0, 0), (255, 255, 255)) if cell == "X" else ((255, 255, 255), (0, 0, 0))
            cv2.circle(out, middle, radius, outer, 3 * thick, cv2.LINE_AA)
            cv2.circle(out, middle, radius, inner, thick, cv2.LINE_AA)
        elif cell == "?":
            cv2.drawMarker(out, middle, _DOUBTFUL, cv2.MARKER_TILTED_CROSS, 2 * radius, 2 * thick, cv2.LINE_AA)
    cv2.circle(out, at(0, 0), radius, _GRID, cv2.FILLED, cv2.LINE_AA)
    return np.asarray(out, np.uint8)


def draw_moving_corner(
    image: NDArray[np.uint8], corners: Array, at: int, upright: bool, size: tuple[int, int]
) -> NDArray[np.uint8]:
    """Return RGB of at most ``size`` with four corners being moved (shares of the picture's sides): a line through the
    moved corner, across its direction, with a gap at its position."""
    out = _shown(image, size)
    height, width = out.shape[:2]
    thick = max(1, round(min(size) / 300))
    places = np.round(corners * [width, height]).astype(np.int32)
    cv2.polylines(out, [places], True, _GRID, thick, cv2.LINE_AA)
    x, y = places[at].tolist()
    ends = ((x, 0), (x, y - 9), (x, y + 9), (x, height)) if upright else ((0, y), (x - 9, y), (x + 9, y), (width, y))
    for first, second in (ends[:2], ends[2:]):
        cv2.line(out, first, second, _DOUBTFUL, thick, cv2.LINE_AA)
    cv2.circle(out, (x, y), 9, _DOUBTFUL, thick, cv2.LINE_AA)
    return np.asarray(out, np.uint8)


def dimensions(packed: bytes) -> tuple[int, int] | None:
    """Return width and height of a JPEG or PNG from its header alone; None for anything else."""
    if packed[:8] == b"\x89PNG\r\n\x1a\n" and packed[12:16] == b"IHDR" and len(packed) >= 24:
        return int.from_bytes(packed[16:20], "big"), int.from_bytes(packed[20:24], "big")
    for marker, at in _segments(packed):
        if marker in _FRAMES and at + 7 <= len(packed):
            return int.from_bytes(packed[at + 5 : at + 7], "big"), int.from_bytes(packed[at + 3 : at + 5], "big")
    return None


def count_scans(packed: bytes) -> int:
    """Return how many scans a JPEG has by its markers; 0 for anything else."""
    return sum(marker == _SCAN for marker, _ in _segments(packed))


def _segments(packed: bytes) -> Iterator[tuple[int, int]]:
    """Yield the markers of a JPEG as its decoder finds them, each with the position of the length after it. Bytes
    between a segment's end and the next marker are a scan, or are skipped."""
    at = 2 if packed[:3] == b"\xff\xd8\xff" else len(packed)
    while (found := _MARKER.search(packed, at)) is not None:
        marker, at = found[1][0], found.end()
        if marker == _END:
            return
        if marker not in _BARE:
            yield marker, at
            at += max(2, int.from_bytes(packed[at : at + 2], "big"))


# Image quality of a board picture, in figures that tell a person what to improve. Pure.

#: pixels per square in the straightened board
_SIDE = 16
#: a pixel this bright shows a lamp, not the board; a square with a larger share of them has glare
_BLINDING, _GLARING = 244, 0.06


@dataclass(frozen=True, slots=True)
class ImageQuality:
    """Quality figures of one picture.

    - ``brightness``: the board's median grey (0 to 255).
    - ``sharpness``: the ratio of fine to coarse detail (about 1 in a sharp picture, 0.4 in one blurred by two pixels).
    - ``square_pixels``: the smallest square's side. ``elevation``: degrees above the table.
    - ``edge``: the distance of the field from the picture's edge, in squares.
    - ``glare`` and ``unread``: indices of squares, the first corner's first.
    """

    brightness: float
    sharpness: float
    square_pixels: float
    elevation: float
    edge: float
    glare: tuple[int, ...]
    unread: tuple[int, ...]


def measure_quality(image: NDArray[np.uint8], seen: BoardReading) -> ImageQuality:
    """Return the quality of a picture.

    :param seen: the reading of ``image`` (BGR).
    """
    height, width = image.shape[:2]
    pose = Pose.of(seen.corners, (width, height))
    flat = rectify_field(image, seen.corners, _SIDE)
    # centres are left out: white discs are bright themselves, as are the edges of their neighbours
    middles = (flat.min(axis=2) > _BLINDING).reshape(8, _SIDE, 8, _SIDE)[:, 4:-4, :, 4:-4]
    glaring = middles.mean(axis=(1, 3)).ravel()
    glare = tuple(at for at in range(64) if glaring[at] > _GLARING and seen.cells[at] in "-?")
    near = min(float(seen.corners.min()), float((np.array([width, height]) - seen.corners).min()))
    return ImageQuality(
        brightness=float(np.median(cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY))),
        sharpness=_sharpness(image, seen.corners),
        square_pixels=pose.square_pixels(),
        elevation=float(np.degrees(pose.elevation)),
        edge=near / float(square_sides(seen.corners).min()),
        glare=glare,
        unread=tuple(at for at in range(64) if seen.cells[at] == "?"),
    )


def _sharpness(image: NDArray[np.uint8], corners: Array) -> float:
    """Return the ratio of the board's fine to its coarse detail."""
    grey = cv2.medianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), 3).astype(np.float32)  # noise is not detail
    mask = np.zeros(grey.shape, np.uint8)
    cv2.fillConvexPoly(mask, np.round(corners).astype(np.int32), 1)
    fine, middle, coarse = (cv2.GaussianBlur(grey, (0, 0), sigma) for sigma in (0.8, 2.0, 4.0))
    inside = mask > 0
    return float(np.abs(fine - middle)[inside].mean() / max(float(np.abs(middle - coarse)[inside].mean()), 0.1))
