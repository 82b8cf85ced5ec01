"""Photographs of boards that arbiters took: read, corrected by hand, and kept with what was ruled.

What was uploaded is never kept and never shown as it came. It is refused by its header if it is too large, unpacked in
a child process, and packed anew: the whole picture, made smaller, for whoever marks the board's corners in it,
in memory and not for long; the board alone until somebody keeps it, then in a file whose name is its hash, which the
note in the trail names.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar, cast

from engine.text import Said, Text, say
from kiosk import sandbox
from kiosk.head.errors import HeadError, NotFound
from kiosk.head.tables.picture_reading import SIDE, paper_picture, read_photograph
from kiosk.secret_files import write_secret

#: bytes of an upload: a phone's own, and no more
LONGEST = 12 * 1024 * 1024
#: half as much again as 24 million pixels in 40 scans take
_LIMITS = sandbox.Limits(memory=768 * 1024 * 1024, processor_s=20, deadline_s=40)
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
        scene, board, cells, corners, why = self._made(read_photograph, packed)
        whole = Scene(hashlib.sha256(scene).hexdigest(), scene, tuple((x, y) for x, y in corners))
        if why is not None:
            return self._keep_scene(replace(whole, why=Text(why[0])(**why[1])))
        self._keep_scene(whole)
        return self._hold(board, cells, whole.name)

    def _made(self, read: Callable[[bytes], _T], packed: bytes) -> _T:
        """:raises HeadError: it is no picture, or cannot be read within the limits."""
        try:
            return cast("_T", sandbox.run(read, packed, _LIMITS))
        except sandbox.SandboxError as error:
            raise HeadError(error.text) from None

    def marked(self, name: str, corners: list[tuple[float, float]]) -> Photograph:
        """What lies on the board whose four corners a person marked in that picture, as ``Scene.corners`` but in any
        order; the upper left one in the picture is the first.

        :raises HeadError: these are no corners of a board, or it cannot be read; the sentence says what to do.
        """
        import numpy as np

        from hardware.camera.eye import Refusal, marked_by_hand, see
        from hardware.camera.geometry import is_convex
        from hardware.camera.pictures import pack, straightened, unpack

        scene = self.scene(name)
        with self._reading:
            image = unpack(scene.jpeg, "photograph")
            board = np.array(corners or [(0.0, 0.0)]) * image.shape[1::-1]
            away = board - board.mean(axis=0)
            board = board[np.argsort(np.arctan2(away[:, 1], away[:, 0]))]
            if len(board) != 4 or not is_convex(board):
                raise HeadError(say("these are not the four corners of a board; mark each of them once"))
            seen = see(image, marked_by_hand(image, board).corners)
            if isinstance(seen, Refusal):
                raise HeadError(say("the photograph is not read: {why}", why=seen.text))
            found = tuple((x, y) for x, y in (seen.corners / image.shape[1::-1]).tolist())
            flat = pack(straightened(image, seen.corners, SIDE))
        self._keep_scene(replace(scene, corners=found, why=None))
        return self._hold(flat, seen.cells, scene.name)

    def _keep_scene(self, scene: Scene) -> Scene:
        with self._lock:
            _hold(self._scenes, scene.name, scene, _SCENES)
        return scene

    def keep_picture(self, packed: bytes) -> str:
        """An uploaded picture for papers (a seal, a logo), made small and kept for good; its name.

        :raises HeadError: it is no picture that can be read.
        """
        one = self._hold(self._made(paper_picture, packed), "")
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
