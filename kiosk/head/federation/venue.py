"""One venue as the federation sees it: its divisions, its tables, how far behind.

The law: it is worked out from the rows, as at the venue itself, and can be worked out again at any time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import cast

from sqlalchemy import Connection

from hardware.timebase import TimeBase
from kiosk.head.errors import HeadError
from kiosk.head.event.fold import Ledger
from kiosk.head.event.pairing import Ranking, ranking_of
from kiosk.head.event.state import HallState
from kiosk.head.federation import rows
from kiosk.head.store import Store, StoredRecord
from kiosk.head.store.chain import OperatorEvent
from kiosk.head.tables.live import Live

Reading = Callable[[], AbstractContextManager[Connection]]


@dataclass(frozen=True, slots=True)
class Heard:
    """When a venue last reported, by the federation's clock, and what it said. ``refused``: why rows were refused."""

    at: str
    trail: str
    waiting: int
    refused: str = ""


class Venue:
    """May be used from any thread. ``problem``: why the rows make no picture."""

    def __init__(self, name: str, reading: Reading, game_time: TimeBase) -> None:
        self.name = name
        self.heard: Heard | None = None
        self.problem = ""
        self._reading = reading
        self._game_time = game_time
        self._lock = threading.RLock()
        self._ledger = Ledger()
        self._state = HallState()
        self._rankings: dict[str, tuple[object, Ranking | None]] = {}
        self.events = self.records = 0
        self.live = self._live(())

    def rebuild(self, trail: str) -> None:
        """From the store."""
        with self._lock, self._reading() as connection:
            self._ledger, self.events, self.problem = Ledger(), 0, ""
            self._take(
                rows.events_of(connection, self.name, trail), list(rows.records_of(connection, self.name, type="card"))
            )
            tables = rows.tables_of(connection, self.name)
            self.records = sum(seq for _, _, seq in rows.have(connection, self.name, trail).records)
        self.live = self._live(tables)

    def add(self, events: Sequence[OperatorEvent], records: Sequence[StoredRecord]) -> None:
        """What was just committed."""
        with self._lock:
            self._take(events, [record for record in records if record.type == "card"])
            self.records += len(records)
        self.live.collect(records)

    @property
    def state(self) -> HallState:
        return self._state

    @property
    def tables(self) -> tuple[int, ...]:
        return ()

    def ranking(self, slug: str) -> Ranking | None:
        """A division's standings; None if they cannot be made."""
        division = self._state.divisions[slug]
        with self._lock:
            known = self._rankings.get(slug)
            if known is None or known[0] is not division:
                try:
                    made: Ranking | None = ranking_of(division.event_file())
                except HeadError:
                    made = None
                known = self._rankings[slug] = division, made
            return known[1]

    def _take(self, events: Iterable[OperatorEvent], cards: Iterable[StoredRecord]) -> None:
        try:
            for event in events:
                self.events = event.number
                self._ledger.take(event)
            for card in cards:
                self._ledger.take_card(card)
            self._state = self._ledger.state()
        except (HeadError, KeyError, TypeError) as error:  # a venue of another version: the rows are kept
            self.problem = str(error)

    def _live(self, tables: Iterable[int]) -> Live:
        return Live(cast(Store, _Past(self.name, self._reading)), tables, self._game_time)


class _Past:
    """What ``Live`` reads of a store."""

    def __init__(self, venue: str, reading: Reading) -> None:
        self._venue, self._reading = venue, reading

    def present_game(self, table: int) -> Iterator[StoredRecord]:
        with self._reading() as connection:
            yield from rows.present_game(connection, self._venue, table)
