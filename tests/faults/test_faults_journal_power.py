"""FAULTS.md 3, 5, 6 and 7 on the journal, with a simulated storage that fails.

The records reported as saved at the moment of the fault are compared with what recovery returns.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from simulate.storage_faults import FaultyStorage, failing_operations
from waiting import until

from kiosk.table.journal.journal_and_link_outbox import Journal, JournalCallbacks
from kiosk.table.journal.segment_files_and_recovery import recover

HERE = Path("/journal")
Times = Callable[[int, int], int]
Note = Callable[[str, object], None]
FALLIBLE = {"write", "sync", "create", "sync_directory", "remove", "reserve", "trim"}


def bodies(storage: FaultyStorage) -> list[object]:
    recovered = recover(HERE, storage)
    assert [entry.seq for entry in recovered.entries] == list(range(1, len(recovered.entries) + 1))
    return [entry.body for entry in recovered.entries]


def power_cuts(cuts: int, seed: int, sync_does_nothing: bool = False) -> tuple[int, int]:
    """Write journals of 50 lives, each ended by a power cut; return (lives that lost saved records, saved records)."""
    random = Random(seed)
    losses = saved_in_all = 0
    for life in range(cuts):
        if life % 50 == 0:
            storage = FaultyStorage(sync_does_nothing=sync_does_nothing)
        if random.random() < 0.3:
            storage.before = failing_operations("sync", random.randint(1, 5))
        saved = [0]
        journal = Journal(
            HERE, storage=storage, retry_s=0.001, calls=JournalCallbacks(durable=saved.append)
        ).start()
        appended = [entry.body for entry in journal.recovered.entries] + [{"boot": life}]
        for number in range(random.randint(0, 40)):
            appended.append({"life": life, "n": number})
            journal.append("event", {"life": life, "n": number})
            if random.random() < 0.2:
                journal.tick(number)
            if random.random() < 0.2:
                journal.flush(random.choice((0.0005, 5)))
        claimed = saved[-1]  # read before the cut
        left = storage.after_power_cut(random)
        journal.close()
        found = bodies(left)
        losses += len(found) < claimed
        saved_in_all += claimed
        for was, now in zip(appended, found, strict=False):
            assert was == now or "boot" in was
        storage = FaultyStorage(sync_does_nothing=sync_does_nothing)
        storage._files, storage._durable_names = left._files, left._durable_names
    return losses, saved_in_all


@pytest.mark.fault(3, "power cuts, unsynced data dropped")
def test_power_cuts_lose_no_saved_record(times: Times, record_property: Note) -> None:
    losses, saved = power_cuts(times(40, 1000), seed=3)
    assert losses == 0
    assert saved > 0
    record_property("tried", times(40, 1000))


@pytest.mark.fault(5, "mutant without fdatasync: caught")
def test_power_cuts_detect_the_mutant_without_fdatasync(times: Times) -> None:
    """FAULTS.md 5: power cuts lose saved records if syncs do nothing."""
    losses, _ = power_cuts(times(40, 1000), seed=3, sync_does_nothing=True)
    assert losses > 0


def play(storage: FaultyStorage, saved: list[int], moves: int = 60) -> None:
    """Play a game. Each move is a press, a board and, after some, a tick."""
    journal = Journal(HERE, storage=storage, retry_s=0.001, calls=JournalCallbacks(durable=saved.append)).start()
    for move in range(moves):
        journal.append("event", {"kind": "press", "n": 2 * move})
        journal.append("event", {"kind": "board", "n": 2 * move + 1})
        journal.flush(5)
        if move % 5 == 0:
            journal.tick(move)
    assert journal.close()


def events(found: list[object]) -> list[object]:
    return [body["n"] for body in found if isinstance(body, dict) and "n" in body]


@pytest.mark.fault(5, "mutant that syncs no directory: caught")
def test_every_operation_detects_the_mutant_that_syncs_no_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FaultyStorage, "sync_directory", lambda self, directory: None)
    losses = sum(len(bodies(left)) < claimed for claimed, left in _cuts_of_a_game(Random(4)))
    assert losses > 0


def _cuts_of_a_game(random: Random) -> list[tuple[int, FaultyStorage]]:
    saved, cuts = [0], []

    def look(operation: str, number: int) -> None:
        cuts.append((saved[-1], storage.after_power_cut(random)))

    storage = FaultyStorage(before=look)
    play(storage, saved, moves=20)
    return cuts


@pytest.mark.fault(6, "EIO at each sync")
def test_an_error_at_each_sync_of_a_game_alarms_and_loses_nothing(times: Times, record_property: Note) -> None:
    """FAULTS.md 6: the copy drops what a failed sync should have stored, as the kernel may."""
    random = Random(6)
    moves = times(12, 60)
    for number in range(1, moves + 2):
        storage, saved, troubles = FaultyStorage(before=failing_operations("sync", number)), [0], []
        journal = Journal(
            HERE, storage=storage, retry_s=0.001, calls=JournalCallbacks(durable=saved.append, trouble=troubles.append)
        ).start()
        for move in range(moves):
            journal.append("event", {"n": move})
            assert journal.flush(5)
            claimed = saved[-1]
            assert len(bodies(storage.after_power_cut(random))) >= claimed == move + 2
        assert journal.close()
        assert [[trouble.kind for trouble in now] for now in troubles] in (
            [["journal-card-failing"], ["journal-card-suspect"]],
            [],  # the error fell on the sync after the last record
        )
    record_property("tried", moves + 1)


@pytest.mark.fault(5, "mutant that syncs the same file again: caught")
def test_a_mutant_that_syncs_the_same_file_again_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second fdatasync after an error succeeds although the data is lost."""

    def sync_again(self: Journal, error: OSError) -> None:
        self._segment._file.sync()
        with self._wake:
            self._saved = len(self._payloads)
            self._wake.notify_all()

    monkeypatch.setattr(Journal, "_give_up_segment", sync_again)
    storage = FaultyStorage(before=failing_operations("sync", 3))
    journal = Journal(HERE, storage=storage, retry_s=0.001).start()
    for move in range(4):
        journal.append("event", {"n": move})
        journal.flush(5)
    claimed = journal.last_seq()
    assert len(bodies(storage.after_power_cut(Random(1)))) < claimed
    journal.close(1)


@pytest.mark.fault(7, "disk full at every byte, short writes")
def test_a_disk_that_is_full_at_any_byte(times: Times, record_property: Note) -> None:
    """FAULTS.md 7, short writes included: the game continues, and all is saved when there is space."""
    step = times(37, 1)
    for capacity in range(0, 2600, step):
        storage, troubles = FaultyStorage(capacity=capacity), []
        journal = Journal(
            HERE, storage=storage, retry_s=0.001, calls=JournalCallbacks(trouble=troubles.append)
        ).start()
        for move in range(20):
            journal.append("event", {"n": move})
            journal.flush(0.002)
        until(lambda j=journal: j.last_seq() == 21 or any(t.kind == "journal-disk-full" for t in j.troubles))  # type: ignore[misc]
        saved = journal.last_seq()
        assert len(bodies(storage.after_kill())) >= saved
        storage.capacity = None
        assert journal.flush(5)
        assert journal.close()
        assert journal.troubles == () and (not troubles or troubles[-1] == ())
        assert events(bodies(storage)) == list(range(20))
    record_property("tried", len(range(0, 2600, step)))


@pytest.mark.fault(6, "random errors of every operation")
def test_random_errors_never_report_a_lost_record_as_saved(times: Times, record_property: Note) -> None:
    for seed in range(times(10, 500)):
        random = Random(seed)

        def before(operation: str, number: int, random: Random = random) -> None:
            if operation in FALLIBLE and random.random() < 0.2:
                error = random.choice((errno.EIO, errno.ENOSPC, errno.EROFS))
                raise OSError(error, "trouble")

        storage = FaultyStorage(before=before)
        journal = Journal(HERE, storage=storage, retry_s=0.0005).start()
        for number in range(40):
            journal.append("event", {"n": number})
            if number % 4 == 0:
                journal.flush(0.01)
            claimed = journal.last_seq()
            assert len(bodies(storage.after_power_cut(random))) >= claimed
        storage.before = lambda operation, number: None
        assert journal.flush(5)
        assert journal.close()
        assert events(bodies(storage)) == list(range(40))
    record_property("tried", times(10, 500))
