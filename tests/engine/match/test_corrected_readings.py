"""Tests of corrected board readings: the last turn is judged as if it had been read so at first."""

from __future__ import annotations

import pytest
from matches.steps import S

from engine.board.color import Color
from engine.board.position import Position
from engine.match import IllegalEvent, MatchState, Setup, new_match, step
from engine.match.match_events import (
    BoardReported,
    ClaimKind,
    CorrectReading,
    Event,
    Hold,
    PlayerClaim,
    Press,
    SeatsAssigned,
)
from engine.match.model import Phase, Seat, TurnKind
from kiosk.link.game_replay import event_from_dict, event_to_dict

START = Position.start()
F5 = START.play(START.geometry.square("f5")).cells()
D3 = START.play(START.geometry.square("d3")).cells()
WRONG = "X" + F5[1:]


def match(*events: Event) -> MatchState:
    state = new_match(Setup(has_board_source=True))
    for event in (SeatsAssigned(0, Seat.LEFT), Press(0, Seat.RIGHT), Press(20 * S, Seat.LEFT), *events):
        state = step(state, event)[0]
    return state


@pytest.mark.parametrize("first", [D3, WRONG])
def test_the_turn_is_as_if_it_had_been_read_so_at_first(first: str) -> None:
    at_once = match(BoardReported(21 * S, F5, 1))
    reread = match(BoardReported(21 * S, first, 1), CorrectReading(25 * S, F5))
    assert reread.turns == at_once.turns and reread.transcript == "f5"
    assert (reread.phase, reread.side, reread.board) == (at_once.phase, at_once.side, at_once.board)
    assert reread.findings == ()
    assert reread.clock == at_once.clock


def test_a_finding_comes_and_goes_with_the_reading() -> None:
    wrong = match(BoardReported(21 * S, F5, 1), CorrectReading(25 * S, WRONG))
    assert [finding.ply for finding in wrong.findings] == [1]
    assert wrong.turns[0].kind in (TurnKind.ILLEGAL, TurnKind.TOO_LARGE)
    assert step(wrong, CorrectReading(26 * S, F5))[0].findings == ()


def test_it_is_possible_on_hold_and_the_game_goes_on_from_it() -> None:
    held = match(BoardReported(21 * S, D3, 1), Hold(30 * S, Seat.LEFT), CorrectReading(35 * S, F5))
    assert held.phase is Phase.HOLD and held.transcript == "f5"


@pytest.mark.parametrize(
    "events",
    [
        (),  # its board is still being read
        (BoardReported(21 * S, F5, 1), Press(30 * S, Seat.RIGHT)),  # the next press waits
        (BoardReported(21 * S, F5, 1), PlayerClaim(22 * S, Color.WHITE, ClaimKind.ILLEGAL)),  # it has been challenged
    ],
    ids=["pending", "next", "challenged"],
)
def test_nothing_is_read_anew_once_something_was_built_on_it(events: tuple[Event, ...]) -> None:
    state = match(*events)
    with pytest.raises(IllegalEvent):
        step(state, CorrectReading(40 * S, D3))


def test_an_unchanged_board_would_be_a_challenge() -> None:
    with pytest.raises(IllegalEvent, match="challenge"):
        step(match(BoardReported(21 * S, F5, 1)), CorrectReading(25 * S, START.cells()))


def test_the_journal_knows_it() -> None:
    event = CorrectReading(5, F5)
    assert event_from_dict(event_to_dict(event)) == event
