"""Tests of board changes by somebody other than the player who pressed: they are attributed to the right player."""

from __future__ import annotations

from dataclasses import replace

import pytest
from matches import games
from matches.steps import READ, B, S, W, after, illegal, played, pressed, read, started

from engine.board.position import Position
from engine.match import IllegalEvent, MatchState, Phase, Seat
from engine.match.match_events_and_effects import Action, ArbiterOrder, Hold
from engine.match.match_value_types import TurnKind

F5 = games.after("f5")
#: after f5 Black moves again: d3 is legal for him there
SECOND = Position.from_cells(F5, B).play(Position.from_cells(F5, B).geometry.square("d3")).cells()
FORGOTTEN = games.changed(games.after("f5d6"), d5="X")


def violations(state: MatchState) -> list[tuple[int, str, str]]:
    return [(found.ply, str(found.by), found.kind) for found in state.findings]


def moved_again(**options: object) -> MatchState:
    return after(pressed(started(replace(READ, options=options)), B, 10, F5), read(12, SECOND))


def test_a_press_after_a_move_out_of_turn_is_a_challenge() -> None:
    """Under the reading ``challenge`` the move is attributed to the player who made it."""
    state = pressed(moved_again(out_of_turn_press="challenge"), W, 15, SECOND)
    assert (state.phase, state.side, state.running()) == (Phase.CORR, B, B)
    assert violations(state) == [(2, "black", "IM-2")]
    assert [turn.kind for turn in state.turns] == [TurnKind.MOVE]
    named = after(state, illegal(W, 16, "IM-2"))
    assert named.notice is not None and named.notice.kind == "challenge-confirmed"
    back = pressed(after(named, read(18, F5)), B, 20, F5)
    assert (back.phase, back.side, back.transcript) == (Phase.TURN, W, "f5")
    assert pressed(back, W, 30, games.after("f5d6")).transcript == "f5d6"


@pytest.mark.parametrize("stopped", [False, True])
def test_a_press_after_a_move_out_of_turn_can_be_named_as_a_challenge(stopped: bool) -> None:
    """M43-6a.3: the challenge may be named after the press, or after the clock was stopped."""
    state = pressed(moved_again(), W, 15, SECOND)
    state = after(state, Hold(16 * S, Seat.RIGHT)) if stopped else state
    challenged = after(state, illegal(W, 17, "IM-2"))
    assert (challenged.phase, challenged.side, challenged.running()) == (Phase.CORR, B, B)
    assert challenged.notice is not None and challenged.notice.kind == "challenge-confirmed"
    back = pressed(after(challenged, read(18, F5)), B, 20, F5)
    assert (back.phase, back.side, back.transcript, violations(back)) == (Phase.TURN, W, "f5", violations(state))


@pytest.mark.parametrize("claimed", [False, True])
def test_after_a_move_out_of_turn_was_taken_back_the_game_is_recorded_as_usual(claimed: bool) -> None:
    """K-08, K-09: the next turns of both are moves, and an unturned disc in one is a finding that can be challenged."""
    state = (
        after(moved_again(), illegal(W, 15, "IM-2"), read(18, F5)) if claimed else pressed(moved_again(), W, 15, SECOND)
    )
    state = pressed(pressed(state, B, 20, F5), W, 30, games.after("f5d6"))
    played_on = pressed(pressed(state, B, 40, games.after("f5d6c3")), W, 50, games.after("f5d6c3d3"))
    assert (played_on.transcript, played_on.move_number) == ("f5d6c3d3", 5)
    unturned = pressed(state, B, 40, games.changed(games.after("f5d6c3"), d4="O"))
    assert violations(unturned)[1:] == [(3, "black", "IM-4")]
    challenged = after(unturned, illegal(W, 42, "IM-4", "d4"))
    assert challenged.notice is not None and challenged.notice.kind == "challenge-confirmed"


def test_after_a_move_out_of_turn_that_stands_the_game_is_recorded_as_usual() -> None:
    """IM-12: White moves twice, Black presses without naming it, and White does not take the second move back."""
    twice = Position.from_cells(games.after("f5d6"), W)
    board = twice.play(twice.geometry.square("f4"))
    state = pressed(pressed(played("f5d6"), B, 10, board.cells()), W, 20, board.cells())
    by_black = Position.from_cells(board.cells(), B).play(board.geometry.square("d3"))
    by_white = by_black.play(board.geometry.square("d2"))
    state = pressed(pressed(state, B, 30, by_black.cells()), W, 40, by_white.cells())
    assert (state.transcript, violations(state)) == ("f5d6d3d2", [(3, "white", "IM-2")])


def test_a_challenge_does_not_start_a_clock_stopped_by_the_arbiter() -> None:
    state = after(pressed(started(), B, 10, F5), ArbiterOrder(12 * S, Action.HOLD))
    with pytest.raises(IllegalEvent):
        after(state, illegal(W, 13))


def test_a_claim_of_a_move_out_of_turn_is_accepted_though_the_board_changed() -> None:
    state = after(moved_again(), illegal(W, 15, "IM-2"))
    assert (state.phase, state.side) == (Phase.CORR, B)
    assert state.notice is not None and state.notice.kind == "challenge-confirmed"
    assert violations(state) == [(2, "black", "IM-2")]
    denied = after(moved_again(), illegal(W, 15, "IM-3"))
    assert denied.notice is not None and denied.notice.kind == "challenge-denied"


def test_a_correction_after_the_press_is_not_attributed_to_the_opponent() -> None:
    state = pressed(pressed(started(), B, 10, F5), W, 20, FORGOTTEN)
    assert violations(state) == [(2, "white", "IM-4")]
    state = pressed(state, B, 30, games.after("f5d6c3"))
    assert violations(state) == [(2, "white", "IM-4")]
    assert (state.transcript, state.turns[-1].kind, state.phase) == ("f5d6c3", TurnKind.MOVE, Phase.TURN)


@pytest.mark.parametrize("replied", [True, False])
def test_a_forced_pass_without_a_press_is_recorded_and_no_violation(replied: bool) -> None:
    moves = [games.PASSES[at : at + 2] for at in range(0, len(games.PASSES), 2)]
    ply = moves.index("--")
    state = played("".join(moves[:ply]))
    passer, transcript = state.to_move, "".join(moves[: ply + 2 + replied])
    board = games.after(transcript)
    at_s = state.clock.since_ns // S + 10
    state = pressed(state, passer, at_s, board)
    assert (state.findings, state.transcript) == ((), transcript)
    if replied:
        assert (state.phase, state.side) == (Phase.CHECK, passer), "it was the last move of the game"
    else:
        assert (state.phase, state.side) == (Phase.TURN, passer.opponent)
        state = pressed(state, passer.opponent, at_s + 5, board)
        assert (state.findings, state.transcript, state.side) == ((), transcript, passer)
