"""Tests of rows 1 to 14 of the M43 state machine (RULES.md 3.3): the start, turns, challenges, the clock."""

from __future__ import annotations

from dataclasses import replace

import pytest
from matches import games
from matches.steps import READ, WRONG, B, S, W, after, effects, illegal, played, press, pressed, read, started, where

from engine.end_reason import EndReason
from engine.match import CallArbiter, GameResult, IllegalEvent, Phase, Seat, Setup, new_match
from engine.match.match_events_and_effects import (
    Action,
    Agree,
    ArbiterOrder,
    Arrive,
    Event,
    Hold,
    Pass,
    SeatsAssigned,
    Tick,
)
from engine.match.match_value_types import TurnKind

OPEN = Setup()
F5 = games.after("f5")
LATE_START = ArbiterOrder(0, Action.LATE_START, "absent", side=Seat.RIGHT)


def test_row_1_set_up_settled() -> None:
    state = after(new_match(OPEN), SeatsAssigned(5 * S, Seat.RIGHT, W))
    assert (state.phase, state.black_seat, state.draw_right) == (Phase.READY, Seat.RIGHT, W)
    assert state.remaining_ns(B, 9 * S) == state.remaining_ns(W, 9 * S) == 1200 * S


def test_row_2_late() -> None:
    state = after(new_match(OPEN), LATE_START, press(B, 3))
    assert (state.phase, state.late, state.clock.running) == (Phase.LATE, Seat.RIGHT, Seat.RIGHT)
    assert state.remaining_ns(Seat.RIGHT, 10 * S) == 1193 * S
    with pytest.raises(IllegalEvent):
        after(state, press(B, 4))


@pytest.mark.parametrize("arrival", [Arrive(60 * S), Hold(60 * S, Seat.RIGHT), Hold(60 * S, Seat.LEFT), press(W, 60),
                                     ArbiterOrder(60 * S, Action.RESUME)])  # fmt: skip
def test_row_3_the_late_player_arrives(arrival: Event) -> None:
    state = after(new_match(OPEN), LATE_START, arrival)
    assert (state.phase, state.clock.running) == (Phase.SETUP, None)
    assert (state.remaining_ns(Seat.LEFT, 99 * S), state.remaining_ns(Seat.RIGHT, 99 * S)) == (1200 * S, 1140 * S)
    # M43-12.1: the seat was chosen before the colour; here the late player gets Black.
    assert after(state, SeatsAssigned(70 * S, Seat.RIGHT)).remaining_ns(B, 99 * S) == 1140 * S
    assert after(new_match(READ), LATE_START, arrival).phase is Phase.READY


def test_row_4_the_late_player_chooses_a_forfeit() -> None:
    forfeit = ArbiterOrder(61 * S, Action.FORFEIT, "chosen", side=Seat.RIGHT)
    for events in ([LATE_START, forfeit], [LATE_START, Arrive(60 * S), forfeit]):
        state = after(new_match(READ), *events)
        assert (state.phase, state.result) == (Phase.RESULT, GameResult(B, 64, 0, EndReason.LATE, rated=False))
    # Colours still open: the card needs two, and the player present gets Black.
    state = after(new_match(OPEN), LATE_START, forfeit)
    assert (state.result, state.color_at(Seat.LEFT)) == (GameResult(B, 64, 0, EndReason.LATE, rated=False), B)


def test_row_5_the_late_players_time_is_used_up() -> None:
    state = after(new_match(READ), LATE_START)
    assert state.next_deadline_ns() == 1200 * S
    assert after(state, Tick(1200 * S - 1)) is state
    state = after(state, Tick(1200 * S))
    assert (state.phase, state.result) == (Phase.RESULT, GameResult(B, 64, 0, EndReason.LATE, rated=False))
    assert (state.clock.running, state.next_deadline_ns()) == (None, None)
    choice = after(new_match(replace(READ, options={"late_never_came": "choice"})), LATE_START, Tick(1300 * S))
    assert where(choice) == (Phase.CHOICE, B, None)


def test_row_5_after_a_deduction() -> None:
    deduct = ArbiterOrder(5 * S, Action.DEDUCT, "noise", side=W, amount_ns=1300 * S)
    assert after(new_match(READ), LATE_START, deduct).phase is Phase.RESULT


def test_row_6_white_starts() -> None:
    state = after(new_match(READ), press(W, 3))
    assert where(state) == (Phase.TURN, B, B)
    with pytest.raises(IllegalEvent):
        after(new_match(READ), press(B, 3))


def test_row_7_a_move() -> None:
    state = pressed(started(), B, 5, F5)
    assert where(state) == (Phase.TURN, W, W)
    assert (state.transcript, state.move_number, state.turn_board) == ("f5", 2, F5)
    assert where(after(started(replace(READ, has_board_source=False)), press(B, 5))) == (Phase.TURN, W, W)


def test_row_8_a_pass() -> None:
    number = games.PASSES.index("--") // 2
    state = played(games.PASSES[: 2 * number])
    at_s = number + 5
    state = pressed(after(state, Pass((at_s - 1) * S, B)), B, at_s, state.board)
    assert where(state) == (Phase.TURN, W, W)
    assert state.turns[-1].kind is TurnKind.PASS and state.transcript.endswith("--")
    assert not state.findings


def test_row_8_a_false_pass_is_im_7_and_only_if_declared() -> None:
    state = pressed(after(played("f5d6"), Pass(3 * S, B)), B, 4, games.after("f5d6"))
    assert where(state) == (Phase.TURN, W, W)
    assert [finding.kind for finding in state.findings] == ["IM-7"]
    assert state.turns[-1].kind is TurnKind.FALSE_PASS
    assert state.shown_to_players[-1].kind == "pass"


def test_row_9_a_challenge() -> None:
    for state in (pressed(played("f5d6"), B, 5, games.after("f5d6")), after(played("f5d6"), illegal(B, 5, "IM-3"))):
        assert where(state) == (Phase.CORR, W, W)
        assert state.remaining_ns(B, 9 * S) == 1196 * S


def test_row_9_no_challenge_after_a_pass_or_a_touch() -> None:
    touched = after(played("f5d6"), read(4, games.changed(games.after("f5d6"), c3="X")))
    declared = after(played("f5d6"), Pass(4 * S, B))
    for state in (touched, declared):
        with pytest.raises(IllegalEvent, match=r"M43-6a\.2"):
            after(state, illegal(B, 5, "IM-3"))


def test_row_10_corrected() -> None:
    state = pressed(played("f5"), W, 2, WRONG)
    state = pressed(state, B, 3, WRONG)
    state = pressed(state, W, 7, games.after("f5d6"))
    assert where(state) == (Phase.TURN, B, B)
    assert (state.transcript, state.turn_board) == ("f5d6", games.after("f5d6"))
    again = pressed(state, B, 8, games.after("f5d6"))
    assert where(again) == (Phase.CORR, W, W)


def test_row_10_another_move_instead() -> None:
    """A disc on an impossible square (IM-3) is taken back and another move is played."""
    state = pressed(played("f5"), W, 2, games.changed(F5, a1="O"))
    assert state.findings[0].kind == "IM-3"
    state = pressed(pressed(state, B, 3, state.board), W, 7, games.after("f5f6"))
    assert (state.transcript, state.turns[-1].kind) == ("f5f6", TurnKind.MOVE)


@pytest.mark.parametrize("left_s", [60, 61])
def test_row_11_in_the_countdown(left_s: int) -> None:
    state = played("f5", replace(READ, options={"countdown_from_s": 60}))
    at_s = 1 + 1200 - left_s
    state = pressed(pressed(state, W, at_s, WRONG), B, at_s + 1, WRONG)
    for agreed in (True, False):
        agree = [Agree((at_s + 2) * S, True)] if agreed else []
        corrected = pressed(after(state, *agree), W, at_s + 3, games.after("f5d6"))
        is_time_loss = agreed and left_s == 60
        assert where(corrected) == ((Phase.CHOICE, B, None) if is_time_loss else (Phase.TURN, B, B))
        assert corrected.transcript == "f5d6"


def test_row_12_no_agreement() -> None:
    state = pressed(played("f5d6"), B, 5, games.after("f5d6"))
    assert any(isinstance(effect, CallArbiter) for effect in effects(state, Agree(6 * S, False)))
    state = after(state, Agree(6 * S, False))
    assert (state.phase, state.running(), state.resume_phase) == (Phase.HOLD, None, Phase.CORR)


@pytest.mark.parametrize("phase", [Phase.TURN, Phase.CORR, Phase.CHECK])
def test_row_13_hold_remembers_the_running_side(phase: Phase) -> None:
    state = played(games.WIPE_OUT) if phase is Phase.CHECK else played("f5d6")
    if phase is Phase.CORR:
        state = after(state, illegal(B, 3, "IM-3"))
    on_hold = after(state, Hold(20 * S, Seat.LEFT))
    assert (on_hold.phase, on_hold.running()) == (Phase.HOLD, None)
    resumed = after(on_hold, ArbiterOrder(100 * S, Action.RESUME))
    assert where(resumed) == where(state) and resumed.phase is phase
    assert resumed.remaining_ns(state.running(), 100 * S) == state.remaining_ns(state.running(), 20 * S)


def test_row_14_a_flag_falls_without_a_message() -> None:
    state = started()
    assert state.flag_at_ns(B, 1200 * S) == 1200 * S and not state.flag(B, 1200 * S - 1)
    assert after(state, Tick(1300 * S)) is state
    state = pressed(state, B, 1300, F5)
    assert (state.flag_at_ns(B, 1400 * S), state.remaining_ns(B, 1400 * S)) == (1200 * S, -100 * S)
    assert where(state) == (Phase.TURN, W, W)
    assert not state.shown_to_players and not state.shown_to_arbiter


@pytest.mark.parametrize("kind", ["IM-8", "IM-10", "four"])
def test_only_illegal_moves_can_be_named(kind: str) -> None:
    """A claim of IM-8 to IM-10 is refused: conduct and large changes are the arbiter's to name."""
    with pytest.raises(IllegalEvent, match="call the arbiter"):
        after(played("f5d6"), illegal(B, 3, kind, "d5"))
