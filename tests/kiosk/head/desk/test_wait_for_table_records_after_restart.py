"""Tests that a restarted head waits for the records of its tables before any automatic step."""

from __future__ import annotations

import json
from pathlib import Path

from heads.world import event
from waiting import until

from kiosk.head.desk.desk_and_automatic_steps import StartupSync
from kiosk.head.head_config import HeadConfig
from kiosk.head.program import build_head
from kiosk.link.link_messages import Health, TableRecord
from kiosk.link.table_keys import new_keys


def test_the_wait_ends_with_the_last_table_or_the_timeout() -> None:
    heard: set[int] = set()
    now_s = [0.0]
    startup_sync = StartupSync(15, heard.__contains__, lambda: now_s[0])
    heard.add(1)
    assert not startup_sync.over([1, 2])
    heard.add(2)
    assert startup_sync.over([1, 2])
    heard.clear()
    assert startup_sync.over([1, 2])
    startup_sync = StartupSync(15, heard.__contains__, lambda: now_s[0])
    now_s[0] = 14.9
    assert not startup_sync.over([1])
    now_s[0] = 15
    assert startup_sync.over([1])
    assert StartupSync(0, heard.__contains__).over([1])


def test_no_round_is_published_before_the_tables_have_sent_their_records(tmp_path: Path) -> None:
    (tmp_path / "event.json").write_text(json.dumps(event(4)))
    config = HeadConfig(data=tmp_path / "data", keys=tmp_path / "keys", event=str(tmp_path / "event.json"), auto=True)
    head = build_head(config, new_keys([1, 2]), startup_sync_s=600).start()
    try:
        head.devices.collection.note_alive(1, Health(unsynced=0))
        head.devices.collection.note_alive(2, Health(unsynced=3))
        head.devices.collection.commit(1, "e", [TableRecord(1, "card", {"game": "x"})])
        head.desk.process_pending()
        assert not head.desk.state.division("main").rounds
        events = [event.kind for event in head.store.operator_events()]
        assert events == ["event-created"] and len(head.desk.state.notices) == 1  # not even a draft is noted
        assert any("Waiting for the tables" in str(text) for text in head.troubles())
        head.devices.collection.note_alive(2, Health(unsynced=0))
        until(lambda: bool(head.desk.state.division("main").rounds))
        until(lambda: all(game.table for game in head.desk.state.current))
        assert not head.troubles()
    finally:
        head.close()
