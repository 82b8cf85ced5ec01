"""Photographs of boards that arbiters took: read, corrected by hand, and kept with what was ruled.

The law: what was uploaded is never kept and never shown as it came. It is refused by its header if it is too large,
unpacked one at a time, and packed anew: the whole picture, made smaller, for whoever marks the board's corners in it,
in memory and not for long; the board alone until somebody keeps it, then in a file whose name is its hash, which the
note in the trail names.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from engine.text import Said, say, text_of
from kiosk.head.errors import HeadError, NotFound
from kiosk.secret_files import write_secret

if TYPE_CHECKING:  # OpenCV takes longer to load than a head to start
    import numpy as np
    from numpy.typing import NDArray

    from hardware.camera.eye import Refusal, Seen

#: bytes of an upload and pixels of its picture: a phone's own, and no more
LONGEST = 12 * 1024 * 1024
MOST_PIXELS = 24_000_000
#: pixels of a square in what is kept
SIDE = 48
#: pixels of the longer side of a picture for papers: 30 mm at 600 dpi
PAPER_SIDE = 700
#: pixels of the longer side of a picture in which corners are marked
SCENE_SIDE = 1600
_HELD, _SCENES = 24, 6
_T = TypeVar("_T")
_NAME = re.compile(r"[0-9a-f]{64}")
_CELLS = re.compile(r"[XO?-]{64}")


@dataclass(frozen=True, slots=True)
class Photograph:
    """``jpeg`` the board seen from above, ``name`` its hash, ``cells`` what was read, the upper left square first;
    ``scene``: the name of the picture that it was cut from."""

    name: str
    jpeg: bytes
    cells: str
    scene: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """A whole picture, packed anew; ``corners``: where the board was found in it, x and y as shares of its sides,
    clockwise; ``why`` it was not read."""

    name: str
    jpeg: bytes
    corners: tuple[tuple[float, float], ...] = ()
    why: Said | None = None


class Photographs:
    """:param folder: where kept ones lie; it need not be there yet."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: OrderedDict[str, Photograph] = OrderedDict()
        self._scenes: OrderedDict[str, Scene] = OrderedDict()
        self._lock, self._reading = threading.Lock(), threading.Lock()

    def read(self, packed: bytes) -> Photograph | Scene:
        """What lies on the board in an uploaded picture; the picture itself, if no board is read in it.

        :raises HeadError: it is no picture that can be read.
        """
        from hardware.camera.eye import see
        from hardware.camera.pictures import PictureError, pack, shrunk, unpack

        with self._reading:  # one unpacked picture at a time
            try:
                image = unpack(packed, "photograph", MOST_PIXELS)
            except PictureError as error:
                raise HeadError(text_of(error)) from None
            jpeg = pack(shrunk(image, SCENE_SIDE))
            return self._seen(image, see(image), Scene(hashlib.sha256(jpeg).hexdigest(), jpeg))

    def marked(self, name: str, corners: list[tuple[float, float]]) -> Photograph:
        """What lies on the board whose four corners a person marked in that picture, as ``Scene.corners`` but in any
        order; the upper left one in the picture is the first.

        :raises HeadError: these are no corners of a board, or it cannot be read; the sentence says what to do.
        """
        import numpy as np

        from hardware.camera.eye import marked_by_hand, see
        from hardware.camera.geometry import is_convex
        from hardware.camera.pictures import unpack

        scene = self.scene(name)
        with self._reading:
            image = unpack(scene.jpeg, "photograph")
            board = np.array(corners or [(0.0, 0.0)]) * image.shape[1::-1]
            away = board - board.mean(axis=0)
            board = board[np.argsort(np.arctan2(away[:, 1], away[:, 0]))]
            if len(board) != 4 or not is_convex(board):
                raise HeadError(say("these are not the four corners of a board; mark each of them once"))
            seen = self._seen(image, see(image, marked_by_hand(image, board).corners), scene)
        if isinstance(seen, Scene):
            raise HeadError(say("the photograph is not read: {why}", why=seen.why))
        return seen

    def _seen(self, image: NDArray[np.uint8], seen: Seen | Refusal, scene: Scene) -> Photograph | Scene:
        """What the eye saw in a picture, of which ``scene`` is shown."""
        from hardware.camera.eye import Refusal
        from hardware.camera.pictures import pack, straightened

        if isinstance(seen, Refusal):
            scene = replace(scene, why=seen.text)
        else:
            corners = (seen.corners / image.shape[1::-1]).tolist()
            scene = replace(scene, corners=tuple((x, y) for x, y in corners), why=None)
        with self._lock:
            _hold(self._scenes, scene.name, scene, _SCENES)
        if isinstance(seen, Refusal):
            return scene
        return self._hold(pack(straightened(image, seen.corners, SIDE)), seen.cells, scene.name)

    def keep_picture(self, packed: bytes) -> str:
        """An uploaded picture for papers (a seal, a logo), made small and kept for good; its name.

        :raises HeadError: it is no picture that can be read.
        """
        from hardware.camera.pictures import PictureError, pack, shrunk, unpack

        with self._reading:
            try:
                jpeg = pack(shrunk(unpack(packed, "picture", MOST_PIXELS), PAPER_SIDE))
            except PictureError as error:
                raise HeadError(text_of(error)) from None
        one = self._hold(jpeg, "")
        self._write(one)
        return one.name

    def turned(self, name: str) -> Photograph:
        """The same a quarter turn clockwise."""
        import numpy as np

        from hardware.camera.pictures import pack, unpack

        one = self.find(name)
        cells = np.rot90(np.array(list(one.cells)).reshape(8, 8), -1)
        image = np.ascontiguousarray(np.rot90(unpack(one.jpeg, "photograph"), -1))
        return self._hold(pack(image), "".join(cells.ravel()), one.scene)

    def scene(self, name: str) -> Scene:
        """The whole picture of a photograph that was just taken.

        :raises NotFound: it has been forgotten.
        """
        with self._lock:
            if name not in self._scenes:
                raise NotFound(say("that photograph is not there any more; take it again"))
            return self._scenes[name]

    def find(self, name: str) -> Photograph:
        """One that nobody has kept yet.

        :raises NotFound: it was kept, or has been forgotten.
        """
        with self._lock:
            if name not in self._held:
                raise NotFound(say("that photograph is not there any more; take it again"))
            return self._held[name]

    def picture(self, name: str) -> bytes:
        """:raises NotFound: there is none of that name."""
        with self._lock:
            if name in self._held:
                return self._held[name].jpeg
            if name in self._scenes:
                return self._scenes[name].jpeg
        if not _NAME.fullmatch(name):
            raise NotFound(say("that photograph is not there any more; take it again"))
        try:
            return self._file(name).read_bytes()
        except OSError:
            raise NotFound(say("that photograph is not there any more; take it again")) from None

    def keep(self, name: str, cells: str) -> Photograph:
        """Keeps it for good, with what lies there as a person saw it.

        :raises HeadError: the board is none, or the photograph is gone.
        """
        if not _CELLS.fullmatch(cells):
            raise HeadError(say("that is no board of 64 squares; correct it on the photograph's page"))
        one = replace(self.find(name), cells=cells)
        self._write(one)
        return one

    def _write(self, one: Photograph) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        write_secret(self._file(one.name), one.jpeg)

    def _file(self, name: str) -> Path:
        return self._folder / f"{name}.jpg"

    def _hold(self, jpeg: bytes, cells: str, scene: str = "") -> Photograph:
        one = Photograph(hashlib.sha256(jpeg).hexdigest(), jpeg, cells, scene)
        with self._lock:
            _hold(self._held, one.name, one, _HELD)
        return one


def _hold(held: OrderedDict[str, _T], name: str, one: _T, most: int) -> None:
    held[name] = one
    held.move_to_end(name)
    while len(held) > most:
        held.popitem(last=False)
