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


class SegmentWriter:
    """Creates its file, whose name is durable when the constructor returns.

    :raises OSError: by the constructor and ``commit``; then call ``abandon``.
    """

    def __init__(self, storage: Storage, directory: Path, epoch: str, number: int, afresh: bool = False) -> None:
        self.epoch = epoch
        self.size = 0
        self._storage = storage
        self._path = directory / segment_name(number)
        self._nothing_saved = True
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
        self._write(b"".join(frame(payload, self._seed) for payload in payloads))
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
            self._file.close()

    def _write(self, data: bytes) -> None:
        self.size += len(data)
        view = memoryview(data)
        while view:
            view = view[self._file.write(bytes(view)) :]
