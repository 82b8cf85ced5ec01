"""Assignment of games to tables, and the commands that tables get for it.

A game without a free table waits for the next one of its division. A table that has a key is a kiosk and gets its game
by a command; any other is a plain table whose result is typed in.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import count

from engine.board.variants import STANDARD
from engine.i18n import say
from engine.match.rule_sets_and_options import ColorDecision
from engine.tournament.event_model import Event, Player
from engine.tournament.formats.chouchou import game_options
from engine.tournament.player_entry_fields import country_code
from engine.tournament.standings_and_tie_breaks import STAGE_NAMES
from kiosk.head.desk.act_commit_and_games_claimed_by_tables import EventCore, Line, ReportedGames, under_lock
from kiosk.head.errors import Conflict, NotFound
from kiosk.head.event.act_reducers import apply
from kiosk.head.event.act_types import GameSeated, RoundAmended
from kiosk.head.event.head_game_and_result_check import HeadGame
from kiosk.head.event.tournament_state import DivisionState
from kiosk.head.store import CommandRow, CommandStatus
from kiosk.link.link_messages import Assignment, PlayerInfo, to_dict
from kiosk.locale import ENGLISH, JAPANESE, render

#: how often a table is given a game again that it refuses, until it hands in a card or the operator acts
MAX_ASSIGN_TRIES = 10


class TableAssigner:
    def __init__(self, core: EventCore, begun: ReportedGames) -> None:
        self._core = core
        self._begun = begun
        #: by table and game, how often the table was given the game again since its last card
        self._tries: dict[int, Counter[str]] = {}

    @under_lock
    def seat_queued(self) -> None:
        """Give waiting games the free tables of their divisions."""
        core = self._core
        occupied = {game.table for game in core.state.current if game.is_open}
        lines: list[Line] = []
        for division in core.state.divisions.values():
            lines += self._correct_tables(division)
            free = [table for table in core.state.tables_of(division.slug, core.tables) if table not in occupied]
            for game, table, is_told in self._places(division, free, occupied):
                occupied.add(table)
                told = self.assign_to_reporting_table(division.slug, game.id, table) if is_told else None
                lines.append(told or self._assign(division, game, table))
        if lines:
            core.act_all(lines, follows=True)

    def _places(
        self, division: DivisionState, free: list[int], occupied: set[int | None]
    ) -> list[tuple[HeadGame, int, bool]]:
        """Return each waiting game with its table, and whether the table reports that it has the game already. A
        player's fixed table is his if no game is played there. Tables that are fixed for others, and those that have
        had a game of this round, are given last.
        """
        waiting = [game for game in division.current if game.is_open and game.table is None]
        asked = {game.id for game in waiting if self._begun.waits(game.id)}  # the desk decides where these are played
        waiting = [game for game in waiting if game.id not in asked]
        reported = {game.id: table for game in waiting if (table := self._begun.table(game.id)) in self._core.tables}
        places = [(game, reported[game.id], True) for game in waiting if game.id in reported]
        waiting = [game for game in waiting if game.id not in reported]
        used = {*occupied, *reported.values()}
        own: dict[str, int] = {}
        last = {game.players: game.table for game in division.current if game.best_of > 1 and game.table is not None}
        for game in waiting:  # the next game of a match stays where the one before was played
            table = last.get(game.players) if game.match_game > 1 else division.own_table(game.players)
            if table is not None and table not in used:
                own[game.id] = table
                used.add(table)
        fixed = {one.table for each in self._core.state.divisions.values() for one in each.event.players}
        played = {game.table for game in division.current}
        order = sorted(free, key=lambda table: (table in fixed, table in played))
        left = iter([table for table in order if table not in used])
        seats = [(game, own.get(game.id) or next(left, 0)) for game in waiting]
        return places + [(game, table, False) for game, table in seats if table]

    def is_reported_elsewhere(self, game: HeadGame) -> bool:
        """Check whether its table refuses it, and another reports that it was given it."""
        return self._begun.waits(game.id) and self._is_refused(game)

    def _is_refused(self, game: HeadGame) -> bool:
        if not game.is_open or game.table not in self._core.tables or self._begun.is_at(game.id, game.table):
            return False
        tries = [row for row in self._core.store.commands(game=game.id) if row.kind == "assign"]
        return bool(tries) and tries[-1].status is CommandStatus.REFUSED

    def _correct_tables(self, division: DivisionState) -> list[Line]:
        """Move games that the desk takes to be played elsewhere to their tables, and the games seated there to
        tables that become free; all of them or, if the numbers differ, none.
        """
        there = {
            game.id: table
            for game in division.current
            if game.is_open and game.table and (table := self._begun.table(game.id)) not in (None, game.table)
        }
        moved = [
            game
            for game in division.current
            if game.id in there and (self._is_refused(game) or self._begun.is_at(game.id, game.table))
        ]
        if not moved:
            return []
        left = [table for game in moved if (table := game.table) is not None and table not in there.values()]
        others = [game for game in self._core.state.current if game.is_open and game not in moved]
        displaced = [game for game in others if game.table in {there[game.id] for game in moved}]
        can_go = all(game in division.current and self._is_refused(game) for game in displaced)
        if not can_go or len(displaced) > len(left):
            return []
        lines: list[Line] = []
        for game in moved:
            assigned, _ = self.assign_to_reporting_table(division.slug, game.id, there[game.id])
            lines.append((assigned, self.withdrawals([game] if self._begun.is_at(game.id, game.table) else [])))
        return lines + [
            self._assign(division, game, table, secrets.token_hex(4))
            for game, table in zip(displaced, left, strict=False)
        ]

    def reseat_amended_round(self, act: RoundAmended) -> list[Line]:
        """Return the lines of a changed round: kiosks let go of the games that end, and the new games take their
        tables. A game that returns is played at its former table.
        """
        division = self._core.state.division(act.division)
        removed = [game for game in division.current if game.id in act.removed]
        ended = [game for game in removed if game.is_open]
        now = apply(division, act)
        current_ids = {game.id for game in division.current}
        new = [game for game in now.current if game.id not in current_ids and not game.is_bye]
        free = [game.table for game in ended if game.table is not None]
        places: dict[str, int] = {}
        for game in new:  # a player's own table first
            own = division.own_table(game.players)
            if own in free:
                places[game.id] = own
                free.remove(own)
        for game in new:
            if game.id not in places and free and division.own_table(game.players) is None:
                places[game.id] = free.pop(0)
        lines: list[Line] = [(act, self.withdrawals(ended))]
        return lines + [
            self._assign(division, game, places[game.id], secrets.token_hex(4) if game.id in act.restored else "")
            for game in new
            if game.id in places
        ]

    @under_lock
    def move(self, game_id: str, table: int, other: str = "") -> None:
        """Give an open game to ``table`` (again). ``other``: the game that is played there and gets this one's table.

        :raises Conflict: the game is over, or another one is played there.
        """
        core = self._core
        _, game = core.game(game_id)
        if not game.is_open:
            raise Conflict.saying("{game} is not open any more, so it needs no table", game=game.description)
        known = self.known_tables()
        if table not in known:
            raise NotFound.saying(
                "there is no table {table}; choose one of {spoken}", table=table, spoken=display_numbers(sorted(known))
            )
        there = core.game_at(table)
        moves = [(game, table)]
        if there is not None and there.id != game_id:
            if game.table is None or there.id != other:
                raise Conflict.saying("table {table} has a game already; choose a free table", table=table)
            moves.append((there, game.table))
        core.act_all(self.seating_lines(moves))

    def seating_lines(self, moves: Sequence[tuple[HeadGame, int]]) -> list[Line]:
        """Return the acts that give open games other tables. All let go of their games before one is given another."""
        let_go = [*self.withdrawals([game for game, table in moves if game.table != table])]
        lines: list[Line] = []
        for game, table in moves:
            division = self._core.state.division_of(game.id)
            assert division is not None
            assigned, orders = self._assign(division, game, table, secrets.token_hex(4))
            lines.append((assigned, [*let_go, *orders]))
            let_go = []
        return lines

    def seats_of_restored_games(
        self, division: DivisionState, games: Iterable[HeadGame]
    ) -> tuple[dict[str, int], list[CommandRow]]:
        """Return the tables to which the games of a restored round return, and the commands for the kiosks of games in
        progress. A table that has another open game by now keeps it; the game then waits for a free table.
        """
        occupied = {game.table for game in self._core.state.current if game.is_open}
        back = [game for game in games if not game.is_open or game.table not in occupied]
        seats = {game.id: game.table for game in back if game.table in self.known_tables()}
        playing = [game for game in back if game.is_open and game.id in seats]
        orders = [order for game in playing for order in self.orders_for(division, game, seats[game.id])]
        return seats, orders

    def known_tables(self) -> set[int]:
        """Return all table numbers: kiosks, plain tables of the divisions, and those of players."""
        state = self._core.state
        own = {one.table for division in state.divisions.values() for one in division.event.players if one.table}
        return own.union(self._core.tables, *(state.tables_of(slug, self._core.tables) for slug in state.divisions))

    def assign_to_reporting_table(self, slug: str, game: str, table: int) -> Line:
        """Return the act that seats a game at the table which reports it, at a head that knew less."""
        return GameSeated(slug, game=game, table=table, told=True, since=self._begun.since(game, table)), ()

    def note_card(self, table: int) -> None:
        """Note that the game at a table is over, so it may be given another one again."""
        self._tries.pop(table, None)

    def reassign_refused(self, game_at: Callable[[int], str | None]) -> None:
        """Assign refused games again: to the table that plays it, as the desk confirmed; or to one that refused it,
        perhaps because its last card was still on the way, or that gave it back to a lost head. A table ahead of a
        restored head that is finishing another game is asked after that.

        ``game_at``: the game that a table reports.
        """
        core = self._core
        given: list[CommandRow] = []
        with core.lock:
            if lines := [line for division in core.state.divisions.values() for line in self._correct_tables(division)]:
                core.act_all(lines)
            played = {game.id: game.table for game in core.state.current if game.is_open}
            for division in core.state.divisions.values():
                for game in division.current:
                    if not game.is_open or game.table not in core.tables:
                        continue
                    if played.get(game_at(game.table) or "", 0) in (game.table, None):
                        continue  # it plays an open game of this head, perhaps one that the desk has not confirmed yet
                    tries = [row for row in core.store.commands(game=game.id) if row.kind == "assign"]
                    again = self._tries.setdefault(game.table, Counter())
                    status = tries[-1].status if tries and again[game.id] < MAX_ASSIGN_TRIES else None
                    given_back = status is CommandStatus.APPLIED and not self._begun.is_at(game.id, game.table)
                    if status is CommandStatus.REFUSED or given_back:
                        again[game.id] += 1
                        token = self._unused_id(division, game, game.table, tries)
                        given += self.orders_for(division, game, game.table, token)
            if given:
                core.store.give(given).result()
        if given:
            core.signals.orders_queued({row.table for row in given})

    def _assign(self, division: DivisionState, game: HeadGame, table: int, token: str = "") -> Line:
        """Return the act that seats a game at ``table``, with the commands that begin it there."""
        act = GameSeated(division.slug, game=game.id, table=table)
        return act, self.orders_for(division, game, table, token)

    def orders_for(self, division: DivisionState, game: HeadGame, table: int, token: str = "") -> list[CommandRow]:
        """Return the commands that begin the game at ``table``; none if it is no kiosk.

        ``token`` identifies one assignment; the first one has the same id after every restart.
        """
        if table not in self._core.tables:
            return []
        token = token or self._unused_id(division, game, table)
        body = to_dict(_assignment(self._core.state.title, division, game, table))
        return [CommandRow(_order_id(game, token), table, "assign", game.id, body=body)]

    def _unused_id(self, division: DivisionState, game: HeadGame, table: int, tries: Sequence[CommandRow] = ()) -> str:
        """Return an unused id for the assignment after ``tries``: a table carries out no command twice, including one
        of a lost head.
        """
        if division.editions.get(game.round):
            return secrets.token_hex(4)
        used = {row.id for row in tries or self._core.store.commands(game=game.id)}
        if self._begun.counts(division.slug):
            used |= {str(record.body.get("id")) for record in self._core.store.records(table=table, type="command")}
        return next(token for token in map(str, count()) if _order_id(game, token) not in used)

    def withdrawals(self, games: list[HeadGame] | tuple[HeadGame, ...]) -> list[CommandRow]:
        """Return the commands by which the kiosks of these games release them."""
        return self.release([(game.id, game.table) for game in games if game.table is not None])

    def release(self, seats: Iterable[tuple[str, int]]) -> list[CommandRow]:
        """Return the commands by which kiosks release these games."""
        return [
            CommandRow(secrets.token_hex(8), table, "withdraw", game)
            for game, table in seats
            if table in self._core.tables
        ]


def _order_id(game: HeadGame, token: str) -> str:
    return f"{game.id}-assign-{token}"


def _assignment(tournament: str, division: DivisionState, game: HeadGame, table: int) -> Assignment:
    players = division.players()
    label = say("Round {round}, {stage}", round=game.round, stage=STAGE_NAMES.get(game.stage, STAGE_NAMES["league"]))
    if game.match_part is not None:
        label = say("{label}, {part}", label=label, part=game.match_part)
    rules = division.table_rules.at(game.stage)
    return Assignment(
        game=game.id,
        event=tournament,
        division=division.name,
        round=game.round,
        table=table,
        rules=rules.rules,
        stage=game.stage_at_table.value,
        label_ja=f"{division.title[0]} {render(label, JAPANESE)}".strip(),
        label_en=f"{division.title[1]} {render(label, ENGLISH)}".strip(),
        main_s=rules.main_s,
        designated=game.designated,
        players=[_player_info(players[id]) for id in (game.black, str(game.white))],
        options={**_game_options(division.event), **_colours_only(game), **rules.options},
    )


def _game_options(event: Event) -> dict[str, object]:
    """Return where a game's set-up differs from the rule set by the division's options."""
    if event.facts.captures:
        return game_options(event)
    return {} if event.variant == STANDARD else {"variant": event.variant.name}


def _colours_only(game: HeadGame) -> dict[str, object]:
    """Return the option with which the players settle the colours, and nobody has a draw right (FS-03)."""
    free = not game.designated and not game.must_have_winner
    return {"color_decision": ColorDecision.HIDDEN_DISC_DRAWS.value} if free else {}


def _player_info(player: Player) -> PlayerInfo:
    country = None if player.country is None else country_code(player.country)
    return PlayerInfo(player.id, player.name or player.id, player.grade, country)


def display_numbers(numbers: list[int] | tuple[int, ...]) -> str:
    """Return numbers as ranges: "1-4, 7"."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1] = runs[-1][0], number
        else:
            runs.append((number, number))
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs) or "–"
