"""Tests of how much the holder of one key can make the head store: records of a table, rows of a venue.

What exceeds a quota stays at its sender and is accepted later, so nothing that is saved is lost; the desk is notified.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from heads.staff import chief_at
from heads.world import running_head
from links.linked_table import LinkedTable
from links.world import MemoryCollector, MemoryOutbox, head
from waiting import until

from kiosk.head.store import Store
from kiosk.head.tables.arbiter_log import ArbiterLog
from kiosk.link.link_messages import TableRecord
from kiosk.link.table_keys import new_keys
from kiosk.link.websocket_transport import WebSocketTransport


def _send_records(commit: Any, table: int, count: int, body: dict[str, Any], batch: int = 256) -> int:
    """Send ``count`` records as the session does, and repeat those not accepted; return the last accepted."""
    have = 0
    for _ in range(0, count, batch):
        have = commit(table, "flood", [TableRecord(have + n, "event", body) for n in range(1, batch + 1)])
    return have


def _warning_is_shown(web: httpx.Client) -> bool:
    return "more than a table needs" in web.get("/desk?lang=en").text


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> str:
    return request.getfixturevalue("postgres").new() if request.param == "postgresql" else ""


def test_the_number_of_records_in_an_hour_is_limited(tmp_path: Path, url: str) -> None:
    with chief_at(tmp_path, store=url) as (program, web):
        assert not _warning_is_shown(web)
        have = _send_records(program.devices.collection.commit, 8, 60_000, {"n": 1})
        assert 10_000 <= have < 30_000 and program.store.last_committed_seq(8, "flood") == have
        assert _warning_is_shown(web) and "8" in web.get("/desk?lang=en").text
        assert program.devices.collection.commit(1, "honest", [TableRecord(1, "event", {})]) == 1


def test_the_bytes_of_records_in_an_hour_are_limited(tmp_path: Path) -> None:
    with running_head(tmp_path) as (program, _):
        have = _send_records(program.devices.collection.commit, 8, 400, {"text": "x" * 120_000}, batch=2)
        assert 0 < have * 120_000 < 32_000_000
        more = [TableRecord(have + 1, "event", {"text": "x" * 120_000})]
        assert program.devices.collection.commit(8, "flood", more) == have


def test_the_key_of_a_replaced_device_has_a_quota_too(tmp_path: Path) -> None:
    """Its records go into the audit trail, which every page of the trail reads."""
    from kiosk.link.table_keys import KeyRing, save_keys

    save_keys(tmp_path / "ring.json", new_keys([1]))
    from kiosk.head.devices import ReplacedDevices
    from kiosk.head.hourly_storage_quota_per_key import HourlyQuota

    store = Store(tmp_path / "data")
    returned = ReplacedDevices(store, KeyRing(tmp_path / "ring.json"), quota=HourlyQuota(500, 10**6, lambda: 0.0))
    assert _send_records(returned.commit, 1, 2_000, {"n": 1}, batch=100) == 500
    store.close()


def test_records_that_did_not_fit_arrive_later() -> None:
    """A head that accepts three records at a time gets all of them, in order and once, from a real table."""

    class Reluctant(MemoryCollector):
        def commit(self, table: int, epoch: str, records: list[TableRecord]) -> int:
            return super().commit(table, epoch, records[:3])

    keys = new_keys([1])
    collector, outbox = Reluctant(keys), MemoryOutbox(count=7)
    with head(collector) as server:
        table = LinkedTable([WebSocketTransport(server.url)], keys[1], outbox)
        try:
            until(lambda: outbox.acknowledgements[-1:] == [7])
            assert (collector.accepted, [one.seq for one in collector.rows[1, "epoch"]]) == (7, [*range(1, 8)])
            assert [up for up, _ in table.statuses] == [True]  # the connection stays open meanwhile
        finally:
            table.link.stop()


@pytest.fixture
def crowded(tmp_path: Path, url: str) -> Iterator[Store]:
    """A store in which table 2 has many records, and table 1 a few."""
    store = Store(tmp_path / "data", url)
    store.commit_records(1, "a", [TableRecord(n, "event", {"event": {"type": "press"}}) for n in range(1, 4)]).result()
    for first in range(1, 45_001, 5_000):
        lines = [TableRecord(n, "event", {"event": {"type": "press"}}) for n in range(first, first + 5_000)]
        store.commit_records(2, "flood", lines).result()
    yield store
    store.close()


def test_a_page_reads_a_limited_number_of_its_table_s_records(crowded: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    read, records = [], crowded.records

    def counted(**how: Any) -> Any:
        for one in records(**how):
            read.append(one.table)
            yield one

    monkeypatch.setattr(crowded, "records", counted)
    log = ArbiterLog(crowded)
    log.of_table(1)
    assert read == [1, 1, 1]
    log.of_table(1)
    assert len(read) == 3
    log.of_table(2)
    assert 1_000 < len(read) <= 20_003
    before = len(read)
    log.all()
    assert len(read) == before


def test_a_game_with_too_many_records_is_not_replayed(tmp_path: Path) -> None:
    with running_head(tmp_path, tables=2) as (program, url):
        from heads.world import PlayedTable

        program.desk.rounds.publish(program.desk.rounds.draft().digest)
        table = PlayedTable(1, program.devices.collection)
        table.play(2)
        press = table.sent[-1]
        bodies = [TableRecord(table.seq + n, press.type, press.body) for n in range(1, 6_001)]
        for at in range(0, len(bodies), 500):
            program.devices.collection.commit(1, "epoch", bodies[at : at + 500])
        view = next(one for one in program.live.views() if one.number == 1)
        assert view.lost_sight and len(view.story) < 6_000
        assert json.loads(httpx.get(f"{url}/live.json").text)
