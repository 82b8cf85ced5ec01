"""Recovery of a journal directory after a crash or damage.

- Recovery returns records 1..n without a gap, reports what it cut off, and never changes a file.
- A record is returned once, however often it was written.
- Old segments are never appended to: a torn end stays and is cut every time.
- The number of records saved when the last program began and ended is stored beside the segments. If fewer are found, a
  file is missing, or was cut where its contents do not show it.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

from kiosk.table.journal.segment_format import ACKNOWLEDGED, BOOT, TICK, CorruptTail, JournalEntry, read_segment
from kiosk.table.journal.storage_interface import LOCK, FileStorage, Storage, note_in

SUFFIX = ".journal"


@dataclass(frozen=True, slots=True)
class RecoveredJournal:
    """Recovered journal. ``entries[i]`` has seq i + 1. ``last_at_ns`` is the last instant at which the table program is
    known to have run; ``in_play_ns`` the last at which it did more than start, as the time between two starts is
    charged to nobody. ``damaged``: records are missing that no crash explains; without ``epoch``, all of them.
    ``obsolete``: segments from before the journal started anew.
    """

    epoch: str | None = None
    entries: tuple[JournalEntry, ...] = ()
    payloads: tuple[bytes, ...] = ()
    saved: int = 0
    acknowledged: int = 0
    last_at_ns: int | None = None
    in_play_ns: int | None = None
    cuts: tuple[CorruptTail, ...] = ()
    damaged: bool = False
    last_segment: int = 0
    obsolete: tuple[int, ...] = ()
    bytes: int = 0

    @property
    def is_whole(self) -> bool:
        """Return whether everything that was saved is here, as far as can be detected. Torn ends were never saved."""
        return not self.damaged and all(cut.bytes_lost for cut in self.cuts)


class _Assembly:
    """Assembly of segments in the order in which they were made."""

    def __init__(self) -> None:
        self.epoch: str | None = None
        self.records: list[tuple[JournalEntry, bytes]] = []
        self.saved = 0
        self.acknowledged = 0
        self.last_at_ns: int | None = None
        self.in_play_ns: int | None = None
        self.damaged = False

    def begin_segment(self, epoch: str, afresh: bool) -> None:
        if afresh:
            self.records.clear()
            self.saved = 0
        if epoch != self.epoch:
            # The head does not know the new epoch yet, and damage in the old one has been answered by the renewal.
            self.epoch, self.acknowledged, self.damaged = epoch, 0, False
            self.saved = min(self.saved, len(self.records))

    def add(self, entry: JournalEntry, payload: bytes) -> None:
        self.saved = max(self.saved, entry.saved)
        if entry.type == ACKNOWLEDGED:
            self.acknowledged = entry.seq
        elif entry.type == TICK:
            self._extend_until(entry)
        else:
            self._take_record(entry, payload)

    def _take_record(self, entry: JournalEntry, payload: bytes) -> None:
        known = len(self.records)
        if entry.seq > known + 1:
            self.damaged = True
            return
        if entry.seq <= known:
            if self.records[entry.seq - 1][1] == payload:
                return  # written again in a new segment after a failed sync
            # An earlier recovery did not see the old record and reused its number: the later record is valid.
            del self.records[entry.seq - 1 :]
        self.records.append((entry, payload))
        self._extend_until(entry)

    def _extend_until(self, entry: JournalEntry) -> None:
        self.last_at_ns = max(self.last_at_ns or 0, entry.at_ns)
        if entry.type != BOOT:
            self.in_play_ns = max(self.in_play_ns or 0, entry.at_ns)


def segment_number(name: str) -> int | None:
    stem = name.removesuffix(SUFFIX)
    return int(stem) if name.endswith(SUFFIX) and stem.isascii() and stem.isdigit() else None


def segment_name(number: int) -> str:
    return f"{number:08d}{SUFFIX}"


def recover(directory: Path, storage: Storage | None = None) -> RecoveredJournal:
    """Read a journal without writing or locking anything.

    :raises JournalVersionError: another format.
    :raises OSError: the directory cannot be listed.
    """
    storage = storage or FileStorage()
    names = storage.names(directory)
    numbers = sorted(n for name in names if (n := segment_number(name)) is not None)
    found = _Assembly()
    cuts: list[CorruptTail] = []
    size = first = 0
    for number in numbers:
        name = segment_name(number)
        try:
            data = storage.read(directory / name)
        except OSError as error:
            cuts.append(CorruptTail(name, 0, 0, f"the file cannot be read: {error.strerror or error}"))
            continue
        size += len(data)
        segment = read_segment(name, data)
        if segment.cut is not None:
            cuts.append(segment.cut)
        if segment.header is not None:
            found.begin_segment(segment.header.epoch, segment.header.afresh)
            first = number if segment.header.afresh else first
            for entry, payload in segment.entries:
                found.add(entry, payload)
            for entry in segment.beyond:
                found.saved = max(found.saved, entry.saved)
    last = len(found.records)
    epoch, noted = "", 0
    with contextlib.suppress(OSError):  # best effort; some systems do not allow reading a locked file
        epoch, noted = _noted(storage.read(directory / LOCK)) if LOCK in names else ("", 0)
    fewer = noted > last and found.epoch in (epoch, None)
    return RecoveredJournal(
        epoch=found.epoch,
        entries=tuple(entry for entry, _ in found.records),
        payloads=tuple(payload for _, payload in found.records),
        saved=min(found.saved, last),
        acknowledged=min(found.acknowledged, last),
        last_at_ns=found.last_at_ns,
        in_play_ns=found.in_play_ns,
        cuts=tuple(cuts),
        damaged=found.damaged or found.saved > last or fewer,
        last_segment=numbers[-1] if numbers else 0,
        obsolete=tuple(number for number in numbers if number < first),
        bytes=size,
    )


def note_of(epoch: str, saved: int) -> str:
    """Return the note for the next start."""
    return f"{epoch} {saved}"


def _noted(lock: bytes) -> tuple[str, int]:
    epoch, _, saved = note_in(lock).partition(" ")
    return epoch, int(saved) if saved.isascii() and saved.isdigit() and len(saved) < 12 else 0
