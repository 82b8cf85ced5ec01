"""Photographs of boards that arbiters took: read, corrected by hand, and kept with what was ruled.

The law: what was uploaded is never kept and never shown. It is refused by its header if it is too large, unpacked one
at a time, and only the board itself, packed anew, is held: until somebody keeps it, in memory and not for long; then in
a file whose name is its hash, which the note in the trail names.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from pathlib import Path

from engine.text import say, text_of
from kiosk.head.errors import HeadError, NotFound
from kiosk.secret_files import write_secret

#: bytes of an upload and pixels of its picture: a phone's own, and no more
LONGEST = 12 * 1024 * 1024
MOST_PIXELS = 24_000_000
#: pixels of a square in what is kept
SIDE = 48
#: pixels of the longer side of a picture for papers: 30 mm at 600 dpi
PAPER_SIDE = 700
_HELD = 24
_NAME = re.compile(r"[0-9a-f]{64}")
_CELLS = re.compile(r"[XO?-]{64}")


@dataclass(frozen=True, slots=True)
class Photograph:
    """``jpeg`` the board seen from above, ``name`` its hash, ``cells`` what was read, the upper left square first."""

    name: str
    jpeg: bytes
    cells: str


class Photographs:
    """:param folder: where kept ones lie; it need not be there yet."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: OrderedDict[str, Photograph] = OrderedDict()
        self._lock, self._reading = threading.Lock(), threading.Lock()

    def read(self, packed: bytes) -> Photograph:
        """What lies on the board in an uploaded picture.

        :raises HeadError: it cannot be read; the sentence says what to do.
        """
        try:
            from hardware.camera.eye import Refusal, see
            from hardware.camera.pictures import PictureError, pack, straightened, unpack
        except ImportError:
            raise HeadError(
                say("this head cannot read photographs; install it with: {command}", command=_INSTALL)
            ) from None
        with self._reading:  # one unpacked picture at a time
            try:
                image = unpack(packed, "photograph", MOST_PIXELS)
            except PictureError as error:
                raise HeadError(text_of(error)) from None
            seen = see(image)
            if isinstance(seen, Refusal):
                raise HeadError(say("the photograph is not read: {why}", why=seen.text))
            jpeg = pack(straightened(image, seen.corners, SIDE))
        return self._hold(jpeg, seen.cells)

    def keep_picture(self, packed: bytes) -> str:
        """An uploaded picture for papers (a seal, a logo), made small and kept for good; its name.

        :raises HeadError: it is no picture that can be read.
        """
        try:
            from hardware.camera.pictures import PictureError, pack, shrunk, unpack
        except ImportError:
            raise HeadError(
                say("this head cannot read pictures; install it with: {command}", command=_INSTALL)
            ) from None
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
        return self._hold(pack(image), "".join(cells.ravel()))

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

    def _hold(self, jpeg: bytes, cells: str) -> Photograph:
        one = Photograph(hashlib.sha256(jpeg).hexdigest(), jpeg, cells)
        with self._lock:
            self._held[one.name] = one
            while len(self._held) > _HELD:
                self._held.popitem(last=False)
        return one


_INSTALL = "pip install 'othello-kiosk[camera]'"
