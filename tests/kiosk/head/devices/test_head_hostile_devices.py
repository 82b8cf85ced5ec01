"""Tests that arbitrary records of a replaced device, or an untrusted audit trail, stop neither a running head nor its
start."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from faults.hostile_values import VALUES, changed, mutated, places
from heads.world import PlayedTable, event

from kiosk.head.head_config import HeadConfig
from kiosk.head.program import HeadApplication, build_head
from kiosk.head.store import Store
from kiosk.link.errors import RemoteProtocolError
from kiosk.link.link_messages import TableRecord
from kiosk.link.link_states_and_checked_envelopes import Type, decode_envelope, encode_envelope
from kiosk.link.table_keys import KeyRing, new_keys, save_keys
from kiosk.locale import JAPANESE, render

OLD = 8
BESIDE: dict[str, dict[str, Any]] = {
    "account-created": {"account": "Lund", "role": "arbiter"},
    "account-role": {"account": "Lund", "role": "chief"},
    "account-closed": {"account": "Lund"},
    "account-reopened": {"account": "Lund"},
    "device-enrolled": {
        "table": 8, "epoch": "old", "have": 3, "game": "g", "move": 2, "at": "10:00:00", "missing": 1, "word": "1",
    },
    "device-returned": {"table": 8, "epoch": "old", "records": [{"seq": 4, "type": "card", "body": {"game": "g"}}]},
    "device-refused": {"table": 8, "word": "1"},
    "session-begun": {"account": "Lund", "from": "192.0.2.1"},
    "order-given": {"id": "o1", "table": 1, "game": None, "order": "hold", "body": {}},
    "order-follow-tables": {},
    "record-set-aside": {"table": 8, "epoch": "old", "seq": 1, "type": "card", "reason": "x"},
    "notices-told": {"keys": ["x"]},
    "notice-seen": {"key": "x"},
}  # fmt: skip


@pytest.fixture
def config(tmp_path: Path) -> HeadConfig:
    (tmp_path / "event.json").write_text(json.dumps(event(), ensure_ascii=False), encoding="utf-8")
    save_keys(tmp_path / "keys.json", new_keys(range(1, OLD + 1)))
    return HeadConfig(data=tmp_path / "data", keys=tmp_path / "keys.json", event=str(tmp_path / "event.json"))


def _played(program: HeadApplication) -> list[TableRecord]:
    """Return the records of a game of table 8 up to its card."""
    program.desk.rounds.publish(program.desk.rounds.draft().digest)
    table = PlayedTable(OLD, program.devices.collection, "old")
    table.finish()
    program.desk.process_pending()
    return table.sent


def _as_sent(chance: Random, sent: list[TableRecord], first: int) -> Iterator[list[TableRecord]]:
    """Pass changed records through the link's decoder; those of refused frames are dropped."""
    while True:
        lines = [chance.choice(sent) for _ in range(8)]
        try:
            raws = [
                msgspec.msgpack.encode({"seq": first + n, "type": r.type, "body": mutated(r.body, chance)})
                for n, r in enumerate(lines)
            ]
            payload = encode_envelope(OLD, "old", first, Type.RECORDS, [msgspec.Raw(raw) for raw in raws])
            _, records = decode_envelope(payload)
        except (ValueError, OverflowError, TypeError, RemoteProtocolError):
            continue
        first += len(records)
        yield records


def test_arbitrary_records_of_a_replaced_device_are_shown(config: HeadConfig) -> None:
    """They give no result, the desk shows how many records arrived, and a restarted head shows the same."""
    ring = KeyRing(config.keys)
    program = build_head(config, ring).start()
    sent = _played(program)
    before = program.desk.state.divisions
    ring.put(OLD, bytes(range(32)))  # a spare has replaced it
    assert len(program.devices.returned.keys(OLD)) == 1
    come, batches = len(sent), _as_sent(Random(8), sent, len(sent) + 1)
    program.devices.returned.commit(OLD, "old", sent)  # known records only
    for _ in range(60):
        records = next(batches)
        come = program.devices.returned.commit(OLD, "old", records)
        assert come == records[-1].seq
    notices = program.devices.returned.notices()
    assert len(notices) == 1 and f"{come - len(sent)} records" in str(notices[0])
    assert program.desk.state.divisions == before
    program.close()
    again = build_head(config, ring).start()
    try:
        assert again.devices.returned.notices() == notices
        assert again.desk.state.divisions == before
    finally:
        again.close()


def test_arbitrary_answers_about_the_pin_have_no_effect(config: HeadConfig) -> None:
    program = build_head(config, KeyRing(config.keys)).start()
    program.devices.pin.change("2580", "2580")
    chance = Random(3)
    for seq in range(1, 200):
        body = mutated({"id": f"pin-{OLD}-0", "status": "applied", "reason": ""}, chance)
        try:
            program.devices.collection.commit(OLD, "e", [TableRecord(seq, "command", body)])
        except (ValueError, OverflowError):  # the link's decoder accepts no such value
            program.devices.collection.commit(OLD, "e", [TableRecord(seq, "command", {})])
    assert [*program.devices.pin.tables().values()] == ["waits"] * OLD
    program.close()
    build_head(config, KeyRing(config.keys)).start().close()


def test_a_head_starts_on_a_trail_with_arbitrary_bodies(config: HeadConfig) -> None:
    """A foreign backup may have a valid hash chain and any body in any kind of event."""
    store, chance = Store(config.data), Random(5)
    bodies = []
    for kind, body in BESIDE.items():
        bodies += [(kind, changed(body, path, value)) for path in places(body) for value in (*VALUES, ...)]
        bodies += [(kind, mutated(body, chance)) for _ in range(5)]
    written = 0
    for kind, body in bodies:
        try:
            store.append(kind, body)
            written += 1
        except (ValueError, UnicodeEncodeError, RecursionError):  # it cannot be encoded, so no trail contains it
            continue
    store.append("account-created", BESIDE["account-created"]).result()
    store.close()
    assert written > 500
    program = build_head(config, KeyRing(config.keys)).start()
    try:
        assert program.access.people.find("Lund") is not None
        program.devices.returned.notices()
        for notice in program.desk.state.notices:
            assert render(notice.text, JAPANESE).encode() and str(notice.text).encode()
    finally:
        program.close()
