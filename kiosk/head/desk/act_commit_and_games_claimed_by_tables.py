"""The commit of the desk's acts, with the store and the folded state they share; the games that tables report.

Acts are serialised by one lock, so what an act checked still holds when it is written. An act is applied to a copy of
the state before it is written, and what cannot be applied is refused; after the commit the copy is the state. What
follows from an act (the seating of queued games) is done by its thread before the lock is released; signals are sent
after that.
"""

from __future__ import annotations

import re
import secrets
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from itertools import chain
from typing import Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar

from msgspec import Struct

from engine.i18n import Text
from engine.tournament.event_model import Game
from engine.tournament.multi_game_matches import most_games
from engine.tournament.player_entry_fields import name_key
from kiosk.head.component_signals import Signals
from kiosk.head.current_user import acting
from kiosk.head.errors import Conflict, NotFound, StoreError
from kiosk.head.event.act_reducers import CHANGES
from kiosk.head.event.act_types import Body, DivisionAct, GameSeated, write
from kiosk.head.event.head_game_and_result_check import HeadGame
from kiosk.head.event.pairings_standings_and_correction_impact import Draft
from kiosk.head.event.table_result_cards_and_notices import READ
from kiosk.head.event.tournament_state import MAIN, DivisionState, TournamentState, game_id, match_number
from kiosk.head.event.tournament_state_from_events import Projector
from kiosk.head.store import CommandRow, Store, StoredRecord
from kiosk.head.store.hash_chain import OperatorEvent, as_stored
from kiosk.link.errors import MessageError
from kiosk.link.link_messages import Assigned, from_dict

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

    def __init__(self, store: Store, tables: Iterable[int], signals: Signals, begun: ReportedGames) -> None:
        self.store = store
        self.tables = tuple(sorted(tables))
        self.signals = signals
        self._begun = begun
        self.lock = ActLock()
        self._arrived: deque[StoredRecord] = deque()
        self._load()
        for event in self.events:
            begun.note(event)
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

    def state_after(self, act: Struct) -> TournamentState:
        """Return the state as it would be after an act.

        :raises HeadError: it cannot be done.
        """
        ledger, (kind, body) = self._ledger.copy(), write(act)
        ledger.fold(kind, as_stored(body), self.store.wall_clock())
        return ledger.state()

    def append_note(self, kind: str, body: Body, orders: Sequence[CommandRow] = ()) -> None:
        """Write an event that is no act on the tournament, with its commands: a note for people or for the head."""
        with self.lock:
            self._append([(kind, body, orders)], self._ledger, self.store.wall_clock())

    def _append(self, lines: Sequence[tuple[str, Body, Sequence[CommandRow]]], applied: Projector, at: str) -> None:
        """Write events, which ``applied`` contains but for seatings, and take over that state."""
        orders = [order for _, _, orders in lines for order in orders]
        written = self.store.append_all([(kind, dict(body)) for kind, body, _ in lines], orders, at)
        try:
            committed = written.result()
            self._ledger = applied
            for event in committed:
                if event.kind != "game-seated" or applied.apply(event):
                    self.events.append(event)
                    self._begun.note(event)
        except StoreError:
            self._load()  # they may be committed: read the store again
            raise
        finally:
            self.refold()
        self.lock.acted = True
        if tables := {order.table for order in orders}:
            self.lock.news.append(lambda: self.signals.orders_queued(tables))
        self.lock.news.append(self.signals.act_committed)

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
        self.lock.news.append(self.signals.state_changed)

    def note(self, slug: str, sentence: Text) -> None:
        """Show a message to the operator until the next change."""
        if self.problems.get(slug) != sentence:
            self.problems = {**self.problems, slug: sentence}
            self.signals.state_changed()

    def game(self, game_id: str) -> tuple[DivisionState, HeadGame]:
        """Return a game that is or was played, with its division."""
        division, game = self.state.division_of(game_id), self.state.game(game_id)
        if division is None or game is None or game.is_bye:
            raise NotFound.saying("that game no longer exists; choose a game of a published round")
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
            raise Conflict.saying(
                "round 1 was published, so {what} cannot be changed any more; take round 1 back first", what=what
            )
        return division

    def _load(self) -> None:
        cards, ledger = list(self.store.records(type=READ)), Projector()
        #: the events that were folded
        self.events = [event for event in self.store.operator_events() if ledger.apply(event)]
        for card in cards:
            ledger.take_card(card)
        self._ledger = ledger


class _HasCore(Protocol):
    _core: EventCore


A = TypeVar("A", bound=_HasCore)
P = ParamSpec("P")
T = TypeVar("T")


def under_lock(act: Callable[Concatenate[A, P], T]) -> Callable[Concatenate[A, P], T]:
    """Hold the lock of the core for a method, so that what it has checked still holds when it is written."""

    @wraps(act)
    def locked(area: A, /, *args: P.args, **more: P.kwargs) -> T:
        with area._core.lock:
            return act(area, *args, **more)

    return locked


# Games reported by tables that this head has no record of, after a restore.
#
# - Reports matter only to a head that knows less than its tables, because it was restored from a backup or lost its
#   disk, and in each division only until this head publishes a round of its own. Exception: a game that waits for a
#   table or is refused by its own (an older copy of the head's disk was started without a restore).
# - A table that was offline may report a game after this head gave it to another table.
# - No claim counts before a person at the desk has seen which table claims which game and has confirmed the table.
# - A round that tables have begun is published again if its pairing agrees with the believed tables; a game stays at
#   its table.
# - Of a game that two tables claim at most one is believed, and none without confirmation: the other table is wrong or
#   broken.

#: the operator event by which a person at the desk confirmed which table plays which game
FOLLOW = "order-follow-tables"


@dataclass(frozen=True, slots=True)
class GameClaim:
    """A game that the desk has not decided about: the ``tables`` that report they were given it, for ``players``."""

    division: DivisionState
    round: int
    game: str
    tables: tuple[int, ...]
    players: tuple[str, ...]


@dataclass(slots=True)
class ReportedGames:
    """The tables that were given each game, and the two players of each.

    ``restored_after``: the last operator event before the restore (``Store.restored_after``); another restore may
    happen while this head runs.
    """

    restored_after: Callable[[], int | None] = lambda: None
    #: the desk's decision about a game: number of the operator event, and the table that plays it; None if no claim is
    #: believed
    _word: dict[str, tuple[int, int | None]] = field(default_factory=dict)
    #: by division, the last operator event by which this head published a round of its own
    _published: dict[str, int] = field(default_factory=dict)
    #: number of records that had arrived when a game was given its table
    _seated: dict[str, int] = field(default_factory=dict)
    #: by division and id, the operator event by which a player was entered
    _entered: dict[tuple[str, str], int] = field(default_factory=dict)
    #: by the common prefix of their names, which is that of their round; by table the players' names by their ids, and
    #: the record's arrival number
    _rounds: dict[str, dict[str, dict[int, tuple[Mapping[str, str], int]]]] = field(default_factory=dict)

    def note(self, event: OperatorEvent) -> None:
        """Apply an operator event."""
        if event.kind == FOLLOW and isinstance(games := event.body.get("games"), Mapping):
            for game, table in games.items():
                self._word[str(game)] = event.number, table if isinstance(table, int) else None
        elif event.kind == "round-published" and not event.body.get("told"):
            self._published[str(event.body.get("division", MAIN))] = event.number
        elif event.kind == "players-added":
            for player in event.body["players"]:
                self._entered[str(event.body.get("division", MAIN)), str(player.get("id"))] = event.number
        elif event.kind == "game-seated" and isinstance(arrived := event.body.get("arrived"), int):
            self._seated[str(event.body.get("game"))] = arrived

    @property
    def is_restored(self) -> bool:
        """Check whether the store came from a backup, or lost the end of its audit trail."""
        return bool(self.restored_after())

    def edition(self, division: DivisionState, usual: int) -> int:
        """Return the edition of a round that is paired now: the usual one, unless tables may have games of it from a
        lost head.
        """
        number = len(division.rounds) + 1
        is_reported = _round(game_id(division.event_id, number, 0, usual)) in self._rounds
        return self.new_edition(division, number) if self.is_restored or is_reported else usual

    def new_edition(self, division: DivisionState, round: int) -> int:
        """Return a random edition that no known game of a round has. The tables of a lost head may not be connected,
        and another head may be restored from the same backup: counting on would give the same number twice.
        """
        games = chain(*division.rounds, *(one.games for one in division.undone), division.removed)
        known = {_round(game.id) for game in games}
        while True:
            edition = 1_000 + secrets.randbelow(9_000)
            name = _round(game_id(division.event_id, round, 0, edition))
            if name not in known and name not in self._rounds:
                return edition

    def counts(self, slug: str) -> bool:
        """Check whether the head may know less of a division than its tables."""
        after = self.restored_after()
        return after is not None and self._published.get(slug, 0) <= after

    def ingest(self, records: Iterable[StoredRecord]) -> bool:
        """Note the games begun and taken back among ``records``; return whether one was begun."""
        begun = False
        for record in records:
            if record.type == "withdrawn":
                self._claims(str(record.body.get("game"))).pop(record.table, None)
            if record.type != "assigned":
                continue
            begun = True
            try:
                assignment = from_dict(Assigned, record.body).assignment
            except MessageError:  # another version's record: the table shows its game, but the head cannot use it
                continue
            claims = self._rounds.setdefault(_round(assignment.game), {}).setdefault(assignment.game, {})
            claims[record.table] = {player.id: player.name for player in assignment.players}, record.arrival
        return begun

    def _claims(self, game: str) -> dict[int, tuple[Mapping[str, str], int]]:
        return self._rounds.get(_round(game), {}).get(game, {})

    def table(self, game: str) -> int | None:
        """Return the table that is believed to play the game."""
        table = self._word[game][1] if self._is_decided(game) else None
        return table if self.is_at(game, table) else None

    def tables(self, game: str) -> list[int]:
        """Return all tables that report they were given the game."""
        return sorted(self._claims(game))

    def waits(self, game: str) -> bool:
        """Check whether the desk has to decide which table plays the game."""
        return bool(self._claims(game)) and not self._is_decided(game)

    def is_at(self, game: str, table: int | None) -> bool:
        """Check whether a table reports that it was given a game and has not given it back."""
        return table in self._claims(game)

    def is_at_another_table(self, game: str, seat: int | None) -> bool:
        """Check whether another table has reported being given the game after it was seated at its own."""
        seen = self._seated.get(game, 0)
        return any(table != seat and arrival > seen for table, (_, arrival) in self._claims(game).items())

    def since(self, game: str, table: int) -> int:
        """Return the arrival number of the record with which a table reported the game; 0 if the table has given it
        back.
        """
        return self._claims(game).get(table, ({}, 0))[1]

    def _is_decided(self, game: str) -> bool:
        """Check whether the desk has decided, in this life of the store, which table plays the game."""
        return game in self._word and self._word[game][0] > (self.restored_after() or 0)

    def claim(self, division: DivisionState, round: int, game: str) -> GameClaim:
        """Return the claim of a game that ``waits``."""
        tables = dict(self._claims(game))  # a record may arrive meanwhile
        players = sorted(set().union(*(players for players, _ in tables.values())))
        return GameClaim(division, round, game, tuple(sorted(tables)), tuple(players))

    def reported_edition(self, event_id: str, round: int) -> int:
        """Return the edition in which most tables report a round, each by the last game that it was given of it. The
        lost head may have been restored itself.
        """
        last: dict[int, tuple[int, int]] = {}
        usual = _round(game_id(event_id, round, 0))
        for name, games in list(self._rounds.items()):  # a record may arrive meanwhile
            edition = name.removeprefix(f"{usual}.")
            if name != usual and (name != f"{usual}.{edition}" or not re.fullmatch("[1-9][0-9]{0,3}", edition)):
                continue
            for claims in list(games.values()):
                for table, (_, arrival) in dict(claims).items():
                    claim = arrival, 0 if name == usual else int(edition)
                    last[table] = max(claim, last.get(table, claim))
        votes = Counter(edition for _, edition in last.values())
        return max(votes, key=lambda edition: (votes[edition], edition), default=0)

    def games(self, event_id: str, round: int) -> frozenset[str]:
        """Return the games of a round that tables report, in its edition, without those for which the desk accepts no
        table's report."""
        edition = self.reported_edition(event_id, round)
        named = tuple(self._rounds.get(_round(game_id(event_id, round, 0, edition)), ()))
        return frozenset(game for game in named if self.waits(game) or self.table(game) is not None)

    def games_of_next_round(self, division: DivisionState) -> frozenset[str]:
        """Return the reported games of the round after the last ever published here. Empty unless this head was
        restored from a backup or lost its disk.
        """
        number = max(division.published_at, default=0) + 1
        if number != len(division.rounds) + 1 or not self.counts(division.slug):
            return frozenset()
        return self.games(division.event_id, number)

    def fits(self, begun: Iterable[str], division: DivisionState, made: Draft) -> bool:
        """Check whether the draft contains those of these games that a table is believed to play, with the same
        players. Who was entered again after a restore may have got another's id.
        """
        after = self.restored_after() or 0
        again = {
            id: name_key(player.name or id)
            for id, player in division.players().items()
            if self._entered.get((division.slug, id), 0) > after
        }
        edition = self.reported_edition(division.event_id, made.round)
        drafted = {
            game_id(division.event_id, made.round, at, edition): frozenset(game.players)
            for number, game in enumerate(made.games, start=1)
            if isinstance(game, Game)
            for match_game in range(1, most_games(division.event, game.stage) + 1)
            for at in [match_number(number, len(made.games), match_game)]
        }
        claimed = {game: table for game in begun if (table := self.table(game)) is not None}
        reported = {game: self._claims(game)[table][0] for game, table in claimed.items()}
        return all(
            drafted.get(game) == frozenset(names)
            and all(again[id] == name_key(name) for id, name in names.items() if id in again)
            for game, names in reported.items()
        )


def _round(game: str) -> str:
    return game.rpartition("-")[0]
