"""Tests of the assembly of a head: it only connects parts, and what it made can be closed at any time."""

from __future__ import annotations

import json
import threading
from pathlib import Path

from heads.world import event

from kiosk.head.federation.venue_keys import new_key, save_venues
from kiosk.head.head_config import FederationConfig, HeadConfig, Publishing, Relaying
from kiosk.head.program import build_head
from kiosk.link.table_keys import new_keys


def _config(place: Path) -> HeadConfig:
    """Return the configuration of a head that has all parts: it sends, collects, publishes and makes backups."""
    (place / "event.json").write_text(json.dumps(event(4)), encoding="utf-8")
    (place / "web").mkdir()
    save_venues(place / "venues.json", {"kobe": new_key()})
    return HeadConfig(
        data=place / "data",
        keys=place / "keys.json",
        event=str(place / "event.json"),
        backup=place / "stick",
        publish=Publishing(to=str(place / "web")),
        relay=Relaying(to=str(place / "web")),
        federation=FederationConfig("http://127.0.0.1:9", "kobe", place / "venues.json"),
        venues=place / "venues.json",
    )


def test_a_head_is_assembled_without_threads_and_acts(tmp_path: Path) -> None:
    """``build_head`` starts no thread and writes nothing to the audit trail; ``start`` does both."""
    before = set(threading.enumerate())  # threads of earlier tests, which may end at any moment
    head = build_head(_config(tmp_path), new_keys(range(1, 5)))
    assert set(threading.enumerate()) <= before and head.store.operator_events() == []
    assert head.remote.pusher and head.remote.venues and head.outbound.relay and head.outbound.publisher
    head.start()
    assert len(set(threading.enumerate()) - before) > 4 and len(head.desk.state.divisions) == 1
    head.close()


def test_a_head_that_was_not_started_can_be_closed(tmp_path: Path) -> None:
    """Its store can then be opened by another one."""
    config, keys = _config(tmp_path), new_keys(range(1, 5))
    build_head(config, keys).close()
    build_head(config, keys).close()
