"""Tests of a venue with a valid key that sends invalid rows: one sentence names the row, and no other venue is
affected.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from faults.hostile_values import deep
from heads.venue_pushes import STORY, Federation, push_of, record, rows_of
from sqlalchemy import Connection, Table, insert, select
from waiting import HANGS_S

from kiosk.head.errors import HeadError, StoreError
from kiosk.head.federation import venue_trail_and_game_index
from kiosk.head.federation.push_protocol import EventRow, RecordRow
from kiosk.head.store.store_schema import meta, venue_events, venue_records

Rows = tuple[list[EventRow], list[RecordRow]]
STAND = rows_of()
NEXT = rows_of([("order-given", {"n": 4}), ("order-given", {"n": 5})], after=STAND[-1].event())


on_both_databases = pytest.mark.parametrize("url", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture
def url(request: pytest.FixtureRequest) -> str:
    return request.getfixturevalue("postgres").new() if getattr(request, "param", "") == "postgresql" else ""


@pytest.fixture
def federation(tmp_path: Path, url: str) -> Iterator[Federation]:
    """Two venues have sent three entries and three records each."""
    opened = Federation.open(tmp_path / "federation", url)
    for venue in ("osaka", "sapporo"):
        assert opened.push(venue, STAND, [record(seq) for seq in (1, 2, 3)]).refused is None
    yield opened
    opened.close()


def event(number: int = 4, **changed: Any) -> Rows:
    return [msgspec.structs.replace(NEXT[0], number=number, **changed)], []


def chained(kind: str = "order-given", body: Any = None, **other: Any) -> Rows:
    """Return a fourth entry with a valid hash and any content."""
    return rows_of([(kind, {} if body is None else body)], after=STAND[-1].event(), **other), []


def records(*rows: RecordRow) -> Rows:
    return [], list(rows)


def changed_record(**changed: Any) -> Rows:
    return records(msgspec.structs.replace(record(4), **changed))


#: the rows sent, and the text that names them
WRONG: dict[str, tuple[Rows, str]] = {
    "an entry 0": (event(0), "entry 0 of osaka's audit trail"),
    "an entry below 0": (event(-1), "entry -1 of osaka's audit trail"),
    "an entry beyond 64 bits": (event(2**63), "entry 9223372036854775808 of osaka's audit trail"),
    "an entry twice": (([NEXT[0], NEXT[0]], []), "entry 4 of osaka's audit trail"),
    "an entry that is there twice": (([STAND[1], STAND[1]], []), "entry 2 of osaka's audit trail"),
    "a gap inside": ((rows_of(STORY * 3)[3:9:2], []), "entry 6 of osaka's audit trail"),
    "an entry with NUL": (chained("order-\0given"), "entry 4 of osaka's audit trail"),
    "an entry by nobody": (event(person=""), "entry 4 of osaka's audit trail"),
    "an entry by NUL": (event(person="Lund\0"), "entry 4 of osaka's audit trail"),
    "an entry by a long name": (event(person="L" * 5_000), "entry 4 of osaka's audit trail"),
    "an entry of a long kind": (chained("k" * 5_000), "entry 4 of osaka's audit trail"),
    "an entry of no day": (chained(at="2031-02-30T00:00:00+00:00"), "entry 4 of osaka's audit trail"),
    "an entry of some day": (chained(at="yesterday"), "entry 4 of osaka's audit trail"),
    "an entry of a day nowhere": (chained(at="2031-04-05T00:00:00"), "entry 4 of osaka's audit trail"),
    "an entry before time": (chained(at="0001-01-01T00:00:00+14:00"), "entry 4 of osaka's audit trail"),
    "an entry that is no number": (event(body={"n": float("nan")}), "entry 4 of osaka's audit trail"),
    "an entry of bytes": (event(body={"n": b"\xff"}), "entry 4 of osaka's audit trail"),
    "an entry with a number as name": (event(body={"n": {2: 1, 10: 1}}), "entry 4 of osaka's audit trail"),
    "a nest": (chained(body={"n": deep(200)}), "entry 4 of osaka's audit trail"),
    "a long body": (chained(body={"n": "x" * 3_000_000}), "entry 4 of osaka's audit trail"),
    "a record 0": (records(record(0)), "record 0 of table 1"),
    "a record below 0": (records(record(-5)), "record -5 of table 1"),
    "a record beyond 64 bits": (records(record(2**64 - 1)), "record 18446744073709551615 of table 1"),
    "a record twice": (records(record(4), record(4)), "record 4 of table 1"),
    "a record twice, otherwise": (records(record(4), record(4, other=1)), "record 4 of table 1"),
    "records with a gap": (records(record(4), record(6)), "record 6 of table 1"),
    "a table 0": (records(record(1, table=0)), "record 1 of table 0"),
    "a table beyond all": (records(record(1, table=10**6)), "record 1 of table 1000000"),
    "a table beyond 64 bits": (records(record(1, table=2**63)), "record 1 of table 9223372036854775808"),
    "an epoch with NUL": (records(record(1, epoch="e\0")), "record 1 of table 1"),
    "a long epoch": (records(record(1, epoch="e" * 500)), "record 1 of table 1"),
    "a type with NUL": (changed_record(type="card\0"), "record 4 of table 1"),
    "an arrival below 0": (changed_record(arrival=-1), "record 4 of table 1"),
    "an arrival beyond 64 bits": (changed_record(arrival=2**64 - 1), "record 4 of table 1"),
    "an endless number": (changed_record(body={"n": float("-inf")}), "record 4 of table 1"),
    "a record of bytes": (changed_record(body={"n": b"x"}), "record 4 of table 1"),
    "a record without a name": (changed_record(body={"n": {None: 1}}), "record 4 of table 1"),
    "a nested record": (changed_record(body={"n": deep(300)}), "record 4 of table 1"),
}


@on_both_databases
def test_an_invalid_row_is_refused_and_named(federation: Federation) -> None:
    """No row of its push is accepted, no other rows change, and the next valid push is accepted."""
    before = {venue: federation.rows(venue) for venue in ("osaka", "sapporo")}
    for what, ((events, found), named) in WRONG.items():
        answer = federation.push("osaka", events, found)
        assert named in str(answer.refused) and "\n" not in str(answer.refused) and len(str(answer.refused)) < 400, what
        assert answer.events == 3 and answer.records == [(1, "e", 3)], what
        assert answer.source == ((0, "") if events else (found[0].table, found[0].epoch)), what
        assert federation.push("sapporo", STAND).refused is None, what
        assert {venue: federation.rows(venue) for venue in before} == before, what
    for venue in before:
        good = federation.push(venue, NEXT, [record(4)])
        assert (good.refused, good.events, good.records) == (None, 5, [(1, "e", 4)])


CONFLICTS: dict[str, Rows] = {
    "entry 2 of osaka's audit trail is not the one": (rows_of([STORY[0], STORY[2], STORY[1]]), []),
    "record 2 of table 1 at osaka is not the one": records(record(2, n=7)),
    "entry 4 of osaka's audit trail does not fit": (event(person="somebody else")[0], [record(4)]),
}


@pytest.mark.parametrize("named", CONFLICTS)
def test_rows_that_conflict_with_the_stored_ones_are_refused(federation: Federation, named: str) -> None:
    """No row of their push is accepted. Repeated rows have no effect, and a gap is only reported."""
    before = federation.rows("osaka")
    assert named in str(federation.push("osaka", *CONFLICTS[named]).refused)
    for rows in ((STAND[:2], [record(1)]), (NEXT[1:], [record(9)])):
        answer = federation.push("osaka", *rows)
        assert (answer.refused, answer.events, answer.records) == (None, 3, [(1, "e", 3)])
    assert federation.rows("osaka") == before


WRONG_PUSH: dict[str, dict[str, Any]] = {
    "fewer than none waiting": {"waiting": -1},
    "more than all waiting": {"waiting": 2**64 - 1},
    "sent on no day": {"sent_at": "2031-13-01T00:00:00+00:00"},
    "sent some day": {"sent_at": ""},
    "a trail with NUL": {"trail": "tr\0ail"},
    "a long trail": {"trail": "t" * 5_000},
    "no trail": {"trail": ""},
}


def test_an_invalid_push_is_refused_with_a_message(federation: Federation) -> None:
    before = federation.rows("osaka")
    for what, wrong in WRONG_PUSH.items():
        with pytest.raises(HeadError, match="the push of osaka cannot be taken: "):
            federation.push("osaka", NEXT, [record(4)], **wrong)
        assert federation.rows("osaka") == before, what
    with pytest.raises(HeadError, match="too many at once"):
        federation.push("osaka", records=[record(4)] * 2_001)
    assert federation.push("osaka", NEXT, [record(4)]).refused is None


def _raw(change: Callable[[bytes], bytes]) -> bytes:
    return change(msgspec.msgpack.encode(push_of("osaka", NEXT, [record(4)])))


NO_PUSH = (
    b"",
    b"\xc1",
    b"\xdd\xff\xff\xff\xff",
    _raw(lambda body: body[:-3]),
    _raw(lambda body: body.replace(b"Lund", b"\xed\xa0\x80d")),  # a lone surrogate
    _raw(lambda body: body.replace(b"\xa1n\x04", b"\xa1n" + b"\x91" * 200_000 + b"\x04")),  # deeply nested
)


def test_a_body_that_is_no_push_is_refused_with_a_message(federation: Federation) -> None:
    for body in NO_PUSH:
        with pytest.raises(HeadError, match="same version"):
            federation.send("osaka", body)
    assert federation.push("osaka", NEXT, [record(4)]).refused is None


def test_the_sealed_part_of_a_push_names_its_venue(federation: Federation) -> None:
    """Two venues that were given one key by mistake cannot be confused."""
    body = msgspec.msgpack.encode(push_of("sapporo", NEXT))
    with pytest.raises(HeadError, match="sapporo"):
        federation.send("osaka", body)


@on_both_databases
def test_invalid_pushes_in_one_commit_with_valid_ones_fail_alone(federation: Federation) -> None:
    held, go = threading.Event(), threading.Event()

    def hold(connection: Any) -> None:
        held.set()
        assert go.wait(HANGS_S)

    federation.store.writer.submit(hold)
    assert held.wait(HANGS_S)
    with ThreadPoolExecutor(len(WRONG) + 1) as pool:
        bad = [pool.submit(federation.push, "osaka", *rows) for rows, _ in WRONG.values()]
        good = pool.submit(federation.push, "sapporo", NEXT, [record(4)])
        go.set()
        assert all(answer.result(60).refused for answer in bad)
        assert good.result(60).refused is None
    assert len(federation.rows("sapporo")) == 9 and len(federation.rows("osaka")) == 6


def _add(connection: Connection, table: Table, row: dict[str, Any]) -> None:
    connection.execute(insert(table), row)


@on_both_databases
def test_a_job_that_the_database_refuses_fails_alone(federation: Federation) -> None:
    """Values that the database refuses: a number that is too large, a NUL in PostgreSQL, a missing required value."""
    writer, held, go = federation.store.writer, threading.Event(), threading.Event()
    writer.submit(lambda _: (held.set(), go.wait(HANGS_S)))
    assert held.wait(HANGS_S)
    row = {"venue": "x", "table_no": 2**70, "epoch": "e", "seq": 1, "type": "card", "body": "{}", "arrival": 1}
    jobs: list[tuple[Table, dict[str, Any]]] = [
        (meta, {"key": "before", "value": "1"}),
        (venue_records, row),
        (meta, {"key": "nul\0", "value": "1"}),
        (meta, {"key": "nothing", "value": None}),
        (meta, {"key": "after", "value": "1"}),
    ]
    done = [writer.submit(partial(_add, table=table, row=row)) for table, row in jobs]
    go.set()
    failed = [future.exception(20) for future in done]
    assert failed[0] is None and failed[-1] is None
    assert isinstance(failed[1], StoreError | OverflowError) and isinstance(failed[3], StoreError)
    with federation.store.reading() as connection:
        keys = set(connection.execute(select(meta.c.key)).scalars())
    assert {"before", "after"} <= keys and "nothing" not in keys


#: entries with a valid hash that cannot be applied to a state
UNUSABLE: tuple[tuple[str, Any], ...] = (
    ("game-seated", {"game": "x-1-1", "table": "NaN"}),
    ("event-created", dict(STORY[0][1]) | {"title": [1]}),
    ("event-created", {"division": "second"}),
    ("division-changed", {"spectators": 5}),
    ("division-changed", {"division": "none", "auto": True}),
    ("division-changed", {"plan": {"first": "noon"}}),
    ("round-published", {"round": 1, "games": [{"black": "p1"}]}),
    ("players-added", {"players": [{"id": []}]}),
    ("invented", {}),
    ("result-entered", {}),
)


def _picture(federation: Federation, name: str) -> Any:
    venue = federation.venue(name)
    return venue.state, venue.events, venue.records


def test_an_entry_that_cannot_be_applied_is_quarantined_for_its_venue(
    federation: Federation, tmp_path: Path, url: str
) -> None:
    """It is stored as received, the venue continues after it, and neither a restart nor another venue is affected."""
    rows, before = federation.rows("sapporo"), _picture(federation, "sapporo")
    story = rows_of(UNUSABLE, after=STAND[-1].event())
    for row in story:
        assert federation.push("osaka", [row]).refused is None
    named = rows_of([("gathering-named", {"name": "春", "date": "2031-04-05"})], after=story[-1].event())
    assert federation.push("osaka", named).refused is None
    live = _picture(federation, "osaka")
    assert [one.number for one in live[0].aside] == [row.number for row in story] and live[0].name == "春"
    assert len(live[0].divisions["main"].players()) == 8
    federation.close()
    again = Federation.open(tmp_path / "federation", url)
    assert _picture(again, "osaka") == live and _picture(again, "sapporo") == before
    assert again.rows("sapporo") == rows
    again.close()


@on_both_databases
def test_a_store_with_rows_that_would_be_refused_today_starts(federation: Federation, tmp_path: Path, url: str) -> None:
    """A row that an earlier version accepted or somebody inserted is quarantined, and the venue's other rows count."""
    before = _picture(federation, "sapporo")
    bad = {"venue": "osaka", "trail": "trail", "at": "some day", "person": "", "previous": "", "hash": ""}
    texts = ("[1]", "{", '{"n":' + "[" * 50_000 + "]" * 50_000 + "}", '{"table":"NaN","game":"x"}')
    events = [bad | {"number": 4 + at, "kind": "game-seated", "body": text} for at, text in enumerate(texts)]
    table = {"venue": "osaka", "table_no": 9, "epoch": "", "arrival": 1}
    found = [table | {"seq": 1 + at, "type": "card", "body": text} for at, text in enumerate(texts)]
    found.append(table | {"seq": 9, "type": "assigned", "body": "5"})

    def job(connection: Connection) -> None:
        connection.execute(insert(venue_events), events)
        connection.execute(insert(venue_records), found)
        venue_trail_and_game_index._metadata.drop_all(connection)  # an earlier version noted nothing

    federation.store.writer.submit(job).result(5)
    federation.close()
    again = Federation.open(tmp_path / "federation", url)
    assert _picture(again, "sapporo") == before
    osaka = again.venue()
    assert {4, 5, 6, 7} <= {one.number for one in osaka.state.aside}
    assert len(osaka.state.divisions["main"].players()) == 8 and osaka.live.views() == []
    assert again.push("sapporo", NEXT).refused is None
    again.close()


def test_a_replayed_push_does_not_restore_an_old_trail(federation: Federation) -> None:
    other = rows_of([("event-created", STORY[0][1] | {"title": {"ja": "後", "en": "Later"}})])
    assert federation.push("osaka", other, trail="later").refused is None
    later = _picture(federation, "osaka")
    assert later[0].first.title == ("後", "Later")
    assert federation.push("osaka", STAND, [record(1)]).refused is None
    assert _picture(federation, "osaka") == later


def test_the_number_of_journals_of_a_venue_is_limited(federation: Federation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a limit its rows would make every answer long and the federation's backup unusable for all."""
    monkeypatch.setattr("kiosk.head.federation.venue_row_store.MAX_JOURNALS", 2)
    assert federation.push("osaka", records=[record(1, epoch="f")]).refused is None
    answer = federation.push("osaka", records=[record(1, epoch="g")])
    assert "record 1 of table 1 at osaka" in str(answer.refused) and len(answer.records) == 2
    assert federation.push("osaka", records=[record(4), record(2, epoch="f")]).refused is None


def test_a_venue_over_its_quota_is_delayed_and_named(federation: Federation) -> None:
    """After a hundred megabytes in an hour, here ten, its rows are accepted only later; the other venue continues."""
    quota = federation.collector._quota
    assert (quota.rows, quota.size) == (500_000, 100_000_000)
    quota.size, last = 10_000_000, 3
    with pytest.raises(HeadError, match="osaka has sent more than 500000 rows or 10 MB") as refused:
        while last < 300:
            rows = [record(last + n, text="x" * 100_000) for n in range(1, 21)]
            assert federation.push("osaka", [], rows).refused is None
            last += 20
    assert refused.value.status == 429 and 60 < last <= 103
    assert len(federation.rows("osaka")) == 3 + last
    assert [str(one) for one in federation.collector.troubles()] == [
        "The venue osaka sends more than a venue needs. The rest is taken later. Ask there; if its key is in other "
        "hands, put the venue in quarantine and give it a new key."
    ]
    assert federation.push("sapporo", [], [record(4)]).refused is None
