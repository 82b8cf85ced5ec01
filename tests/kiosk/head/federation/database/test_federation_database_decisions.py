"""Test that decisions of the federation reach its database: a quarantined venue, an anonymised person."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from heads.federation_in_process import day
from heads.venue_pushes import posted, push_of
from heads.world import running_head
from sqlalchemy import text
from waiting import until

from kiosk.head.federation.database import database_schema as db
from kiosk.head.federation.push_receiver_and_venue_quarantine import QuarantineDecision
from kiosk.head.federation.venue_keys import save_venues

KEY = b"o" * 32


def test_decisions_of_the_federation_reach_its_database(tmp_path: Path) -> None:
    save_venues(tmp_path / "venues.json", {"osaka": KEY})
    one = day()
    with running_head(tmp_path / "f", tables=0, event=None, venues=tmp_path / "venues.json") as (head, url):
        collector, projection = head.remote.federation.collector, head.remote.federation.projection
        assert collector is not None and projection is not None

        def ask(query: str) -> list[Any]:
            with projection.engine.connect() as connection:
                return [tuple(row) for row in connection.execute(text(query))]

        posted(url, KEY, push_of("osaka", one.events, one.records))
        venue = collector.venue("osaka")
        assert venue is not None
        until(lambda: ask("SELECT count(*) FROM game") == [(8,)])
        (name,) = ask("SELECT name FROM player ORDER BY name LIMIT 1")[0]

        collector.decide(venue, QuarantineDecision.QUARANTINED, "its clock")
        until(lambda: ask("SELECT count(*) FROM game") == [(0,)])
        collector.decide(venue, QuarantineDecision.RETURNED, "mended")
        until(lambda: ask("SELECT count(*) FROM game") == [(8,)])

        collector.anonymise(name, "asked")
        until(lambda: ask(f"SELECT count(*) FROM player WHERE name = '{name}'") == [(0,)])
        until(lambda: ask("SELECT count(*) FROM game") == [(8,)])
        assert ask("SELECT count(*) FROM player WHERE name LIKE 'N.N. %'") == [(1,)]
        everything = repr([ask(f"SELECT * FROM {table.name}") for table in db.metadata.sorted_tables])
        assert name not in everything
