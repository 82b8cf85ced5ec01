"""State shared by all acts of the desk: the store, the folded state, and the way an act is committed.

An act is stored as an event first, and the state follows from the events. Acts are serialised, so what an act checked
still holds when it is written; what cannot be folded is refused before it is written.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from msgspec import Struct

from engine.translatable_text import Text, say
from kiosk.head.component_signals import Signals
from kiosk.head.current_user import acting
from kiosk.head.desk.reported_games import ReportedGames
from kiosk.head.errors import Conflict, NotFound, StoreError
from kiosk.head.event.act_reducers import CHANGES, apply
from kiosk.head.event.act_types import Body, DivisionAct, write
from kiosk.head.event.game_state import HeadGame
from kiosk.head.event.projection import Projector
from kiosk.head.event.result_cards import READ
from kiosk.head.event.tournament_state import DivisionState, TournamentState
from kiosk.head.store import CommandRow, Store, StoredRecord
from kiosk.head.store.hash_chain import OperatorEvent

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


class EventCore:
    """The state over a store. ``tables``: the numbers of the kiosks that get games. ``begun`` receives every event that
    was folded.
    """

    def __init__(self, store: Store, tables: Iterable[int], happened: Signals, begun: ReportedGames) -> None:
        self.store = store
        self.tables = tuple(sorted(tables))
        self.happened = happened
        self._begun = begun
        self.lock = threading.RLock()
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

    def act_all(self, lines: Sequence[Line]) -> None:
        """Write acts in one commit, each with its commands, and apply them together: all or none.

        :raises HeadError: one cannot be done after those before it.
        """
        divisions = dict(self.state.divisions)
        for act, _ in lines:
            if isinstance(act, DivisionAct) and type(act) in CHANGES:
                if act.division not in divisions:
                    self.state.division(act.division)  # raises if the division does not exist
                divisions[act.division] = apply(divisions[act.division], act)
        before = self.state
        self._append([(*write(act), orders) for act, orders in lines])
        self.last[acting()] = CommittedAct(len(self.events), tuple(act for act, _ in lines), before, self.state)

    def append_note(self, kind: str, body: Body, orders: Sequence[CommandRow] = ()) -> None:
        """Write an event that is no act on the tournament, with its commands: a note for people or for the head."""
        self._append([(kind, body, orders)])

    def _append(self, lines: Sequence[tuple[str, Body, Sequence[CommandRow]]]) -> None:
        written = [self.store.append(kind, dict(body), orders) for kind, body, orders in lines]
        try:
            for event in written:
                self._take(event.result())
        except StoreError:
            self._reload()  # some may be committed: read the store again
            raise
        finally:
            self.refold()
        if tables := {order.table for _, _, orders in lines for order in orders}:
            self.happened.orders_queued(tables)
        self.happened.act_committed()

    def add_table(self, table: int) -> None:
        """Give games to this kiosk too from now on."""
        with self.lock:
            self.tables = tuple(sorted({*self.tables, table}))
            self.refold()

    def arrived(self, cards: Iterable[StoredRecord]) -> None:
        """Note committed cards for the next ``refold``. Never waits."""
        self._arrived.extend(cards)

    @property
    def has_arrived(self) -> bool:
        return bool(self._arrived)

    def refold(self) -> None:
        while self._arrived:
            self._ledger.take_card(self._arrived.popleft())
        self.state = self._ledger.state()
        self.version += 1
        self.problems = {}
        self.happened.state_changed()

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

    def before_round_1(self, slug: str, what: str) -> DivisionState:
        """Return the division.

        :raises Conflict: a round was published, so ``what`` cannot be changed.
        """
        division = self.state.division(slug)
        if division.rounds:
            raise Conflict(
                say("round 1 was published, so {what} cannot be changed any more; take round 1 back first", what=what)
            )
        return division

    def _take(self, event: OperatorEvent) -> None:
        if self._ledger.apply(event):
            self.events.append(event)
            self._begun.note(event)

    def _reload(self) -> None:
        cards = list(self.store.records(type=READ))
        ledger = Projector()
        self.events = [event for event in self.store.operator_events() if ledger.apply(event)]
        for card in cards:
            ledger.take_card(card)
        self._ledger = ledger
