"""Storage of the journal, the file-system operations it needs, and alarms about the SD card below it.

Nothing here retries, buffers or hides an error. ``write`` may be short, ``sync`` may fail, and what was not synced may
be lost in a power cut. The tests' faulty subclasses do all of that.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
from pathlib import Path
from typing import Final

from engine.i18n import LocalizedError, say
from kiosk import platform_compat
from kiosk.link.link_messages import TroubleInfo

LOCK = "lock"


class JournalError(LocalizedError):
    """Base class of errors of a journal."""


class JournalInUseError(JournalError, RuntimeError):
    """Another process has the journal open for writing."""


class AppendFile:
    """A new file that is written once, from beginning to end."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | platform_compat.BYTES, 0o600)
        self._end = 0

    def reserve(self, size: int) -> None:
        """Reserve that many bytes in all; unwritten ones read as zeros. A sync then writes only data, not the file's
        length.
        """
        platform_compat.reserve(self._fd, size)

    def write(self, data: bytes) -> int:
        """Append data and return the number of bytes accepted, which may be fewer than offered."""
        taken = platform_compat.write_at(self._fd, data, self._end)
        self._end += taken
        return taken

    def trim(self) -> None:
        """Release what was reserved and not written."""
        os.ftruncate(self._fd, self._end)

    def sync(self) -> None:
        """Return when all is on the medium (``fdatasync``). After an error the file must not be used."""
        platform_compat.sync_data(self._fd)

    def close(self) -> None:
        os.close(self._fd)


class Lock:
    """A ``flock`` on a file that stays in place; the lock ends with the process. The file's lines are the process id
    and the last note, padded to a fixed length: a note is one write, so a concurrent reader finds a complete one.

    :raises JournalInUseError: another process has the directory open.
    """

    BYTES: Final = 200

    def __init__(self, directory: Path) -> None:
        self._fd = os.open(directory / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            platform_compat.lock(self._fd)
        except (BlockingIOError, PermissionError):
            holder = os.read(self._fd, self.BYTES).decode("ascii", "replace").partition("\n")[0]
            os.close(self._fd)
            raise JournalInUseError.saying(
                "the journal in {directory} is in use by process {pid}; stop that table program, or give this "
                "one another data directory",
                directory=directory,
                pid=holder or "unknown",
            ) from None
        self.note(note_in(os.read(self._fd, self.BYTES)))

    def note(self, text: str) -> None:
        """Store a note for the next start. Best effort: it is not synced, and an error is ignored."""
        with contextlib.suppress(OSError):  # a full disk must not keep a table from starting
            platform_compat.write_at(self._fd, f"{os.getpid()}\n{text}".ljust(self.BYTES - 1).encode() + b"\n", 0)

    def close(self) -> None:
        os.close(self._fd)


def note_in(lock: bytes) -> str:
    """Return the last program's note from the contents of a lock file."""
    return lock.decode("ascii", "replace").partition("\n")[2].strip()


class Storage:
    """Storage on real files."""

    def make_directory(self, directory: Path) -> None:
        """Create the directory and its missing parents, durably."""
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
        """Create a new file.

        :raises FileExistsError: the file exists.
        """
        return AppendFile(path)

    def remove(self, path: Path) -> None:
        path.unlink()

    def sync_directory(self, directory: Path) -> None:
        """Make the names in the directory durable: a synced file in an unsynced directory can be lost."""
        platform_compat.sync_folder(directory)

    def lock(self, directory: Path) -> Lock:
        """Lock the directory for writing.

        :raises JournalInUseError: another process has it open.
        """
        return Lock(directory)


# --- alarms for the arbiter about a table's SD card (promise 4: shown, never hidden)

log = logging.getLogger(__name__)

DISK_FULL = TroubleInfo(
    "journal-disk-full",
    say("The disk is full. Play can go on but is not being saved. Delete files that are not needed."),
)
CARD_FAILING = TroubleInfo(
    "journal-card-failing",
    say("The card cannot be written. Play can go on but is not being saved. Do not switch the table off."),
)
CARD_READ_ONLY = TroubleInfo(
    "journal-card-read-only",
    say("The card is now read-only. Play can go on but is not being saved. Do not switch the table off."),
)
CARD_SUSPECT = TroubleInfo(
    "journal-card-suspect",
    say("The card failed once. Everything has been saved again. Replace the card after the game."),
)
RECORDS_LOST = TroubleInfo(
    "journal-records-lost",
    say("The card has lost saved records. Compare the results with the head table and replace the card."),
)
JOURNAL_GONE = TroubleInfo(
    "journal-gone",
    say(
        "What this table had saved is gone from its card. Take results and the game in play from the head table, and "
        "replace the card."
    ),
)
_OF_ERROR = {errno.ENOSPC: DISK_FULL, errno.EDQUOT: DISK_FULL, errno.EROFS: CARD_READ_ONLY}


class JournalAlarms:
    """Alarms of one journal, each at most once."""

    def __init__(self) -> None:
        self._now: dict[str, TroubleInfo] = {}

    def __call__(self) -> tuple[TroubleInfo, ...]:
        return tuple(self._now.values())

    def lost(self, trouble: TroubleInfo) -> None:
        log.error("%s", trouble.text)
        self._now[trouble.kind] = trouble

    def failed(self, error: OSError) -> bool:
        """Record a failure. Return whether the alarms changed."""
        trouble = _OF_ERROR.get(error.errno or 0, CARD_FAILING)
        if trouble is CARD_READ_ONLY:  # a kernel that is about to mount a card read-only lets one sync fail first
            self._now.pop(CARD_FAILING.kind, None)
        news = trouble.kind not in self._now
        self._now[trouble.kind] = trouble
        return news

    def saved(self) -> bool:
        """Record that everything is durable again. A card that failed once stays suspect. Return whether the alarms
        changed.
        """
        full = self._now.pop(DISK_FULL.kind, None)
        failing = self._now.pop(CARD_FAILING.kind, None) or self._now.pop(CARD_READ_ONLY.kind, None)
        if failing is not None:
            self._now[CARD_SUSPECT.kind] = CARD_SUSPECT
        return full is not None or failing is not None
