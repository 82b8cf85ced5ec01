"""Tests of how much the holder of one key can make the head store and read.

What exceeds a quota stays at its sender and is accepted later, so nothing that is saved is lost; the desk is notified.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from heads.staff import chief_at
from heads.world import PlayedTable, running_head
from links.linked_table import linked
from links.world import MemoryCollector, MemoryOutbox, head
from waiting import until

from kiosk.head.devices import ReplacedDevices
from kiosk.head.hourly_storage_quota_per_key import HourlyQuota, table_quota
from kiosk.head.program import head_assembly_and_run
from kiosk.head.store import Store
from kiosk.head.tables import arbiter_log, live_table_state
from kiosk.link.endpoints import table_link
from kiosk.link.link_messages import TableRecord
from kiosk.link.table_keys import KeyRing, new_keys, save_keys


def _small_quota(*_: object) -> HourlyQuota[int]:
    return HourlyQuota(500, 100_000, lambda: 0.0)


def _send_records(commit: Any, table: int, count: int, body: dict[str, Any], batch: int = 256) -> int:
    """Send ``count`` records as the session does, and repeat those not accepted; return the last accepted."""
    have = 0
    for _ in range(0, count, batch):
        have = commit(table, "flood", [TableRecord(have + n, "event", body) for n in range(1, batch + 1)])
    return have


def test_the_records_of_a_table_in_an_hour_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their number, and their bytes; other tables are not concerned, and the desk is told."""
    monkeypatch.setattr(head_assembly_and_run, "table_quota", _small_quota)
    with chief_at(tmp_path, language="en") as (program, web):
        commit = program.devices.collection.commit
        assert "more than a table needs" not in web.get("/desk").text
        assert _send_records(commit, 8, 2_000, {"n": 1}) == program.store.last_committed_seq(8, "flood") == 500
        assert "table 8 sends more than a table needs" in web.get("/desk").text
        assert _send_records(commit, 7, 20, {"text": "x" * 12_000}, batch=2) == 8
        assert commit(1, "honest", [TableRecord(1, "event", {})]) == 1
    assert (table_quota().rows, table_quota().size) == (20_000, 16_000_000)


def test_the_key_of_a_replaced_device_has_a_quota_too(tmp_path: Path) -> None:
    """Its records go into the audit trail, which every page of the trail reads."""
    save_keys(tmp_path / "ring.json", new_keys([1]))
    store = Store(tmp_path / "data")
    returned = ReplacedDevices(store, KeyRing(tmp_path / "ring.json"), quota=_small_quota())
    assert _send_records(returned.commit, 1, 2_000, {"n": 1}, batch=100) == 500
    store.close()


def test_records_that_did_not_fit_arrive_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """A head that accepts three records at a time gets all of them, in order and once, from a real table."""

    class Reluctant(MemoryCollector):
        def commit(self, table: int, epoch: str, records: list[TableRecord]) -> int:
            return super().commit(table, epoch, records[:3])

    monkeypatch.setattr(table_link, "PING_S", 0.05)
    keys = new_keys([1])
    collector, outbox = Reluctant(keys), MemoryOutbox(count=7)
    with head(collector) as server, linked(server.url.removesuffix("/link"), keys[1], outbox) as table:
        until(lambda: outbox.acknowledgements[-1:] == [7])
        assert (collector.accepted, [one.seq for one in collector.rows[1, "epoch"]]) == (7, [*range(1, 8)])
        assert [up for up, _ in table.statuses] == [True]  # the connection stays open meanwhile


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_page_reads_a_limited_number_of_its_table_s_records(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: str
) -> None:
    """Table 2 has many records, and table 1 a few."""
    url = request.getfixturevalue("postgres").new() if database == "postgresql" else ""
    store, read = Store(tmp_path / "data", url), list[int]()
    for table, count in ((1, 3), (2, 250)):
        press = {"event": {"type": "press"}}
        store.commit_records(table, "e", [TableRecord(n, "event", press) for n in range(1, count + 1)]).result()
    records = store.records

    def counted(**how: Any) -> Any:
        for one in records(**how):
            read.append(one.table)
            yield one

    monkeypatch.setattr(store, "records", counted)
    monkeypatch.setattr(arbiter_log, "WINDOW", 100)
    log = arbiter_log.ArbiterLog(store)
    log.of_table(1)
    log.of_table(1)
    assert read == [1, 1, 1]
    log.of_table(2)
    log.all()
    assert len(read) == 103
    store.close()


def test_a_game_with_too_many_records_is_not_replayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_table_state, "MOST_FOLLOWED", 50)
    with running_head(tmp_path, tables=2) as (program, url):
        program.desk.rounds.publish(program.desk.rounds.draft().digest)
        table = PlayedTable(1, program.devices.collection)
        table.play(2)
        press = table.sent[-1]
        more = [TableRecord(table.seq + n, press.type, press.body) for n in range(1, 101)]
        program.devices.collection.commit(1, "epoch", more)
        view = next(one for one in program.live.views() if one.number == 1)
        assert view.lost_sight and len(view.story) < 50
        assert json.loads(httpx.get(f"{url}/live.json").text)
