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
from kiosk.head.federation import extent, rows
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
        self._begun: dict[int, StoredRecord] = {}
        self._seated = {""}
        self._rankings: dict[str, tuple[object, Ranking | None]] = {}
        self.events = self.records = 0
        self.live = self._live(())

    def start(self) -> None:
        """Takes up what the store has: of the past only how much it is."""
        with self._reading() as connection:
            _, self.records = extent.count(connection, self.name)
        if self.heard is not None:
            self.rebuild(self.heard.trail)
        games = {game.id for one in self._state.divisions.values() for game in one.current if game.is_open}
        with self._reading() as connection:
            begun = rows.records_of(connection, self.name, games, types=["assigned"])
        self._begun = {record.table: record for record in begun}
        self.live = self._live(sorted(self._begun))
        for slug in self._state.divisions:  # the first who looks at all venues does not wait for all of them
            self.ranking(slug)

    def rebuild(self, trail: str) -> None:
        """Folds another trail, with the cards of the games that it seats, and those that name none."""
        with self._lock, self._reading() as connection:
            self._ledger, self.events, self._last_card = Ledger(), 0, None
            events, cards = told_by(connection, self.name, trail)
            self._seated = {"", *games_seated(events)}
            self._take(events, cards)

    def add(self, events: Sequence[OperatorEvent], records: Sequence[StoredRecord], *, anew: bool) -> None:
        """What was just committed; ``anew``: of another trail than before."""
        with self._lock:
            cards = [one for one in records if one.type in READ and extent.game_of(one.type, one.body) in self._seated]
            if fresh := games_seated(events) - self._seated:  # their cards may have come before
                self._seated |= fresh
                with self._reading() as connection:
                    cards += rows.records_of(connection, self.name, fresh, types=READ)
            cards.sort(key=rows.in_order)
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

    def last_ranking(self, slug: str) -> Ranking | None:
        """A division's standings as they were worked out last, so that nobody waits for them; the federation's database
        works them out after each card."""
        known = self._rankings.get(slug)
        return known[1] if known is not None else self.ranking(slug)

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
        past = cast(Store, self)  # all that it asks for is ``present_game``
        return Live(past, tables, self._game_time)

    def present_game(self, table: int) -> Iterator[StoredRecord]:
        """The records of the game that is on at a table, or was last. Of each table ``Live`` asks first whether it has
        one, which ``start`` has found for all at once."""
        if begun := self._begun.pop(table, None):
            yield begun
        here = (game for division in self._state.divisions.values() for round_ in division.rounds for game in round_)
        with self._reading() as connection:
            names = [game.id for game in here if game.table == table]
            found = rows.present_game(connection, self.name, table, names)
            yield from (record for record in found if record != begun)


def games_seated(events: Iterable[OperatorEvent]) -> set[str]:
    """The games that entries of a trail seat: a card counts only from there."""
    return {extent.game_of(event.kind, event.body) for event in events if event.kind == "game-seated"}


def told_by(connection: Connection, venue: str, trail: str) -> tuple[list[OperatorEvent], list[StoredRecord]]:
    """A trail, and what its gathering is made of besides: the cards of the games that it seats, and those of none."""
    events = rows.events_of(connection, venue, trail)
    return events, rows.records_of(connection, venue, {"", *games_seated(events)}, types=READ)
