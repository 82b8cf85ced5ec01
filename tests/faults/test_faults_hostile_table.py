"""FAULTS.md 24: a table with a valid key sends arbitrary records of every type, with any value in any field.

They are fed in behind the authentication, through the link's own decoder, into a real head over a real store.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from faults.hostile_values import mutated
from heads.tournaments import outcome
from heads.world import PlayedTable, event

from kiosk.head.event.tournament_state_from_events import quarantined_in
from kiosk.head.head_config import HeadConfig
from kiosk.head.program import HeadApplication, build_head
from kiosk.link.errors import RemoteProtocolError
from kiosk.link.link_states_and_checked_envelopes import Type, decode_envelope, encode_envelope
from kiosk.link.table_keys import new_keys

BATCH = 250
HOSTILE = 8


def _seeds(table: PlayedTable) -> list[tuple[str, dict[str, Any]]]:
    """Return a record of every type and of every kind of event, as a correct table writes them."""
    found = {(r.type, str(r.body.get("event", {}).get("type"))): (str(r.type), r.body) for r in table.sent}
    more: list[tuple[str, dict[str, Any]]] = [
        ("boot", {"wall_ns": 1_700_000_000_000_000_000, "at_ns": 1_000, "start": "power"}),
        ("withdrawn", {"game": "main-9-1"}),
        ("trouble", {"kind": "journal-card-suspect", "ja": "疑", "en": "suspect"}),
        ("arbiter", {"act": "opened", "game": None, "on": [], "at_ns": 5}),
        ("configured", {"arbiter_pin": "$x$", "pin_digits": 4}),
        ("set-aside", {"type": "card", "why": "x", "raw": "00"}),
    ]
    return [*found.values(), *more]


def _raw(kind: str, body: dict[str, Any], seq: int) -> msgspec.Raw:
    """Return a record as sent. A body that msgpack cannot hold becomes one with a lone surrogate."""
    try:
        return msgspec.Raw(msgspec.msgpack.encode({"seq": seq, "type": kind, "body": body}))
    except (ValueError, OverflowError, TypeError):
        honest = msgspec.msgpack.encode({"seq": seq, "type": kind, "body": {"game": "あ"}})
        return msgspec.Raw(honest.replace("あ".encode(), b"\xed\xa0\x80"))  # a lone surrogate


@pytest.mark.fault(24, "mutated records of every type from a valid key: the head lives, its event is as it was")
def test_arbitrary_records_change_no_event_and_stop_no_head(
    tmp_path: Path,
    times: Callable[[int, int], int],
    progress: Callable[[int, int], None],
    record_property: Callable[[str, object], None],
) -> None:
    """The head commits a record or its bytes, continues, and starts again with the same event."""
    wanted, chance, began_s = times(10_000, 1_000_000), Random(24), time.monotonic()
    (tmp_path / "event.json").write_text(json.dumps(event(), ensure_ascii=False), encoding="utf-8")
    config = HeadConfig(data=tmp_path / "data", keys=tmp_path / "keys.json", event=str(tmp_path / "event.json"))
    keys = new_keys(range(1, HOSTILE + 1))
    program = build_head(config, keys).start()
    program.desk.rounds.publish(program.desk.rounds.draft().digest)
    tables = {number: PlayedTable(number, program.devices.collection) for number in keys}
    for number, table in tables.items():
        table.execute_commands()
        if number in (1, HOSTILE):
            table.finish()
    program.desk.process_pending()
    before = program.desk.state.divisions
    honest = len(program.desk.state.notices)
    assert not any(game.is_open for game in program.desk.state.current if game.table in (1, HOSTILE))
    seeds, seq, tried, refused = _seeds(tables[HOSTILE]), 0, 0, 0
    while tried < wanted:
        lines = []
        for _ in range(BATCH):
            kind, body = chance.choice(seeds)
            lines.append((kind, mutated(body, chance)))
        tried += BATCH
        raws = [_raw(kind, body, seq + number) for number, (kind, body) in enumerate(lines, 1)]
        try:
            _, records = decode_envelope(encode_envelope(HOSTILE, "hostile", seq + 1, Type.RECORDS, raws))
        except RemoteProtocolError:  # a batch with an invalid record is refused as a whole
            refused += BATCH
            continue
        if [record.seq for record in records] != list(range(seq + 1, seq + 1 + len(records))):
            refused += BATCH  # the session refuses a gap in the numbers
            continue
        seq = program.devices.collection.commit(HOSTILE, "hostile", records)
        if tried % (20 * BATCH) == 0:
            program.live.views()  # the floor page can always be rendered
            progress(tried, wanted)
    program.desk.process_pending()
    assert refused < tried // 2 and seq == tried - refused
    assert program.worker._thread.is_alive()
    assert program.desk.state.divisions == before
    assert len(program.desk.state.notices) > honest  # the desk is notified
    program.live.views()
    program.close()
    aside = quarantined_in(config.data / "head.sqlite")
    again = build_head(config, keys).start()
    try:
        assert again.desk.state.divisions == before and again.desk.state.aside == aside
        assert all(one.table == HOSTILE for one in aside) and aside
        again.live.views()
        again.desk.process_pending()
        assert again.store.last_committed_seq(HOSTILE, "hostile") == seq
        again.desk.results.enter(*_next_result(again))
    finally:
        again.close()
    record_property("tried", tried)
    record_property("taken", seq)
    record_property("minutes", round((time.monotonic() - began_s) / 60, 1))


def _next_result(program: HeadApplication) -> tuple[str, Any]:
    """Return an open game and a result for it, so that the event can go on."""
    game = next(game for game in program.desk.state.current if game.is_open)
    return game.id, outcome(game, 40)
