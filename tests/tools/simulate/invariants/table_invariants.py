"""Invariants of a single table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulate.chouchou_players import captured_pieces
from simulate.malicious_table import FALSE_REASON
from tables.saved_records import saved_after

from engine.board.color import Color
from engine.end_reason import EndReason
from engine.match.match_events_and_effects import BoardReported, Press, Tick
from engine.match.match_state import MatchState
from engine.match.match_value_types import Seat
from engine.match.rule_sets_and_options import FlagCallers, ScoreRule
from engine.match.time_controls import SUDDEN_DEATH

if TYPE_CHECKING:
    from simulate.day_schedule import SimulatedHall

#: saved records compared again at each check
OVERLAP = 3


def saved_is_never_lost(hall: SimulatedHall) -> str | None:
    """Check that saved records stay in the table's journal, unchanged, whatever happens to its power. Records are
    written again after a restart before they are shown as saved again, so the number may fall for a moment.
    """
    for number, table in hall.running():
        journal, known = table.journal, hall.memory.saved.setdefault(number, [])
        if journal.appended < len(known):
            return f"table {number} had saved {len(known)} records and knows {journal.appended}"
        overlap = min(OVERLAP, len(known))
        again = saved_after(journal, len(known) - overlap)
        for one, other in zip(known[len(known) - overlap :], again, strict=False):
            if (one.seq, one.type, one.body) != (other.seq, other.type, other.body):
                return f"table {number}: its saved record {one.seq} is not what it was"
        known.extend(again[overlap:])
    return None


def the_journal_gives_the_game(hall: SimulatedHall) -> str | None:
    """Check that the replay of a table's journal gives the table's state."""
    for number, table in hall.running():
        steps, state = hall.memory.replay(number, table), table.program.state
        if not steps or len(steps) < table.journal.appended:
            continue  # something is still being saved
        last = steps[-1][2]
        if last.match != state.match and state.assignment is not None and last.assignment == state.assignment:
            return f"table {number}: its journal gives another game than it shows"
    return None


def clocks_add_up(hall: SimulatedHall) -> str | None:
    """Check that while a clock runs exactly the elapsed time is charged, to one player, and a press charges nothing, to
    the nanosecond. Time controls that give time back have their own invariants and tests.
    """
    for number, table in hall.running():
        last_ns = 0
        for before, _, game in hall.memory.replay(number, table):
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


def a_flag_is_silent(hall: SimulatedHall) -> str | None:
    """Check that while flags are claimed by players nobody loses on time before one of them has claimed it, and that
    the display does not show it (promise 3).
    """
    for number, table in hall.running():
        for before, entry, game in hall.memory.replay(number, table):
            match, after, event = before.match, game.match, game.event
            if match is None or after is None or event is None or after.options.who_may_call is not FlagCallers.PLAYERS:
                continue
            lost = after.result is not None and match.result is None and after.result.end is EndReason.TIME
            lost = lost or (after.time_loser is not None and match.time_loser is None)
            if lost and isinstance(event, Tick | Press | BoardReported):
                return f"table {number}: record {entry.seq} lost a game on time, and nobody had claimed it"
            notices = {*after.shown_to_players, after.notice} - {*match.shown_to_players, match.notice, None}
            if isinstance(event, Tick | Press | BoardReported) and any(
                one is not None and "flag" in one.kind for one in notices
            ):
                return f"table {number}: record {entry.seq} told the players of a flag that nobody had claimed"
    return None


def _left_ns(match: MatchState, at_ns: int) -> int:
    return sum(match.remaining_ns(seat, at_ns) for seat in Seat)


def a_card_is_the_game(hall: SimulatedHall) -> str | None:
    """Check that a card has the game that was played and signed at its table, with the players in their colours."""
    for number, table in hall.running():
        for game, record, _ in hall.memory.replay(number, table):
            if record.type == "card" and (match := game.match) is not None and match.result is not None:
                seat = match.seat_of(Color.BLACK)
                assert seat is not None, "a signed game has a Black"
                assert game.assignment is not None, "a game was given"
                black = game.assignment.players[game.player_at[seat]].id
                card, result = record.body, match.result
                on_card = card["black_id"], card["black_discs"], card["white_discs"]
                if on_card != (black, result.black_discs, result.white_discs):
                    return f"table {number}: the card of {card['game']} says {on_card}, and the game {result}"
    return None


def a_score_board_is_what_was_captured(hall: SimulatedHall) -> str | None:
    """Check that a card of ChouChou that ended on the board has the pieces captured up to its last turn (CC-SCO-1)."""
    for number, table in hall.running():
        for game, record, _ in hall.memory.replay(number, table):
            match = game.match
            if record.type != "card" or match is None or match.result is None or game.assignment is None:
                continue
            if match.rules.score is not ScoreRule.CAPTURES or match.result.end is not EndReason.NORMAL:
                continue
            wanted = captured_pieces(hall.places[number].plan_for(game.assignment), len(match.turns))
            on_card = record.body["black_discs"], record.body["white_discs"]
            if on_card != wanted:
                return f"table {number}: the card of {record.body['game']} says {on_card}, and {wanted} were captured"
    return None


def a_command_is_carried_out_once(hall: SimulatedHall) -> str | None:
    """Check that a command of the head has one outcome at a table, however often it arrives.

    A spare device also has the outcomes that a thief with the table's key reported.
    """
    for number, table in hall.running():
        done: set[str] = set()
        for _, record, _ in hall.memory.replay(number, table):
            if record.type == "command" and record.body["reason"] != FALSE_REASON:
                if record.body["id"] in done:
                    return f"table {number} has carried out {record.body['id']} twice"
                done.add(record.body["id"])
    return None
