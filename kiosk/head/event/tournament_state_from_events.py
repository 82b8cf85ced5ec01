"""Projection of the operators' events and the tables' cards to the tournament's state.

``fold`` is a pure function: the same two lists always give the same state, so a restarted head has exactly the state it
had. What cannot be folded is set aside by name and changes nothing; no stored data can stop a head. ``Projector`` is
the same function, applied one event at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import msgspec

from engine.i18n import Text, say, text_of
from engine.tournament.event_model import Game
from kiosk.head.errors import HeadError
from kiosk.head.event import act_types, tournament_state
from kiosk.head.event.act_reducers import apply, new_division
from kiosk.head.event.head_game_and_result_check import HeadGame, check, same_score
from kiosk.head.event.table_result_cards_and_notices import READ, Cards
from kiosk.head.event.tournament_state import DivisionState, Notice, QuarantinedRecord, TournamentState
from kiosk.head.store import StoredRecord
from kiosk.head.store.hash_chain import OperatorEvent, changes_state
from kiosk.head.store.high_water_mark import events_missing
from kiosk.head.store.store_backup_check_and_restore import reading
from kiosk.head.store.store_connections_and_locks import StoreLocation
from kiosk.head.store.store_rows import quarantined_records, read_events, read_records

#: notices of one table that are shown
MOST_NOTICES = 20


def fold(events: Iterable[OperatorEvent], cards: Iterable[StoredRecord]) -> TournamentState:
    """Return the state after these events and cards. ``cards`` are the records of type "card" as they arrived."""
    ledger = Projector()
    for event in events:
        ledger.apply(event)
    for card in cards:
        ledger.take_card(card)
    return ledger.state()


class Projector:
    """The state after the events and cards so far. A division whose games did not change keeps its identity."""

    def __init__(self) -> None:
        self._hall = TournamentState()
        self._cards = Cards()
        self._desk: dict[str, Game] = {}
        self._reports: dict[str, Mapping[str, tournament_state.PlayerReport]] = {}
        self._seats: dict[str, tuple[int, str]] = {}
        self._former_seats: dict[str, tuple[int, str]] = {}
        self._seatings: dict[str, list[tuple[int, int]]] = {}
        self._seen: set[str] = set()
        self._first_shown_at: dict[str, str] = {}
        self._aside: list[QuarantinedRecord] = []
        self._lost: list[Notice] = []
        self._games: Mapping[str, HeadGame] | None = None
        self._settled: dict[str, DivisionState] = {}

    def copy(self) -> Projector:
        """Return a copy that can be changed without changing this one. Both have the same cards."""
        other = copy(self)
        for name in ("_desk", "_reports", "_seats", "_former_seats", "_seen", "_first_shown_at", "_aside", "_lost"):
            setattr(other, name, copy(getattr(self, name)))
        other._seatings = {game: [*seatings] for game, seatings in self._seatings.items()}
        return other

    def take_card(self, record: StoredRecord) -> None:
        """Add a card. Never raises: a card that cannot be parsed is set aside."""
        self._cards.add_record(record)

    def apply(self, event: OperatorEvent) -> bool:
        """Fold an event, or set it aside as a whole; return whether it was folded."""
        if not changes_state(event.kind):
            return True
        before = self._hall
        try:
            self.fold(event.kind, event.body, event.at)
        except (HeadError, LookupError, TypeError, ValueError, AttributeError) as error:
            # known faults are HeadErrors; unexpected ones must not stop the head either
            self._hall = before
            self._aside.append(
                QuarantinedRecord(event.kind, _error_text(error), event.number, table_of(event.body), at=event.at)
            )
            return False
        return True

    def fold(self, kind: str, body: act_types.Body, at: str) -> None:
        """Fold an event of this kind, with the body as it is stored.

        :raises HeadError: it cannot be folded, and this state may hold a part of it.
        """
        match act_types.read(kind, body):
            case act_types.TournamentRenamed() | act_types.OrganiserNamed() as act:
                self._hall = replace(self._hall, **msgspec.structs.asdict(act))
            case act_types.Announced(text=text, prizes=prizes, until=until):
                self._hall = replace(self._hall, announcement=text, prizes=prizes, announced_until=until)
            case act_types.BroadcastSlotSet(slot=slot, table=table):
                slots = {name: at for name, at in self._hall.slots.items() if name != slot}
                self._hall = replace(self._hall, slots=slots if table is None else {**slots, slot: table})
            case act_types.DivisionCreated() as act:
                if act.division in self._hall.divisions or not act_types.SLUG.fullmatch(act.division):
                    raise HeadError.saying(
                        "there is a division '{slug}' already, or that is no short name of one", slug=act.division[:60]
                    )
                self._store_division(new_division(act, body))
            case act_types.DivisionRemoved() as act:
                apply(self._division(act.division), act)
                left = {name: one for name, one in self._hall.divisions.items() if name != act.division}
                self._hall, self._games = replace(self._hall, divisions=left), None
            case act_types.GameSeated() as act:
                game = self._game(act.game).id
                self._seats[game] = act.table, at
                # What a table reports to a restored head is older than the head's knowledge of its games. Before the
                # table was given this one, its key may have been in other hands.
                self._seatings.setdefault(game, []).append((act.since if act.told else act.arrived, act.table))
            case act_types.ResultReported() as act:
                self._report(act)
            case act_types.ResultEntered() as act:
                self._reports.pop(act.game, None)
                check(self._game(act.game), act.outcome)
                self._desk[act.game] = act.outcome
            case act_types.ResultTakenBack() as act:
                del self._desk[self._game(act.game).id]
                self._reports.pop(act.game, None)
            case act_types.NoticeDismissed(key=key):
                self._seen.add(key)
            case act_types.RecordQuarantined() as act:
                place = act.table, act.epoch, act.seq
                self._cards.set_aside(QuarantinedRecord(act.type, text_of(act.reason), None, *place, at))
            case act_types.RowsMissing() as act:
                if act.events is not None:  # lost records are shown until their tables have sent them again
                    lost = events_missing(act.events, act.at)
                    self._lost.append(Notice("lost", lost, key=f"lost-{at}", at=at))
            case act_types.NoticesFirstShown(keys=keys):
                self._first_shown_at = {**dict.fromkeys(keys, at), **self._first_shown_at}
            case act_types.DivisionAct() as act:
                division = self._division(act.division)
                self._store_division(apply(division, act, at))
                if isinstance(act, act_types.RoundUndone):
                    self._clear_seats(game.id for games in division.rounds[act.round - 1 :] for game in games)
                elif isinstance(act, act_types.RoundAmended):
                    self._clear_seats(act.removed)
                elif isinstance(act, act_types.RoundRestored):
                    self._return_seats(act, at)

    def _report(self, act: act_types.ResultReported) -> None:
        game = self._game(act.game)
        check(game, act.outcome)
        if act.by not in game.players:
            raise HeadError.saying("'{name}' is not a player of that game", name=act.by[:60])
        reports = self._reports.get(game.id, {})
        times = reports[act.by].times + 1 if act.by in reports else 1
        self._reports[game.id] = {**reports, act.by: tournament_state.PlayerReport(act.outcome, act.phone, times)}

    def _division(self, slug: str) -> DivisionState:
        if slug not in self._hall.divisions:
            raise HeadError.saying("there is no division '{slug}'", slug=slug[:60])
        return self._hall.divisions[slug]

    def _game(self, id: str) -> HeadGame:
        """Return a game of a published round, as it was paired."""
        if self._games is None:
            divisions = self._hall.divisions.values()
            games = (game for division in divisions for round in division.rounds for game in round)
            self._games = {game.id: game for game in games if not game.is_bye}
        if id not in self._games:
            raise HeadError.saying("there is no game '{body}' in a published round", body=id[:60])
        return self._games[id]

    def state(self) -> TournamentState:
        """Return the current state."""
        divisions = self._hall.divisions.values()
        games = {game.id: game for division in divisions for round in division.rounds for game in round}
        undone = {game.id: game for division in divisions for round in division.undone for game in round.games}
        undone |= {game.id: game for division in divisions for game in division.removed}
        names = {one.event_id: {each.id: each.name or each.id for each in one.event.players} for one in divisions}
        applied, notices = self._cards.apply(games, undone, self._desk, self._seat_at, names)
        settled = {division.slug: self._settle(division, applied) for division in divisions}
        self._settled = settled
        aside = (*self._aside, *self._cards.aside)
        current = {game.id: game for division in settled.values() for game in division.current if game.is_open}
        reports = {id: each for id, each in self._reports.items() if id in current}
        calls = [_disagree(current[id], each) for id, each in reports.items() if not _agree(each)]
        items: list[QuarantinedRecord | Notice] = [*self._lost, *calls, *notices, *aside]
        few = _limited_notices([one for one in items if one.key not in self._seen])
        shown = tuple(replace(one, at=self._first_shown_at.get(one.key, one.at)) for one in few)
        return replace(self._hall, divisions=settled, notices=shown, aside=aside, reports=reports)

    def _store_division(self, division: DivisionState) -> None:
        before = self._hall.divisions.get(division.slug)
        if before is None or before.rounds is not division.rounds:
            self._games = None
        self._hall = replace(self._hall, divisions={**self._hall.divisions, division.slug: division})

    def _clear_seats(self, games: Iterable[str]) -> None:
        """Free the tables of games that were taken back; the seats are kept in case they are restored."""
        for game in games:
            if game in self._seats:
                self._former_seats[game] = self._seats.pop(game)

    def _return_seats(self, act: act_types.RoundRestored, at: str) -> None:
        for game, table in act.seats.items():
            former, since = self._former_seats.pop(self._game(game).id, (table, at))
            self._seats[game] = table, since if former == table else at

    def _seat_at(self, game: str, arrival: int) -> int | None:
        """Return the table of a game when a record arrived; None: none yet."""
        seats = [table for arrived, table in self._seatings.get(game, ()) if arrived < arrival]
        return seats[-1] if seats else None

    def _settle(self, division: DivisionState, applied: Mapping[str, tuple[Game, int]]) -> DivisionState:
        rounds: list[tuple[HeadGame, ...]] = []

        def due(games: Iterable[HeadGame]) -> tuple[HeadGame, ...]:
            return tournament_state.due_games(
                division.event, lambda: replace(division, rounds=tuple(rounds)).whole(), tuple(games)
            )

        for games in division.rounds:
            settled = due(self._settled_game(game, applied) for game in games)
            rounds.append(settled)
        undone = tuple(
            replace(one, games=due(self._settled_game(game, applied, self._former_seats) for game in one.games))
            for one in division.undone
        )
        made = replace(division, rounds=tuple(rounds), undone=undone)
        known = self._settled.get(division.slug)
        return known if known == made else made

    def _settled_game(
        self,
        game: HeadGame,
        applied: Mapping[str, tuple[Game, int]],
        seats: Mapping[str, tuple[int, str]] | None = None,
    ) -> HeadGame:
        """Return a game with its table and result. ``seats``: the games' seats in a round that was taken back."""
        card = applied.get(game.id)
        seat, since = (self._seats if seats is None else seats).get(game.id, (None, ""))
        entered = self._desk.get(game.id)
        # Older stores restored a round without the seats of finished games; their cards name the tables.
        table = seat if seat is not None else card[1] if card else None
        if entered is not None:
            return replace(game, table=table, since=since, outcome=entered, source="desk")
        if card is not None:
            return replace(game, table=table, since=since, outcome=card[0], source="card")
        return game if table is None else replace(game, table=table, since=since)


def _limited_notices(items: Sequence[QuarantinedRecord | Notice]) -> Iterator[Notice]:
    """Yield the notices, limited per table to a number that a person can read."""
    of_table = Counter(one.table for one in items)
    shown: Counter[int | None] = Counter()
    for one in items:
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


def table_of(body: act_types.Body) -> int | None:
    """Return the table that an event names, if valid."""
    table = body.get("table")
    return table if type(table) is int else None


def _error_text(error: Exception) -> Text:
    return error.text if isinstance(error, HeadError) else say("{error}", error=repr(error))


def _agree(reports: Mapping[str, tournament_state.PlayerReport]) -> bool:
    first, *others = reports.values()
    return all(same_score(first.outcome, other.outcome) for other in others)


def _disagree(game: HeadGame, reports: Mapping[str, tournament_state.PlayerReport]) -> Notice:
    """Return a notice keyed by the reports' content: after it was dismissed, a new contradiction is shown again."""
    times = sum(report.times for report in reports.values())
    text = say("The players of {game} report different results. Go there with the slip.", game=game.description)
    return Notice("reports-differ", text, game.table, game.id, f"reports-{game.id}-{times}")


# Projection of a whole store outside the head: for its backup and for ``kiosk audit verify``.
#
# It reports what a head that starts from this store would set aside.


def quarantined_in(source: Path | StoreLocation) -> tuple[QuarantinedRecord, ...]:
    """Return what cannot be folded of a store or a backup.

    :raises StoreError: it cannot be read at all.
    """
    with reading(source) as connection:
        events = list(read_events(connection))
        return fold(events, read_records(connection, READ, quarantined_records(events))).aside


def as_json(record: QuarantinedRecord) -> dict[str, Any]:
    """Return the form that commands print with ``--json``."""
    return asdict(record) | {"why": str(record.why)}


def display_name(record: QuarantinedRecord) -> Text:
    """Return a sentence for the console, with the arguments of ``kiosk audit set-aside``."""
    notice = record.notice().text
    if record.number is not None:
        return notice
    return say("{notice} Its journal is {epoch}.", notice=notice, epoch=record.epoch)
