"""Photographs of boards taken by arbiters: read, corrected by hand, and stored with rulings.

- An upload is never stored or shown unchanged. It is refused by its header if it is too large, decoded in a child
  process, and encoded anew.
- The whole picture, reduced, is kept in memory for a short time, for marking the board's corners.
- The picture of the board alone is kept in memory until a person keeps it, then in a file named by its hash, which the
  note in the trail contains.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, cast

from engine.board.variants import STANDARD
from engine.i18n import Renderable, Text, say
from kiosk import untrusted_file_sandbox
from kiosk.head.errors import HeadError, NotFound
from kiosk.platform_compat import write_secret

#: most bytes of an upload: enough for a phone's pictures
LONGEST = 12 * 1024 * 1024
#: one and a half times what 24 million pixels in 40 scans take
_LIMITS = untrusted_file_sandbox.Limits(memory=768 * 1024 * 1024, processor_s=20, deadline_s=40)
_HELD, _SCENES = 24, 6
_T = TypeVar("_T")
_P = TypeVar("_P", "Photograph", "PhotographedBoard")
_NAME = re.compile(r"[0-9a-f]{64}")
_CELLS = re.compile(rf"[XO?-]{{{STANDARD.total}}}")
#: what messages call the uploaded picture: the child knows no language
_UPLOADED = say("the file")
_GONE = say("that photograph is not there any more; take it again")


@dataclass(frozen=True, slots=True)
class Photograph:
    """A photograph of a board. ``jpeg``: the board seen from above; ``name``: its hash; ``cells``: the squares read,
    the upper left one first; ``scene``: the name of the picture that it was cut from.
    """

    name: str
    jpeg: bytes
    cells: str
    scene: str = ""


@dataclass(frozen=True, slots=True)
class PhotographedBoard:
    """A whole picture, encoded anew; ``corners``: where the board was found, x and y as fractions of the picture's
    sides, clockwise; ``why`` it was not read.
    """

    name: str
    jpeg: bytes
    corners: tuple[tuple[float, float], ...] = ()
    why: Renderable | None = None


class Photographs:
    """Photographs in memory and on disk.

    :param folder: where kept ones are stored; it need not exist yet.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: OrderedDict[str, Photograph] = OrderedDict()
        self._scenes: OrderedDict[str, PhotographedBoard] = OrderedDict()
        self._lock, self._reading = threading.Lock(), threading.Lock()

    def read(self, packed: bytes) -> Photograph | PhotographedBoard:
        """Read the board in an uploaded picture; return the picture itself if no board is recognised in it.

        :raises HeadError: it is no picture that can be read.
        """
        scene, board, cells, corners, why = self._run_in_child(read_photograph, packed)
        whole = PhotographedBoard(hashlib.sha256(scene).hexdigest(), scene, tuple((x, y) for x, y in corners))
        if why is not None:
            return self._remember(self._scenes, replace(whole, why=Text(why[0])(**why[1])), _SCENES)
        self._remember(self._scenes, whole, _SCENES)
        return self._hold(board, cells, whole.name)

    def _run_in_child(self, read: Callable[[bytes], _T], packed: bytes) -> _T:
        """Run ``read`` in a child process.

        :raises HeadError: it is no picture, or cannot be read within the limits.
        """
        try:
            return cast("_T", untrusted_file_sandbox.run(read, packed, _LIMITS))
        except untrusted_file_sandbox.SandboxError as error:
            raise HeadError(error.text(file=_UPLOADED)) from None

    def marked(self, name: str, corners: list[tuple[float, float]]) -> Photograph:
        """Read the board whose four corners a person marked in that picture, as ``PhotographedBoard.corners`` but in
        any order; the
        upper left one in the picture is the first.

        :raises HeadError: these are no corners of a board, or it cannot be read; the message says what to do.
        """
        import numpy as np

        from hardware.camera.board_finder import adjust_to_squares
        from hardware.camera.board_reader import Refusal, read_board_picture
        from hardware.camera.camera_projection import is_convex
        from hardware.camera.picture_decoding_overlays_and_quality import decode_picture, encode_jpeg, rectify_field

        scene = self.scene(name)
        with self._reading:
            image = decode_picture(scene.jpeg, "photograph")
            board = np.array(corners or [(0.0, 0.0)]) * image.shape[1::-1]
            away = board - board.mean(axis=0)
            board = board[np.argsort(np.arctan2(away[:, 1], away[:, 0]))]
            if len(board) != 4 or not is_convex(board):
                raise HeadError.saying("these are not the four corners of a board; mark each of them once")
            seen = read_board_picture(image, adjust_to_squares(image, board))
            if isinstance(seen, Refusal):
                raise HeadError.saying("the photograph is not read: {why}", why=seen.text)
            found = tuple((x, y) for x, y in (seen.corners / image.shape[1::-1]).tolist())
            flat = encode_jpeg(rectify_field(image, seen.corners, SIDE))
        self._remember(self._scenes, replace(scene, corners=found, why=None), _SCENES)
        return self._hold(flat, seen.cells, scene.name)

    def keep_picture(self, packed: bytes) -> str:
        """Store an uploaded picture for papers (a seal, a logo), reduced; return its name.

        :raises HeadError: it is no picture that can be read.
        """
        one = self._hold(self._run_in_child(paper_picture, packed), "")
        self._write(one)
        return one.name

    def turned(self, name: str) -> Photograph:
        """Return the photograph turned by 90 degrees clockwise."""
        import numpy as np

        from hardware.camera.picture_decoding_overlays_and_quality import decode_picture, encode_jpeg

        one = self.find(name)
        cells = np.rot90(np.array(list(one.cells)).reshape(8, 8), -1)
        image = np.ascontiguousarray(np.rot90(decode_picture(one.jpeg, "photograph"), -1))
        return self._hold(encode_jpeg(image), "".join(cells.ravel()), one.scene)

    def scene(self, name: str) -> PhotographedBoard:
        """Return the whole picture of a recent photograph.

        :raises NotFound: it is no longer in memory.
        """
        return self._recent(self._scenes, name)

    def find(self, name: str) -> Photograph:
        """Return a photograph that is not stored yet.

        :raises NotFound: it was stored, or is no longer in memory.
        """
        return self._recent(self._held, name)

    def picture(self, name: str) -> bytes:
        """Return the JPEG of a photograph.

        :raises NotFound: there is none of that name.
        """
        with self._lock:
            recent = self._held.get(name) or self._scenes.get(name)
        if recent is not None:
            return recent.jpeg
        if _NAME.fullmatch(name):
            with suppress(OSError):
                return self._file(name).read_bytes()
        raise NotFound(_GONE)

    def keep(self, name: str, cells: str) -> Photograph:
        """Store it, with the squares as a person corrected them.

        :raises HeadError: the board is invalid, or the photograph is gone.
        """
        if not _CELLS.fullmatch(cells):
            raise HeadError.saying(
                "that is no board of {squares} squares; correct it on the photograph's page", squares=STANDARD.total
            )
        one = replace(self.find(name), cells=cells)
        self._write(one)
        return one

    def _write(self, one: Photograph) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        write_secret(self._file(one.name), one.jpeg)

    def _file(self, name: str) -> Path:
        return self._folder / f"{name}.jpg"

    def _hold(self, jpeg: bytes, cells: str, scene: str = "") -> Photograph:
        return self._remember(self._held, Photograph(hashlib.sha256(jpeg).hexdigest(), jpeg, cells, scene), _HELD)

    def _remember(self, pictures: OrderedDict[str, _P], one: _P, most: int) -> _P:
        with self._lock:
            pictures[one.name] = one
            pictures.move_to_end(one.name)
            while len(pictures) > most:
                pictures.popitem(last=False)
        return one

    def _recent(self, pictures: Mapping[str, _P], name: str) -> _P:
        with self._lock:
            if name not in pictures:
                raise NotFound(_GONE)
            return pictures[name]


# Processing of an uploaded picture, only in a child process (``kiosk.untrusted_file_sandbox``), because OpenCV decodes
# it.
#
# Imports little, so that the head can refer to these functions without loading OpenCV.

#: most pixels of a picture: enough for a phone's
MOST_PIXELS = 24_000_000
#: pixels of a square's side in a stored photograph
SIDE = 48
#: pixels of the longer side of a picture for papers: 30 mm at 600 dpi
PAPER_SIDE = 700
#: pixels of the longer side of a picture in which corners are marked
SCENE_SIDE = 1600

#: result for a photograph
Reading = tuple[
    bytes,  # the whole picture, reduced, as a JPEG
    bytes,  # the board alone, as a JPEG; empty if none is recognised
    str,  # its squares
    list[list[float]],  # its corners, as fractions of the picture's sides
    tuple[str, dict[str, Any]] | None,  # why none is recognised: a message's template and its fields
]


def read_photograph(content: bytes) -> Reading:
    """Read the board in a photograph.

    :raises PictureError: it is no picture, or too large.
    """
    from hardware.camera.board_reader import Refusal, read_board_picture
    from hardware.camera.picture_decoding_overlays_and_quality import (
        decode_picture,
        downscale,
        encode_jpeg,
        rectify_field,
    )

    image = decode_picture(content, "photograph", MOST_PIXELS)
    seen, scene = read_board_picture(image), encode_jpeg(downscale(image, SCENE_SIDE))
    if isinstance(seen, Refusal):
        return scene, b"", "", [], (seen.text.template, dict(seen.text.fields))
    corners = (seen.corners / image.shape[1::-1]).tolist()
    return scene, encode_jpeg(rectify_field(image, seen.corners, SIDE)), seen.cells, corners, None


def paper_picture(content: bytes) -> bytes:
    """Return a picture for papers, reduced, as a JPEG.

    :raises PictureError: it is no picture, or too large.
    """
    from hardware.camera.picture_decoding_overlays_and_quality import decode_picture, downscale, encode_jpeg

    return encode_jpeg(downscale(decode_picture(content, "picture", MOST_PIXELS), PAPER_SIDE))
