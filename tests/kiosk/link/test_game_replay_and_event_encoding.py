"""Tests of the replay of a table's records, which gives the same state at a restarted table and at the head."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import pytest

from engine.match import new_match, step
from engine.match.match_events_and_effects import Hold, Press, Reopen, SeatsAssigned
from engine.match.match_value_types import NS_PER_S, GameStage, Phase, Seat, Setup
from kiosk.link.errors import UnfollowableRecordError
from kiosk.link.game_replay_and_event_encoding import ReplayedGame, event_to_dict, frees_seats, replay_record
from kiosk.link.link_messages import Assigned, Assignment, PlayerInfo, TableRecord, to_dict
from kiosk.table.game.journaled_state_and_recovery import recover_state
from kiosk.table.journal.segment_files_and_recovery import JournalEntry
from kiosk.table.state import TableState

GAME = Assignment(
    game="g", event="e", division="d", round=1, table=1, rules="m43", stage="league", label_ja="予選",
    label_en="League", main_s=1200, designated=True, players=[PlayerInfo("p1", "A"), PlayerInfo("p2", "B")],
)  # fmt: skip
EVENTS = (SeatsAssigned(5, Seat.LEFT, None), Press(7 * NS_PER_S, Seat.RIGHT), Press(9 * NS_PER_S, Seat.LEFT))


def event(happened: object, game: str = "g") -> TableRecord:
    return TableRecord(3, "event", {"game": game, "revision": 1, "event": event_to_dict(happened)})  # type: ignore[arg-type]


RECORDS = (
    TableRecord(1, "boot", {}),
    TableRecord(1, "assigned", to_dict(Assigned(GAME, False))),
    TableRecord(2, "seated", {"game": "g", "at": {"left": 1, "right": 0}}),
    *(event(one) for one in EVENTS),
    TableRecord(6, "trouble", {"kind": "x", "ja": "", "en": ""}),
)


@pytest.mark.parametrize(
    ("late", "seated_early", "free"), [(None, True, True), (Seat.LEFT, False, True), (Seat.LEFT, True, False)]
)
def test_the_seat_of_the_player_present_stands_when_a_game_is_reopened(
    late: Seat | None, seated_early: bool, free: bool
) -> None:
    match = replace(new_match(Setup(), 0), late=late)
    assert frees_seats(Reopen(5), match, seated_early) is free


def test_replay_gives_the_same_game_at_table_and_head() -> None:
    match = new_match(Setup("m43", GameStage("league"), GAME.main_s * NS_PER_S), 0)
    for one in EVENTS:
        match, _ = step(match, one)
    game = reduce(replay_record, RECORDS, ReplayedGame())
    assert (game.name, game.player_at, game.match) == ("g", {Seat.LEFT: 1, Seat.RIGHT: 0}, match)
    entries = [JournalEntry(number, 0, record.type, record.body, 0) for number, record in enumerate(RECORDS, 1)]
    state = recover_state(TableState(1), entries).state
    assert (state.assignment, state.player_at, state.match) == (GAME, game.player_at, match)


def test_the_last_event_is_returned_with_its_effects() -> None:
    game = reduce(replay_record, RECORDS[:-1], ReplayedGame())
    assert game.event == EVENTS[-1]
    assert replay_record(game, RECORDS[-1]).event is None, "a trouble is no event"
    held = replay_record(game, event(Hold(10 * NS_PER_S, Seat.RIGHT)))
    assert held.match is not None and held.match.phase is Phase.HOLD and held.effects


def test_events_of_other_games_and_withdrawn_games_are_ignored() -> None:
    game = reduce(replay_record, RECORDS, ReplayedGame())
    assert replay_record(game, event(EVENTS[1], game="h")) == game
    assert replay_record(game, TableRecord(9, "withdrawn", {"game": "g"})) == ReplayedGame()
    assert replay_record(ReplayedGame(), event(EVENTS[1])) == ReplayedGame()


@pytest.mark.parametrize(
    "record",
    [
        event(EVENTS[0]),
        TableRecord(9, "event", {"game": "g", "event": {"type": "tomorrow"}}),
        TableRecord(9, "event", {}),
        TableRecord(9, "seated", {"at": {"above": 0}}),
        TableRecord(9, "assigned", {"assignment": {"game": 7}}),
    ],
    ids=["refused by the rules", "unknown event", "no event", "no such seat", "no assignment"],
)
def test_an_unreadable_event_is_reported_with_its_game(record: TableRecord) -> None:
    game = reduce(replay_record, RECORDS, ReplayedGame())
    with pytest.raises(UnfollowableRecordError, match=f"type {record.type} of game g cannot be followed"):
        replay_record(game, record)
