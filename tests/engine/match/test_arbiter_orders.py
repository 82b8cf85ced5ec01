"""Tests of the arbiter's orders at the table, other than stopping and starting the clock (K-05, K-15)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from matches.games import START, changed
from matches.games import after as board_after
from matches.steps import FINAL, READ, B, S, W, after, effects, illegal, played, press, pressed, read, started

from engine.end_reason import EndReason
from engine.match import CallArbiter, GameResult, IllegalEvent, MatchState, Phase, Seat, Setup, new_match, step
from engine.match.arbiter_order_specs_and_parser import order_refusal
from engine.match.match_events_and_effects import (
    Action,
    Agree,
    ArbiterOrder,
    Arrive,
    Choose,
    Confirm,
    Hold,
    Restart,
    Tick,
    TimeWinChoice,
)
from engine.match.match_value_types import TurnKind
from engine.match.rule_sets_and_options import NoShowPolicy

F5, F5D6 = board_after("f5"), board_after("f5d6")


def hold(state: MatchState, at_s: float, seat: Seat = Seat.LEFT) -> MatchState:
    return after(state, Hold(round(at_s * S), seat))


def resume(at_s: float) -> ArbiterOrder:
    return ArbiterOrder(round(at_s * S), Action.RESUME)


def times(at_s: float, **more: object) -> ArbiterOrder:
    return ArbiterOrder(round(at_s * S), Action.SET_TIME, "fault", black_ns=600 * S, white_ns=500 * S, **more)  # type: ignore[arg-type]


def test_of_two_moves_without_a_press_the_second_is_that_of_the_player_whose_turn_is_set() -> None:
    state = after(started(), read(5, F5D6), times(10, turn=W))
    assert (state.to_move, state.transcript, state.turn_board) == (W, "f5", F5)
    completed = pressed(state, W, 11, F5D6)
    assert completed.transcript == "f5d6"
    # an order names the state that its arbiter saw
    assert started().revision < state.revision < completed.revision


def test_a_board_corrected_during_a_hold_starts_the_turn() -> None:
    """A flip made during a hold turns the illegal turn into a move, and the next turn starts from that board."""
    wrong = changed(F5D6, d5="X")
    state = pressed(played("f5"), W, 2, wrong)
    assert state.turns[-1].kind is TurnKind.ILLEGAL and len(state.findings) == 1
    state = after(hold(state, 3), read(20, F5D6), resume(30))
    assert (state.turn_board, state.mid_move, state.transcript) == (F5D6, False, "f5d6")
    assert state.turns[-1].kind is TurnKind.MOVE
    assert any(message.kind == "board-adopted" for message in state.shown_to_arbiter)
    state = pressed(state, B, 40, board_after("f5d6c3"))
    assert (state.transcript, state.phase, len(state.findings)) == ("f5d6c3", Phase.TURN, 1)


def test_a_board_corrected_after_the_last_move_may_show_that_it_was_not_the_last() -> None:
    """Black's c3 left d2 unturned, so that neither side could move; with d2 turned, White has c1."""
    moves = (
        "f5f6f7d6c6e3e6g5e2c5g4e7c4b6c7e1g6h6a7e8f3h5g2b5g8d3h3g3f2g1b3f4a6f1h1f8h7b4d1h2c2d2d7h4a3g7d8a4a5b8b7c8a8a2a1b2"
        "b1h8c3"
    )
    right = board_after(moves)
    state = pressed(played(moves[:-2]), B, 60, changed(right, d2="O"))
    assert (state.phase, state.side) == (Phase.CHECK, B)
    state = after(hold(state, 61, Seat.RIGHT), read(70, right), resume(80))
    assert (state.phase, state.side, state.running(), state.last_move_ns) == (Phase.TURN, W, W, None)
    state = pressed(state, W, 90, board_after(moves + "c1"))
    assert state.transcript == moves + "c1"


def test_a_board_restored_during_a_hold_removes_the_turns_since() -> None:
    """The board of two turns ago removes both turns; the player to move is the same."""
    state = after(hold(played("f5d6c3"), 4), read(20, F5), resume(30))
    assert (state.side, state.turn_board, state.transcript) == (W, F5, "f5")
    one = after(hold(played("f5d6"), 4), read(20, F5), times(25, turn=W), resume(30))
    assert (one.running(), one.turn_board, one.transcript) == (W, F5, "f5")


def test_a_first_turn_may_begin_from_another_board() -> None:
    other = changed(START, c3="X", f6="O")
    state = after(hold(started(), 1), read(5, other), resume(9))
    assert (state.start_board, state.mid_move) == (other, False)


def test_a_disc_placed_during_a_hold_begins_the_move() -> None:
    placed = changed(F5, d6="O")
    state = after(hold(played("f5"), 3), read(20, placed), resume(30))
    assert (state.turn_board, state.mid_move) == (F5, True)
    assert pressed(state, W, 32, F5D6).transcript == "f5d6"


@pytest.mark.parametrize(("at_s", "adopted"), [(5, False), (7, True)])
def test_a_reading_just_after_the_clock_stopped_is_not_adopted(at_s: int, adopted: bool) -> None:
    turned = changed(F5, e5="O")
    state = after(hold(played("f5"), 3), read(at_s, turned), resume(30))
    assert (state.turn_board == turned) is adopted


def challenged() -> MatchState:
    """Return the state in which White has not flipped d5, Black has named it, and White does not agree."""
    wrong = changed(F5D6, d5="X")
    state = pressed(played("f5"), W, 2, wrong)
    state = after(state, illegal(B, 3, "IM-4", "d5"))
    assert any(isinstance(effect, CallArbiter) for effect in effects(state, Agree(4 * S, agree=False)))
    return after(state, Agree(4 * S, agree=False))


@pytest.mark.parametrize(("upheld", "phase", "runs"), [(True, Phase.CORR, W), (False, Phase.TURN, B)])
def test_the_arbiter_rules_on_a_challenge(upheld: bool, phase: Phase, runs: object) -> None:
    state = after(challenged(), ArbiterOrder(10 * S, Action.CHALLENGE, "seen", upheld=upheld))
    assert state.phase is Phase.HOLD
    state = after(state, resume(20))
    assert (state.phase, state.running()) == (phase, runs)
    with pytest.raises(IllegalEvent, match="no challenge"):
        step(hold(played("f5"), 3), ArbiterOrder(4 * S, Action.CHALLENGE, upheld=True))


def test_a_challenge_upheld_in_the_countdown_is_a_time_loss_after_the_correction() -> None:
    setup = replace(READ, options={"countdown_from_s": 1199})
    state = pressed(played("f5", setup), W, 3, changed(F5D6, d5="X"))
    state = after(state, illegal(B, 4, "IM-4", "d5"), ArbiterOrder(5 * S, Action.CHALLENGE, upheld=True), read(6, F5D6))
    state = after(state, press(W, 7))
    assert (state.phase, state.side) == (Phase.CHOICE, B)


def test_every_order_is_logged_with_its_figures() -> None:
    state = after(challenged(), times(9, turn=B))
    last = state.arbiter_log[-1]
    assert (last.action, last.reason) == ("set_time", "fault")
    assert f"black_ns={600 * S}" in last.detail and "turn=black" in last.detail


def test_colours_and_seats_are_settled_again_before_the_first_turn_only() -> None:
    begun, moved = started(), played("f5")
    late = after(new_match(Setup()), ArbiterOrder(1 * S, Action.LATE_START, side=Seat.RIGHT), Restart(2 * S))
    assert order_refusal(begun, Action.REOPEN) is order_refusal(hold(begun, 5), Action.REOPEN) is None
    for state, why in ((moved, "a turn has been made"), (hold(moved, 5), "a turn has been made"), (late, "not being")):
        assert why in str(order_refusal(state, Action.REOPEN))


NEVER_CAME = (ArbiterOrder(0, Action.LATE_START, "absent", side=Seat.RIGHT), Tick(1300 * S))


def test_the_arbiter_decides_a_late_players_game_before_anybody_signs() -> None:
    """AMB-05: 64-0, unrated, is recorded, and nobody can sign until the arbiter has chosen the reading of the rule."""
    state = after(new_match(READ), *NEVER_CAME)
    assert (state.phase, state.result, state.reading_open) == (
        Phase.RESULT,
        GameResult(B, 64, 0, EndReason.LATE, rated=False),
        True,
    )
    assert state.clock.since_ns == 1200 * S, "the time was over before the tick"
    with pytest.raises(IllegalEvent, match="arbiter"):
        step(state, Confirm(1301 * S, B))
    with pytest.raises(IllegalEvent, match="two results"):
        step(state, ArbiterOrder(1301 * S, Action.LATE_READING))
    forfeit = after(
        state, ArbiterOrder(1301 * S, Action.LATE_READING, reading=NoShowPolicy.FORFEIT), Confirm(1302 * S, B)
    )
    assert (forfeit.phase, forfeit.result) == (Phase.SIGNED, state.result)
    loss = after(state, ArbiterOrder(1301 * S, Action.LATE_READING, reading=NoShowPolicy.CHOICE))
    assert (loss.phase, loss.side, loss.result, loss.reading_open) == (Phase.CHOICE, B, None, False)
    won = after(loss, Choose(1302 * S, TimeWinChoice.SCORE))
    assert won.result == GameResult(B, 33, 31, EndReason.TIME, rated=True)
    with pytest.raises(IllegalEvent):
        step(won, ArbiterOrder(1303 * S, Action.LATE_READING, reading=NoShowPolicy.FORFEIT))


def test_a_player_who_never_came_need_not_sign_a_loss_on_time_nor_a_withdrawal() -> None:
    """AMB-05, TEAM-7.8a: the opponent alone signs; a player who has come signs as usual."""
    decided = ArbiterOrder(1301 * S, Action.LATE_READING, reading=NoShowPolicy.CHOICE)
    loss = after(new_match(READ), *NEVER_CAME, decided, Choose(1302 * S, TimeWinChoice.SCORE))
    withdrawn = ArbiterOrder(900 * S, Action.FORFEIT, "withdrew", side=Seat.RIGHT)
    team = new_match(replace(READ, rules="team", draw_right=W))
    alone = after(team, NEVER_CAME[0], withdrawn)
    for state in (loss, alone):
        assert after(state, Confirm(1303 * S, B)).phase is Phase.SIGNED
        assert after(state, Confirm(1303 * S, W)).phase is Phase.RESULT
    came = after(team, NEVER_CAME[0], Arrive(800 * S), withdrawn)
    assert after(came, Confirm(1303 * S, B)).phase is Phase.RESULT


@pytest.mark.parametrize("reading", ["forfeit", "choice"])
def test_a_reading_chosen_in_the_options_needs_no_arbiter(reading: str) -> None:
    state = after(new_match(replace(READ, options={"late_never_came": reading})), *NEVER_CAME)
    assert not state.reading_open


def test_an_entered_result_settles_a_late_players_game() -> None:
    state = after(new_match(READ), *NEVER_CAME)
    entered = ArbiterOrder(1301 * S, Action.RESULT, "so", winner=B, black_discs=40, white_discs=24)
    assert after(state, entered, Confirm(1302 * S, B), Confirm(1303 * S, W)).phase is Phase.SIGNED


CHOUCHOU = after(new_match(Setup(rules="chouchou", black_seat=Seat.LEFT, main_ns=600 * S)), resume(0))


def test_a_deduction_uses_the_periods_that_are_left() -> None:
    """CC-SUP-2, CC-WIN-5: with 20 s of the main time and the 60 s of the extension left, 80 s may be deducted."""

    def deduction(seconds: int) -> ArbiterOrder:
        return ArbiterOrder(580 * S, Action.DEDUCT, "unfair", side=B, amount_ns=seconds * S)

    for seconds, left_s in ((10, 10), (30, 50), (80, 0)):
        state = after(CHOUCHOU, deduction(seconds))
        assert (state.phase, state.remaining_ns(B, 580 * S)) == (Phase.TURN, left_s * S)
    lost = after(CHOUCHOU, deduction(81))
    assert (lost.phase, lost.flag_at_ns(B, 580 * S)) == (Phase.RESULT, 580 * S)
    counting = after(started(replace(READ, rules="casual", options={"control": "up-count"})), deduction(30))
    assert counting.remaining_ns(B, 580 * S) == 610 * S, "the time used"


def test_the_cost_of_an_unfounded_challenge_uses_the_periods_that_are_left() -> None:
    options = {"control": "byo-yomi", "period_s": 30, "unfounded_challenge_s": 20}
    state = played("f5d6", replace(READ, options=options))
    state = after(state, illegal(B, 1196, "IM-3"), press(W, 1200))
    assert (state.flag(B, 1200 * S), state.remaining_ns(B, 1200 * S)) == (False, 15 * S)


def test_no_main_time_begins_the_first_period() -> None:
    order = ArbiterOrder(580 * S, Action.SET_TIME, "fault", black_ns=0, white_ns=600 * S)
    assert after(CHOUCHOU, order).remaining_ns(B, 590 * S) == 50 * S
    sudden = after(started(), replace(order, at_ns=1 * S))
    assert sudden.flag(B, 1 * S)


def test_the_arbiter_reads_of_a_flag_again_that_was_lifted_and_falls_once_more() -> None:
    """TEAM-7.6, M43-16.3."""
    state = after(started(replace(READ, rules="team", draw_right=W)), Tick(1201 * S), Tick(1202 * S))
    lifted = ArbiterOrder(1205 * S, Action.SET_TIME, "fault", black_ns=60 * S, white_ns=1200 * S)
    for event, told in ((lifted, ["flag"]), (Tick(1266 * S), ["flag"] * 2), (Tick(1267 * S), ["flag"] * 2)):
        state = after(state, event)
        assert [message.kind for message in state.shown_to_arbiter] == told
    both = after(started(), Tick(1201 * S), replace(lifted, black_ns=0, white_ns=0))
    both = after(both, replace(lifted, at_ns=1206 * S, white_ns=0), Tick(1270 * S))
    assert [message.kind for message in both.shown_to_arbiter] == ["both-flags"] * 2


@pytest.mark.parametrize("setup", [FINAL, replace(READ, rules="team", draw_right=W)])
def test_an_entered_result_is_no_draw_in_a_game_that_knows_none(setup: Setup) -> None:
    """M43-2, TEAM-5: of 32-32 the arbiter names the winner."""
    drawn = ArbiterOrder(5 * S, Action.RESULT, "seen", black_discs=32, white_discs=32)
    with pytest.raises(IllegalEvent, match="name the winner"):
        after(started(setup), drawn)
    assert after(started(setup), replace(drawn, winner=W)).phase is Phase.RESULT
    assert after(started(), drawn).phase is Phase.RESULT
