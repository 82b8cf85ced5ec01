"""All games as JSON documents, computed once for all viewers.

A document is made from a spectator's card (``hall.public_cards``), so nothing is published before its time. It is made
again, with a new number, only when its content changes. However many viewers there are, the tables are read once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import msgspec

from engine.tournament.event_model import Player
from kiosk.head.desk import Desk
from kiosk.head.event.publication_rules import public_division
from kiosk.head.event.tournament_state import DivisionState
from kiosk.head.tables.live_game_json import LiveGame, PositionEvaluation, document
from kiosk.head.tables.live_table_state import LiveTables
from kiosk.head.tables.table_cards_for_pages import Seen, TableCard, public_cards

#: requests within this time, in seconds, or within this many times the last duration share one reading: a busy head
#: reads less often, so that no acknowledgement waits for spectators
LOOK_S, SHARE = 0.2, 4

#: evaluation of the position on a spectator's card, or None
Worthy = Callable[[TableCard], PositionEvaluation | None]


@dataclass(frozen=True, slots=True)
class BroadcastView:
    """One table's document. ``text``: as JSON; ``number``: changes with the content."""

    number: int
    text: str
    document: LiveGame


class Broadcast:
    """The documents of all tables. May be called from any thread."""

    def __init__(self, desk: Desk, live: LiveTables, worth: Worthy = lambda card: None) -> None:
        self._desk, self._live, self._worth = desk, live, worth
        self._lock = threading.Lock()
        self._not_before_s = 0.0
        self._shown: dict[int, BroadcastView] = {}
        self._made: dict[int, tuple[TableCard, object, object]] = {}
        self._seen: Seen = {}
        self._people: dict[str, tuple[DivisionState, Mapping[str, Player]]] = {}

    def now_ms(self) -> int:
        """Return the game time to which documents refer."""
        return self._live.now_ms()

    def slots(self) -> Mapping[str, int]:
        """Return the tables of the desk's addresses, by name."""
        return self._desk.state.slots

    def table_of(self, name: str) -> int | None:
        """Return the table of an address: a slot's, or its number."""
        if name.isascii() and name.isdigit() and len(name) < 6:
            return int(name)
        return self.slots().get(name)

    def documents(self) -> Mapping[int, BroadcastView]:
        """Return the current documents, by table."""
        with self._lock:
            began_s = time.monotonic()
            if began_s < self._not_before_s:
                return self._shown
            now: dict[int, BroadcastView] = {}
            for card in public_cards(self._desk, self._live, self._seen):
                now[card.number] = self._document(card)
            ended_s = time.monotonic()
            self._shown, self._not_before_s = now, ended_s + max(LOOK_S, SHARE * (ended_s - began_s))
            return now

    def _document(self, card: TableCard) -> BroadcastView:
        people, worth, number = self._named(card), self._worth(card), card.number
        before, made = self._shown.get(number), self._made.get(number)
        if before is not None and made is not None and made[1] is people and made[2] == worth and made[0] == card:
            return before
        self._made[number] = card, people, worth
        body = document(card, people, worth)
        text = msgspec.json.encode(body).decode()
        if before is not None and before.text == text:
            return before
        return BroadcastView(1 if before is None else before.number + 1, text, body)

    def _named(self, card: TableCard) -> Mapping[str, Player]:
        state = self._desk.state
        division = state.divisions.get(card.division)
        if division is None:
            return {}
        shown, known = public_division(division, state.date), self._people.get(division.slug)
        if known is None or known[0].event is not shown.event:
            known = self._people[division.slug] = shown, shown.players()
        return known[1]
