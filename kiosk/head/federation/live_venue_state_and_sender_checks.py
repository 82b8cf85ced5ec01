"""State of one venue at the federation: its divisions, its tables, its backlog; and checks of who sends in its name.

It is derived from the rows by the same projection as at the venue, and can be recomputed at any time. Rows that cannot
be applied are set aside, as at the venue itself, and shown with the venue's name.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import cast

from sqlalchemy import Connection

from engine.i18n import Text
from hardware.real_and_simulated_time import TimeBase
from kiosk.head.errors import HeadError
from kiosk.head.event.pairings_standings_and_correction_impact import ExplainedStandings, explained_standings
from kiosk.head.event.table_result_cards_and_notices import READ
from kiosk.head.event.tournament_state import TournamentState
from kiosk.head.event.tournament_state_from_events import Projector
from kiosk.head.federation import venue_row_store, venue_trail_and_game_index
from kiosk.head.federation.push_protocol import Push, RowRejected, Source, clocks_differ
from kiosk.head.store import Store, StoredRecord
from kiosk.head.store.hash_chain import OperatorEvent
from kiosk.head.tables.live_table_state import LiveTables

#: messages kept about refused rows
MOST_REJECTIONS = 8

Reading = Callable[[], AbstractContextManager[Connection]]


@dataclass(frozen=True, slots=True)
class LastContact:
    """Last report of a venue, by the federation's clock. ``ahead_s``: difference of its clock at that time. ``own``:
    how far its own audit trail goes, if it conflicts with the one here; else 0.
    """

    at: str
    trail: str
    waiting: int
    ahead_s: int = 0
    own: int = 0

    @property
    def clocks_differ(self) -> bool:
        return clocks_differ(self.ahead_s)


class Venue:
    """One venue. May be used from any thread. ``push_lock`` is held while a push is processed: pushes are applied in
    order.
    """

    def __init__(self, name: str, reading: Reading, game_time: TimeBase) -> None:
        self.name = name
        self.last_contact: LastContact | None = None
        self.push_lock = threading.Lock()
        self.senders = SenderTracker()
        self._rejections: dict[Source, RowRejected] = {}
        self._reading = reading
        self._game_time = game_time
        self._lock = threading.RLock()
        self._projector = Projector()
        self._state = TournamentState()
        self._last_card: tuple[int, int, int, str] | None = None
        self._assigned: dict[int, StoredRecord] = {}
        self._seated_games = {""}
        self._rankings: dict[str, tuple[object, ExplainedStandings | None]] = {}
        self.events = self.records = 0
        self.live = self._live_tables(())

    def start(self) -> None:
        """Load the venue from the store, without its past records."""
        with self._reading() as connection:
            _, self.records = venue_trail_and_game_index.count(connection, self.name)
        if self.last_contact is not None:
            self.rebuild(self.last_contact.trail)
        games = {game.id for one in self._state.divisions.values() for game in one.current if game.is_open}
        with self._reading() as connection:
            begun = venue_row_store.records_of(connection, self.name, games, types=["assigned"])
        self._assigned = {record.table: record for record in begun}
        self.live = self._live_tables(sorted(self._assigned))
        for slug in self._state.divisions:  # so that the first page of all venues does not wait for all standings
            self.ranking(slug)

    def rebuild(self, trail: str) -> None:
        """Fold another trail, with the cards of the games that it seats, and those that name no game."""
        with self._lock, self._reading() as connection:
            self._projector, self.events, self._last_card = Projector(), 0, None
            events, cards = trail_and_cards(connection, self.name, trail)
            self._seated_games = {"", *seated_games(events)}
            self._apply(events, cards)

    def add(self, events: Sequence[OperatorEvent], records: Sequence[StoredRecord], *, anew: bool) -> None:
        """Apply committed rows; ``anew``: of another trail than before."""
        with self._lock:
            cards = [
                one
                for one in records
                if one.type in READ and venue_trail_and_game_index.game_of(one.type, one.body) in self._seated_games
            ]
            if fresh := seated_games(events) - self._seated_games:  # their cards may have arrived before
                self._seated_games |= fresh
                with self._reading() as connection:
                    cards += venue_row_store.records_of(connection, self.name, fresh, types=READ)
            cards.sort(key=venue_row_store.venue_order_key)
            # Rows arrive table by table, and the first card of a game counts; a late one is inserted in its place.
            late = cards and self._last_card is not None and venue_row_store.venue_order_key(cards[0]) < self._last_card
            if self.last_contact is not None and (anew or late):
                self.rebuild(self.last_contact.trail)
            elif events or cards:
                self._apply(events, cards)
            self.records += len(records)
        self.live.collect(records)

    def add_rejection(self, error: RowRejected) -> None:
        """Keep the message until the row is accepted."""
        with self._lock:
            self._rejections.pop(error.source, None)
            self._rejections = dict([*self._rejections.items(), (error.source, error)][-MOST_REJECTIONS:])

    def drop_outdated_rejections(self, push: Push) -> None:
        """Drop messages about rows that were corrected meanwhile, or were not the venue's."""
        lasts = {row.source: row.number for row in push.rows}
        with self._lock:
            self._rejections = {
                source: error for source, error in self._rejections.items() if lasts.get(source, 0) < error.number
            }

    @property
    def rejections(self) -> tuple[Text, ...]:
        """Return why rows are refused, the last message last."""
        with self._lock:
            return tuple(error.text for error in self._rejections.values())

    @property
    def state(self) -> TournamentState:
        return self._state

    @property
    def tables(self) -> tuple[int, ...]:
        return ()

    def last_ranking(self, slug: str) -> ExplainedStandings | None:
        """Return a division's standings as last computed; the federation's database computes them after each card."""
        return self._rankings[slug][1] if slug in self._rankings else self.ranking(slug)

    def ranking(self, slug: str) -> ExplainedStandings | None:
        """Return a division's standings; None if they cannot be computed."""
        division = self._state.divisions[slug]
        with self._lock:
            known = self._rankings.get(slug)
            if known is None or known[0] is not division:
                try:
                    made: ExplainedStandings | None = explained_standings(division.whole())
                except HeadError:
                    made = None
                known = self._rankings[slug] = division, made
            return known[1]

    def _apply(self, events: Iterable[OperatorEvent], cards: Iterable[StoredRecord]) -> None:
        for event in events:
            self.events = event.number
            self._projector.apply(event)
        for card in cards:
            self._projector.take_card(card)
            self._last_card = venue_row_store.venue_order_key(card)
        self._state = self._projector.state()

    def _live_tables(self, tables: Iterable[int]) -> LiveTables:
        past = cast(Store, self)  # only ``present_game`` is called
        return LiveTables(past, tables, self._game_time)

    def present_game(self, table: int) -> Iterator[StoredRecord]:
        """Yield the records of the current or last game at a table. ``LiveTables`` asks for every table; ``start`` has
        read their assignments in one query.
        """
        if begun := self._assigned.pop(table, None):
            yield begun
        here = (game for division in self._state.divisions.values() for round_ in division.rounds for game in round_)
        with self._reading() as connection:
            names = [game.id for game in here if game.table == table]
            found = venue_row_store.present_game(connection, self.name, table, names)
            yield from (record for record in found if record != begun)


def seated_games(events: Iterable[OperatorEvent]) -> set[str]:
    """Return the games to which a trail's entries assign players; cards count only from then on."""
    seated = (event for event in events if event.kind == "game-seated")
    return {venue_trail_and_game_index.game_of(event.kind, event.body) for event in seated}


def trail_and_cards(connection: Connection, venue: str, trail: str) -> tuple[list[OperatorEvent], list[StoredRecord]]:
    """Return a trail, and the cards that its tournament needs: those of its games and those of no game."""
    events = venue_row_store.events_of(connection, venue, trail)
    return events, venue_row_store.records_of(connection, venue, {"", *seated_games(events)}, types=READ)


# Detection of replayed pushes, and of several machines that send in one venue's name.
#
# A push counts only once, and only from a machine that has received the last answer to it. So a replayed push is only a
# query, and two machines with the same key are detected, whatever their clocks say.

#: machines whose tickets are known; a restarted venue counts as a new machine
MOST = 64
#: seconds for which two machines are reported
REPORTED_S = 300.0


class SenderTracker:
    """The machines of one venue. Not thread-safe."""

    def __init__(self) -> None:
        self._tickets: dict[str, str] = {}
        self._last_sender = ""
        self._seen: set[str] = set()
        self._two_senders_s: float | None = None

    def ticket_of(self, sender: str) -> str:
        """Return the ticket that its next push must contain."""
        if sender not in self._tickets:
            self._tickets[sender] = secrets.token_hex(16)
            while len(self._tickets) > MOST:
                oldest = next(iter(self._tickets))
                del self._tickets[oldest]
                self._seen.discard(oldest)
        return self._tickets[sender]

    def use_ticket(self, sender: str, ticket: str, now_s: float) -> bool:
        """Check whether a push is the next one of its machine; if so, its ticket is used up."""
        if not ticket or self._tickets.get(sender) != ticket:
            return False
        del self._tickets[sender]  # the machine that reported most recently is dropped last
        if sender != self._last_sender and sender in self._seen:
            self._two_senders_s = now_s  # one machine, another, and the first again
        self._last_sender = sender
        self._seen.add(sender)
        self.ticket_of(sender)
        return True

    def has_two(self, now_s: float) -> bool:
        """Check whether two machines have sent in turns lately."""
        return self._two_senders_s is not None and now_s - self._two_senders_s < REPORTED_S
