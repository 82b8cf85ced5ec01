"""The store: durable on every connection, no gaps, no doubles, an audit trail that cannot be bent."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sqlalchemy import text

from kiosk.head.errors import StoreError
from kiosk.head.store import CommandRow, CommandStatus, Store, schema
from kiosk.head.store.chain import GENESIS, canonical, link, verify


@dataclass(frozen=True)
class Line:
    seq: int
    type: str = "event"
    body: dict[str, object] = field(default_factory=dict)


@pytest.fixture
def store(tmp_path: Path):
    opened = Store(tmp_path / "data")
    yield opened
    opened.close()


def test_every_connection_is_write_ahead_and_full(tmp_path: Path) -> None:
    """synchronous=NORMAL loses acknowledged commits on a power cut, so no connection may have it."""
    engine = schema.open_engine(tmp_path / "x.sqlite")
    many = [engine.connect() for _ in range(4)]
    for connection in many:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        connection.close()
    engine.dispose()


def test_the_writing_connection_is_full_too(store: Store) -> None:
    seen = store.writer.submit(lambda c: c.execute(text("PRAGMA synchronous")).scalar()).result(5)
    assert seen == 2
    assert store.pragmas() == ("wal", 2)


def test_only_the_next_record_is_accepted(store: Store) -> None:
    assert store.commit_records(3, "e", [Line(1), Line(2)]).result(5)[0] == 2
    assert store.commit_records(3, "e", [Line(4), Line(5)]).result(5) == (2, [])  # a gap
    have, new = store.commit_records(3, "e", [Line(1), Line(2), Line(3)]).result(5)  # a repetition and one more
    assert (have, [record.seq for record in new]) == (3, [3])
    assert [record.seq for record in store.records(table=3)] == [1, 2, 3]


def test_tables_and_epochs_count_apart(store: Store) -> None:
    store.commit_records(1, "a", [Line(1), Line(2)]).result(5)
    store.commit_records(1, "b", [Line(1)]).result(5)
    store.commit_records(2, "a", [Line(1)]).result(5)
    assert (store.have(1, "a"), store.have(1, "b"), store.have(2, "a"), store.have(2, "b")) == (2, 1, 1, 0)


def test_what_was_acknowledged_is_there_for_another_connection(store: Store, tmp_path: Path) -> None:
    store.commit_records(1, "a", [Line(1, "card", {"game": "g", "ja": "黒"})]).result(5)
    with sqlite3.connect(tmp_path / "data/head.sqlite") as other:
        assert other.execute("select body from records").fetchall() == [('{"game": "g", "ja": "黒"}',)]


def test_a_failing_job_undoes_itself_alone(store: Store) -> None:
    def bad(connection):
        connection.execute(schema.meta.insert(), {"key": "half", "value": "done"})
        raise ValueError("no")

    first, second, third = (
        store.commit_records(1, "a", [Line(1)]),
        store.writer.submit(bad),
        store.commit_records(2, "a", [Line(1)]),
    )
    assert first.result(5)[0] == third.result(5)[0] == 1
    with pytest.raises(ValueError, match="no"):
        second.result(5)
    assert (
        store.writer.submit(lambda c: c.execute(text("select count(*) from meta where key='half'")).scalar()).result(5)
        == 0
    )


def test_waiting_jobs_share_a_commit(store: Store) -> None:
    """One fsync for many tables: the head would not keep up with 500 of them otherwise."""
    before = store.writer.commits
    with ThreadPoolExecutor(32) as pool:
        list(pool.map(lambda table: store.commit_records(table, "a", [Line(1)]).result(20), range(1, 400)))
    assert store.writer.commits - before < 399
    assert all(store.have(table, "a") == 1 for table in range(1, 400))


def test_a_command_is_answered_once(store: Store) -> None:
    store.command(CommandRow("c1", 1, "hold", "g1")).result(5)
    answers = [
        Line(1, "command", {"id": "c1", "status": "refused", "reason": "late"}),
        Line(2, "command", {"id": "c1", "status": "applied", "reason": ""}),
        Line(3, "command", {"id": "unknown", "status": "applied", "reason": ""}),
        Line(4, "command", {"nonsense": True}),
    ]
    assert store.commit_records(2, "x", answers).result(5)[0] == 4  # another table cannot answer for it
    assert store.commands(1)[0].status is CommandStatus.SENT
    store.commit_records(1, "x", answers).result(5)
    assert (store.commands(1)[0].status, store.commands(1)[0].reason) == (CommandStatus.REFUSED, "late")
    assert store.commands(1, status=CommandStatus.SENT) == []


def test_events_and_their_commands_come_together(store: Store) -> None:
    store.append("game-seated", {"game": "g1"}, [CommandRow("c1", 1, "assign", "g1")]).result(5)
    with pytest.raises(StoreError):  # the id is taken: neither the event nor the command
        store.append("game-seated", {"game": "g2"}, [CommandRow("c1", 2, "assign", "g2")]).result(5)
    assert [event.body["game"] for event in store.operator_events()] == ["g1"]
    assert len(store.commands()) == 1


def test_the_audit_trail_is_a_chain(store: Store) -> None:
    for number in range(5):
        store.append("result-entered", {"game": f"g{number}"}).result(5)
    events = store.operator_events()
    assert events[0].previous == GENESIS
    assert [event.previous for event in events[1:]] == [event.hash for event in events[:-1]]
    verify(events)
    with pytest.raises(StoreError, match="operator event 3"):
        verify(events[:1] + events[2:])
    forged = link(events[1], events[2].at, "result-entered", {"game": "other"})
    with pytest.raises(StoreError, match="operator event 4"):
        verify([*events[:2], forged, *events[3:]])


def test_a_changed_store_is_refused(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.append("result-entered", {"winner": "black"}).result(5)
    store.append("result-entered", {"winner": "white"}).result(5)
    store.close()
    with sqlite3.connect(tmp_path / "head.sqlite") as raw:
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            raw.execute("update operator_events set kind = 'x'")
        raw.execute("drop trigger operator_events_no_update")
        raw.execute('update operator_events set body = \'{"winner":"draw"}\' where number = 1')
    with pytest.raises(StoreError, match=r"operator event 1 .*backup"):
        Store(tmp_path)


def test_two_heads_cannot_share_a_store(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(StoreError, match="in use by another head"):
        Store(tmp_path)
    store.close()
    Store(tmp_path).close()


def test_a_file_that_is_no_store_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "head.sqlite").write_bytes(b"not a database, but long enough to look at" * 100)
    with pytest.raises(StoreError, match=r"head\.sqlite cannot be used"):
        Store(tmp_path)


def test_canonical_has_one_spelling() -> None:
    assert canonical({"b": 1, "a": ["黒", None]}) == canonical({"a": ["黒", None], "b": 1}) == '{"a":["黒",null],"b":1}'
    with pytest.raises(ValueError):
        canonical({"x": float("nan")})
