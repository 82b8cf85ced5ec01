"""Tests of corrected board readings: the last turn is judged as if the corrected reading had been the first."""

from __future__ import annotations

import pytest
from matches.steps import S, W, illegal

from engine.board.position import Position
from engine.match import IllegalEvent, MatchState, Setup, new_match, step
from engine.match.match_events_and_effects import BoardReported, CorrectReading, Event, Hold, Press, SeatsAssigned
from engine.match.match_value_types import Phase, Seat, TurnKind

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
def test_a_corrected_reading_gives_the_same_state_as_a_right_first_one(first: str) -> None:
    at_once = match(BoardReported(21 * S, F5, 1))
    reread = match(BoardReported(21 * S, first, 1), CorrectReading(25 * S, F5))
    assert reread.turns == at_once.turns and reread.transcript == "f5"
    assert (reread.phase, reread.side, reread.board) == (at_once.phase, at_once.side, at_once.board)
    assert reread.findings == ()
    assert reread.clock == at_once.clock


def test_findings_follow_the_corrected_reading() -> None:
    wrong = match(BoardReported(21 * S, F5, 1), CorrectReading(25 * S, WRONG))
    assert [finding.ply for finding in wrong.findings] == [1]
    assert wrong.turns[0].kind in (TurnKind.ILLEGAL, TurnKind.TOO_LARGE)
    assert step(wrong, CorrectReading(26 * S, F5))[0].findings == ()


def test_a_reading_can_be_corrected_during_a_hold() -> None:
    state = match(BoardReported(21 * S, D3, 1), Hold(30 * S, Seat.LEFT), CorrectReading(35 * S, F5))
    assert state.phase is Phase.HOLD and state.transcript == "f5"


@pytest.mark.parametrize(
    "events",
    [
        (),  # its board is still being read
        (BoardReported(21 * S, F5, 1), Press(30 * S, Seat.RIGHT)),  # the next press waits
        (BoardReported(21 * S, F5, 1), illegal(W, 22)),  # it has been challenged
    ],
    ids=["pending", "next", "challenged"],
)
def test_a_correction_is_refused_once_later_events_depend_on_the_reading(events: tuple[Event, ...]) -> None:
    state = match(*events)
    with pytest.raises(IllegalEvent):
        step(state, CorrectReading(40 * S, D3))


def test_a_correction_to_the_board_before_the_turn_is_refused() -> None:
    with pytest.raises(IllegalEvent, match="challenge"):
        step(match(BoardReported(21 * S, F5, 1)), CorrectReading(25 * S, START.cells()))
