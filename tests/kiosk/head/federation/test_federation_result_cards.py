"""Tests that a card has the same effect at the federation as at the venue: same results and notices, however its
rows are split."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from heads.tournaments import RULES, DeskWorld
from heads.venue_pushes import Federation, rows_of_store
from heads.world import event, quick_card

from kiosk.head.desk import Desk
from kiosk.head.event.act_types import event_of
from kiosk.head.federation.push_protocol import EventRow, RecordRow
from kiosk.head.store import Store
from kiosk.link.link_messages import SET_ASIDE, TableRecord


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[DeskWorld]:
    store = Store(tmp_path / "venue")
    desk = Desk(store, range(1, 9))
    desk.divisions.create(event_of(event()), RULES)
    yield DeskWorld(store, desk)
    store.close()


def _day(hall: DeskWorld) -> None:
    """Return rows with every case of accepting or refusing a card."""
    hall.publish("main")
    first, second = hall["main"].current[:2]
    card = quick_card(hall.waiting(1)[-1], 50)
    hall.send(8, ("card", card | {"black_discs": 64, "white_discs": 0}))  # of another table's game
    hall.hand_in(1, 40)  # of its own game
    hall.send(1, ("card", card))  # another result of it
    late = quick_card(hall.waiting(2)[-1], 50)
    hall.hand_in(3)
    hall.desk.seating.move(second.id, 3)
    hall.send(2, ("card", late))  # of a game that was moved away
    hall.send(3, ("card", late | {"black_discs": 36, "white_discs": 28}))  # from the table to which it was moved
    hall.send(4, ("card", {"game": "x"}), ("card", {"game": first.id, "n": 1}))  # not cards
    hall.send(5, (SET_ASIDE, {"type": "card", "why": "more than 32 levels", "raw": "c0"}))  # stored in a changed form
    hall.send(6, ("card", late | {"game": f"{hall['main'].event_id}-2-6"}))  # of a future round
    hall.finish("main")
    hall.publish("main")
    hall.hand_in(6, 20)
    hall.desk.rounds.undo("main", 2, "wrong")
    hall.desk.divisions.dismiss_notice(hall.desk.state.notices[0].key)


def _rows(hall: DeskWorld) -> tuple[list[EventRow], list[RecordRow]]:
    with hall.store.reading() as connection:
        kept = connection.exec_driver_sql("SELECT table_no, epoch, seq, type, arrival FROM records ORDER BY arrival")
        types = [tuple(row) for row in kept]
    bodies = {(r.table, r.epoch, r.seq): r for r in Store.records(hall.store)}
    return rows_of_store(hall.store)[0], [
        RecordRow(table, epoch, seq, type, bodies[table, epoch, seq].body, arrival)
        for table, epoch, seq, type, arrival in types
    ]


def _same(hall: DeskWorld, federation: Federation) -> None:
    state = federation.venue().state
    assert state == hall.desk.state and state.notices


@pytest.mark.parametrize("seed", range(2))
def test_results_are_the_same_at_the_federation_in_any_order(tmp_path: Path, hall: DeskWorld, seed: int) -> None:
    """Events first or records first, table by table, a few rows at a time; and again after a restart."""
    _day(hall)
    events, records = _rows(hall)
    random, federation = Random(seed), Federation.open(tmp_path / "federation")
    sent: list[Any] = [events[at : at + 5] for at in range(0, len(events), 5)]
    tables = {row.table: [one for one in records if one.table == row.table] for row in records}
    waiting: dict[Any, list[Any]] = {"": sent, **{table: [[row] for row in rows] for table, rows in tables.items()}}
    while waiting:
        source = random.choice([*waiting])
        rows = waiting[source].pop(0)
        answer = federation.push("osaka", **{"records" if source else "events": rows})
        assert answer.refused is None
        if not waiting[source]:
            del waiting[source]
    _same(hall, federation)
    federation.close()
    again = Federation.open(tmp_path / "federation")
    _same(hall, again)
    again.close()


def test_a_record_quarantined_by_the_venue_is_removed_at_the_federation(tmp_path: Path, hall: DeskWorld) -> None:
    """The same card under another journal of its table still counts."""
    hall.publish("main")
    for table in (1, 2):
        hall.hand_in(table)
    again = next(r for r in hall.store.records(table=2) if r.type == "card")
    hall.store.commit_records(2, "other", [TableRecord(1, "card", again.body)]).result()
    federation = Federation.open(tmp_path / "federation")
    federation.push("osaka", *_rows(hall))
    for table in (1, 2):
        hall.store.set_aside(table, "e", 2, "the players say it is wrong")
    events, _ = _rows(hall)
    assert federation.push("osaka", events).refused is None
    hall.store.close()
    store = Store(tmp_path / "venue")
    started = DeskWorld(store, Desk(store, range(1, 9)))
    (first, second) = started["main"].current[:2]
    assert first.is_open and not second.is_open
    assert [(one.table, one.seq, one.kind, one.at) for one in started.desk.state.aside] == [
        (1, 2, "card", events[-2].at),
        (2, 2, "card", events[-1].at),
    ]
    _same(started, federation)
    federation.close()
    store.close()
