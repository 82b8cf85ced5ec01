"""The result cards sent by tables, and the results that they give the games.

A card counts only if it came from the table at which its game was seated when it arrived; the first such card counts. A
result of the desk takes precedence over a card. A card that does not fit its game is shown and never applied. Every
card is parsed and checked once.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from engine.i18n import Text, say, text_of
from engine.tournament.event_model import Game
from kiosk.errors import sanitized_text
from kiosk.head.errors import HeadError
from kiosk.head.event.head_game_and_result_check import HeadGame, check, outcome_of_card, same_score
from kiosk.head.event.tournament_state import Notice, QuarantinedRecord
from kiosk.head.store import StoredRecord
from kiosk.head.store.hash_chain import canonical
from kiosk.head.store.store_rows import RecordPlace
from kiosk.link.errors import MessageError
from kiosk.link.link_messages import SET_ASIDE, ResultCard, from_dict

#: the types of the records that are folded
READ = ("card", SET_ASIDE)

#: cards of one table that are considered: many more than a table plays, and few enough to be checked with every act
MOST_CARDS = 1000
#: how many further arrivals of the same card are considered
MOST_TIMES = 20


@dataclass(frozen=True, slots=True)
class CardRecord:
    """A card that arrived: ``card`` None if it cannot be parsed, for the reason ``problem``.
    ``times``: its arrivals.
    """

    record: StoredRecord
    key: str
    card: ResultCard | None
    problem: Text | None = None
    times: list[StoredRecord] = field(default_factory=list)


class Cards:
    """All cards in the order of their arrival, each once."""

    def __init__(self) -> None:
        self._read: list[CardRecord] = []
        self._known: dict[str, CardRecord] = {}
        self._of_table: Counter[int] = Counter()
        self._checked: dict[str, Game | Text] = {}
        self._withheld: dict[RecordPlace, QuarantinedRecord] = {}
        self._unusable: list[QuarantinedRecord] = []
        self._notices: dict[str, tuple[object, Notice]] = {}

    @property
    def aside(self) -> list[QuarantinedRecord]:
        """Return the quarantined records: those quarantined by a person, then those that cannot be parsed."""
        return [*self._withheld.values(), *(one for one in self._unusable if _place(one) not in self._withheld)]

    def add_record(self, record: StoredRecord) -> None:
        if record.type == SET_ASIDE:
            kind, why = str(record.body.get("type", "")), say("{error}", error=str(record.body.get("why", "")))
            self._unusable.append(QuarantinedRecord(kind, why, None, record.table, record.epoch, record.seq))
            return
        # A table whose memory card lost records sends all it has again in another epoch: the same result card counts
        # once.
        try:
            key = hashlib.sha256(f"{record.table} {canonical(record.body)}".encode()).hexdigest()[:16]
        except (ValueError, RecursionError) as error:  # NaN or a lone surrogate, as in old stores
            self._unusable.append(
                QuarantinedRecord(record.type, text_of(error), None, record.table, record.epoch, record.seq)
            )
            return
        if key in self._known:
            self._known[key].times[MOST_TIMES:] = [record]
            return
        self._of_table[record.table] += 1
        if self._of_table[record.table] > MOST_CARDS:
            why = say("more than {most} cards came from this table", most=MOST_CARDS)
            self._unusable.append(QuarantinedRecord(record.type, why, None, record.table, record.epoch, record.seq))
            return
        try:
            read = CardRecord(record, key, from_dict(ResultCard, record.body), times=[record])
        except MessageError as error:
            read = CardRecord(record, key, None, text_of(error), [record])
        self._known[key] = read
        self._read.append(read)

    def set_aside(self, record: QuarantinedRecord) -> None:
        """Note a record that a person set aside, before or after it arrived."""
        self._withheld[_place(record)] = record

    def apply(
        self,
        games: Mapping[str, HeadGame],
        undone: Mapping[str, HeadGame],
        desk: Mapping[str, Game],
        seat_at: Callable[[str, int], int | None],
        names: Mapping[str, Mapping[str, str]] = {},
    ) -> tuple[dict[str, tuple[Game, int]], list[Notice]]:
        """Return the counting outcome of each game that has a card, with the card's table; and notices of what does not
        fit.

        ``undone``: the games of rounds that were taken back; ``desk``: results entered at the desk; ``seat_at``: the
        table of a game when a record arrived; ``names``: by event id, the players' names by their ids.
        """
        applied: dict[str, tuple[Game, int]] = {}
        notices: list[Notice] = []
        for read in self._read:
            table, card = read.record.table, read.card
            times = [record.arrival for record in read.times if _place(record) not in self._withheld]
            if not times:
                continue
            if card is None:
                notices.append(self._notice("card-unusable", read, problem=read.problem))
                continue
            game = games.get(card.game) or undone.get(card.game)
            if game is None:
                notices.append(self._of_no_game(read, card, names))
                continue
            if all(seat_at(game.id, arrival) != table for arrival in times):
                seat = seat_at(game.id, times[-1])
                there = say("had no seat when it came") if seat is None else say("is table {seat}'s", seat=seat)
                fields = {"score": _score(card), "there": there, "seq": read.record.seq}
                notices.append(self._notice("card-not-its-game", read, game, **fields))
                continue
            outcome = self._outcome(read, card, game)
            if isinstance(outcome, Text):
                notices.append(self._notice("card-unusable", read, problem=outcome))
                continue
            known = game.id in applied
            standing = desk.get(game.id) or game.outcome or applied.setdefault(game.id, (outcome, table))[0]
            if game.id not in games:
                if not known:
                    notices.append(self._notice("card-of-undone-round", read, game, score=_score(outcome)))
            elif not same_score(standing, outcome):
                notices.append(self._notice("card-differs", read, game, score=_score(outcome)))
            elif game.designated and outcome.black != game.black:
                notices.append(self._notice("card-colours", read, game))
        return applied, notices

    def _of_no_game(self, read: CardRecord, card: ResultCard, names: Mapping[str, Mapping[str, str]]) -> Notice:
        """Return the notice about a card of a game that this head does not have: a lost head's, or another event's."""
        event, _, number = card.game.partition("-")
        known = names.get(event, {})
        if card.black_id not in known or card.white_id not in known:
            return self._notice("card-unknown-game", read)
        round = sanitized_text(number.partition("-")[0].partition(".")[0], 10)
        black, white = known[card.black_id], known[card.white_id]
        return self._notice("card-lost-game", read, score=_score(card), round=round, black=black, white=white)

    def _notice(self, kind: str, read: CardRecord, game: HeadGame | None = None, **fields: object) -> Notice:
        """Return a notice about a card, cached until its content changes: a faulty table sends hundreds of cards, and
        all are checked with every act. ``game``: None if the card fits no game of this event.
        """
        about, known = (kind, game, fields), self._notices.get(read.key)
        if known is None or known[0] != about:
            table, named = read.record.table, sanitized_text(str(read.record.body.get("game", "")), 60)
            id, name = (named, named) if game is None else (game.id, game.description)
            text = _ABOUT_CARDS[kind](table=table, game=name, **fields)
            known = self._notices[read.key] = about, Notice(kind, text, table, id, read.key)
        return known[1]

    def _outcome(self, read: CardRecord, card: ResultCard, game: HeadGame) -> Game | Text:
        """Return the outcome on the card, or why it is impossible; cached, because a published game never changes."""
        found = self._checked.get(read.key)
        if found is None:
            try:
                found = outcome_of_card(card)
                check(game, found)
            except HeadError as error:
                found = text_of(error)
            self._checked[read.key] = found
        return found


def _place(of: QuarantinedRecord | StoredRecord) -> RecordPlace:
    return of.table or 0, of.epoch, of.seq


_WON = {
    "black": say("a win for Black"),
    "white": say("a win for White"),
    "draw": say("a draw"),
    "neither": say("a loss of both"),
}


def _score(result: ResultCard | Game) -> Text:
    """Return the result in words; discs as Black–White, as the sentence around it names nobody."""
    won = _WON[result.winner or "draw"]
    if result.black_discs is not None:
        discs = {"black": result.black_discs, "white": result.white_discs}
        won = say("{result}, Black–White {black}–{white}", result=won, **discs)
    return say("{result}, unrated", result=won) if result.rated is False else won


#: by the kind of a notice about a card; "{game}" is as the card names it if it is not a game of this event
_ABOUT_CARDS = {
    "card-unknown-game": say(
        "Table {table} sent a card for the game '{game}', which is not in this event. It is kept and not applied."
    ),
    "card-lost-game": say(
        "Table {table} sent {score} for {black} (Black) and {white} (White) in round {round}, a game that this head "
        "does not have. It is kept and not applied; if that game counts, enter its result."
    ),
    "card-not-its-game": say(
        "Table {table} sent {score} for {game}, which {there} (its record {seq}). It is kept and not applied; look "
        "at the device of table {table}."
    ),
    "card-unusable": say(
        "The card of table {table} for the game '{game}' cannot be used ({problem}). It is kept and not applied."
    ),
    "card-differs": say(
        "Table {table} sent {score} for {game}, which differs from the recorded result. It is not applied; correct "
        "the result if the card is right."
    ),
    "card-of-undone-round": say(
        "Table {table} sent {score} for {game}, which was taken back. It is kept and does not count."
    ),
    "card-colours": say("At table {table}, {game} was played with the colours the other way round. The result counts."),
}
