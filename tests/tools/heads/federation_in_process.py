"""A venue's day as rows, and a federation's head in this process that stores them in its database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from heads.venue_pushes import Federation, rows_of_store
from heads.world import PlayedTable, quick_card, running_head
from sqlalchemy import text

from kiosk.head.event.act_types import DivisionChanged
from kiosk.head.event.pairings_standings_and_correction_impact import is_over
from kiosk.head.event.spectator_visibility import read_spectators
from kiosk.head.federation.database.background_update import Projection
from kiosk.head.federation.database.connection_and_tables import open_database
from kiosk.head.federation.database.person_registry_and_identity_decisions import PersonRegistry
from kiosk.head.federation.push_protocol import EventRow, RecordRow


@dataclass(frozen=True)
class Day:
    """The rows of a venue's head after a round; those before the cards come first."""

    events: tuple[EventRow, ...]
    records: tuple[RecordRow, ...]

    def until(self, number: int) -> tuple[EventRow, ...]:
        return self.events[:number]


@cache
def day(rounds: int = 1, hidden: bool = False, numbered: bool = False) -> Day:
    """Return a day of eight tables; at table 1 a whole game is played in round 1, all others submit cards. ``rounds``
    0: to the end. ``hidden``: no board and no name is public. ``numbered``: p1 to p12 have membership numbers from 501,
    p5 to p14 numbers of the world rating list from 7005."""
    with TemporaryDirectory() as folder, running_head(Path(folder)) as (head, _):
        if hidden:
            nobody = read_spectators({"boards": "off", "names": {"everybody": "ids", "minors": "ids"}})
            head.desk.divisions.change(DivisionChanged("main", spectators=nobody))
        for number in range(1, 15) if numbered else ():
            numbers = {"national": str(500 + number)} if number <= 12 else {}
            numbers |= {"wof": str(7000 + number)} if number >= 5 else {}
            head.desk.players.change("main", f"p{number}", numbers)
        tables = [PlayedTable(number, head.devices.collection) for number in range(1, 9)]
        while not rounds or len(head.desk.state.first.rounds) < rounds:
            if is_over(head.desk.state.first.whole()):
                break
            head.desk.rounds.publish(head.desk.rounds.draft().digest)
            for table in tables:
                for command in table.execute_commands():
                    if command.kind == "assign" and table.number == 1 and len(head.desk.state.first.rounds) == 1:
                        table.finish()
                    elif command.kind == "assign":
                        table.send("card", quick_card(command, 24 + 2 * table.number))
            head.desk.process_pending()
        events, records = rows_of_store(head.store)
    return Day(tuple(events), tuple(sorted(records, key=lambda row: (*row.source, row.seq))))


@contextmanager
def federated(folder: Path, url: str = "", names: Sequence[str] = ("osaka", "sapporo")) -> Iterator[Federated]:
    """Yield a federation without its thread: a test decides when the database is updated."""
    ends = Federation.open(folder, url, names)
    register = PersonRegistry(ends.store, ends.store.operator_events())
    database, collector = open_database(folder / "data", url), ends.collector
    projection = Projection(ends.store.reading, database, register, collector.venue, is_shown=collector.is_shown)
    collector.rows_accepted.connect(projection.note_rows)
    collector.standing_decided.connect(projection.note_standing)
    collector.person_anonymised.connect(projection.note_anonymised)
    try:
        yield Federated(ends, projection)
    finally:
        projection.close()
        ends.close()


@dataclass
class Federated:
    ends: Federation
    projection: Projection

    def follow(self) -> None:
        """Write new rows of each venue to the database, as the thread does."""
        for name, journals in list(self.projection._due.items()):
            self.projection._follow(name, journals)
        self.projection._due.clear()

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        with self.projection.engine.connect() as connection:
            return [tuple(row) for row in connection.execute(text(query))]
