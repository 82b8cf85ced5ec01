"""FAULTS.md 4 on a whole journal: the files of many starts, cut, zeroed, flipped and deleted at random."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from kiosk.table.journal.journal_and_link_outbox import Journal
from kiosk.table.journal.segment_files_and_recovery import recover

SECTOR = 512


def write_journal(directory: Path, random: Random, starts: int) -> None:
    """Write games over several starts, some of them ended by a kill, which leaves preallocated space."""
    for start in range(starts):
        journal = Journal(directory).start()
        for number in range(random.randint(0, 60)):
            journal.append("event", {"start": start, "n": number, "text": "é" * random.randint(0, 120)})
            if random.random() < 0.3:
                journal.tick(number)
            if random.random() < 0.3:
                assert journal.flush(10)
            if random.random() < 0.05:
                journal.acknowledged(journal.last_seq())
        assert journal.flush(10)
        if random.random() < 0.5:
            left = {path: path.read_bytes() for path in directory.glob("*.journal")}
            assert journal.close()
            for path, data in left.items():  # as after a kill
                path.write_bytes(data)
        else:
            assert journal.close()


def damage(file: Path, random: Random) -> str:
    data = bytearray(file.read_bytes())
    at, block = random.randrange(len(data)), random.randrange(0, len(data), SECTOR)
    what = random.choice(("cut", "zeroed", "rubbish", "turned", "removed", "emptied", "doubled"))
    match what:
        case "cut":
            del data[at:]
        case "zeroed":
            data[block : block + SECTOR] = bytes(len(data[block : block + SECTOR]))
        case "rubbish":
            data[block : block + SECTOR] = random.randbytes(len(data[block : block + SECTOR]))
        case "turned":
            data[at] ^= 1 << random.randrange(8)
        case "emptied":
            data.clear()
        case "doubled":
            data[at:at] = data[block : block + SECTOR]
    file.write_bytes(data)
    if what == "removed":
        file.unlink()
    return what


@pytest.mark.fault(4, "journals of many starts, cut, zeroed, turned or thinned out anywhere; then used again")
def test_a_damaged_journal_recovers_to_a_prefix_and_continues(
    tmp_path: Path, times: Callable[[int, int], int], record_property: Callable[[str, object], None]
) -> None:
    random, injuries, reported = Random(4), times(40, 2000), 0
    for number in range(injuries):
        directory = tmp_path / "journal"
        if number % 20 == 0:
            shutil.rmtree(tmp_path / "whole", ignore_errors=True)
            write_journal(tmp_path / "whole", random, random.randint(1, 6))
            intact = recover(tmp_path / "whole")
            assert intact.is_whole and intact.cuts == []
        shutil.copytree(tmp_path / "whole", directory)
        damages: dict[str, str] = {}
        for _ in range(random.randint(1, 2)):
            if files := [file for file in sorted(directory.glob("*.journal")) if file.stat().st_size]:
                file = random.choice(files)
                damages[file.name] = damage(file, random)
        found = recover(directory)
        assert found.entries == intact.entries[: len(found.entries)], damages
        if len(found.entries) < len(intact.entries) and any(file.name > max(damages) for file in files):
            assert found.damaged, damages  # a later start shows that more had been saved
            reported += 1
        known = len(found.entries)
        if any(cut.bytes_lost for cut in found.cuts):
            assert all(cut.why for cut in found.cuts)
        journal = Journal(directory).start()  # the table starts nevertheless
        journal.append("event", {"after": number})
        assert journal.flush(10)
        assert ("journal-records-lost" in {trouble.kind for trouble in journal.troubles}) == found.damaged
        assert journal.close()
        again = recover(directory)
        assert again.entries[:known] == found.entries
        assert [entry.type for entry in again.entries[known:]] == ["boot", "event"]
        assert not again.damaged
        shutil.rmtree(directory)
    assert reported > injuries / 10
    record_property("tried", injuries)
