"""FAULTS.md 9: a whole hall with one head that is killed repeatedly."""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from halls.many_tables import crowd, prepare_hall
from heads.process import HeadProcess, free_port, rows_of
from heads.world import event
from waiting import until

from kiosk.link.websocket_transport import WebSocketTransport

Times = Callable[[int, int], int]
Note = Callable[[str, object], None]
#: FAULTS.md 9: from the kill until every table is connected and all its records are committed
ALL_BACK_S = 30


def committed(data: Path, place: Path) -> dict[int, int]:
    """Return the last committed record of each table from a copy of the dead head's disk.

    A copy is read because opening a database repairs it.
    """
    place.mkdir()
    for file in data.glob("head.sqlite*"):
        shutil.copy(file, place)
    with closing(sqlite3.connect(place / "head.sqlite")) as connection:
        rows = connection.execute("SELECT table_no, COUNT(*), MIN(seq), MAX(seq) FROM records GROUP BY table_no, epoch")
        found = rows.fetchall()
    assert all(count == last and first == 1 for _, count, first, last in found)  # no gap, nothing twice
    assert len({table for table, *_ in found}) == len(found)  # one epoch each
    shutil.rmtree(place)
    return {table: last for table, _, _, last in found}


@pytest.mark.fault(9, "kill -9 of the head while its tables play; the slowest was back after {back_s} s")
@pytest.mark.timeout(240)
def test_a_head_killed_while_a_whole_hall_plays(tmp_path: Path, times: Times, record_property: Note) -> None:
    tables, kills, random = times(16, 500), times(2, 100), Random(9)
    port, slowest_s = free_port(), 0.0
    keys = prepare_hall(tmp_path, event(2 * tables), tables, port, auto=True)
    head = HeadProcess(tmp_path / "head.toml")
    try:
        with crowd(keys, lambda number: WebSocketTransport(f"ws://127.0.0.1:{port}/link")) as hall:
            until(hall.all_in_play)
            hall.pace = tables / 5  # a move every 5 s at each table
            for number in range(kills):
                time.sleep(random.uniform(0.1, 2.0))
                head.kill()
                acknowledged = {table.number: table.acked for table in hall.tables}
                killed_s = time.monotonic()
                there = committed(tmp_path / "data", tmp_path / f"fallen-{number}")
                assert all(there.get(table, 0) >= acked for table, acked in acknowledged.items())
                before = {table.number: len(table.sent) for table in hall.tables}
                head = HeadProcess(tmp_path / "head.toml")
                until(lambda before=before: all(t.up and t.acked >= before[t.number] for t in hall.tables))  # type: ignore[misc]
                slowest_s = max(slowest_s, time.monotonic() - killed_s)
            hall.pace = 0
            until(lambda: hall.all_up() and hall.all_acknowledged())
        head.kill()
        assert rows_of(tmp_path / "data") == hall.rows()
        assert sum(len(table.sent) for table in hall.tables) > 5 * tables + 20  # they played
        for table in hall.tables:
            outcomes = Counter(str(record.body["id"]) for record in table.sent if record.type == "command")
            assigned = sum(record.type == "assigned" for record in table.sent)
            assert set(outcomes.values()) == {1} and assigned == 1
    finally:
        head.kill()
    record_property("tried", kills)
    record_property("back_s", round(slowest_s, 1))
    assert slowest_s < ALL_BACK_S
