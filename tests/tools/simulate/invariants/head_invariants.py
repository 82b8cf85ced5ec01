"""Invariants of the head: its records of the tables, and the event derived from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulate.simulated_staff import NEVER, ROUNDS
from tables.saved_records import saved_after
from verify.verifier import verify

from engine.tournament import TournamentError, champion, cost_of_round, standings
from kiosk.head.errors import StoreError
from kiosk.head.store import CommandStatus
from kiosk.head.store.hash_chain import verify as verify_chain
from kiosk.records.event_file import from_dict as read_event

if TYPE_CHECKING:
    from simulate.day_schedule import SimulatedHall

#: minutes within which the desk's decisions are carried out
A_MOMENT_MINUTES = 1


def acknowledged_is_in_the_store(hall: SimulatedHall) -> str | None:
    """Check that the head has every acknowledged record, also after it was killed; after a restore, once it has
    received all records of the table.
    """
    program = hall.head.program
    for number, table in hall.running():
        place = number, table.journal.epoch
        synced = table.journal.appended - table.journal.unsynced
        hall.memory.acknowledged[place] = max(synced, hall.memory.acknowledged.get(place, 0))
    if program is None:
        return None
    for (number, epoch), acknowledged in hall.memory.acknowledged.items():
        if hall.head.machines > 1 and (number in hall.stolen or not program.live.has_sent_all_records(number)):
            continue  # a thief's journal does not show that the table's own records were received
        if not hall.memory.has_stored(program, number, epoch, acknowledged):
            have = program.store.last_committed_seq(number, epoch)
            return f"record {acknowledged} of table {number} was acknowledged; the store has {have}"
    return None


def a_game_is_at_one_table(hall: SimulatedHall) -> str | None:
    """Check that no unfinished game is at two tables. A game that the lost head had assigned to a table which was off
    when another head continued from the backup may be assigned again; once the head has heard from both tables, the
    desk is asked to decide.
    """
    at: dict[str, int] = {}
    for number, table in hall.running():
        state = table.program.state
        if state.assignment is None or state.match is None or state.match.result is not None:
            continue
        game = state.assignment.game
        if game in at and not _is_resolved(hall, game, at[game], number):
            return f"game {game} is played at table {at[game]} and at table {number}"
        at[game] = number
    return None


def _is_resolved(hall: SimulatedHall, game: str, *tables: int) -> bool:
    """Return whether a duplicate is being resolved, at a head restored from a backup.

    It is if a table has not sent all its records yet, the desk is asked, or the desk has decided and the other table
    has its order or will in a moment.
    """
    program, since = hall.head.program, hall.memory.given_twice
    if hall.head.machines == 1:
        return False
    orders = [] if program is None else program.store.commands(game=game, status=CommandStatus.SENT)
    if (
        program is None
        or not all(map(program.live.has_sent_all_records, tables))
        or any(claim.game == game for claim in program.desk.claims.open())
        or any(row.kind == "withdraw" and row.table in tables for row in orders)
    ):
        since.pop(game, None)
        return True
    return hall.minute < since.setdefault(game, hall.minute) + A_MOMENT_MINUTES


def the_heads_picture_is_the_tables(hall: SimulatedHall) -> str | None:
    """Check that a head with all records of a table sees the same game in the same state; not while a thief uses the
    table's key.
    """
    program = hall.head.program
    if program is None:
        return None
    views = {view.number: view for view in program.live.views_without_health()}
    for number, table in hall.running():
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


def the_audit_trail_is_whole(hall: SimulatedHall) -> str | None:
    """Check that the chain of the operators' acts verifies."""
    program = hall.head.program
    if program is None:
        return None
    try:
        verify_chain(program.store.operator_events())
    except StoreError as error:
        return str(error)
    return None


def every_round_is_clean(hall: SimulatedHall) -> str | None:
    """Check that the independent verifier finds no rule broken in any round."""
    problems = [problem for data in _as_paired(hall) for problem in verify(data).problems]
    return "; ".join(str(problem) for problem in problems[:3]) or None


def every_round_is_the_best_there_was(hall: SimulatedHall) -> str | None:
    """Check that no published round cost more than the best round that could have been published."""
    for data in _as_paired(hall):
        event = read_event(data)
        for round_ in data["rounds"]:
            try:
                cost = cost_of_round(event, round_["round"])
            except TournamentError:
                continue  # this format has no cost for this round
            if cost["played"] != cost["optimum"]:
                return f"round {round_['round']} cost {cost['played']}; the best costs {cost['optimum']}"
    return None


def _as_paired(hall: SimulatedHall) -> list[dict[str, Any]]:
    """Return the events without the rounds that were paired with results corrected later."""
    events = []
    for slug, event in hall.day.events.items():
        stale_from = hall.operators.stale_from.get(slug, NEVER)
        events.append(event | {"rounds": [each for each in event["rounds"] if each["round"] < stale_from]})
    return events


def there_is_a_champion(hall: SimulatedHall) -> str | None:
    """Check that a finished event has its winner, and one that only the desk ends has its standings."""
    events = [read_event(event) for event in hall.day.events.values()]
    found = [champion(event) for event in events if not event.facts.endless]
    return None if None not in found else "the event is over and has no champion"


def the_standings_are_the_results(hall: SimulatedHall) -> str | None:
    """Check that the independent verifier ranks each division by its results as the hall does. A pool has no champion:
    it ends after the rounds the desk planned.
    """
    for data in hall.day.events.values():
        event = read_event(data)
        if event.facts.endless and len(event.rounds) != ROUNDS:
            return f"the pool was to have {ROUNDS} rounds and has {len(event.rounds)}"
        known = verify(data).problems  # problems of rounds are left to other invariants
        problems = [problem for problem in verify(data, standings(event).as_dict()).problems if problem not in known]
        if problems:
            return "; ".join(str(problem) for problem in problems[:3])
    return None


def a_game_counts_once(hall: SimulatedHall) -> str | None:
    """Check that a table's card counted in the event is the result that the table's players signed.

    A spare device also has records about other tables' games that a thief with the table's key sent.
    """
    program = hall.head.program
    assert program is not None, "a day ends with its head switched on"
    signed: dict[tuple[int | None, object], tuple[object, object]] = {}  # without discs if only the winner is recorded
    for number, table in hall.running():
        for record in saved_after(table.journal, 0):
            if record.type == "card":
                body = record.body
                signed[number, body.get("game")] = body.get("black_discs"), body.get("white_discs")
    games = [game for division in program.desk.state.divisions.values() for r in division.rounds for game in r]
    for game in games:
        outcome = game.outcome
        card = signed.get((game.table, game.id))
        if game.is_bye or outcome is None or game.source != "card" or card is None:
            continue
        mine = outcome.black_discs, outcome.white_discs
        if mine != card:
            return f"game {game.id} was signed as {card} and counts as {mine}"
    return None
