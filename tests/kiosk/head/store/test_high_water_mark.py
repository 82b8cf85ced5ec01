"""Tests of a store that lost acknowledged rows: a damaged write-ahead log, a copy without it, an older database.

Missing rows are named at the start, by ``kiosk audit verify`` and by ``kiosk backup``; the tables send theirs again.
Except for the write-ahead log, every test runs on SQLite and on PostgreSQL.
"""

from __future__ import annotations

import gc
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from heads.process import HeadProcess, configured, kiosk, rows_of
from heads.staff import chief_at
from heads.world import event, running_head
from links.linked_table import linked
from links.world import MemoryOutbox
from sqlalchemy import text
from waiting import until

from kiosk.head.event.tournament_state_from_events import fold
from kiosk.head.store import Store
from kiosk.head.store.store_connections_and_locks import StoreLocation
from kiosk.link.link_messages import TableRecord
from kiosk.link.table_keys import load_keys

WAL = "head.sqlite-wal"
FOUR = [TableRecord(seq, "event", {}) for seq in range(1, 5)]


def _config(place: StoreLocation) -> Path:
    return configured(place.directory.parent, [1, 2, 3], data=str(place.directory), store=place.url)


def _fill(place: StoreLocation) -> None:
    """Write three notes, and four records of each of two tables."""
    store = Store(place.directory, place.url)
    for number in range(3):
        store.append("hall-announced", {"text": f"{number}", "prizes": ""}).result(5)
    store.commit_records(1, "a", FOUR).result(5)
    store.commit_records(2, "b", FOUR).result(5)
    store.close()


def _lose(place: StoreLocation, *statements: str) -> None:
    """Delete the rows that an older copy of the database would not have."""
    engine = place.engine()
    with engine.begin() as connection:
        for table in ("records", "operator_events"):
            on = f" ON {table}" if place.url else ""
            connection.execute(text(f"DROP TRIGGER {table}_no_delete{on}"))
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


@pytest.fixture
def shortened(place: StoreLocation) -> Iterator[StoreLocation]:
    """A store without its last operator event, without record 4 of table 1 and without every record of table 2."""
    _fill(place)
    _lose(place, "DELETE FROM operator_events WHERE number = 3", "DELETE FROM records WHERE table_no = 2 OR seq = 4")
    yield place


def _verified(place: StoreLocation) -> tuple[int, dict[str, Any]]:
    ended = kiosk("audit", "verify", _config(place), "--json")
    return ended.returncode, json.loads(ended.stdout)


def test_a_complete_store_has_nothing_missing(place: StoreLocation) -> None:
    _fill(place)
    assert _verified(place)[0] == 0 and _verified(place)[1]["intact"] is True
    Store(place.directory, place.url).close()
    store = Store(place.directory, place.url)
    assert not store.missing_tables() and [one.kind for one in store.operator_events()] == ["hall-announced"] * 3
    store.close()


def test_verify_names_the_missing_records(shortened: StoreLocation, tmp_path: Path) -> None:
    """Also ``kiosk backup`` does."""
    code, report = _verified(shortened)
    assert code == 1 and report["intact"] is False
    assert report["missing"].pop("at") > "20"
    assert report["missing"] == {
        "events": [3, 3],
        "records": [
            {"table": 1, "epoch": "a", "first": 4, "last": 4},
            {"table": 2, "epoch": "b", "first": 1, "last": 4},
        ],
    }
    told = kiosk("audit", "verify", _config(shortened))
    assert told.returncode == 1 and "tables: 1, 2" in told.stdout and "entries 3 to 3" in told.stdout

    made = kiosk("backup", _config(shortened), tmp_path / "stick")
    assert made.returncode == 0 and "tables: 1, 2" in made.stdout
    assert json.loads(kiosk("backup", _config(shortened), tmp_path / "other", "--json").stdout)["missing"]["events"]


def test_the_start_records_the_loss_once_and_begins_another_life(shortened: StoreLocation) -> None:
    """Entry 3 of the trail is written a second time with another content, so a federation must not confuse it with
    the first."""
    engine = shortened.engine()
    with engine.connect() as connection:
        before = connection.execute(text("SELECT value FROM meta WHERE key = 'trail'")).scalar()
    engine.dispose()
    for _ in range(2):
        store = Store(shortened.directory, shortened.url)
        noted = [one for one in store.operator_events() if one.kind == "rows-missing"]
        assert [(one.number, [row["table"] for row in one.body["records"]]) for one in noted] == [(3, [1, 2])]
        assert store.trail != before and store.restored_after == 4
        assert store.missing_tables() == [1, 2]
        shown = [str(one.text) for one in fold(store.operator_events(), []).notices]
        assert ["entries 3 to 3" in one for one in shown] == [True]
        store.close()


def test_records_that_arrive_again_are_not_missing(shortened: StoreLocation) -> None:
    store = Store(shortened.directory, shortened.url)
    store.commit_records(1, "a", FOUR).result(5)
    assert store.missing_tables() == [2]
    store.commit_records(2, "b", FOUR).result(5)
    assert not store.missing_tables()
    store.close()
    assert _verified(shortened)[0] == 0


def test_the_loss_is_shown_at_the_desk(tmp_path: Path) -> None:
    place = StoreLocation(tmp_path / "data")
    _fill(place)
    _lose(place, "DELETE FROM records WHERE table_no = 2")
    with chief_at(tmp_path, 3) as (program, web):
        assert "records of these tables: 2." in web.get("/desk?lang=en").text
        program.store.commit_records(2, "b", FOUR).result(5)
        assert "records of these tables: 2." not in web.get("/desk?lang=en").text


def test_a_damaged_mark_stops_nothing(tmp_path: Path) -> None:
    """A torn one, one with turned bits, and none."""
    place = StoreLocation(tmp_path / "data")
    _fill(place)
    for harm in (lambda content: content[:-7], lambda content: bytes(byte ^ 4 for byte in content), None):
        if harm is None:
            place.mark.unlink()
        else:
            place.mark.write_bytes(harm(place.mark.read_bytes()))
        store = Store(place.directory, place.url)
        assert not store.missing_tables()
        store.append("note", {}).result(5)
        store.close()
        assert _verified(place)[0] == 0


def test_a_full_disk_under_the_mark_fails_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = StoreLocation(tmp_path / "data")
    store = Store(place.directory, place.url)

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kiosk.head.store.high_water_mark.os.write", full)
    store.append("note", {}).result(5)
    monkeypatch.undo()
    store.append("note", {}).result(5)
    store.close()
    assert _verified(place)[0] == 0


def test_a_restored_backup_has_nothing_missing(place: StoreLocation, tmp_path: Path, postgres: Any) -> None:
    """The older backup is restored on purpose; the mark of the newer store does not belong to it."""
    _fill(place)
    assert kiosk("backup", _config(place), tmp_path / "stick").returncode == 0
    store = Store(place.directory, place.url)
    store.append("note", {}).result(5)
    store.close()
    other = ["--store", postgres.new()] if place.url else []
    assert kiosk("restore", tmp_path / "stick", place.directory, "--foreign", "--force", *other).returncode == 0
    again = Store(place.directory, other[1] if other else "")
    assert not again.missing_tables() and len(again.operator_events()) == 3
    again.close()


@pytest.mark.slow
@pytest.mark.fault(30, "one bit turned in the head's write-ahead log: named, and sent again by the tables")
@pytest.mark.parametrize("at", [0.0, 0.6], ids=lambda at: f"bit at {at:.0%}")
def test_a_flipped_bit_in_the_log_loses_no_record(tmp_path: Path, at: float) -> None:
    """The head is killed, one bit of its write-ahead log is flipped, and it starts again: the table sends what is
    missing."""
    config = configured(tmp_path, [1], event())
    key, outbox = load_keys(tmp_path / "keys.json")[1], MemoryOutbox()
    head = HeadProcess(config)
    try:
        with linked(head.url, key, outbox) as table:
            for seq in range(1, 11):
                table.grow(1)
                until(lambda seq=seq: outbox.acknowledgements[-1:] == [seq])  # type: ignore[misc]
    finally:
        head.kill()
    before = rows_of_copy(tmp_path)
    log = tmp_path / "data" / WAL
    content = bytearray(log.read_bytes())
    content[32 + int(at * (len(content) - 32))] ^= 1
    log.write_bytes(content)
    assert kiosk("audit", "verify", config).returncode == 1
    head = HeadProcess(config)
    try:
        with linked(head.url, key, outbox):
            until(lambda: rows_of(tmp_path / "data") == before)
        assert kiosk("audit", "verify", config).returncode == 0
    finally:
        head.kill()


def rows_of_copy(folder: Path) -> object:
    """Return the records of a copy of the store, because reading it may change its log."""
    shutil.copytree(folder / "data", folder / "copy")
    return rows_of(folder / "copy")


def test_a_published_round_is_in_the_main_file(tmp_path: Path) -> None:
    """A copy of ``head.sqlite`` alone contains the event up to its last round."""
    with running_head(tmp_path, auto=False) as (program, _):
        program.desk.rounds.publish(program.desk.rounds.draft().digest)
        program.store.append("note", {}).result(5)
        (tmp_path / "copy").mkdir()
        shutil.copy(tmp_path / "data/head.sqlite", tmp_path / "copy/head.sqlite")
        copied = Store(tmp_path / "copy")
        assert "round-published" in {one.kind for one in copied.operator_events()}
        copied.close()


def test_a_loss_not_recorded_before_a_crash_is_recorded_later(
    shortened: StoreLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Store, "_note_lost", killed)
    with pytest.raises(KeyboardInterrupt):
        Store(shortened.directory, shortened.url)
    monkeypatch.undo()
    gc.collect()
    assert _verified(shortened)[0] == 1
