"""From the operators' events and the tables' cards to the state of the gathering.

The law: ``fold`` is a function. The same two lists always give the same state, so a head that starts again knows
exactly what it knew. ``Ledger`` is the same function taken one event at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from kiosk.head.errors import HeadError
from kiosk.head.event.cards import Cards
from kiosk.head.event.changes import ACTS
from kiosk.head.event.games import HeadGame, Outcome, outcome_of_dict
from kiosk.head.event.names import event_name
from kiosk.head.event.state import MAIN, DivisionState, HallState, TableRules
from kiosk.head.store import StoredRecord
from kiosk.head.store.chain import OperatorEvent, makes_state


def fold(events: Iterable[OperatorEvent], cards: Iterable[StoredRecord]) -> HallState:
    """The state that these events and cards make. ``cards`` are the records of type "card" as they arrived."""
    ledger = Ledger()
    for event in events:
        ledger.take(event)
    for card in cards:
        ledger.take_card(card)
    return ledger.state()


class Ledger:
    """What the events and cards so far make. A division whose games did not change keeps its identity."""

    def __init__(self) -> None:
        self._hall = HallState()
        self._cards = Cards()
        self._desk: dict[str, Outcome] = {}
        self._seats: dict[str, tuple[int, str]] = {}
        self._seen: set[str] = set()
        self._settled: dict[str, DivisionState] = {}

    def take_card(self, record: StoredRecord) -> None:
        self._cards.take(record)

    def take(self, event: OperatorEvent) -> None:
        """:raises HeadError: an event of a kind that this version does not know."""
        if not makes_state(event.kind):
            return
        body = event.body
        slug = str(body.get("division", MAIN))
        match event.kind:
            case "gathering-named":
                self._hall = replace(self._hall, name=str(body.get("name", "")), date=str(body.get("date", "")))
            case "event-created":
                self._put(_created(slug, body))
            case "division-removed":
                left = {name: one for name, one in self._hall.divisions.items() if name != slug}
                self._hall = replace(self._hall, divisions=left)
            case "game-seated":
                self._seats[str(body["game"])] = int(body["table"]), event.at
            case "result-entered" | "result-corrected":
                self._desk[str(body["game"])] = outcome_of_dict(body)
            case "result-taken-back":
                self._desk.pop(str(body["game"]), None)
            case "notice-seen":
                self._seen.add(str(body["key"]))
            case kind if kind in ACTS:
                before = self._hall.divisions[slug]
                self._put(ACTS[kind](before, body, event.at))
                if kind == "round-undone":
                    self._clear_seats(before, int(body["round"]))
            case unknown:
                raise HeadError(f"operator event {event.number} is '{unknown}', which this version does not know")

    def state(self) -> HallState:
        """The state as it is now."""
        divisions = self._hall.divisions.values()
        games = {game.id: game for division in divisions for round in division.rounds for game in round}
        undone = {game.id: game for division in divisions for round in division.undone for game in round.games}
        applied, notices = self._cards.apply(games, undone, self._desk)
        settled = {division.slug: self._settle(division, applied) for division in divisions}
        self._settled = settled
        shown = tuple(notice for notice in notices if notice.key not in self._seen)
        return replace(self._hall, divisions=settled, notices=shown)

    def _put(self, division: DivisionState) -> None:
        self._hall = replace(self._hall, divisions={**self._hall.divisions, division.slug: division})

    def _clear_seats(self, division: DivisionState, first: int) -> None:
        """A round that is put back later is seated anew."""
        for games in division.rounds[first - 1 :]:
            for game in games:
                self._seats.pop(game.id, None)

    def _settle(self, division: DivisionState, applied: Mapping[str, tuple[Outcome, int]]) -> DivisionState:
        rounds = tuple(tuple(self._settled_game(game, applied) for game in games) for games in division.rounds)
        undone = tuple(
            replace(one, games=tuple(self._settled_game(game, applied) for game in one.games))
            for one in division.undone
        )
        made = replace(division, rounds=rounds, undone=undone)
        before = self._settled.get(division.slug)
        return before if before == made else made

    def _settled_game(self, game: HeadGame, applied: Mapping[str, tuple[Outcome, int]]) -> HeadGame:
        card, (seat, since) = applied.get(game.id), self._seats.get(game.id, (None, ""))
        entered = self._desk.get(game.id)
        # A head that lost its disk gets cards of games that it has not seated: they were played where those came from.
        table = seat if seat is not None else card[1] if card else None
        if entered is not None:
            return replace(game, table=table, since=since, outcome=entered, source="desk")
        if card is not None:
            return replace(game, table=table, since=since, outcome=card[0], source="card")
        return game if table is None else replace(game, table=table, since=since)


def _created(slug: str, body: Mapping[str, Any]) -> DivisionState:
    title = body.get("title", {})
    tables = body.get("tables")
    return DivisionState(
        slug,
        body["event"],
        event_name(body),
        TableRules(**body["table"]),
        (str(title.get("ja", "")), str(title.get("en", ""))),
        tables=None if tables is None else tuple(tables),
        plan=body.get("plan") or {},
        came_whole=bool(body["event"]["players"]),
    )
