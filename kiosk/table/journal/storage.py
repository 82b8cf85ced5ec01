"""The storage port: the few things the journal asks of a file system.

The law: nothing here retries, buffers or hides an error. ``write`` may be short, ``sync`` may fail, and what was not
synced may be gone after a power cut. The tests' faulty twin does all of that on purpose.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Final, Protocol

from kiosk import systems

LOCK = "lock"


class StorageInUseError(OSError):
    """Another process holds the lock of a directory. ``args[0]`` is its process number, or empty."""


class AppendFile(Protocol):
    """A new file that is written from its beginning to its end, once."""

    def reserve(self, size: int) -> None:
        """Has the medium set aside so many bytes in all; what is not written yet reads as zeros. Then a sync has only
        the data to write, and not the file's length."""

    def write(self, data: bytes) -> int:
        """Writes after what was written, and gives the number of bytes taken, which may be fewer than offered."""

    def trim(self) -> None:
        """Gives back what was set aside and not written."""

    def sync(self) -> None:
        """Returns when all is on the medium (``fdatasync``). After an error the file must not be used."""

    def close(self) -> None: ...


class Lock(Protocol):
    def note(self, text: str) -> None:
        """Keeps a word for the next start. A courtesy: it is not synced, and an error of it is no trouble."""

    def close(self) -> None: ...


class Storage(Protocol):
    def make_directory(self, directory: Path) -> None:
        """Creates the directory and what is missing above it, durably."""

    def names(self, directory: Path) -> list[str]: ...

    def read(self, path: Path) -> bytes: ...

    def create(self, path: Path) -> AppendFile:
        """:raises FileExistsError: there is such a file."""

    def remove(self, path: Path) -> None: ...

    def sync_directory(self, directory: Path) -> None:
        """Makes the names in the directory durable: a synced file in an unsynced directory can be gone."""

    def lock(self, directory: Path) -> Lock:
        """:raises StorageInUseError: another process writes there."""


class _File:
    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | systems.BYTES, 0o600)
        self._end = 0

    def reserve(self, size: int) -> None:
        systems.reserve(self._fd, size)

    def write(self, data: bytes) -> int:
        taken = systems.write_at(self._fd, data, self._end)
        self._end += taken
        return taken

    def trim(self) -> None:
        os.ftruncate(self._fd, self._end)

    def sync(self) -> None:
        systems.sync_data(self._fd)

    def close(self) -> None:
        os.close(self._fd)


class _FileLock:
    """A ``flock`` on a file that stays: it ends with the process, however that ends. Its lines: the process's number,
    and the last note, filled up to one length: a note is one write, so whoever reads meanwhile finds one whole."""

    BYTES: Final = 200

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            systems.lock(self._fd)
        except (BlockingIOError, PermissionError):
            holder = os.read(self._fd, self.BYTES).decode("ascii", "replace").partition("\n")[0]
            os.close(self._fd)
            raise StorageInUseError(holder) from None
        self.note(note_in(os.read(self._fd, self.BYTES)))

    def note(self, text: str) -> None:
        with contextlib.suppress(OSError):  # a full disk must not keep a table from starting
            systems.write_at(self._fd, f"{os.getpid()}\n{text}".ljust(self.BYTES - 1).encode() + b"\n", 0)

    def close(self) -> None:
        os.close(self._fd)


def note_in(lock: bytes) -> str:
    """What the last program noted in a lock's file."""
    return lock.decode("ascii", "replace").partition("\n")[2].strip()


class FileStorage:
    """Real files."""

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
        systems.sync_folder(directory)

    def lock(self, directory: Path) -> Lock:
        return _FileLock(directory / LOCK)
