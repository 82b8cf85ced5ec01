"""Files exchanged between the table's program, which has no privileges, and root's update helper.

The table's program writes in its own folder, where root only reads, never through a link; root writes in root's folder,
where the table's program only reads. Each file is replaced as a whole.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeVar

import msgspec

from engine.i18n import Text, say
from kiosk import platform_compat
from kiosk.msgspec_thread_preparation import warm_up
from kiosk.update.update_archive import ArchiveError

#: root's folder of an installation, readable by all
ROOTS = Path("/var/lib/othello-update")
#: the table's folder, in its data; in it: the request to root, the archive, and the confirmation of the new version
FOLDER = "update"
REQUEST, ARCHIVE, WELL = "request.json", "archive", "well.json"
#: in root's folder: the result; and a marker while a version is on trial
RESULT, TRIAL = "result.json", "trial"
_SMALL = 10_000


class Request(msgspec.Struct, frozen=True):
    """A request to root. ``stage``: build the archive's version beside the one in use; ``switch``: switch to it."""

    id: str
    do: Literal["stage", "switch"]
    sha256: str


class InstallResult(msgspec.Struct, frozen=True):
    """The result of a request. ``id``: of the request. ``trial``: ``version`` runs now, and ``before`` is restored
    unless the table's program writes ``nonce`` into ``WELL``.
    """

    id: str
    stage: Literal["staged", "trial", "in-use", "returned", "failed"]
    version: str = ""
    before: str = ""
    nonce: str = ""
    why: Text | None = None


class TrialConfirmed(msgspec.Struct, frozen=True):
    nonce: str


S = TypeVar("S", bound=msgspec.Struct)


def read(folder: Path, name: str, kind: type[S]) -> S | None:
    """Return the content of a small file; None: there is none, or it is another program's."""
    try:
        with open_regular_file(folder, name) as file:
            return msgspec.json.decode(file.read(_SMALL), type=warm_up(kind))
    except (OSError, ValueError):
        return None


def write(folder: Path, name: str, value: Any, mode: int = 0o600) -> None:
    """Replace a small file.

    :raises OSError: it cannot be written; the old content is unchanged.
    """
    folder.mkdir(mode=0o755 if mode & 0o044 else 0o700, parents=True, exist_ok=True)
    draft = folder / f".{name}.new"
    draft.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            draft.chmod(mode)  # independent of the umask
            file.write(msgspec.json.encode(value))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(folder / name)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    platform_compat.sync_folder(folder)


@contextmanager
def open_regular_file(folder: Path, name: str) -> Iterator[BinaryIO]:
    """Open a regular file of a folder that another user may own; follows no link and never blocks.

    :raises OSError: it is missing, or is a link.
    :raises ArchiveError: it is not a regular file.
    """
    descriptor = platform_compat.open_untrusted(folder, name)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ArchiveError(say("{name} is no plain file", name=name))
        yield file
