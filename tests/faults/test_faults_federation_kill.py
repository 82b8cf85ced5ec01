"""FAULTS.md 9 at the federation: its head is killed, and its PostgreSQL stopped as by a power cut, while venues send.

Each venue is a real store with the real sending thread, over HTTP, to the real program. Afterwards the federation has
every row of every venue once, equal in every column, and so are its notes of the extent of the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
from heads.postgres import running_server
from heads.process import HeadProcess, free_port
from heads.venue_pushes import STORY, notes_in
from sqlalchemy import create_engine, text
from waiting import until

from kiosk.head.federation import federation_push_thread_and_outbox as pusher_module
from kiosk.head.federation import venue_trail_and_game_index
from kiosk.head.federation.federation_push_thread_and_outbox import Pusher
from kiosk.head.federation.venue_keys import new_key, save_venues
from kiosk.head.head_config import FederationConfig
from kiosk.head.store import Store
from kiosk.head.store.hash_chain import canonical
from kiosk.link.link_messages import TableRecord

TABLES = 3


class Venue:
    """A venue that writes rows, which its thread sends."""

    def __init__(self, folder: Path, name: str, url: str, dice: Random) -> None:
        self.name, self.store, self._dice = name, Store(folder / name), dice
        self.pusher = Pusher(self.store, FederationConfig(url, name, folder / f"{name}.json"))
        self._story, self._seqs = iter(STORY), dict.fromkeys(range(1, TABLES + 1), 0)
        self._numbers = count()
        self.pusher.start()

    def write(self) -> None:
        """Write an entry of the trail, and some records of a table."""
        kind, body = next(
            self._story, ("players-arrived", {"players": ["p1"], "arrived": bool(self._dice.randrange(2))})
        )
        self.store.append(kind, body).result(20)
        table = self._dice.randint(1, TABLES)
        some = []
        for _ in range(self._dice.randint(1, 12)):
            self._seqs[table] += 1
            said = {"game": f"g{next(self._numbers)}", "at": "青"}
            some.append(TableRecord(self._seqs[table], self._dice.choice(("event", "card", "assigned")), said))
        self.store.commit_records(table, "e", some).result(20)

    def rows(self) -> tuple[list[Any], list[Any]]:
        """Return its entries and records as a federation's tables have them."""
        with self.store.reading() as connection:
            events = connection.execute(text("SELECT * FROM operator_events ORDER BY number")).all()
        records = [
            (r.table, r.epoch, r.seq, r.type, canonical(r.body), r.arrival)
            for r in sorted(self.store.records(), key=lambda r: (r.table, r.epoch, r.seq))
        ]
        return [tuple(row) for row in events], records

    @property
    def all_accepted(self) -> bool:
        return self.pusher.status.waiting == 0 and self.pusher.status.trouble is None

    def close(self) -> None:
        self.pusher.close()
        self.store.close()


@pytest.mark.fault(9, "a federation's head killed and its PostgreSQL restarted while {venues} venues send {rows} rows")
@pytest.mark.slow
@pytest.mark.timeout(0)
def test_a_killed_federation_has_every_row_once(
    tmp_path: Path,
    times: Callable[[int, int], int],
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    monkeypatch.setattr(pusher_module, "LOOK_S", 0.02)
    monkeypatch.setattr(pusher_module, "RETRY_S", 0.1)
    monkeypatch.setattr(pusher_module, "LONGEST_S", 0.5)
    dice = Random(9)
    faults = ["kill"] * times(1, 10) + ["power"] * times(1, 4)
    dice.shuffle(faults)
    keys = {name: new_key() for name in ("kyoto", "osaka", "sapporo")[: times(2, 3)]}
    save_venues(tmp_path / "venues.json", keys)
    for name, key in keys.items():
        save_venues(tmp_path / f"{name}.json", {name: key})
    with ExitStack() as undo:
        server, port = undo.enter_context(running_server()), free_port()
        store = server.new()
        config = tmp_path / "head.toml"
        config.write_text(
            f'data = "data"\nstore = "{store}"\nvenues = "venues.json"\nhost = "127.0.0.1"\nport = {port}\n'
        )
        head = HeadProcess(config)
        undo.callback(lambda: head.kill())
        venues = [Venue(tmp_path, name, f"http://127.0.0.1:{port}", dice) for name in keys]
        for venue in venues:
            undo.callback(venue.close)
        for fault in faults:
            before = {venue.name: venue.pusher.status.sent for venue in venues}
            for _ in range(20):
                for venue in venues:
                    venue.write()
            until(
                lambda now=before, head=head: head.lives() and all(v.pusher.status.sent > now[v.name] for v in venues),
                120,
            )
            for venue in venues:  # something is on its way when it happens
                venue.write()
            if fault == "kill":
                head.kill()
                head = HeadProcess(config)
            else:
                server.stop()
                server.start()
        until(lambda: head.lives() and all(venue.all_accepted for venue in venues))
        wanted = {venue.name: venue.rows() for venue in venues}
        head.stop()
        engine = create_engine(store.replace("postgresql", "postgresql+psycopg"))
        undo.callback(engine.dispose)
        with engine.connect() as connection:
            for venue in venues:
                here = {"venue": venue.name, "trail": venue.store.trail}
                events = connection.execute(
                    text("SELECT * FROM venue_events WHERE venue = :venue AND trail = :trail ORDER BY number"), here
                )
                assert [tuple(row)[2:] for row in events] == wanted[venue.name][0]
                records = connection.execute(
                    text("SELECT * FROM venue_records WHERE venue = :venue ORDER BY table_no, epoch, seq"), here
                )
                assert [tuple(row)[1:] for row in records] == wanted[venue.name][1]
            notes = notes_in(connection)
            venue_trail_and_game_index._metadata.drop_all(connection)
            connection.commit()
        venue_trail_and_game_index.build_index(engine)
        with engine.connect() as connection:
            assert notes_in(connection) == notes
    record_property("tried", len(faults))
    record_property("venues", len(venues))
    record_property("rows", sum(len(events) + len(records) for events, records in wanted.values()))
