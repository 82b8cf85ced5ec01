"""Tests of the journal: what is reported saved is kept, and recovery gives a prefix of what was appended."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from messages.bilingual import both
from simulate.storage_faults import FaultyStorage, failing_operations
from tables.saved_records import saved_after
from waiting import HANGS_S, until

from kiosk import platform_compat
from kiosk.table.journal.journal_and_link_outbox import Journal, JournalCallbacks
from kiosk.table.journal.journal_storage_and_sd_card_alarms import LOCK, JournalInUseError, Storage, note_in
from kiosk.table.journal.segment_files_and_recovery import (
    JournalClosedError,
    JournalFullError,
    JournalVersionError,
    SegmentHeader,
    UnfitRecordError,
    frame,
    recover,
)

HERE = Path("/journal")


@pytest.fixture
def storage() -> FaultyStorage:
    return FaultyStorage()


def event(number: int) -> dict[str, object]:
    return {"kind": "press", "at_ns": number, "seat": "left"}


def numbers(storage: FaultyStorage) -> list[int]:
    """Return the at_ns of the recovered events, after checking that seqs have no gap."""
    recovered = recover(HERE, storage)
    assert [entry.seq for entry in recovered.entries] == list(range(1, len(recovered.entries) + 1))
    return [entry.body["at_ns"] for entry in recovered.entries if entry.type == "event"]


@contextmanager
def running(storage: FaultyStorage, directory: Path = HERE, **how: Any) -> Iterator[Journal]:
    """A journal that writes; it is closed with everything saved."""
    journal = Journal(directory, storage=storage, **how).start()
    yield journal
    assert journal.close()


def filled(storage: FaultyStorage, count: int) -> None:
    with running(storage) as journal:
        for number in range(count):
            journal.append("event", event(number))
            assert journal.flush(5)


def test_what_was_appended_is_read_again_from_real_files(tmp_path: Path) -> None:
    directory = tmp_path / "not" / "yet"
    journal = Journal(directory, calls=JournalCallbacks(now_ns=lambda: 7, wall_ns=lambda: 8)).start()
    assert journal.append("event", event(1)) == 2
    assert journal.append("card", {"game": "g", "名": "黒"}, at_ns=9) == 3
    assert journal.close()
    boot, press, card = recover(directory).entries
    assert (boot.type, boot.at_ns, boot.body["wall_ns"]) == ("boot", 7, 8)
    assert boot.body["boot_id"]
    assert (press.seq, press.type, press.body) == (2, "event", event(1))
    assert (card.seq, card.at_ns, card.body) == (3, 9, {"game": "g", "名": "黒"})
    assert recover(directory).cuts == []


def test_every_start_continues_the_epoch_with_a_boot_record(storage: FaultyStorage) -> None:
    with running(storage) as first:
        first.append("event", event(0))
    with running(storage) as second:
        assert second.epoch == first.epoch
        assert second.append("event", event(1)) == 4
    with pytest.raises(JournalClosedError):
        second.append("event", event(2))
    assert [entry.type for entry in recover(HERE, storage).entries] == ["boot", "event", "boot", "event"]


def test_a_second_program_is_refused_with_a_sentence(tmp_path: Path) -> None:
    journal = Journal(tmp_path).start()
    with pytest.raises(JournalInUseError, match=r"in use by process \d+; stop that table program"):
        Journal(tmp_path).start()
    assert journal.close()
    assert Journal(tmp_path).start().close()


def test_a_second_program_reports_the_process_of_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while the writer updates its note at the first saved record."""
    lock = Storage().lock(tmp_path)
    write_at = platform_compat.write_at
    met = []

    def while_written(descriptor: int, data: bytes, offset: int) -> int:
        for taken in (lambda: None, lambda: write_at(descriptor, data, offset)):
            taken()
            with pytest.raises(JournalInUseError) as refused:
                Storage().lock(tmp_path)
            met.append(dict(refused.value.text.fields)["pid"])
        return len(data)

    monkeypatch.setattr(platform_compat, "write_at", while_written)
    lock.note("an epoch 3")
    lock.note("b 4")
    lock.close()
    assert met == [str(os.getpid())] * 4
    assert note_in((tmp_path / LOCK).read_bytes()) == "b 4"


@pytest.mark.parametrize(
    "body",
    [{"x": object()}, {1: "a key that is no string"}, {"x": 2**70}, {"x": "\ud800"}, {"x": "long" * 20_000}],
    ids=["object", "key", "number", "surrogate", "long"],
)
def test_a_body_that_cannot_be_read_back_is_refused(body: dict[str, object]) -> None:
    storage = FaultyStorage()
    with running(storage) as journal:
        with pytest.raises(UnfitRecordError, match="event record 2"):
            journal.append("event", body)
        with pytest.raises(UnfitRecordError, match="tick"):
            journal.append("tick", {})
        assert journal.append("event", event(1)) == 2
    assert numbers(storage) == [1]


@pytest.mark.fault(4, "journal cut at every byte")
def test_a_cut_at_every_byte_leaves_a_prefix_and_is_reported(storage: FaultyStorage) -> None:
    filled(storage, 12)
    [(path, contents)] = storage._files.items()
    whole = bytes(contents.data)
    before = -1
    for length in range(len(whole) + 1):
        contents.data = bytearray(whole[:length])
        found = numbers(storage)
        assert found == list(range(len(found)))
        assert len(found) >= before
        before = len(found)
        cuts = recover(HERE, storage).cuts
        kept = length - sum(cut.bytes_lost for cut in cuts)
        assert kept == length or (cuts[0].file == path.name and cuts[0].offset == kept and cuts[0].why)
    assert before == 12
    assert recover(HERE, storage).cuts == []


def test_every_flipped_byte_leaves_a_prefix(storage: FaultyStorage) -> None:
    filled(storage, 5)
    [contents] = storage._files.values()
    whole = bytes(contents.data)
    for position in range(len(whole)):
        contents.data = bytearray(whole)
        contents.data[position] ^= 0x41
        found = numbers(storage)
        assert found == list(range(len(found)))
        assert len(found) < 5 or len(recover(HERE, storage).cuts) == 1


def test_a_tail_of_zeros_is_no_record(storage: FaultyStorage) -> None:
    filled(storage, 3)
    [contents] = storage._files.values()
    contents.data += bytes(4096)
    assert numbers(storage) == [0, 1, 2]
    assert recover(HERE, storage).cuts == []  # preallocated space


def test_an_empty_last_file_is_a_torn_end(storage: FaultyStorage) -> None:
    """A power cut between making a file and writing its header leaves it empty."""
    filled(storage, 3)
    storage.create(HERE / "00000002.journal").close()
    found = recover(HERE, storage)
    assert numbers(storage) == [0, 1, 2]
    assert found.is_whole and [cut.file for cut in found.cuts] == ["00000002.journal"]


def test_a_changed_byte_in_saved_records_is_damage_and_no_torn_end(storage: FaultyStorage) -> None:
    """The entries after it are not used, but they show how much was saved."""
    filled(storage, 12)
    [contents] = storage._files.values()
    frames = [at for at in range(len(contents.data)) if contents.data.startswith(b"event", at)]
    contents.data[frames[4]] ^= 1
    found = recover(HERE, storage)
    assert numbers(storage) == [0, 1, 2, 3]
    assert found.damaged and not found.is_whole
    torn = FaultyStorage()
    filled(torn, 12)
    [contents] = torn._files.values()
    del contents.data[-3:]
    assert not recover(HERE, torn).damaged


def test_space_is_preallocated_for_a_game_and_released(tmp_path: Path) -> None:
    journal = Journal(tmp_path).start()
    assert journal.flush(10)
    small = (tmp_path / "00000001.journal").stat().st_size
    for number in range(100):
        journal.append("event", event(number))
        assert journal.flush(5)
    file = tmp_path / "00000001.journal"
    assert small < 4096 and file.stat().st_size > 100_000
    assert len(recover(tmp_path).entries) == 101 and recover(tmp_path).cuts == []  # as after a kill
    assert journal.close()
    assert file.stat().st_size < 20_000
    assert len(recover(tmp_path).entries) == 101 and recover(tmp_path).is_whole


def test_a_disk_without_preallocation_is_written() -> None:
    storage = FaultyStorage(before=failing_operations("reserve", *range(1, 1000), error=errno.EOPNOTSUPP))
    filled(storage, 100)
    assert storage.counts["reserve"] > 0 and storage.names(HERE) == ["00000001.journal"]
    assert numbers(storage) == list(range(100))


def test_a_block_of_another_segment_is_no_record(storage: FaultyStorage) -> None:
    """A deleted file's blocks may appear at the end of a new one."""
    storage, other = FaultyStorage(), FaultyStorage()
    filled(storage, 1)
    filled(other, 3)
    [contents], [stale] = storage._files.values(), other._files.values()
    contents.data += stale.data[len(contents.data) :]
    assert numbers(storage) == [0]


def test_a_journal_of_another_format_is_not_changed() -> None:
    storage = FaultyStorage()
    header = msgspec.msgpack.encode(SegmentHeader(2, "e", 1, b"12345678"))
    storage.create(HERE / "00000001.journal").write(b"OTHELLO\n" + frame(header, 0))
    with pytest.raises(JournalVersionError, match="journal format 2, this program reads 1"):
        Journal(HERE, storage=storage).start()
    assert storage.names(HERE) == ["00000001.journal"]


def test_of_two_records_of_one_number_the_later_is_valid(storage: FaultyStorage) -> None:
    """An earlier recovery could not read the first one and gave its number again."""
    filled(storage, 3)
    [contents] = storage._files.values()
    whole = bytes(contents.data)
    del contents.data[-20:]
    with running(storage) as journal:
        journal.append("event", event(7))
    contents.data[:] = whole
    assert numbers(storage) == [0, 1, 7]


def reporting(storage: FaultyStorage) -> tuple[Journal, list[tuple[str, ...]]]:
    """Return a running journal, and the alarms that it reports."""
    told: list[tuple[str, ...]] = []
    calls = JournalCallbacks(trouble=lambda now: told.append(tuple(trouble.kind for trouble in now)))
    return Journal(HERE, storage=storage, retry_s=0.01, calls=calls).start(), told


@pytest.mark.fault(30, "a table's card read-only")
@pytest.mark.parametrize(
    ("error", "alarm"), [(errno.EROFS, "journal-card-read-only"), (errno.EIO, "journal-card-failing")]
)
def test_a_failed_sync_writes_everything_unsaved_into_a_new_segment(error: int, alarm: str) -> None:
    storage = FaultyStorage()
    journal, told = reporting(storage)
    assert journal.flush(5)
    storage.before = failing_operations("sync", storage.counts["sync"] + 1, error=error)
    journal.append("event", event(1))
    assert journal.flush(5)
    assert told == [(alarm,), ("journal-card-suspect",)]
    assert journal.close()
    assert storage.names(HERE) == ["00000001.journal", "00000002.journal"]
    assert numbers(storage) == [1]  # it is in both segments and read once
    del storage._files[HERE / "00000001.journal"].data[-2:]
    assert numbers(storage) == [1]


def test_memory_for_unsaved_records_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kiosk.table.journal.journal_and_link_outbox.MAX_UNSAVED_BYTES", 2_000)
    journal = Journal(HERE, storage=FaultyStorage(capacity=0), retry_s=0.01).start()
    with pytest.raises(JournalFullError, match="could not yet be written"):
        for number in range(200):
            journal.append("event", event(number))
    assert not journal.close()


@pytest.mark.fault(8, "sync stalled: the journal's appends")
def test_append_does_not_wait_for_a_stalled_sync() -> None:
    """The sync returns only when the test allows it, so an append that waited for it would hang forever."""
    stalled, go_on = threading.Event(), threading.Event()

    def before(operation: str, number: int) -> None:
        if operation == "sync" and number == 2:
            stalled.set()
            assert go_on.wait(HANGS_S)

    journal = Journal(HERE, storage=FaultyStorage(before=before)).start()
    assert journal.flush(5)
    journal.append("event", event(0))
    assert stalled.wait(HANGS_S)
    for number in range(1, 1000):
        journal.append("event", event(number))
        journal.tick(number)
    assert journal.last_seq() == 1 and [record.seq for record in journal.records_after(0, 100)] == [1]
    assert journal.appended == 1001
    go_on.set()
    assert journal.flush(5)
    assert journal.close()


def test_records_appended_during_a_sync_share_the_next_one() -> None:
    storage = FaultyStorage()
    go_on = threading.Event()
    storage.before = lambda operation, number: (operation, number) == ("sync", 1) and go_on.wait(HANGS_S)  # type: ignore[assignment, return-value]
    journal = Journal(HERE, storage=storage).start()
    for number in range(500):
        journal.append("event", event(number))
    go_on.set()
    assert journal.close()
    assert storage.counts["sync"] <= 3
    assert numbers(storage) == list(range(500))


def test_ticks_record_the_running_time_and_are_not_sent() -> None:
    storage = FaultyStorage()
    with running(storage, calls=JournalCallbacks(now_ns=lambda: 100)) as journal:
        journal.append("event", event(1), at_ns=200)
        journal.tick(1_000)
    assert recover(HERE, storage).last_at_ns == 1_000
    with running(storage, calls=JournalCallbacks(now_ns=lambda: 5)) as again:
        assert again.flush(5)
        assert [record.type for record in again.records_after(0, 10)] == ["boot", "event", "boot"]


def test_times_never_go_back_over_a_reboot(storage: FaultyStorage) -> None:
    """The monotonic clock restarts with each boot; the journal's time continues, boot records included."""
    lived = 0
    for base in (100, 5, 7, 10_000, 3):
        with running(storage, calls=JournalCallbacks(now_ns=lambda base=base: base)) as journal:
            assert journal.offset_ns == max(0, lived - base)
            journal.append("event", event(base))
            journal.tick(base + journal.offset_ns + 50)
        found = recover(HERE, storage)
        assert found.last_at_ns == max(lived, base) + 50
        lived = found.last_at_ns
    times = [entry.at_ns for entry in recover(HERE, storage).entries]
    assert times == sorted(times)


def test_a_full_segment_is_followed_by_another(storage: FaultyStorage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kiosk.table.journal.journal_and_link_outbox.SEGMENT_BYTES", 400)
    filled(storage, 30)
    assert len(storage.names(HERE)) > 3
    assert all(len(contents.data) < 800 for contents in storage._files.values())
    assert numbers(storage) == list(range(30))


def opened(storage: FaultyStorage, may: bool = True) -> Journal:
    return Journal(HERE, storage=storage, max_bytes=1000, may_begin_afresh=lambda found: may, retry_s=0.01).start()


def test_a_journal_over_its_limit_is_restarted_only_if_nothing_is_needed(storage: FaultyStorage) -> None:
    filled(storage, 3)
    assert opened(storage).close()
    assert numbers(storage) == [0, 1, 2]  # not beyond
    filled(storage, 20)
    assert opened(storage, may=False).close()
    assert len(numbers(storage)) == 23
    lived, old = recover(HERE, storage).last_at_ns, recover(HERE, storage).epoch
    journal = opened(storage)
    assert journal.appended == 1
    assert journal.append("event", event(77)) == 2
    assert journal.close()
    found = recover(HERE, storage)
    assert numbers(storage) == [77]
    assert found.epoch not in (old, None)
    assert not found.damaged and found.acknowledged == 0
    assert lived is not None and found.entries[0].at_ns >= lived
    assert len(storage.names(HERE)) == 1
    assert found.size < 1000


def test_a_power_cut_during_the_restart_leaves_the_old_or_the_new_journal() -> None:
    random, seen = Random(5), set()
    full = FaultyStorage()
    filled(full, 25)

    def look(operation: str, number: int) -> None:
        left = storage.after_power_cut(random)
        found = recover(HERE, left)
        assert not found.damaged
        seen.add(len(numbers(left)))
        again = opened(left, may=False)
        assert again.append("event", event(99)) == len(found.entries) + 2
        assert again.close()
        assert numbers(left)[-1] == 99
        assert again.troubles == ()

    storage = full
    storage.before = look
    journal = opened(storage)
    assert journal.flush(5)
    assert journal.close()
    assert seen == {25, 0}


def test_a_journal_with_an_unreadable_file_is_not_restarted(storage: FaultyStorage) -> None:
    filled(storage, 25)
    filled(storage, 2)
    storage.counts.clear()
    storage.before = failing_operations("read", 2)
    journal = opened(storage)
    assert journal.appended > 20
    assert journal.close()
    assert len(storage.names(HERE)) == 3


def test_an_acknowledgement_is_saved_without_further_records(
    storage: FaultyStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kiosk.table.journal.journal_and_link_outbox.ACK_S", 0.01)
    with running(storage) as journal:
        assert journal.flush(5)
        assert len(journal.records_after(0, 10)) == 1
        journal.acknowledged(1)
        until(lambda: recover(HERE, storage.after_kill()).acknowledged == 1)


def test_acknowledgements_are_kept_over_a_restart(storage: FaultyStorage) -> None:
    with running(storage) as journal:
        for number in range(9):
            journal.append("event", event(number))
        assert journal.flush(5)
        assert [record.seq for record in journal.records_after(3, 4)] == [4, 5, 6, 7]
        assert journal.unsynced == 10
        journal.acknowledged(7)
        assert journal.unsynced == 3
    with running(storage) as again:
        assert again.unsynced == 3 + 1


def test_an_acknowledgement_of_records_that_were_not_offered_renews_the_epoch(storage: FaultyStorage) -> None:
    """It is from before a loss, so a card under that number does not count as submitted. Reading the journal offers
    nothing: it would hide the loss."""
    told: list[int] = []
    with running(storage, calls=JournalCallbacks(acknowledged=told.append)) as journal:
        assert journal.flush(5) and len(journal.records_after(0, 10)) == 1
        journal.acknowledged(1)
        journal.append("event", event(1))
        assert journal.flush(5)
        assert [entry.seq for entry in saved_after(journal, 1)] == [2]
        old = journal.epoch
        journal.acknowledged(2)
        assert told == [1, 0] and journal.unsynced == 2 and journal.epoch != old


def test_a_head_with_more_records_than_offered_causes_a_new_epoch(storage: FaultyStorage) -> None:
    filled(storage, 4)
    [contents] = storage._files.values()
    del contents.data[-150:]  # records that were saved and sent are gone
    journal, told = reporting(storage)
    old = journal.epoch
    kept = len(journal.recovered.entries)
    assert kept < 5
    journal.acknowledged(5)
    assert journal.epoch != old
    assert told == [("journal-records-lost",)]
    assert journal.close()
    with running(storage) as again:
        assert again.epoch == journal.epoch
        assert again.unsynced == kept + 2


def _closed_journal(directory: Path, count: int) -> Path:
    """A journal of real files with one segment, closed as at a proper shutdown."""
    journal = Journal(directory).start()
    for number in range(count):
        journal.append("event", event(number))
    assert journal.close()
    [segment] = directory.glob("*.journal")
    return segment


@pytest.mark.fault(4, "the only file gone")
def test_a_journal_without_its_only_file_is_reported_and_started_anew(tmp_path: Path) -> None:
    _closed_journal(tmp_path, 3).unlink()
    found = recover(tmp_path)
    assert found.damaged and found.epoch is None and found.entries == []
    journal = Journal(tmp_path).start()
    assert [trouble.kind for trouble in journal.troubles] == ["journal-gone"]
    assert "from the head table" in both(journal.troubles[0].text) and "本部" in both(journal.troubles[0].text)
    assert journal.close()
    again = Journal(tmp_path).start()
    assert again.troubles == () and again.epoch == journal.epoch
    assert again.close()


@pytest.mark.fault(4, "cut where a record ends")
def test_a_journal_cut_between_records_is_reported(tmp_path: Path) -> None:
    segment = _closed_journal(tmp_path, 3)
    whole, at = segment.read_bytes(), len(b"OTHELLO\n")
    ends = []
    while at < len(whole):
        at += 8 + int.from_bytes(whole[at : at + 4], "little")
        ends.append(at)
    assert ends[-1] == len(whole) and len(ends) == 5  # header, boot, three events
    for end in ends[:-1]:
        segment.write_bytes(whole[:end])
        found = recover(tmp_path)
        assert found.cuts == [] and found.damaged
    journal = Journal(tmp_path).start()
    assert [trouble.kind for trouble in journal.troubles] == ["journal-records-lost"]
    assert journal.epoch != found.epoch and journal.close()
    assert not recover(tmp_path).damaged


def test_a_note_proves_a_loss_only_in_its_own_journal(tmp_path: Path) -> None:
    """A note that is torn, missing, or of another epoch proves nothing; a program that was killed left the note of
    its start."""
    _closed_journal(tmp_path, 3)
    note = (tmp_path / "lock").read_text()
    for text in ("", "12\n", "12\nx\n", "12\n0123456789abcdef 9999\n", note.strip()[:-2] + "\n", "12\n\x00 9\n"):
        (tmp_path / "lock").write_text(text)
        assert not recover(tmp_path).damaged, text
    (tmp_path / "lock").write_text(note)
    journal = Journal(tmp_path).start()
    until(lambda: (tmp_path / "lock").read_text().split()[-1] == "5")  # two starts, three events
    journal.append("event", event(9))
    assert journal.flush(5) and (tmp_path / "lock").read_text().split()[-1] == "5"
    assert journal.close() and (tmp_path / "lock").read_text().split()[-1] == "6"


def test_a_file_that_cannot_be_read_is_reported_and_the_table_starts(storage: FaultyStorage) -> None:
    filled(storage, 2)
    storage.before = failing_operations("read", 1)
    storage.counts.clear()
    with running(storage) as journal:
        assert "cannot be read" in str(journal.recovered.cuts[0].why)
        journal.append("event", event(9))


def test_records_read_from_the_page_cache_are_synced_before_they_count_as_saved() -> None:
    """A kill before the sync, a restart that reads what was never synced, then a power cut lose nothing reported
    saved."""
    go_on = threading.Event()
    written = threading.Event()

    def before(operation: str, number: int) -> None:
        if operation == "sync" and number == 2:
            written.set()
            go_on.wait(HANGS_S)

    storage = FaultyStorage(before=before)
    journal = Journal(HERE, storage=storage).start()
    assert journal.flush(5)
    journal.append("event", event(0))
    assert written.wait(HANGS_S)
    killed = storage.after_kill()
    go_on.set()
    again = Journal(HERE, storage=killed).start()
    assert [entry.body for entry in again.recovered.entries if entry.type == "event"] == [event(0)]
    assert again.flush(5)
    claimed = again.last_seq()
    for seed in range(20):
        assert len(recover(HERE, killed.after_power_cut(Random(seed))).entries) >= claimed
    assert again.close()
    assert journal.close()
