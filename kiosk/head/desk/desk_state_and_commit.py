"""State shared by all acts of the desk: the store, the folded state, and the way an act is committed.

Acts are serialised by one lock, so what an act checked still holds when it is written. An act is applied to a copy of
the state before it is written, and what cannot be applied is refused; after the commit the copy is the state. What
follows from an act (the seating of queued games) is done by its thread before the lock is released; signals are sent
after that.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from msgspec import Struct

from engine.i18n import Text, say
from kiosk.head.component_signals import Signals
from kiosk.head.current_user import acting
from kiosk.head.desk.unrecorded_games_after_restore import ReportedGames
from kiosk.head.errors import Conflict, NotFound, StoreError
from kiosk.head.event.act_reducers import CHANGES
from kiosk.head.event.act_types import Body, DivisionAct, GameSeated, write
from kiosk.head.event.game_state import HeadGame
from kiosk.head.event.projection import Projector
from kiosk.head.event.result_cards import READ
from kiosk.head.event.tournament_state import DivisionState, TournamentState
from kiosk.head.store import CommandRow, Store, StoredRecord
from kiosk.head.store.hash_chain import as_stored

#: an act, and the commands that follow from it
Line: TypeAlias = tuple[Struct, Sequence[CommandRow]]


@dataclass(frozen=True, slots=True)
class CommittedAct:
    """One committed request: act number ``number`` of all, and the state before and after it."""

    number: int
    acts: tuple[Struct, ...]
    before: TournamentState
    after: TournamentState

    @property
    def kind(self) -> str:
        return write(self.acts[0])[0]


class ActLock:
    """The reentrant lock under which acts are written. Before its outermost holder releases it, ``follow`` is called
    after each act, unless something failed; after that, ``news`` is sent.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._depth = 0
        self.follow: Callable[[], None] = lambda: None
        #: whether the holder has written an act that ``follow`` has not seen
        self.acted = False
        #: pending notifications of listeners; each once
        self.news: list[Callable[[], None]] = []

    def __enter__(self) -> None:
        self._lock.acquire()
        self._depth += 1

    def __exit__(self, failed: type[BaseException] | None, *_: object) -> None:
        news: list[Callable[[], None]] = []
        try:
            while self._depth == 1 and self.acted and failed is None:
                self.acted = False
                self.follow()
        finally:
            self._depth -= 1
            if self._depth == 0:
                self.acted = False
                news, self.news = self.news, news
            self._lock.release()
            for send in dict.fromkeys(news):
                send()


class EventCore:
    """The state over a store. ``tables``: the numbers of the kiosks that get games. ``begun`` receives every event that
    was folded.
    """

    def __init__(self, store: Store, tables: Iterable[int], happened: Signals, begun: ReportedGames) -> None:
        self.store = store
        self.tables = tuple(sorted(tables))
        self.happened = happened
        self._begun = begun
        self.lock = ActLock()
        self._arrived: deque[StoredRecord] = deque()
        self._ledger = Projector()
        #: the events that were folded
        self.events = [event for event in store.operator_events() if self._ledger.apply(event)]
        for event in self.events:
            begun.note(event)
        for card in store.records(type=READ):
            self._ledger.take_card(card)
        self.state: TournamentState = self._ledger.state()
        self.version = 0
        #: by person, the last act since this head was started
        self.last: dict[str, CommittedAct] = {}
        #: by division, what prevents it from continuing; "" is the whole tournament
        self.problems: dict[str, Text] = {}

    def act(self, act: Struct, orders: Sequence[CommandRow] = ()) -> None:
        """Write an act and the commands that follow from it, wait for the commit, then apply them.

        :raises HeadError: it cannot be done.
        """
        self.act_all([(act, orders)])

    def act_all(self, lines: Sequence[Line], *, follows: bool = False) -> None:
        """Write acts in one commit, each with its commands, and apply them together: all or none. ``follows``: they
        follow from the person's last act, and are a part of it.

        :raises HeadError: one cannot be done after those before it.
        """
        with self.lock:
            before, at = self.state, self.store.wall_clock()
            ledger = self._ledger.copy()
            written = []
            for act, orders in lines:
                if isinstance(act, DivisionAct) and type(act) in CHANGES:
                    self.state.division(act.division)  # raises if the division does not exist
                kind, body = write(act)
                if not isinstance(act, GameSeated):  # the store notes in a seating what had arrived before it
                    ledger.fold(kind, as_stored(body), at)
                written.append((kind, body, orders))
            self._append(written, ledger, at)
            person = acting()
            if not follows:
                acts = tuple(act for act, _ in lines)
                self.last[person] = CommittedAct(len(self.events), acts, before, self.state)
            elif person in self.last:
                self.last[person] = replace(self.last[person], after=self.state)

    def append_note(self, kind: str, body: Body, orders: Sequence[CommandRow] = ()) -> None:
        """Write an event that is no act on the tournament, with its commands: a note for people or for the head."""
        with self.lock:
            self._append([(kind, body, orders)], self._ledger, self.store.wall_clock())

    def _append(self, lines: Sequence[tuple[str, Body, Sequence[CommandRow]]], applied: Projector, at: str) -> None:
        """Write events, which ``applied`` contains but for seatings, and take over that state."""
        written = [self.store.append(kind, dict(body), orders, at) for kind, body, orders in lines]
        try:
            committed = [event.result() for event in written]
            self._ledger = applied
            for event in committed:
                if event.kind != "game-seated" or applied.apply(event):
                    self.events.append(event)
                    self._begun.note(event)
        except StoreError:
            self._reload()  # some may be committed: read the store again
            raise
        finally:
            self.refold()
        self.lock.acted = True
        if tables := {order.table for _, _, orders in lines for order in orders}:
            self.lock.news.append(lambda: self.happened.orders_queued(tables))
        self.lock.news.append(self.happened.act_committed)

    def add_table(self, table: int) -> None:
        """Give games to this kiosk too from now on."""
        with self.lock:
            self.tables = tuple(sorted({*self.tables, table}))
            self.refold()

    def note_records(self, cards: Iterable[StoredRecord]) -> None:
        """Note committed cards for the next ``refold``. Never waits."""
        self._arrived.extend(cards)

    @property
    def has_arrived(self) -> bool:
        return bool(self._arrived)

    def refold(self) -> None:
        """Apply the cards that arrived. Only within the lock."""
        while self._arrived:
            self._ledger.take_card(self._arrived.popleft())
        self.state = self._ledger.state()
        self.version += 1
        self.problems = {}
        self.lock.news.append(self.happened.state_changed)

    def note(self, slug: str, sentence: Text) -> None:
        """Show a message to the operator until the next change."""
        if self.problems.get(slug) != sentence:
            self.problems = {**self.problems, slug: sentence}
            self.happened.state_changed()

    def game(self, game_id: str) -> tuple[DivisionState, HeadGame]:
        """Return a game that is or was played, with its division."""
        division, game = self.state.division_of(game_id), self.state.game(game_id)
        if division is None or game is None or game.is_bye:
            raise NotFound(say("that game no longer exists; choose a game of a published round"))
        return division, game

    def game_at(self, table: int) -> HeadGame | None:
        """Return the open game at a table."""
        return next((game for game in self.state.current if game.is_open and game.table == table), None)

    def before_round_1(self, slug: str, what: Text) -> DivisionState:
        """Return the division.

        :raises Conflict: a round was published, so ``what`` cannot be changed.
        """
        division = self.state.division(slug)
        if division.rounds:
            raise Conflict(
                say("round 1 was published, so {what} cannot be changed any more; take round 1 back first", what=what)
            )
        return division

    def _reload(self) -> None:
        cards = list(self.store.records(type=READ))
        ledger = Projector()
        self.events = [event for event in self.store.operator_events() if ledger.apply(event)]
        for card in cards:
            ledger.take_card(card)
        self._ledger = ledger
