"""Storage with injected faults: files in memory that model what a power cut would leave of them.

It is as bad as a real card may be, and not worse. Unsynced bytes may vanish, stay in part or turn to zeros or rubbish;
names in an unsynced directory may vanish, removed ones may come back; after a failed sync the bytes count as clean and
are lost, though a second sync succeeds.
"""

from __future__ import annotations

import copy
import errno
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from kiosk.table.journal.journal_storage_and_sd_card_alarms import AppendFile, JournalInUseError, Lock, Storage

#: called before every operation with its name and its number among those of that name (from 1); it may sleep or raise
Before = Callable[[str, int], None]


def failing_operations(operation: str, *numbers: int, error: int = errno.EIO) -> Before:
    """Return a fault plan that makes these operations of that name fail."""

    def before(name: str, number: int) -> None:
        if name == operation and number in numbers:
            raise OSError(error, os.strerror(error))

    return before


@dataclass
class _Contents:
    """The content of a file. ``end``: the written bytes end there, and preallocated zeros may follow. ``synced``: the
    value of ``end`` at the last successful sync.
    """

    data: bytearray = field(default_factory=bytearray)
    end: int = 0
    durable: bytes = b""
    synced: int = 0
    lost: list[tuple[int, int]] = field(default_factory=list)  # counted as clean after a failed sync

    def write(self, data: bytes) -> None:
        self.data[self.end : self.end + len(data)] = data
        self.end += len(data)

    def sync(self) -> None:
        self.durable, self.synced = bytes(self._with_losses()), self.end

    def sync_failed(self) -> None:
        self.lost.append((self.synced, self.end))

    def after_power_cut(self, random: Random) -> bytearray:
        least, most = sorted((len(self.durable), len(self.data)))
        kept = self._with_losses()[: random.randint(least, most)].ljust(least, b"\0")
        fate = random.choice(("as written", "zeros", "rubbish"))
        torn_from, torn_to = random.randint(self.synced, self.end), min(self.end, len(kept))
        if fate != "as written" and torn_from < torn_to:
            size = torn_to - torn_from
            kept[torn_from:torn_to] = bytes(size) if fate == "zeros" else random.randbytes(size)
        return kept

    def _with_losses(self) -> bytearray:
        data = bytearray(self.data)
        for start, end in self.lost:
            data[start:end] = bytes(end - start)
        return data


class _File(AppendFile):
    def __init__(self, storage: FaultyStorage, contents: _Contents) -> None:
        self._storage, self._contents = storage, contents

    def reserve(self, size: int) -> None:
        with self._storage.met("reserve"):
            more = size - len(self._contents.data)
            if self._storage.capacity is not None and more > self._storage.free_bytes():
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self._contents.data.extend(bytes(max(0, more)))

    def write(self, data: bytes) -> int:
        with self._storage.met("write"):
            contents = self._contents
            if self._storage.capacity is not None:
                room = self._storage.free_bytes() + len(contents.data) - contents.end
                if room <= 0:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                data = data[:room]
            contents.write(data)
            return len(data)

    def trim(self) -> None:
        with self._storage.met("trim"):
            del self._contents.data[self._contents.end :]

    def sync(self) -> None:
        try:
            with self._storage.met("sync"):
                if not self._storage.sync_does_nothing:
                    self._contents.sync()
        except OSError:
            self._contents.sync_failed()
            raise

    def close(self) -> None:
        pass


class _Lock(Lock):
    def __init__(self, storage: FaultyStorage, directory: Path) -> None:
        self._storage, self._directory = storage, directory

    def note(self, text: str) -> None:
        pass

    def close(self) -> None:
        self._storage._locked.discard(self._directory)


class FaultyStorage(Storage):
    """Storage with faults. ``capacity``: bytes of all files together; the write that exceeds it is short, the next has
    ENOSPC. ``sync_does_nothing``: a deliberate defect, as with a card or a library that ignores syncs.
    """

    def __init__(
        self,
        *,
        before: Before = lambda name, number: None,
        capacity: int | None = None,
        sync_does_nothing: bool = False,
    ) -> None:
        self.before = before
        self.capacity = capacity
        self.counts: dict[str, int] = {}
        self.sync_does_nothing = sync_does_nothing
        self._files: dict[Path, _Contents] = {}
        self._durable_names: dict[Path, _Contents] = {}
        self._locked: set[Path] = set()
        self._mutex = threading.Lock()

    # --- the port --------------------------------------------------------------------------------------------------

    def make_directory(self, directory: Path) -> None:
        pass

    def names(self, directory: Path) -> list[str]:
        with self._mutex:
            return sorted(path.name for path in self._files if path.parent == directory)

    def read(self, path: Path) -> bytes:
        with self.met("read"):
            return bytes(self._files[path].data)

    def create(self, path: Path) -> AppendFile:
        with self.met("create"):
            if path in self._files:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
            contents = self._files[path] = _Contents()
        return _File(self, contents)

    def remove(self, path: Path) -> None:
        with self.met("remove"):
            del self._files[path]

    def sync_directory(self, directory: Path) -> None:
        with self.met("sync_directory"):
            if not self.sync_does_nothing:
                self._durable_names = dict(self._files)

    def lock(self, directory: Path) -> Lock:
        if directory in self._locked:
            raise JournalInUseError.saying("it is in use")
        self._locked.add(directory)
        return _Lock(self, directory)

    # --- what goes wrong -------------------------------------------------------------------------------------------

    def after_power_cut(self, random: Random) -> FaultyStorage:
        """Return a healthy storage with what the cut left. This one continues as if nothing had happened."""
        left = FaultyStorage()
        with self._mutex:
            for path, contents in {**self._durable_names, **self._files}.items():
                if self._durable_names.get(path) is contents or random.random() < 0.5:
                    data = contents.after_power_cut(random)
                    left._files[path] = _Contents(data, len(data))
        for contents in left._files.values():
            contents.sync()
        left._durable_names = dict(left._files)
        return left

    def add_file(self, path: Path, data: bytes) -> None:
        """Add a file that existed before, as left by another program."""
        self._files[path] = self._durable_names[path] = contents = _Contents(bytearray(data), len(data))
        contents.sync()

    def after_kill(self) -> FaultyStorage:
        """Return a healthy storage with what another process sees when this one was killed: everything written."""
        left = FaultyStorage(sync_does_nothing=self.sync_does_nothing)
        with self._mutex:
            left._files, left._durable_names = copy.deepcopy((self._files, self._durable_names))
        return left

    @contextmanager
    def met(self, operation: str) -> Iterator[None]:
        """Count an operation, which may fail, and hold the files still while it is done."""
        number = self.counts[operation] = self.counts.get(operation, 0) + 1
        self.before(operation, number)
        with self._mutex:
            yield

    def free_bytes(self) -> int:
        assert self.capacity is not None
        return self.capacity - sum(len(each.data) for each in self._files.values())
