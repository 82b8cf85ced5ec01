"""Tests of the store: durable on every connection, no gaps, no duplicates, a tamper-evident audit trail.

Every test of this file runs on SQLite and on PostgreSQL.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from kiosk.head.current_user import HEAD, as_user
from kiosk.head.errors import StoreError
from kiosk.head.store import CommandRow, CommandStatus, Store, store_schema
from kiosk.head.store.hash_chain import GENESIS, append_link, canonical, verify
from kiosk.head.store.store_connections_and_locks import StoreLocation
from kiosk.head.store.store_writer import StoreWriter
from kiosk.link.link_messages import RecordType, TableRecord


def durability(connection: Connection) -> tuple[str, str]:
    """Return the settings on which a commit's durability depends, as reported by the database."""
    if connection.dialect.name == "postgresql":
        settings = "SHOW fsync", "SHOW synchronous_commit"
    else:
        settings = "PRAGMA journal_mode", "PRAGMA synchronous"
    first, second = (str(connection.exec_driver_sql(setting).scalar_one()) for setting in settings)
    return first, second


def line(seq: int, type: RecordType = "event", body: dict[str, object] | None = None) -> TableRecord:
    return TableRecord(seq, type, body or {})


@pytest.fixture
def store(place: StoreLocation) -> Iterator[Store]:
    opened = Store(place.directory, place.url)
    yield opened
    opened.close()


def _all(place: StoreLocation, query: str) -> list[tuple[Any, ...]]:
    """Return what another program reads from the store."""
    engine = place.engine()
    with engine.connect() as connection:
        found = [tuple(row) for row in connection.execute(text(query))]
    engine.dispose()
    return found


def _tamper(place: StoreLocation, *statements: str) -> None:
    """Change the database as the owner of the machine can."""
    engine = place.engine()
    with engine.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement.replace("%", "%%") if place.url else statement)
    engine.dispose()


DURABLE = {"sqlite": ("wal", "2"), "postgresql": ("on", "on")}


def test_every_connection_is_durable(place: StoreLocation, store: Store) -> None:
    """SQLite with synchronous=NORMAL loses acknowledged commits on a power cut, PostgreSQL without
    synchronous_commit on a crash, so no connection may have it."""
    engine = place.engine()
    right = DURABLE[engine.dialect.name]
    many = [engine.connect() for _ in range(4)]
    for connection in many:
        assert durability(connection) == right
        connection.close()
    engine.dispose()
    with store.reading() as connection:
        assert durability(connection) == right
    assert store.writer.submit(durability).result(5) == right


def test_only_the_next_record_is_accepted(store: Store) -> None:
    assert store.commit_records(3, "e", [line(1), line(2)]).result(5)[0] == 2
    assert store.commit_records(3, "e", [line(4), line(5)]).result(5) == (2, [])  # a gap
    have, new = store.commit_records(3, "e", [line(1), line(2), line(3)]).result(5)  # a repetition and one more
    assert (have, [record.seq for record in new]) == (3, [3])
    assert [record.seq for record in store.records(table=3)] == [1, 2, 3]


def test_each_table_and_epoch_has_its_own_numbers(store: Store) -> None:
    store.commit_records(1, "a", [line(1), line(2)]).result(5)
    store.commit_records(1, "b", [line(1)]).result(5)
    store.commit_records(2, "a", [line(1)]).result(5)
    seq = store.last_committed_seq
    assert (seq(1, "a"), seq(1, "b"), seq(2, "a"), seq(2, "b")) == (2, 1, 1, 0)


def test_acknowledged_rows_are_visible_to_another_connection(store: Store, place: StoreLocation) -> None:
    store.commit_records(1, "a", [line(1, "card", {"game": "g", "ja": "黒"})]).result(5)
    assert _all(place, "select body from records") == [('{"game": "g", "ja": "黒"}',)]


def test_a_reopened_store_has_the_same_content(place: StoreLocation) -> None:
    first = Store(place.directory, place.url)
    first.append("note", {"ja": "白", "n": [1, None]}).result(5)
    first.commit_records(1, "a", [line(1, "card", {"game": "g"})]).result(5)
    first.give([CommandRow("c1", 1, "hold", "g1", body={"a": 1})]).result(5)
    told = first.operator_events(), list(first.records()), first.commands(), first.trail
    first.close()
    again = Store(place.directory, place.url)
    assert (again.operator_events(), list(again.records()), again.commands(), again.trail) == told
    again.close()


def test_a_failing_job_is_rolled_back_alone(store: Store) -> None:
    def bad(connection):
        connection.execute(store_schema.meta.insert(), {"key": "half", "value": "done"})
        raise ValueError("no")

    first, second = store.commit_records(1, "a", [line(1)]), store.writer.submit(bad)
    third = store.commit_records(2, "a", [line(1)])
    assert first.result(5)[0] == third.result(5)[0] == 1
    with pytest.raises(ValueError, match="no"):
        second.result(5)
    half = text("select count(*) from meta where key='half'")
    assert store.writer.submit(lambda connection: connection.execute(half).scalar()).result(5) == 0


def test_waiting_jobs_share_a_commit(store: Store) -> None:
    """One fsync serves many tables, which makes 500 tables possible."""
    before = store.writer.commits
    with ThreadPoolExecutor(32) as pool:
        list(pool.map(lambda table: store.commit_records(table, "a", [line(1)]).result(20), range(1, 100)))
    assert store.writer.commits - before < 99
    assert all(store.last_committed_seq(table, "a") == 1 for table in range(1, 100))


def test_a_command_is_answered_once(store: Store) -> None:
    store.give([CommandRow("c1", 1, "hold", "g1")]).result(5)
    answers = [
        line(1, "command", {"id": "c1", "status": "refused", "reason": "late"}),
        line(2, "command", {"id": "c1", "status": "applied", "reason": ""}),
        line(3, "command", {"id": "unknown", "status": "applied", "reason": ""}),
        line(4, "command", {"nonsense": True}),
    ]
    assert store.commit_records(2, "x", answers).result(5)[0] == 4  # another table cannot answer for it
    assert store.commands(1)[0].status is CommandStatus.SENT
    store.commit_records(1, "x", answers).result(5)
    assert (store.commands(1)[0].status, store.commands(1)[0].reason) == (CommandStatus.REFUSED, "late")
    assert store.commands(1, status=CommandStatus.SENT) == []


def test_events_and_their_commands_are_committed_together(store: Store) -> None:
    store.append("game-seated", {"game": "g1"}, [CommandRow("c1", 1, "assign", "g1")]).result(5)
    with pytest.raises(StoreError):  # the id exists: neither the event nor the command is written
        store.append("game-seated", {"game": "g2"}, [CommandRow("c1", 2, "assign", "g2")]).result(5)
    assert [event.body["game"] for event in store.operator_events()] == ["g1"]
    assert len(store.commands()) == 1


def test_every_entry_of_the_trail_names_its_person(store: Store) -> None:
    with as_user("佐藤"):
        done = [store.append("result-entered", {"game": "g1"}), store.give([CommandRow("c1", 3, "hold", "g1")])]
    [job.result(5) for job in done]
    store.append("game-seated", {"game": "g2"}).result(5)
    seen = [(event.person, event.kind) for event in store.operator_events()]
    assert seen == [("佐藤", "result-entered"), ("佐藤", "order-given"), (HEAD, "game-seated")]
    told = store.operator_events()[1].body
    assert (told["table"], told["game"], told["order"]) == (3, "g1", "hold")
    verify(store.operator_events())


def test_the_audit_trail_is_a_chain(store: Store) -> None:
    for number in range(5):
        store.append("result-entered", {"game": f"g{number}"}).result(5)
    events = store.operator_events()
    assert events[0].previous == GENESIS
    assert [event.previous for event in events[1:]] == [event.hash for event in events[:-1]]
    verify(events)
    with pytest.raises(StoreError, match="operator event 3"):
        verify(events[:1] + events[2:])
    forged = append_link(events[1], events[2].at, "result-entered", {"game": "other"})
    with pytest.raises(StoreError, match="operator event 4"):
        verify([*events[:2], forged, *events[3:]])
    blamed = append_link(events[1], events[2].at, "result-entered", {"game": "g2"}, "somebody else")
    with pytest.raises(StoreError, match="operator event 4"):
        verify([*events[:2], blamed, *events[3:]])


def test_the_database_itself_refuses_to_change_or_remove(store: Store, place: StoreLocation) -> None:
    store.append("note", {"n": 1}).result(5)
    store.commit_records(1, "a", [line(1)]).result(5)
    statements = ["update {} set body = '{{}}'", "delete from {}", *(["truncate {}"] if place.url else [])]
    for statement, table in product(statements, ["operator_events", "records"]):
        with pytest.raises(DBAPIError, match="append-only"):
            _tamper(place, statement.format(table))
    assert len(store.operator_events()) == len(list(store.records())) == 1


def test_a_changed_store_is_refused(place: StoreLocation) -> None:
    store = Store(place.directory, place.url)
    store.append("result-entered", {"winner": "black"}).result(5)
    store.append("result-entered", {"winner": "white"}).result(5)
    store.close()
    _tamper(
        place,
        f"drop trigger operator_events_no_update{' on operator_events' if place.url else ''}",
        'update operator_events set body = \'{"winner":"draw"}\' where number = 1',
    )
    with pytest.raises(StoreError, match=r"operator event 1 .*backup"):
        Store(place.directory, place.url)


def test_two_heads_cannot_share_a_store(place: StoreLocation, tmp_path: Path) -> None:
    store = Store(place.directory, place.url)
    with pytest.raises(StoreError, match="in use by another head"):
        Store(place.directory, place.url)
    if place.url:  # from another machine
        with pytest.raises(StoreError, match="database is in use by another head"):
            Store(tmp_path / "elsewhere", place.url)
    store.close()
    Store(place.directory, place.url).close()


def test_a_store_of_another_version_is_refused(place: StoreLocation) -> None:
    Store(place.directory, place.url).close()
    _tamper(place, "update meta set value = '99' where key = 'version'")
    with pytest.raises(StoreError, match="store version 99"):
        Store(place.directory, place.url)


# each database's own


def test_a_file_that_is_no_store_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "head.sqlite").write_bytes(b"not a database, but long enough to look at" * 100)
    with pytest.raises(StoreError, match=r"head\.sqlite cannot be used"):
        Store(tmp_path)


@pytest.mark.parametrize("url", ["nonsense", "mysql://a/b", "postgresql://nobody@/x?host=/nowhere"])
def test_an_address_that_leads_to_no_store_is_refused_in_one_sentence(tmp_path: Path, url: str) -> None:
    with pytest.raises(StoreError) as refused:
        Store(tmp_path, url)
    assert "\n" not in str(refused.value) and "; " in str(refused.value)


@pytest.mark.fault(9, "PostgreSQL killed under a writing head, twice")
def test_no_acknowledged_commit_is_lost_when_the_server_is_killed(mortal_postgres: Any, tmp_path: Path) -> None:
    """The head reports it, reconnects when the server is back, and continues; not with a server that may lose them."""
    store = Store(tmp_path, mortal_postgres.new())
    acknowledged = 0
    for _ in range(2):
        waiting = [store.append("note", {"n": number}) for number in range(200)]
        waiting[20].result(20)
        mortal_postgres.stop("immediate")
        for done in waiting:
            acknowledged += done.exception(30) is None
        with pytest.raises(StoreError, match="could not commit"):
            store.append("note", {}).result(30)
        with pytest.raises(StoreError, match="cannot be read"):
            store.last_committed_seq(1, "e")
        mortal_postgres.start()
        store.append("note", {"back": True}).result(30)
        acknowledged += 1
    there = store.operator_events()
    verify(there)
    assert len(there) >= acknowledged  # an answer may be lost in transit, but no acknowledged commit
    with pytest.raises(StoreError, match="in use by another head"):
        Store(tmp_path / "other", store.place.url)
    store.close()
    mortal_postgres.stop()
    mortal_postgres.start("fsync=off")
    with pytest.raises(StoreError, match="fsync off"):
        Store(tmp_path, store.place.url)


def test_a_server_is_free_as_soon_as_a_head_has_ended(
    tmp_path: Path, postgres: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server notices the end of the connection only later; here never."""
    store = Store(tmp_path / "first", postgres.new())
    monkeypatch.setattr(StoreWriter, "_drop_connection", lambda writer: None)
    store.writer.close()
    Store(tmp_path / "second", store.place.url).close()
    monkeypatch.undo()
    store.close()


def test_the_canonical_encoding_is_unique() -> None:
    assert canonical({"b": 1, "a": ["黒", None]}) == canonical({"a": ["黒", None], "b": 1}) == '{"a":["黒",null],"b":1}'
    with pytest.raises(ValueError):
        canonical({"x": float("nan")})


def test_only_its_owner_reads_a_store_however_it_is_started(tmp_path: Path) -> None:
    """Also a store that another version left readable."""
    before = os.umask(0)
    try:
        for _ in range(2):
            store = Store(tmp_path)
            store.append("note", {"n": 1}).result(5)
            modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
            assert {"head.sqlite", "head.sqlite-wal", "head.sqlite-shm"} <= modes.keys()
            assert set(modes.values()) == {0o600}
            store.close()
            (tmp_path / "head.sqlite").chmod(0o644)
    finally:
        os.umask(before)
