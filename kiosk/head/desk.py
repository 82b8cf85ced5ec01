"""What the operator does: create the event, publish rounds, enter and correct results, send orders to tables.

The law: an action becomes an event in the store first, and the state follows from the events. Everything that follows
by itself (a queued game gets a free table, in automatic mode the next round is published) is worked out again from the
state by ``advance``, so it happens once, also when the head was killed in the middle.
"""

from __future__ import annotations

import secrets
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from kiosk.head.errors import Conflict, HeadError, NotFound, StoreError
from kiosk.head.games import LABELS, HeadGame, Outcome, check
from kiosk.head.ledger import HeadState, fold
from kiosk.head.pairing import Draft, check_event, draft_of
from kiosk.head.store import CommandRow, CommandStatus, Store, StoredRecord
from kiosk.head.told import Told
from kiosk.link.messages import Assignment, PlayerInfo, to_dict

#: an arbiter's order that reaches its table later than this is stale; an assignment never is
ORDER_EXPIRES_S = 60

#: a table that refuses a game so often needs the operator
MAX_ASSIGN_TRIES = 10

_RULES_OF_FORMAT = {"m40": "m40", "team": "team", "chouchou": "chouchou"}


class Desk:
    """The operator's desk over a store. Methods may be called from any thread; each returns after its commit."""

    def __init__(
        self,
        store: Store,
        tables: Iterable[int],
        *,
        auto: bool = False,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        """``tables``: the numbers of the tables that games are given to."""
        self._store = store
        self.tables = tuple(sorted(tables))
        self.auto = auto
        self._on_change = on_change
        #: told the table that has a new order waiting
        self.on_order: Callable[[int], None] = lambda table: None
        self._lock = threading.RLock()
        self._events = store.operator_events()
        self._cards = list(store.records(type="card"))
        self._told = Told()
        games = [*store.records(type="assigned"), *store.records(type="withdrawn")]
        self._told.take(sorted(games, key=lambda record: record.arrival))
        self._arrived: deque[StoredRecord] = deque()
        self._draft: tuple[int, Draft] | None = None
        self.version = 0
        self.state: HeadState = fold(self._events, self._cards)
        self.problem = ""

    # the event and its rounds

    def create(self, event: Mapping[str, Any], rules: Mapping[str, Any]) -> None:
        """Creates the event from an event file without rounds. ``rules``: what tables are told (``TableRules``).

        :raises HeadError: the event cannot be used. :raises Conflict: there is one already.
        """
        check_event(event)
        if event.get("rounds"):
            raise HeadError("the event has rounds already; create it from a file with players only")
        start = str(event["format"]).split("-", 1)[0]
        table = {"rules": rules.get("rules") or _RULES_OF_FORMAT.get(start, "m43")}
        table |= {"main_s": rules["main_s"], "options": dict(rules.get("options", {}))}
        with self._lock:
            if self.state.event is not None:
                raise Conflict("there is an event already; start a head with another data directory for another event")
            self._append("event-created", {"event": {k: v for k, v in event.items() if k != "rounds"}, "table": table})

    def draft(self) -> Draft:
        """The pairing of the next round, as it would be published now.

        :raises HeadError: the round is not complete, or the event is over.
        """
        state, version, draft = self.state, self.version, self._draft
        if draft is not None and draft[0] == version:
            return draft[1]
        event = state.event_file()
        if not state.round_is_complete:
            open_games = sum(game.is_open for game in state.current)
            raise Conflict(f"round {len(state.rounds)} still has {open_games} games without a result; wait for them")
        made = draft_of(event)
        self._draft = (version, made)
        return made

    def publish(self, digest: str) -> None:
        """Publishes the draft named by ``digest``.

        :raises Conflict: the draft is another one by now.
        """
        made = self.draft()  # outside the lock: pairing a large field takes seconds, results must come in meanwhile
        with self._lock:
            if made.digest != digest or self.draft().digest != digest:
                raise Conflict("the draft has changed since you looked at it; look at it again before you publish it")
            self._publish_now(made)
        self.advance()

    # results

    def enter_result(self, game_id: str, outcome: Outcome, reason: str = "") -> None:
        """Enters a result by hand; the table, if it still plays that game, is told to stop.

        :raises Conflict: the game has a result; it can be corrected with a reason.
        """
        with self._lock:
            game = self._game(game_id)
            if game.outcome is not None:
                raise Conflict(f"game {game_id} has a result already; correct it with a reason")
            check(game, outcome)
            orders = [] if game.table is None else [_withdraw(game, game.table)]
            self._append("result-entered", _result_body(game_id, outcome, reason), orders)
        self.advance()

    def correct_result(self, game_id: str, outcome: Outcome, reason: str) -> None:
        """Replaces a recorded result (K-14: only with a reason)."""
        if not reason.strip():
            raise HeadError("a correction needs a reason; it goes into the audit trail")
        with self._lock:
            game = self._game(game_id)
            if game.outcome is None:
                raise Conflict(f"game {game_id} has no result yet; enter one first")
            check(game, outcome)
            self._append("result-corrected", _result_body(game_id, outcome, reason))
        self.advance()

    def withdraw_player(self, player: str, reason: str) -> None:
        """From the next round on the player is not paired."""
        with self._lock:
            if player not in self.state.players():
                raise NotFound(f"there is no player '{player}'; choose one of the event's players")
            if player in self.state.withdrawn:
                raise Conflict(f"player '{player}' has withdrawn already")
            body = {"player": player, "after_round": len(self.state.rounds), "reason": reason.strip()}
            self._append("player-withdrawn", body)

    def collect(self, records: Sequence[StoredRecord]) -> bool:
        """Notes committed cards and games begun for the next ``advance``; gives whether there is one. Never waits: a
        table's acknowledgement must not."""
        cards = [record for record in records if record.type == "card"]
        self._arrived.extend(cards)
        return self._told.take(records) or bool(cards)

    # orders to tables

    def order(self, table: int, kind: str, *, revision: int | None = None, body: Mapping[str, Any]) -> str:
        """Sends an arbiter's order about the game at ``table``; gives the command's id.

        :raises Conflict: no game is at that table.
        """
        game = self.game_at(table)
        if game is None:
            raise Conflict(f"no game is being played at table {table}; an order needs a game")
        row = CommandRow(secrets.token_hex(8), table, kind, game.id, revision, ORDER_EXPIRES_S, dict(body))
        self._store.command(row).result()
        self.on_order(table)
        self._on_change()
        return row.id

    def move_game(self, game_id: str, table: int) -> None:
        """Gives an open game to ``table`` (again): its table is broken, or refused it."""
        with self._lock:
            game = self._game(game_id)
            if not game.is_open:
                raise Conflict(f"game {game_id} is not open any more, so it needs no table")
            if table not in self.tables:
                raise NotFound(f"there is no table {table}; choose one of {_spoken(self.tables)}")
            there = self.game_at(table)
            if there is not None and there.id != game_id:
                raise Conflict(f"table {table} has game {there.id}; choose a free table")
            orders = [self._assign(game, table, secrets.token_hex(4))]
            if game.table not in (None, table):
                orders.insert(0, _withdraw(game, game.table))
            self._append("game-seated", {"game": game_id, "table": table}, orders)

    def recent_orders(self) -> list[CommandRow]:
        """The last orders with the tables' answers, the latest first."""
        return self._store.commands(limit=30)[::-1]

    def game_at(self, table: int) -> HeadGame | None:
        """The open game at a table."""
        return next((game for game in self.state.current if game.is_open and game.table == table), None)

    # what follows by itself

    def advance(self) -> None:
        """Takes the cards that came, seats queued games and, in automatic mode, publishes the next round; does
        nothing where nothing is due."""
        with self._lock:
            if self._arrived:
                self._refold()
        while True:
            self._seat_queued()
            if self.state.event is None or not self.state.round_is_complete:
                return
            begun = self._begun()
            if not self.auto and not begun:
                return
            try:
                made = self.draft()
            except HeadError as error:  # the event is over, or the operator must decide
                self.note_problem(str(error))
                return
            if not self._told.fits(begun, self.state.event_id, made):
                self.note_problem(
                    f"tables play round {made.round} already, but not as it would be paired now: a result of round "
                    f"{made.round - 1} is not what it was before this head was restored; correct it, then publish"
                )
                return
            try:
                with self._lock:
                    if self.draft().digest == made.digest:
                        self._publish_now(made)
            except Conflict:
                continue

    def _begun(self) -> frozenset[str]:
        """The games that tables have of the round after all that were ever published here: this head was restored from
        a backup, or lost its disk, and its tables know more than it does."""
        published = [int(event.body["round"]) for event in self._events if event.kind == "round-published"]
        return self._told.games(self.state.event_id, max(published, default=0) + 1)

    def _publish_now(self, made: Draft) -> None:
        body = {"round": made.round, "games": list(made.games), "cost": made.cost, "warnings": list(made.warnings)}
        self._append("round-published", body)

    def _seat_queued(self) -> None:
        with self._lock:
            waiting = [game for game in self.state.current if game.is_open and game.table is None]
            taken = {game.table for game in self.state.current if game.is_open}
            free = [table for table in self.tables if table not in taken]
            told = {game.id: table for game in waiting if (table := self._told.table(game.id)) in free}
            others = [game for game in waiting if game.id not in told]
            left = [table for table in free if table not in told.values()]
            seated: list[tuple[dict[str, Any], list[CommandRow]]] = [
                ({"game": game, "table": table}, [])
                for game, table in told.items()  # it has the game already
            ]
            seated += [
                ({"game": game.id, "table": table}, [self._assign(game, table, "0")])
                for game, table in zip(others, left, strict=False)
            ]
            if seated:
                self._append_all("game-seated", seated)

    def repeat_refused(self, game_at: Callable[[int], str | None]) -> None:
        """Gives a game again to a table that refused it, perhaps because its last card was still on the way.

        ``game_at``: the game that a table says it has.
        """
        with self._lock:
            for game in self.state.current:
                if not game.is_open or game.table is None or game_at(game.table) == game.id:
                    continue
                tries = [row for row in self._store.commands(game=game.id) if row.kind == "assign"]
                if tries and tries[-1].status is CommandStatus.REFUSED and len(tries) < MAX_ASSIGN_TRIES:
                    self._store.command(self._assign(game, game.table, str(len(tries)))).result()
                    self.on_order(game.table)

    # inside

    def _game(self, game_id: str) -> HeadGame:
        game = self.state.game(game_id)
        if game is None or game.is_bye:
            raise NotFound(f"there is no game '{game_id}'; choose a game of a published round")
        return game

    def _append(self, kind: str, body: Mapping[str, Any], orders: Sequence[CommandRow] = ()) -> None:
        """Writes the event, waits for its commit, then takes it over."""
        self._append_all(kind, [(body, orders)])

    def _append_all(self, kind: str, lines: Sequence[tuple[Mapping[str, Any], Sequence[CommandRow]]]) -> None:
        """Writes events that share a commit, each with its orders, and takes them over together."""
        written = [self._store.append(kind, dict(body), orders) for body, orders in lines]
        try:
            self._events += [event.result() for event in written]
        except StoreError:
            self._events = self._store.operator_events()  # some may be committed: believe the store
            raise
        finally:
            self._refold()
        for _, orders in lines:
            for order in orders:
                self.on_order(order.table)

    def _refold(self) -> None:
        while self._arrived:
            self._cards.append(self._arrived.popleft())
        self._cards.sort(key=lambda record: record.arrival)
        self.state = fold(self._events, self._cards)
        self.version += 1
        self.problem = ""
        self._on_change()

    def note_problem(self, sentence: str) -> None:
        """Shows a sentence to the operator until something happens."""
        if sentence != self.problem:
            self.problem = sentence
            self._on_change()

    def _assign(self, game: HeadGame, table: int, token: str) -> CommandRow:
        """``token`` "0" for the first time: the same command can then never be queued twice."""
        event, rules, players = self.state.event or {}, self.state.table_rules, self.state.players()
        ja, en = LABELS.get(game.stage, LABELS["league"])
        assignment = Assignment(
            game=game.id,
            event=str(event.get("name") or ""),
            division=str(event["format"]),
            round=game.round,
            table=table,
            rules=rules.rules,
            stage="knockout" if game.must_have_winner else "league",
            label_ja=f"第{game.round}回戦 {ja}",
            label_en=f"Round {game.round}, {en}",
            main_s=rules.main_s,
            designated=game.designated,
            players=[_player_info(players[id]) for id in (game.black, str(game.white))],
            options=dict(rules.options),
        )
        return CommandRow(f"{game.id}-assign-{token}", table, "assign", game.id, body=to_dict(assignment))


def _player_info(player: Mapping[str, Any]) -> PlayerInfo:
    return PlayerInfo(player["id"], player.get("name") or player["id"], player.get("grade"), player.get("country"))


def _withdraw(game: HeadGame, table: int | None) -> CommandRow:
    return CommandRow(secrets.token_hex(8), table or 0, "withdraw", game.id)


def _result_body(game_id: str, outcome: Outcome, reason: str) -> dict[str, Any]:
    return {
        "game": game_id,
        "black": outcome.black,
        "white": outcome.white,
        "winner": outcome.winner,
        "black_discs": outcome.black_discs,
        "white_discs": outcome.white_discs,
        "end": outcome.end,
        "rated": outcome.rated,
        "reason": reason.strip(),
    }


def _spoken(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or "none"
