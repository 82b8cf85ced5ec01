"""One segment being written.

The law: a segment in which anything failed is never written, synced or trusted again. After a failed ``fdatasync`` the
kernel may call the lost pages clean, and a second try would report success while the data is gone.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

from kiosk.table.journal.format import frame, new_header
from kiosk.table.journal.recovery import segment_name
from kiosk.table.journal.storage import Storage

#: a segment that has grown beyond the first has room set aside in steps of the second
FIRST_BYTES, STEP_BYTES = 4 * 1024, 128 * 1024


class SegmentWriter:
    """Creates its file, whose name is durable when the constructor returns.

    Room is set aside before it is needed (docs/journal.md): a sync then writes half as much or less. A segment that
    ends soon, as when a program starts again and again, sets nothing aside.

    :raises OSError: by the constructor and ``commit``; then call ``abandon``.
    """

    def __init__(self, storage: Storage, directory: Path, epoch: str, number: int, afresh: bool = False) -> None:
        self.epoch = epoch
        self.size = 0
        self._storage = storage
        self._path = directory / segment_name(number)
        self._nothing_saved = True
        self._reserved = FIRST_BYTES
        start, self._seed = new_header(epoch, number, afresh)
        self._file = storage.create(self._path)
        try:
            self._write(start)
            storage.sync_directory(directory)
        except OSError:
            self.abandon()
            raise

    def commit(self, payloads: Iterable[bytes]) -> None:
        """Returns when the payloads are durable."""
        data = b"".join(frame(payload, self._seed) for payload in payloads)
        self._make_room(len(data))
        self._write(data)
        self._file.sync()
        self._nothing_saved = False

    def abandon(self) -> None:
        """Gives the segment up. One that never saved anything is removed, so that a full disk does not fill further."""
        with contextlib.suppress(OSError):
            self._file.close()
        if self._nothing_saved:
            with contextlib.suppress(OSError):
                self._storage.remove(self._path)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._file.trim()
        with contextlib.suppress(OSError):
            self._file.close()

    def _make_room(self, more: int) -> None:
        if self.size + more > self._reserved:
            self._reserved = self.size + more + STEP_BYTES
            with contextlib.suppress(OSError):  # a disk with little room, or of a kind that sets none aside
                self._file.reserve(self._reserved)

    def _write(self, data: bytes) -> None:
        self.size += len(data)
        view = memoryview(data)
        while view:
            view = view[self._file.write(bytes(view)) :]
