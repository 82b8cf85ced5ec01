"""The laws of a hall, each a function with its name (docs/simulation.md lists them).

The law: a law looks at the real programs and at what the world remembers; it never changes anything. It gives None, or
the sentence that says what is wrong.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from engine.board.color import Color
from engine.match.controls import SUDDEN_DEATH
from engine.match.events import Board, Press, Tick
from engine.match.model import End, Seat
from engine.match.rulesets import Callers, Score
from engine.match.state import MatchState
from engine.tournament import TournamentError, champion, cost_of_round, standings
from kiosk.demo.plan import captured
from kiosk.head.errors import StoreError
from kiosk.head.federation import extent, rows
from kiosk.head.federation.venue import Venue
from kiosk.head.store import CommandStatus, schema
from kiosk.head.store.chain import verify as verify_chain
from kiosk.link.following import NOTHING_FOLLOWED, FollowedGame, follow
from kiosk.records.event_file import from_dict as read_event
from kiosk.simulate.federation import content_of
from kiosk.simulate.people import NEVER, ROUNDS
from kiosk.table.journal import Entry
from kiosk.verify import verify

if TYPE_CHECKING:
    from kiosk.head.program.program import HeadProgram
    from kiosk.simulate.day import Hall
    from kiosk.table.assembly import Table

#: of what was saved, so many records are compared at each look
OVERLAP = 3
#: what the desk has said is carried out within
A_MOMENT_MINUTES = 1


@dataclass(frozen=True, slots=True)
class Broken:
    law: str
    minute: int
    text: str


@dataclass(slots=True)
class Memory:
    """What was true once and must stay so. ``saved``: by table, the records that were called saved.
    ``acknowledged``: by table and journal, how many the head has acknowledged. ``stored``: the same, how many the
    store of the head ``of`` was seen to have. ``lives``: how many entries the federation has of each life.
    ``given_twice``: since which minute a game is at two tables, and nobody is asked or told."""

    saved: dict[int, list[Entry]] = field(default_factory=dict)
    acknowledged: dict[tuple[int, str], int] = field(default_factory=dict)
    of: HeadProgram | None = None
    stored: dict[tuple[int, str], int] = field(default_factory=dict)
    lives: dict[str, int] = field(default_factory=dict)
    given_twice: dict[str, float] = field(default_factory=dict)
    replayed: dict[tuple[int, str], list[tuple[FollowedGame, Entry, FollowedGame]]] = field(default_factory=dict)

    def replaced(self, table: int) -> None:
        """A spare stands there: it has what the head has, and what a head that was lost meanwhile had is gone."""
        self.saved.pop(table, None)
        for told in (self.replayed, self.acknowledged, self.stored):
            for place in [place for place in told if place[0] == table]:
                del told[place]

    def has_stored(self, program: HeadProgram, table: int, epoch: str, seq: int) -> bool:
        """Whether a head has that record in its store. What it had it keeps until it is started again."""
        if self.of is not program:
            self.of, self.stored = program, {}
        place = table, epoch
        if self.stored.get(place, 0) < seq:
            self.stored[place] = program.store.have(table, epoch)
        return self.stored.get(place, 0) >= seq


def saved_is_never_lost(hall: Hall) -> str | None:
    """What a table called saved is in its journal, unchanged, whatever happened to its power. What is called saved
    again after a restart is written a second time first, so the number may fall for a moment."""
    for number, table in _on(hall):
        journal, known = table.journal, hall.memory.saved.setdefault(number, [])
        if journal.appended < len(known):
            return f"table {number} had saved {len(known)} records and knows {journal.appended}"
        overlap = min(OVERLAP, len(known))
        again = journal.saved_after(len(known) - overlap)
        for one, other in zip(known[len(known) - overlap :], again, strict=False):
            if (one.seq, one.type, one.body) != (other.seq, other.type, other.body):
                return f"table {number}: its saved record {one.seq} is not what it was"
        known.extend(again[overlap:])
    return None


def acknowledged_is_in_the_store(hall: Hall) -> str | None:
    """What the head has acknowledged, it has, also after it was killed; one that was restored, once it has heard the
    table out."""
    program = hall.head.program
    for number, table in _on(hall):
        place = number, table.journal.epoch
        told = table.journal.appended - table.journal.unsynced
        hall.memory.acknowledged[place] = max(told, hall.memory.acknowledged.get(place, 0))
    if program is None:
        return None
    for (number, epoch), told in hall.memory.acknowledged.items():
        if hall.head.machines > 1 and (number in hall.stolen or not program.live.heard_out(number)):
            continue  # what a thief says of his own journal is not that the table was heard out
        if not hall.memory.has_stored(program, number, epoch, told):
            have = program.store.have(number, epoch)
            return f"record {told} of table {number} was acknowledged; the store has {have}"
    return None


def a_game_is_at_one_table(hall: Hall) -> str | None:
    """No game that is still played is at two tables. One that the lost head had given to a table which was off when
    another went on from the backup may be given again; once the head has heard both, the desk is asked and heard."""
    at: dict[str, int] = {}
    for number, table in _on(hall):
        state = table.program.state
        if state.assignment is None or state.match is None or state.match.result is not None:
            continue
        game = state.assignment.game
        if game in at and not _is_sorted_out(hall, game, at[game], number):
            return f"game {game} is played at table {at[game]} and at table {number}"
        at[game] = number
    return None


def _is_sorted_out(hall: Hall, game: str, *tables: int) -> bool:
    """At a head that went on from a backup: a table was not heard yet, the desk is asked, or it has said which table
    plays the game and the other is told, or will be in a moment."""
    program, since = hall.head.program, hall.memory.given_twice
    if hall.head.machines == 1:
        return False
    orders = [] if program is None else program.store.commands(game=game, status=CommandStatus.SENT)
    if (
        program is None
        or not all(map(program.live.heard_out, tables))
        or any(claim.game == game for claim in program.desk.claims.open())
        or any(row.kind == "withdraw" and row.table in tables for row in orders)
    ):
        since.pop(game, None)
        return True
    return hall.minute < since.setdefault(game, hall.minute) + A_MOMENT_MINUTES


def the_heads_picture_is_the_tables(hall: Hall) -> str | None:
    """When the head has all that a table has, it sees the same game in the same state; not while a thief speaks for
    that table."""
    program = hall.head.program
    if program is None:
        return None
    views = {view.number: view for view in program.live.pictures()}
    for number, table in _on(hall):
        state, journal = table.program.state, table.journal
        if journal.unsynced or state.match is None or number in hall.stolen:
            continue
        if not hall.memory.has_stored(program, number, journal.epoch, journal.appended):
            continue
        view, match = views[number], state.match
        game = None if state.assignment is None else state.assignment.game
        mine = game, match.phase.value, match.revision, match.board
        theirs = view.game, view.phase, view.revision, view.board
        if mine != theirs:
            return f"table {number} has {mine}; the head sees {theirs}"
    return None


def clocks_add_up(hall: Hall) -> str | None:
    """While a clock runs exactly the time that passes is charged, and to one player; a press charges nothing of its
    own. To the nanosecond. Controls that give time back have laws of their own, and other tests."""
    for number, table in _on(hall):
        last_ns = 0
        for before, _, game in _replayed(hall, number, table):
            match, after, event = before.match, game.match, game.event
            if match is None or after is None or event is None:
                continue
            if match.running() is not None and match.clock.control == SUDDEN_DEATH:
                charged_ns = _left_ns(match, last_ns) - _left_ns(match, event.at_ns)
                if charged_ns != event.at_ns - last_ns:
                    return f"table {number}: {event.at_ns - last_ns} ns passed and {charged_ns} ns were charged"
                if isinstance(event, Press | Tick) and _left_ns(after, event.at_ns) != _left_ns(match, event.at_ns):
                    return f"table {number}: the press at {event.at_ns} changed the clocks"
            last_ns = event.at_ns
    return None


def a_flag_is_silent(hall: Hall) -> str | None:
    """Where the players have the word nobody loses on time before one of them has claimed it, and what they are shown
    does not name it (promise 3)."""
    for number, table in _on(hall):
        for before, entry, game in _replayed(hall, number, table):
            match, after, event = before.match, game.match, game.event
            if match is None or after is None or event is None or after.options.who_may_call is not Callers.PLAYERS:
                continue
            lost = after.result is not None and match.result is None and after.result.end is End.TIME
            lost = lost or (after.time_loser is not None and match.time_loser is None)
            if lost and isinstance(event, Tick | Press | Board):
                return f"table {number}: record {entry.seq} lost a game on time, and nobody had claimed it"
            told = {*after.shown_to_players, after.notice} - {*match.shown_to_players, match.notice, None}
            if isinstance(event, Tick | Press | Board) and any(one is not None and "flag" in one.kind for one in told):
                return f"table {number}: record {entry.seq} told the players of a flag that nobody had claimed"
    return None


def _left_ns(match: MatchState, at_ns: int) -> int:
    return sum(match.remaining_ns(seat, at_ns) for seat in Seat)


def the_journal_gives_the_game(hall: Hall) -> str | None:
    """What a table's journal tells is what the table has."""
    for number, table in _on(hall):
        steps, state = _replayed(hall, number, table), table.program.state
        if not steps or len(steps) < table.journal.appended:
            continue  # something is still being saved
        told = steps[-1][2]
        if told.match != state.match and state.assignment is not None and told.assignment == state.assignment:
            return f"table {number}: its journal gives another game than it shows"
    return None


def a_card_is_the_game(hall: Hall) -> str | None:
    """A card says what was played and signed at its table, with the players in their colours."""
    for number, table in _on(hall):
        for game, record, _ in _replayed(hall, number, table):
            if record.type == "card" and (match := game.match) is not None and match.result is not None:
                seat = match.seat_of(Color.BLACK)
                assert seat is not None, "a signed game has a Black"
                assert game.assignment is not None, "a game was given"
                black = game.assignment.players[game.player_at[seat]].id
                card, result = record.body, match.result
                told = card["black_id"], card["black_discs"], card["white_discs"]
                if told != (black, result.black_discs, result.white_discs):
                    return f"table {number}: the card of {card['game']} says {told}, and the game {result}"
    return None


def a_score_board_is_what_was_captured(hall: Hall) -> str | None:
    """A card of ChouChou that ended on the board has what the hands captured up to its last turn (CC-SCO-1)."""
    for number, table in _on(hall):
        for game, record, _ in _replayed(hall, number, table):
            match = game.match
            if record.type != "card" or match is None or match.result is None or game.assignment is None:
                continue
            if match.rules.score is not Score.CAPTURES or match.result.end is not End.NORMAL:
                continue
            wanted = captured(hall.places[number].plan_for(game.assignment), len(match.turns))
            told = record.body["black_discs"], record.body["white_discs"]
            if told != wanted:
                return f"table {number}: the card of {record.body['game']} says {told}, and {wanted} were captured"
    return None


def a_command_is_carried_out_once(hall: Hall) -> str | None:
    """A command of the head has one outcome at a table, however often it came."""
    for number, table in _on(hall):
        done: set[str] = set()
        for _, record, _ in _replayed(hall, number, table):
            if record.type == "command":
                if record.body["id"] in done:
                    return f"table {number} has carried out {record.body['id']} twice"
                done.add(record.body["id"])
    return None


def the_audit_trail_is_whole(hall: Hall) -> str | None:
    """The chain of the operator's events verifies."""
    program = hall.head.program
    if program is None:
        return None
    try:
        verify_chain(program.store.operator_events())
    except StoreError as error:
        return str(error)
    return None


def every_round_is_clean(hall: Hall) -> str | None:
    """The independent checker finds no rule broken in any round."""
    problems = [problem for data in _as_paired(hall) for problem in verify(data).problems]
    return "; ".join(str(problem) for problem in problems[:3]) or None


def every_round_is_the_best_there_was(hall: Hall) -> str | None:
    """No published round cost more than the best round that could have been published."""
    for data in _as_paired(hall):
        event = read_event(data)
        for round_ in data["rounds"]:
            try:
                cost = cost_of_round(event, round_["round"])
            except TournamentError:
                continue  # this format puts no price on this round
            if cost["played"] != cost["optimum"]:
                return f"round {round_['round']} cost {cost['played']}; the best costs {cost['optimum']}"
    return None


def there_is_a_champion(hall: Hall) -> str | None:
    """An event that is over has its winner; one that only the desk ends has its standings."""
    events = [read_event(event) for event in hall.day.events.values()]
    found = [champion(event) for event in events if not event.facts.endless]
    return None if None not in found else "the event is over and has no champion"


def a_game_counts_once(hall: Hall) -> str | None:
    """A card of a table that stands in the event is the result that the table's players signed."""
    program = hall.head.program
    assert program is not None, "a day ends with its head switched on"
    signed: dict[str, tuple[object, object]] = {}  # without discs where only the winner is recorded
    for _, table in _on(hall):
        for record in table.journal.saved_after(0):
            if record.type == "card":
                body = record.body
                signed[str(body["game"])] = body["black_discs"], body["white_discs"]
    games = [game for division in program.desk.state.divisions.values() for r in division.rounds for game in r]
    for game in games:
        outcome = game.outcome
        if game.is_bye or outcome is None or game.source != "card" or game.id not in signed:
            continue
        mine = outcome.black_discs, outcome.white_discs
        if mine != signed[game.id]:
            return f"game {game.id} was signed as {signed[game.id]} and counts as {mine}"
    return None


def what_a_federation_has_it_keeps(hall: Hall) -> str | None:
    """No life of the hall that a federation has ever becomes shorter there, whatever is sent or happens to its head;
    and it has no life of the hall that the hall never had, whatever others send."""
    line = hall.line
    if line is None or line.federation.collector is None:
        return None
    with line.federation.store.reading() as connection:
        there = {life.trail: life.entries for life in rows.kept(connection, line.venue)}
    for trail, entries in hall.memory.lives.items():
        if there.get(trail, 0) < entries:
            return f"the federation had {entries} entries of the life {trail}, and has {there.get(trail, 0)}"
    if strange := there.keys() - hall.head.lives:
        return f"the federation has lives which the hall never had: {', '.join(sorted(strange))}"
    hall.memory.lives = there
    return None


def a_federation_has_the_hall(hall: Hall) -> str | None:
    """It has every entry of the audit trail and every record of the tables as the head has them, and makes the same
    events of them, whatever other halls send. A table that lies may say what no federation takes."""
    line, program = hall.line, hall.head.program
    if line is None:
        return None
    federation, name = line.federation, line.venue
    assert program is not None and program.pusher is not None and federation.collector is not None, "all of it is on"
    venue = federation.collector.venue(name)
    why = program.pusher.status
    if venue is None or venue.heard is None or venue.heard.trail != program.store.trail:
        return f"the federation does not have the hall's life {program.store.trail}: {why}"
    with federation.store.reading() as connection:
        events = rows.events_of(connection, name, program.store.trail)
        theirs = {
            (number, record.epoch, record.seq): (record.type, record.body)
            for number, epoch in {(record.table, record.epoch) for record in program.store.records()}
            for record in rows.records_between(connection, name, number, epoch, 1, NEVER)
        }
    if events != (mine := program.store.operator_events()):
        return f"the hall has {len(mine)} entries of its audit trail and the federation {len(events)}: {why}"
    for record in program.store.records():
        place = record.table, record.epoch, record.seq
        if (
            record.table in hall.places
            and record.epoch not in hall.thieves
            and theirs.get(place) != (record.type, record.body)
        ):
            return f"record {place} is {(record.type, record.body)} and at the federation {theirs.get(place)}: {why}"
    for slug, division in program.desk.state.divisions.items():
        if venue.state.divisions[slug].whole() != division.whole():
            return f"the federation makes another event of {slug}"
    return None


def a_venues_rows_are_its_own(hall: Hall) -> str | None:
    """Every row that the federation has in the hall's name was committed by a machine of the hall, in that life of
    it."""
    line = hall.line
    if line is None or line.federation.collector is None:
        return None
    entry, record = schema.venue_events.c, schema.venue_records.c
    with line.federation.store.reading() as connection:
        entries = connection.execute(select(schema.venue_events).where(entry.venue == line.venue)).all()
        records = connection.execute(select(schema.venue_records).where(record.venue == line.venue)).all()
    for row in entries:
        if row.hash not in line.committed.get((row.trail, row.number), ()):
            return f"the federation has entry {row.number} of {row.trail}, which {line.venue} never had: {row.body}"
    for row in records:
        place = row.table_no, row.epoch, row.seq
        if content_of(row.type, json.loads(row.body)) not in line.committed.get(place, ()):
            return f"the federation has record {place}, which {line.venue} never had: {row.type} {row.body}"
    return None


def a_venue_is_the_fold_of_its_rows(hall: Hall) -> str | None:
    """What the federation shows of the hall, and what it notes beside its rows, is what they give when they are read
    anew."""
    line = hall.line
    if line is None or line.federation.collector is None:
        return None
    venue, store = line.federation.collector.venue(line.venue), line.federation.store
    if venue is None or venue.heard is None:
        return None
    made = Venue(line.venue, store.reading, line.federation.crystal)
    made.heard = venue.heard
    made.start()
    for what in ("state", "events", "records"):
        shown, told = getattr(venue, what), getattr(made, what)
        if shown != told:
            return f"the federation's {what} of {line.venue}: {shown}; its rows give {told}"
    with store.reading() as connection:
        records = connection.execute(select(schema.venue_records).where(schema.venue_records.c.venue == line.venue))
        ends: dict[tuple[int, str], int] = {}
        placed: dict[str, set[tuple[int, str, int]]] = {}
        for row in records:
            ends[row.table_no, row.epoch] = max(row.seq, ends.get((row.table_no, row.epoch), 0))
            if row.type in extent.PLACED:
                game = extent.game_of(row.type, json.loads(row.body))
                placed.setdefault(game, set()).add((row.table_no, row.epoch, row.seq))
        noted = extent.journals(connection, line.venue)
        if noted != ends:
            return f"the federation notes that the journals of {line.venue} end at {noted}; they end at {ends}"
        for game, there in placed.items():
            if set(extent.places(connection, line.venue, game, extent.PLACED)) != there:
                return f"the federation does not note where {game or 'no game'} is in the records of {line.venue}"
        for life in rows.kept(connection, line.venue):
            if life.entries != len(rows.events_of(connection, line.venue, life.trail)):
                return f"the federation notes {life.entries} entries of {life.trail}, which it does not have"
    return None


def the_standings_are_the_results(hall: Hall) -> str | None:
    """The independent checker ranks each division by its results as the hall does. A pool has no champion: it ends
    after the rounds that the desk wished for."""
    for data in hall.day.events.values():
        event = read_event(data)
        if event.facts.endless and len(event.rounds) != ROUNDS:
            return f"the pool was to have {ROUNDS} rounds and has {len(event.rounds)}"
        known = verify(data).problems  # of rounds, which other laws look at
        problems = [problem for problem in verify(data, standings(event).as_dict()).problems if problem not in known]
        if problems:
            return "; ".join(str(problem) for problem in problems[:3])
    return None


ON_THE_WAY = (
    saved_is_never_lost,
    acknowledged_is_in_the_store,
    a_game_is_at_one_table,
    the_journal_gives_the_game,
    the_heads_picture_is_the_tables,
    what_a_federation_has_it_keeps,
)
AT_THE_END = (
    *ON_THE_WAY,
    clocks_add_up,
    a_flag_is_silent,
    a_card_is_the_game,
    a_score_board_is_what_was_captured,
    a_command_is_carried_out_once,
    the_audit_trail_is_whole,
    every_round_is_clean,
    every_round_is_the_best_there_was,
    there_is_a_champion,
    the_standings_are_the_results,
    a_game_counts_once,
    a_federation_has_the_hall,
    a_venues_rows_are_its_own,
    a_venue_is_the_fold_of_its_rows,
)


def _as_paired(hall: Hall) -> list[dict[str, Any]]:
    """The events without the rounds that were paired with results which were corrected later."""
    told = []
    for slug, event in hall.day.events.items():
        stale_from = hall.operators.stale_from.get(slug, NEVER)
        told.append(event | {"rounds": [each for each in event["rounds"] if each["round"] < stale_from]})
    return told


def _replayed(hall: Hall, number: int, table: Table) -> list[tuple[FollowedGame, Entry, FollowedGame]]:
    """Every record of a table's journal between the game before and after it."""
    place = number, table.journal.epoch
    steps = hall.memory.replayed.setdefault(place, [])
    game = steps[-1][2] if steps else NOTHING_FOLLOWED
    for record in table.journal.saved_after(len(steps)):
        before, game = game, follow(game, record, record.at_ns)
        steps.append((before, record, game))
    return steps


def _on(hall: Hall) -> list[tuple[int, Table]]:
    return [(number, place.table) for number, place in hall.places.items() if place.table is not None]
