"""One venue as the federation sees it: its divisions, its tables, how far behind.

The law: it is worked out from the rows, as at the venue itself, and can be worked out again at any time. What cannot
be folded is set aside, as at the venue itself, and shown in the venue's name.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import cast

from sqlalchemy import Connection

from engine.text import Text
from hardware.timebase import TimeBase
from kiosk.head.errors import HeadError
from kiosk.head.event.cards import READ
from kiosk.head.event.fold import Ledger
from kiosk.head.event.pairing import Ranking, ranking_of
from kiosk.head.event.state import HallState
from kiosk.head.federation import rows
from kiosk.head.federation.machines import Machines
from kiosk.head.federation.wire import TRAIL, Push, Refused, Source, clocks_differ
from kiosk.head.store import Store, StoredRecord
from kiosk.head.store.chain import OperatorEvent
from kiosk.head.tables.live import Live

#: so many sentences are kept of rows that were refused
MOST_REFUSED = 8

Reading = Callable[[], AbstractContextManager[Connection]]


@dataclass(frozen=True, slots=True)
class Heard:
    """When a venue last reported, by the federation's clock, and what it said. ``ahead_s``: its clock, then.
    ``own``: how far its own audit trail goes, if that is another life of the one that is here; else 0."""

    at: str
    trail: str
    waiting: int
    ahead_s: int = 0
    own: int = 0

    @property
    def clocks_differ(self) -> bool:
        return clocks_differ(self.ahead_s)


class Venue:
    """May be used from any thread. ``taking``: held while a push is taken, so that what it adds is added in its
    order."""

    def __init__(self, name: str, reading: Reading, game_time: TimeBase) -> None:
        self.name = name
        self.heard: Heard | None = None
        self.taking = threading.Lock()
        self.machines = Machines()
        self._refused: dict[Source, Refused] = {}
        self._reading = reading
        self._game_time = game_time
        self._lock = threading.RLock()
        self._ledger = Ledger()
        self._state = HallState()
        self._last_card: tuple[int, int, int, str] | None = None
        self._rankings: dict[str, tuple[object, Ranking | None]] = {}
        self.events = self.records = 0
        self.live = self._live(())

    def start(self) -> None:
        """Takes up what the store has."""
        with self._reading() as connection:
            tables = rows.tables_of(connection, self.name)
            self.records = sum(seq for _, _, seq in rows.have(connection, self.name, "").records)
        self.live = self._live(tables)
        if self.heard is not None:
            self.rebuild(self.heard.trail)

    def rebuild(self, trail: str) -> None:
        """Folds another trail; the tables' records belong to all of them."""
        with self._lock, self._reading() as connection:
            self._ledger, self.events, self._last_card = Ledger(), 0, None
            self._take(rows.events_of(connection, self.name, trail), rows.records_of(connection, self.name, types=READ))

    def add(self, events: Sequence[OperatorEvent], records: Sequence[StoredRecord], *, anew: bool) -> None:
        """What was just committed; ``anew``: of another trail than before."""
        cards = sorted((record for record in records if record.type in READ), key=rows.in_order)
        with self._lock:
            # Rows come table by table, and the first card of a game counts: one that is late is put in its place.
            late = cards and self._last_card is not None and rows.in_order(cards[0]) < self._last_card
            if self.heard is not None and (anew or late):
                self.rebuild(self.heard.trail)
            elif events or cards:
                self._take(events, cards)
            self.records += len(records)
        self.live.collect(records)

    def refuse(self, error: Refused) -> None:
        """Keeps the sentence until that row is taken."""
        with self._lock:
            self._refused.pop(error.source, None)
            self._refused = dict([*self._refused.items(), (error.source, error)][-MOST_REFUSED:])

    def took(self, push: Push) -> None:
        """What was refused there before was mended, or was not the venue's."""
        lasts: dict[Source, int] = {TRAIL: push.events[-1].number if push.events else 0}
        lasts |= {(row.table, row.epoch): row.seq for row in push.records}
        with self._lock:
            self._refused = {
                source: error for source, error in self._refused.items() if lasts.get(source, 0) < error.number
            }

    @property
    def refused(self) -> tuple[Text, ...]:
        """Why rows are not taken, the last sentence last."""
        with self._lock:
            return tuple(error.text for error in self._refused.values())

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
                    made: Ranking | None = ranking_of(division.whole())
                except HeadError:
                    made = None
                known = self._rankings[slug] = division, made
            return known[1]

    def _take(self, events: Iterable[OperatorEvent], cards: Iterable[StoredRecord]) -> None:
        for event in events:
            self.events = event.number
            self._ledger.take(event)
        for card in cards:
            self._ledger.take_card(card)
            self._last_card = rows.in_order(card)
        self._state = self._ledger.state()

    def _live(self, tables: Iterable[int]) -> Live:
        return Live(cast(Store, _Past(self.name, self._reading)), tables, self._game_time)


class _Past:
    """What ``Live`` reads of a store."""

    def __init__(self, venue: str, reading: Reading) -> None:
        self._venue, self._reading = venue, reading

    def present_game(self, table: int) -> Iterator[StoredRecord]:
        with self._reading() as connection:
            yield from rows.present_game(connection, self._venue, table)
