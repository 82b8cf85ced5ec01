"""From the operators' events and the tables' cards to the state of the gathering.

The law: ``fold`` is a function. The same two lists always give the same state, so a head that starts again knows
exactly what it knew. What cannot be folded is set aside by name and changes nothing; nothing that is stored can end a
head. ``Ledger`` is the same function taken one event at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.text import Text, say, text_of
from kiosk.head.errors import HeadError
from kiosk.head.event.bodies import SLUG, check_after, check_before, read
from kiosk.head.event.cards import Cards
from kiosk.head.event.changes import ACTS
from kiosk.head.event.games import HeadGame, Outcome, check, outcome_of_dict
from kiosk.head.event.names import event_name
from kiosk.head.event.state import MAIN, DivisionState, HallState, Notice, SetAside, TableRules
from kiosk.head.store import StoredRecord
from kiosk.head.store.chain import OperatorEvent, makes_state

#: notices of one table that are shown
MOST_NOTICES = 20


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
        self._seatings: dict[str, list[tuple[int, int]]] = {}
        self._seen: set[str] = set()
        self._told_at: dict[str, str] = {}
        self._aside: list[SetAside] = []
        self._games: Mapping[str, HeadGame] | None = None
        self._settled: dict[str, DivisionState] = {}

    def take_card(self, record: StoredRecord) -> None:
        """Never refuses: a card that cannot be read is set aside."""
        self._cards.take(record)

    def take(self, event: OperatorEvent) -> bool:
        """Folds an event, or sets it aside as a whole; gives whether it was folded."""
        if not makes_state(event.kind):
            return True
        before = self._hall
        try:
            self._fold(event)
        except (HeadError, LookupError, TypeError, ValueError, AttributeError) as error:
            # bodies.py refuses by name what is wrong; what slips through must not end the head either
            self._hall = before
            self._aside.append(SetAside(event.kind, _said(error), event.number, table_of(event.body), at=event.at))
            return False
        return True

    def _fold(self, event: OperatorEvent) -> None:
        body, kind = event.body, event.kind
        read(kind, body)
        slug = str(body.get("division", MAIN))
        match kind:
            case "gathering-named":
                self._hall = replace(self._hall, name=body.get("name", ""), date=body.get("date", ""))
            case "event-created":
                if slug in self._hall.divisions or not SLUG.fullmatch(slug):
                    raise HeadError(
                        say("there is a division '{slug}' already, or that is no short name of one", slug=slug[:60])
                    )
                made = _created(slug, body)
                if made.event.get("rounds"):
                    raise HeadError(say("the event has rounds already"))
                check_after(kind, made)
                self._put(made)
            case "division-removed":
                check_before(kind, body, self._division(slug))
                left = {name: one for name, one in self._hall.divisions.items() if name != slug}
                self._hall, self._games = replace(self._hall, divisions=left), None
            case "game-seated":
                game = self._game(body).id
                self._seats[game] = body["table"], event.at
                # An older head did not note it, and what tables tell a restored head was before it knew their games.
                arrived = 0 if body.get("told") else body.get("arrived", 0)
                self._seatings.setdefault(game, []).append((arrived, body["table"]))
            case "result-entered" | "result-corrected":
                outcome = outcome_of_dict(body)
                check(self._game(body), outcome)
                self._desk[body["game"]] = outcome
            case "result-taken-back":
                del self._desk[self._game(body).id]
            case "notice-seen":
                self._seen.add(body["key"])
            case "notices-told":
                self._told_at = {**dict.fromkeys(body["keys"], event.at), **self._told_at}
            case "record-set-aside":
                place = body["table"], body["epoch"], body["seq"]
                self._cards.withhold(SetAside(body["type"], text_of(body["reason"]), None, *place, event.at))
            case _:
                division = self._division(slug)
                check_before(kind, body, division)
                made = ACTS[kind](division, body, event.at)
                check_after(kind, made)
                self._put(made)
                if kind == "round-undone":
                    self._clear_seats(division, body["round"])

    def _division(self, slug: str) -> DivisionState:
        if slug not in self._hall.divisions:
            raise HeadError(say("there is no division '{slug}'", slug=slug[:60]))
        return self._hall.divisions[slug]

    def _game(self, body: Mapping[str, Any]) -> HeadGame:
        """A game of a published round, as it was paired."""
        if self._games is None:
            divisions = self._hall.divisions.values()
            games = (game for division in divisions for round in division.rounds for game in round)
            self._games = {game.id: game for game in games if not game.is_bye}
        if body["game"] not in self._games:
            raise HeadError(say("there is no game '{body}' in a published round", body=body["game"][:60]))
        return self._games[body["game"]]

    def state(self) -> HallState:
        """The state as it is now."""
        divisions = self._hall.divisions.values()
        games = {game.id: game for division in divisions for round in division.rounds for game in round}
        undone = {game.id: game for division in divisions for round in division.undone for game in round.games}
        applied, notices = self._cards.apply(games, undone, self._desk, self._seat_at)
        settled = {division.slug: self._settle(division, applied) for division in divisions}
        self._settled = settled
        aside = (*self._aside, *self._cards.aside)
        told: list[SetAside | Notice] = [*notices, *aside]
        few = _few([one for one in told if one.key not in self._seen])
        shown = tuple(replace(one, at=self._told_at.get(one.key, one.at)) for one in few)
        return replace(self._hall, divisions=settled, notices=shown, aside=aside)

    def _put(self, division: DivisionState) -> None:
        before = self._hall.divisions.get(division.slug)
        if before is None or before.rounds is not division.rounds:
            self._games = None
        self._hall = replace(self._hall, divisions={**self._hall.divisions, division.slug: division})

    def _clear_seats(self, division: DivisionState, first: int) -> None:
        """A round that is put back later is seated anew."""
        for games in division.rounds[first - 1 :]:
            for game in games:
                self._seats.pop(game.id, None)

    def _seat_at(self, game: str, arrival: int) -> int | None:
        """Where a game was seated when a record arrived; None: nowhere yet."""
        seats = [table for arrived, table in self._seatings.get(game, ()) if arrived < arrival]
        return seats[-1] if seats else None

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
        # A round that was put back is not seated anew where a card has its result.
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


def _few(told: Sequence[SetAside | Notice]) -> Iterator[Notice]:
    """All of them, but of each table no more than somebody can look at."""
    of_table = Counter(one.table for one in told)
    shown: Counter[int | None] = Counter()
    for one in told:
        table = one.table
        shown[table] += 1
        if shown[table] <= MOST_NOTICES:
            yield one if isinstance(one, Notice) else one.notice()
        elif shown[table] == of_table[table]:
            more = of_table[table] - MOST_NOTICES
            if table is None:
                text = say("{more} more of operator events.", more=more)
            else:
                text = say("{more} more of table {table}.", more=more, table=table)
            yield Notice("more", text, table, key=one.key)


def table_of(body: Mapping[str, Any]) -> int | None:
    """The table that an event names, if it is one."""
    table = body.get("table")
    return table if type(table) is int else None


def _said(error: Exception) -> Text:
    return error.text if isinstance(error, HeadError) else say("{error}", error=repr(error))
