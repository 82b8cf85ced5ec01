"""The files by which a table's program, which has no rights, and root's helper speak with each other.

The law: the table's program writes in its own folder, and root only reads there, never through a link; root writes in
root's folder, and the table's program only reads there. Each file is replaced as a whole.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeVar

import msgspec

from engine.text import Text, say
from kiosk import systems
from kiosk.shapes import learned
from kiosk.update.archive import ArchiveError

#: root's folder of an installation, where everybody reads
ROOTS = Path("/var/lib/othello-update")
#: the table's folder, in its data; in it: what root shall do, the archive, and that the new version is well
FOLDER = "update"
REQUEST, ARCHIVE, WELL = "request.json", "archive", "well.json"
#: in root's folder: what became of it; and, while a version is on trial, that it is
RESULT, TRIAL = "result.json", "trial"
_SMALL = 10_000


class Request(msgspec.Struct, frozen=True):
    """``stage``: build the archive's version beside the one in use; ``switch``: use it from now on."""

    id: str
    do: Literal["stage", "switch"]
    sha256: str


class Result(msgspec.Struct, frozen=True):
    """``id``: of the request. ``trial``: ``version`` runs now, and ``before`` is to come back unless the table's
    program writes ``nonce`` into ``WELL``."""

    id: str
    stage: Literal["staged", "trial", "in-use", "returned", "failed"]
    version: str = ""
    before: str = ""
    nonce: str = ""
    why: Text | None = None


class Well(msgspec.Struct, frozen=True):
    nonce: str


S = TypeVar("S", bound=msgspec.Struct)


def read(folder: Path, name: str, kind: type[S]) -> S | None:
    """A small file; None: there is none, or it is another program's."""
    try:
        with opened(folder, name) as file:
            return msgspec.json.decode(file.read(_SMALL), type=learned(kind))
    except (OSError, ValueError):
        return None


def write(folder: Path, name: str, value: Any, mode: int = 0o600) -> None:
    """:raises OSError: the disk does not take it; what was there before is as it was."""
    folder.mkdir(mode=0o755 if mode & 0o044 else 0o700, parents=True, exist_ok=True)
    draft = folder / f".{name}.new"
    draft.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            draft.chmod(mode)  # whatever the umask is
            file.write(msgspec.json.encode(value))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(folder / name)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    systems.sync_folder(folder)


@contextmanager
def opened(folder: Path, name: str) -> Iterator[BinaryIO]:
    """A plain file of a folder that may be somebody else's: through no link, and never one that makes a reader wait.

    :raises OSError: it is not there, or is a link. :raises ArchiveError: it is no plain file.
    """
    descriptor = systems.open_within(folder, name)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ArchiveError(say("{name} is no plain file", name=name))
        yield file
