"""What all acts at the desk share: the store, the state, and the way from an act to the state that follows from it.

The law: an act becomes an event in the store first, and the state follows from the events. One act at a time: what it
checked still holds when it is written, and what cannot be folded is refused before it is written.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from msgspec import Struct

from engine.text import Text, say
from kiosk.head.acting import acting
from kiosk.head.desk.begun import BegunGames
from kiosk.head.errors import Conflict, NotFound, StoreError
from kiosk.head.event.bodies import Act, Body, write
from kiosk.head.event.cards import READ
from kiosk.head.event.changes import CHANGES, changed
from kiosk.head.event.fold import Ledger
from kiosk.head.event.games import HeadGame
from kiosk.head.event.state import DivisionState, HallState
from kiosk.head.happened import Happened
from kiosk.head.store import CommandRow, Store, StoredRecord
from kiosk.head.store.chain import OperatorEvent

#: an act, and the orders that follow from it
Line: TypeAlias = tuple[Struct, Sequence[CommandRow]]


@dataclass(frozen=True, slots=True)
class Done:
    """What somebody did with one press: number ``number`` of all acts, and the state before and after it."""

    number: int
    acts: tuple[Struct, ...]
    before: HallState
    after: HallState

    @property
    def kind(self) -> str:
        return write(self.acts[0])[0]


class Core:
    """The state over a store. ``tables``: the numbers of the kiosks that games are given to. ``begun`` notes every
    event that was folded."""

    def __init__(self, store: Store, tables: Iterable[int], happened: Happened, begun: BegunGames) -> None:
        self.store = store
        self.tables = tuple(sorted(tables))
        self.happened = happened
        self._begun = begun
        self.lock = threading.RLock()
        self._arrived: deque[StoredRecord] = deque()
        self._ledger = Ledger()
        #: the events that were folded
        self.events = [event for event in store.operator_events() if self._ledger.take(event)]
        for event in self.events:
            begun.note(event)
        for card in store.records(type=READ):
            self._ledger.take_card(card)
        self.state: HallState = self._ledger.state()
        self.version = 0
        #: by person, what each did last since this head was started
        self.last: dict[str, Done] = {}
        #: by division, what keeps it from going on; "" is the hall
        self.problems: dict[str, Text] = {}

    def act(self, act: Struct, orders: Sequence[CommandRow] = ()) -> None:
        """Writes an act and the orders that follow from it, waits for their commit, then takes them over.

        :raises HeadError: it cannot be done.
        """
        self.act_all([(act, orders)])

    def act_all(self, lines: Sequence[Line]) -> None:
        """Writes acts that share a commit, each with its orders, and takes them over together: all or none.

        :raises HeadError: one cannot be done after those before it.
        """
        divisions = dict(self.state.divisions)
        for act, _ in lines:
            if isinstance(act, Act) and type(act) in CHANGES:
                if act.division not in divisions:
                    self.state.division(act.division)  # says which there are
                divisions[act.division] = changed(divisions[act.division], act)
        before = self.state
        self._append([(*write(act), orders) for act, orders in lines])
        self.last[acting()] = Done(len(self.events), tuple(act for act, _ in lines), before, self.state)

    def note_down(self, kind: str, body: Body, orders: Sequence[CommandRow] = ()) -> None:
        """Writes what is no act on the event, with what follows from it: it is for people to read, or for the head."""
        self._append([(kind, body, orders)])

    def _append(self, lines: Sequence[tuple[str, Body, Sequence[CommandRow]]]) -> None:
        written = [self.store.append(kind, dict(body), orders) for kind, body, orders in lines]
        try:
            for event in written:
                self._take(event.result())
        except StoreError:
            self._reload()  # some may be committed: believe the store
            raise
        finally:
            self.refold()
        if tables := {order.table for _, _, orders in lines for order in orders}:
            self.happened.ordered(tables)
        self.happened.acted()

    def know_table(self, table: int) -> None:
        """From now on games are given to this kiosk too."""
        with self.lock:
            self.tables = tuple(sorted({*self.tables, table}))
            self.refold()

    def arrived(self, cards: Iterable[StoredRecord]) -> None:
        """Notes committed cards for the next ``refold``. Never waits."""
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
        self.happened.changed()

    def note(self, slug: str, sentence: Text) -> None:
        """Shows a sentence to the operator until something happens."""
        if self.problems.get(slug) != sentence:
            self.problems = {**self.problems, slug: sentence}
            self.happened.changed()

    def game(self, game_id: str) -> tuple[DivisionState, HeadGame]:
        """A game that somebody plays or played, with its division."""
        division, game = self.state.division_of(game_id), self.state.game(game_id)
        if division is None or game is None or game.is_bye:
            raise NotFound(say("that game no longer exists; choose a game of a published round"))
        return division, game

    def game_at(self, table: int) -> HeadGame | None:
        """The open game at a table."""
        return next((game for game in self.state.current if game.is_open and game.table == table), None)

    def before_round_1(self, slug: str, what: str) -> DivisionState:
        """:raises Conflict: a round was published, so ``what`` cannot be changed any more."""
        division = self.state.division(slug)
        if division.rounds:
            raise Conflict(
                say("round 1 was published, so {what} cannot be changed any more; take round 1 back first", what=what)
            )
        return division

    def _take(self, event: OperatorEvent) -> None:
        if self._ledger.take(event):
            self.events.append(event)
            self._begun.note(event)

    def _reload(self) -> None:
        cards = list(self.store.records(type=READ))
        ledger = Ledger()
        self.events = [event for event in self.store.operator_events() if ledger.take(event)]
        for card in cards:
            ledger.take_card(card)
        self._ledger = ledger
