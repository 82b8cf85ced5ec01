"""Storage interface of the journal: the file-system operations it needs.

Nothing here retries, buffers or hides an error. ``write`` may be short, ``sync`` may fail, and what was not synced may
be lost in a power cut. The tests' faulty implementation does all of that.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Final, Protocol

from kiosk import platform_compat

LOCK = "lock"


class StorageInUseError(OSError):
    """Another process holds the lock of a directory. ``args[0]`` is its process id, or empty."""


class AppendFile(Protocol):
    """A new file that is written once, from beginning to end."""

    def reserve(self, size: int) -> None:
        """Reserve that many bytes in all; unwritten ones read as zeros. A sync then writes only data, not the file's
        length.
        """

    def write(self, data: bytes) -> int:
        """Append data and return the number of bytes accepted, which may be fewer than offered."""

    def trim(self) -> None:
        """Release what was reserved and not written."""

    def sync(self) -> None:
        """Return when all is on the medium (``fdatasync``). After an error the file must not be used."""

    def close(self) -> None: ...


class Lock(Protocol):
    def note(self, text: str) -> None:
        """Store a note for the next start. Best effort: it is not synced, and an error is ignored."""

    def close(self) -> None: ...


class Storage(Protocol):
    def make_directory(self, directory: Path) -> None:
        """Create the directory and its missing parents, durably."""

    def names(self, directory: Path) -> list[str]: ...

    def read(self, path: Path) -> bytes: ...

    def create(self, path: Path) -> AppendFile:
        """Create a new file.

        :raises FileExistsError: the file exists.
        """

    def remove(self, path: Path) -> None: ...

    def sync_directory(self, directory: Path) -> None:
        """Make the names in the directory durable: a synced file in an unsynced directory can be lost."""

    def lock(self, directory: Path) -> Lock:
        """Lock the directory for writing.

        :raises StorageInUseError: another process has it open.
        """


class _File:
    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | platform_compat.BYTES, 0o600)
        self._end = 0

    def reserve(self, size: int) -> None:
        platform_compat.reserve(self._fd, size)

    def write(self, data: bytes) -> int:
        taken = platform_compat.write_at(self._fd, data, self._end)
        self._end += taken
        return taken

    def trim(self) -> None:
        os.ftruncate(self._fd, self._end)

    def sync(self) -> None:
        platform_compat.sync_data(self._fd)

    def close(self) -> None:
        os.close(self._fd)


class _FileLock:
    """A ``flock`` on a file that stays in place; the lock ends with the process. The file's lines are the process id
    and the last note, padded to a fixed length: a note is one write, so a concurrent reader finds a complete one.
    """

    BYTES: Final = 200

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            platform_compat.lock(self._fd)
        except (BlockingIOError, PermissionError):
            holder = os.read(self._fd, self.BYTES).decode("ascii", "replace").partition("\n")[0]
            os.close(self._fd)
            raise StorageInUseError(holder) from None
        self.note(note_in(os.read(self._fd, self.BYTES)))

    def note(self, text: str) -> None:
        with contextlib.suppress(OSError):  # a full disk must not keep a table from starting
            platform_compat.write_at(self._fd, f"{os.getpid()}\n{text}".ljust(self.BYTES - 1).encode() + b"\n", 0)

    def close(self) -> None:
        os.close(self._fd)


def note_in(lock: bytes) -> str:
    """Return the last program's note from the contents of a lock file."""
    return lock.decode("ascii", "replace").partition("\n")[2].strip()


class FileStorage:
    """Storage on real files."""

    def make_directory(self, directory: Path) -> None:
        if directory.is_dir():
            return
        self.make_directory(directory.parent)
        directory.mkdir(exist_ok=True)
        self.sync_directory(directory.parent)

    def names(self, directory: Path) -> list[str]:
        return sorted(path.name for path in directory.iterdir())

    def read(self, path: Path) -> bytes:
        return path.read_bytes()

    def create(self, path: Path) -> AppendFile:
        return _File(path)

    def remove(self, path: Path) -> None:
        path.unlink()

    def sync_directory(self, directory: Path) -> None:
        platform_compat.sync_folder(directory)

    def lock(self, directory: Path) -> Lock:
        return _FileLock(directory / LOCK)
