"""Tests of board readings that come late or never, or are corrected."""

from __future__ import annotations

from dataclasses import replace

import pytest
from matches import games
from matches.steps import READ, B, S, W, after, played, press, pressed, read, started

from engine.match import IllegalEvent, Phase
from engine.match.match_events_and_effects import BoardReported, CorrectReading
from engine.match.match_value_types import TurnKind

F5, D6, C3 = games.after("f5"), games.after("f5d6"), games.after("f5d6c3")


def test_a_late_reading_judges_the_turn_it_belongs_to() -> None:
    state = after(started(), press(B, 1), press(W, 2))
    assert (state.phase, state.side, state.move_number) == (Phase.TURN, B, 3)
    state = after(state, read(3, F5, 1), read(4, D6, 2))
    assert (state.phase, state.side, state.transcript, state.move_number) == (Phase.TURN, B, "f5d6", 3)


def test_the_arbiter_is_notified_of_an_unread_board() -> None:
    state = after(started(), press(B, 1), press(W, 2), press(B, 3), read(4, C3, 3))
    assert [turn.kind for turn in state.turns] == [TurnKind.UNREAD] * 3
    assert [message.kind for message in state.shown_to_arbiter] == ["unread"]
    assert not state.findings
    state = pressed(state, W, 5, games.after("f5d6c3d3"))
    assert state.turns[-1].move == "d3"


def test_a_reading_older_than_the_turn_is_ignored() -> None:
    state = played("f5d6")
    assert after(state, BoardReported(state.turn_since_ns - 1, F5)) is state


def test_without_a_board_source_a_reading_is_refused() -> None:
    with pytest.raises(IllegalEvent):
        after(started(replace(READ, has_board_source=False)), read(1, F5))


def test_a_correction_to_the_board_before_the_turn_is_refused() -> None:
    with pytest.raises(IllegalEvent, match="challenge"):
        after(played("f5"), CorrectReading(25 * S, games.START))
