"""Tests of a head that starts with running games: records that arrive before it has read them are applied correctly."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from heads.world import PlayedTable, running_head
from waiting import until

from kiosk.head.program import HeadApplication
from kiosk.head.store import StoredRecord
from kiosk.head.tables.live_table_state import LiveTables


@pytest.fixture
def head(tmp_path: Path) -> Iterator[HeadApplication]:
    with running_head(tmp_path, tables=4, auto=True) as (program, _):
        yield program


def seen(live: LiveTables) -> list[tuple[object, ...]]:
    return [(v.number, v.game, v.phase, v.board, v.move_number, v.revision, v.lost_sight) for v in live.views()]


@pytest.mark.parametrize("seed", range(3))
def test_records_that_arrive_before_and_during_reading_are_applied(head: HeadApplication, seed: int) -> None:
    random, store = Random(seed), head.store
    tables = [PlayedTable(number, head.devices.collection) for number in head.desk.tables]
    until(lambda: all(head.devices.collection.pending(table.number) for table in tables))
    for table in tables:
        table.play(random.randint(0, 8))
    late = LiveTables(store, head.desk.tables, head.live._time)
    reading, told = late._store.present_game, [record.arrival for record in store.records()][-1]

    def new() -> list[StoredRecord]:
        nonlocal told
        found = [record for record in store.records() if record.arrival > told]
        told = found[-1].arrival if found else told
        return found

    def slowly(number: int) -> Iterator[StoredRecord]:
        found = list(reading(number))
        if random.random() < 0.5:  # the table continues between the reading and its end
            tables[number - 1].play(1)
            late.collect(new())
        yield from found

    late._store = type("Slow", (), {"present_game": staticmethod(slowly)})()
    for _ in range(10):
        random.choice(tables).play(1)
        late.collect(new())
        if random.random() < 0.3:
            late.game_at(random.choice(tables).number)
    late.views()
    late.collect(new())
    assert seen(late) == seen(head.live)
    assert all(view.move_number is not None for view in late.views())
