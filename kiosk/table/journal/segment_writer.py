"""Writer of one journal segment.

A segment in which any operation failed is never written or synced again. After a failed ``fdatasync`` the kernel may
mark the lost pages clean, and a second try would report success although the data is lost.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

from kiosk.table.journal.segment_format import frame, new_header
from kiosk.table.journal.segment_recovery import segment_name
from kiosk.table.journal.storage_interface import Storage

#: space is reserved in steps of the second once a segment exceeds the first
FIRST_BYTES, STEP_BYTES = 4 * 1024, 128 * 1024


class SegmentWriter:
    """Writer of a new segment file, whose name is durable when the constructor returns.

    Space is reserved before it is needed, which halves what a sync writes or better. A segment that
    ends early, as when a program restarts again and again, reserves nothing.

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
        """Return when the payloads are durable."""
        data = b"".join(frame(payload, self._seed) for payload in payloads)
        self._make_room(len(data))
        self._write(data)
        self._file.sync()
        self._nothing_saved = False

    def abandon(self) -> None:
        """Give the segment up. One that never saved anything is removed, so that a full disk does not fill further."""
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
            with contextlib.suppress(OSError):  # a disk with little room, or one that cannot reserve space
                self._file.reserve(self._reserved)

    def _write(self, data: bytes) -> None:
        self.size += len(data)
        view = memoryview(data)
        while view:
            view = view[self._file.write(bytes(view)) :]
