"""Tests of the index of the venues' rows: always equal to the rows, and used instead of reading them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from heads.federation_in_process import day
from heads.venue_pushes import Federation, notes_in, record, rows_of

from kiosk.head.federation import venue_trail_and_game_index

NAMED = ("gathering-named", {"name": "春\0の会", "date": "2031-04-05"})


on_both_databases = pytest.mark.parametrize("federation", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture
def federation(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Federation]:
    url = request.getfixturevalue("postgres").new() if getattr(request, "param", "") == "postgresql" else ""
    made = Federation.open(tmp_path / "federation", url)
    yield made
    made.close()


@on_both_databases
def test_the_incremental_index_equals_a_rebuilt_one(federation: Federation) -> None:
    """Rows arrive in parts, repeatedly, from two venues; a game id that no column can store is ignored."""
    one = day()
    for first in range(0, len(one.events), 7):
        assert federation.push("osaka", one.events[max(0, first - 2) : first + 7]).refused is None
    for first in range(0, len(one.records), 50):
        assert federation.push("osaka", (), one.records[first : first + 50]).refused is None
    odd = [record(1, game="g\0"), record(2, game="g" * 9_000), record(3, game=5), record(4, type="event", game="g")]
    assert federation.push("sapporo", rows_of([NAMED]), odd).refused is None
    with federation.store.reading() as connection:
        engine, told = connection.engine, notes_in(connection)
    assert len(told) >= 30 and any("春\ufffdの会" in row for row in told)
    with engine.begin() as connection:
        venue_trail_and_game_index._metadata.drop_all(connection)
    venue_trail_and_game_index.build_index(engine)
    with federation.store.reading() as connection:
        assert notes_in(connection) == told


def test_the_answer_to_a_push_names_only_the_tables_it_changed(federation: Federation) -> None:
    """So the answer does not grow with a venue's history; an older venue, which sends no selection, gets everything."""
    assert federation.push("osaka", (), [record(1, table=1), record(1, table=2)]).refused is None
    few = federation.push("osaka", (), [record(1, table=3)], all_journals=False)
    assert few.counted and few.records == [(3, "e", 1)]
    assert sorted(federation.push("osaka", (), [record(2, table=3)]).records) == [(1, "e", 1), (2, "e", 1), (3, "e", 2)]
