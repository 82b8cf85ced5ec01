"""Tests of rows 15 to 30 of the M43 state machine (RULES.md 3.3): flags, the end, free play, the card."""

from __future__ import annotations

from dataclasses import replace

import pytest
from matches import games
from matches.steps import (
    BLIND,
    F5,
    FINAL,
    READ,
    WRONG,
    B,
    S,
    W,
    after,
    effects,
    flag,
    illegal,
    played,
    press,
    pressed,
    read,
    started,
    where,
)

from engine.board.board_geometry import scan
from engine.board.color import Color
from engine.board.position import Position
from engine.end_reason import EndReason
from engine.match import CallArbiter, CardReady, GameResult, IllegalEvent, Phase, Seat, Setup, proposed_result
from engine.match.match_events_and_effects import (
    Action,
    Agree,
    ArbiterOrder,
    Choose,
    Confirm,
    Declare,
    DeclareEnd,
    DiscCount,
    Event,
    Hold,
    StopFreePlay,
    Submitted,
    Tick,
    TimeWinChoice,
)
from engine.match.match_value_types import TurnKind


@pytest.mark.parametrize("event", [flag(W, 1200), Declare(1200 * S, B)])
def test_row_15_claim_or_declaration(event: Event) -> None:
    corr = after(pressed(started(), B, 1199, F5), illegal(W, 1199, "IM-3"))
    for state in (started(), corr, after(started(), press(B, 1200))):
        after_event = after(state, event)
        assert where(after_event) == (Phase.CHOICE, W, None)
    late = replace(event, at_ns=1199 * S)
    with pytest.raises(IllegalEvent):
        after(started(), late)
    on_hold = after(started(), Hold(1250 * S, Seat.RIGHT))
    assert where(after(on_hold, replace(event, at_ns=1300 * S))) == (Phase.CHOICE, W, None)


def test_row_15_a_correction_on_the_board_counts_without_a_press() -> None:
    state = pressed(pressed(played("f5"), W, 2, WRONG), B, 3, WRONG)
    state = after(state, read(1300, games.after("f5d6")), flag(B, 1301))
    assert (state.phase, state.transcript, state.turn_board) == (Phase.CHOICE, "f5d6", games.after("f5d6"))


def test_row_16_mid_move() -> None:
    state = after(started(), read(1199, games.changed(games.START, f5="X")), flag(W, 1201))
    assert where(state) == (Phase.FINISH, B, B)
    with pytest.raises(IllegalEvent):
        after(state, press(W, 1202))
    assert where(after(state, read(1202, games.changed(F5, e5="O")))) == (Phase.FINISH, B, B)
    for completed in (pressed(state, B, 1203, F5), after(state, read(1203, F5))):
        assert where(completed) == (Phase.CHOICE, W, None)
        assert completed.transcript == "f5"
    on_hold = after(started(), read(1199, games.changed(games.START, f5="X")), Hold(1250 * S, Seat.LEFT), flag(W, 1300))
    assert (on_hold.phase, on_hold.clock.running) == (Phase.FINISH, None)
    assert after(on_hold, press(B, 1310)).phase is Phase.CHOICE


@pytest.mark.parametrize(("setup", "winner"), [(READ, None), (FINAL, W)])
def test_row_17_both_flags(setup: Setup, winner: Color | None) -> None:
    state = pressed(started(setup), B, 1300, F5)
    pointed_out = ArbiterOrder(2500 * S, Action.BOTH_FLAGS)
    for event in (flag(B, 2500), flag(W, 2500), Declare(2500 * S, B), pointed_out):
        assert after(state, event).result == GameResult(winner, 32, 32, EndReason.BOTH_FLAGS, rated=False)
    with pytest.raises(IllegalEvent):
        after(state, replace(pointed_out, at_ns=2499 * S))
    ended = after(played(games.WIPE_OUT[:14], setup), press(W, 1300))
    ended = after(ended, read(1300, games.after(games.WIPE_OUT[:16]), ended.asked))
    ended = pressed(ended, B, 2600, games.after(games.WIPE_OUT))
    ended = after(ended, DeclareEnd(2601 * S, W))
    assert after(ended, flag(W, 2602)).result == GameResult(winner, 32, 32, EndReason.BOTH_FLAGS, rated=False)


def test_row_17_the_arbiter_is_notified() -> None:
    state = pressed(started(), B, 1300, F5)
    assert state.next_deadline_ns() == 2500 * S
    state = after(state, Tick(2500 * S))
    assert [message.kind for message in state.shown_to_arbiter] == ["both-flags"]
    assert not state.shown_to_players


def test_row_18_the_last_move() -> None:
    state = played(games.WIPE_OUT)
    assert where(state) == (Phase.CHECK, B, W)
    assert state.last_move_ns == 9 * S


def test_row_19_the_last_move_is_challenged() -> None:
    state = played(games.WIPE_OUT)
    for challenged in (after(state, press(W, 2000)), after(state, illegal(W, 2000, "IM-3"))):
        assert where(challenged) == (Phase.CORR, B, B)
        back = pressed(challenged, B, 2005, state.board)
        assert where(back) == (Phase.CHECK, B, W)
        assert back.last_move_ns == 9 * S


def test_row_19_a_correction_can_reopen_the_game() -> None:
    state = played(games.WIPE_OUT[:16])
    state = pressed(state, B, 9, games.after(games.WIPE_OUT))
    state = after(state, press(W, 10))
    legal = next(cells for cells in _replies(games.WIPE_OUT[:16]) if "O" in cells)
    state = pressed(state, B, 11, legal)
    assert (state.phase, state.last_move_ns) == (Phase.TURN, None)


def _replies(transcript: str) -> list[str]:
    position = Position.from_cells(games.after(transcript), B)
    return [position.play(square).cells() for square in scan(position.legal_moves())]


def test_row_20_the_end_is_declared() -> None:
    state = after(played(games.WIPE_OUT), DeclareEnd(20 * S, W))
    assert where(state) == (Phase.ENDED, B, None)
    with pytest.raises(IllegalEvent):
        after(played(games.WIPE_OUT), DeclareEnd(20 * S, B))
    blind = after(started(BLIND), press(B, 5), DeclareEnd(9 * S, W))
    assert where(blind) == (Phase.ENDED, B, None)


def test_row_21_the_flag_of_the_last_mover() -> None:
    state = pressed(played(games.WIPE_OUT[:16]), B, 1300, games.after(games.WIPE_OUT))
    ended = after(state, DeclareEnd(1400 * S, W), Confirm(1401 * S, W))
    for before in (state, ended):
        for event in (flag(W, 1500), Declare(1500 * S, B)):
            assert where(after(before, event)) == (Phase.CHOICE, W, None)
    with pytest.raises(IllegalEvent, match="has not fallen"):
        after(played(games.WIPE_OUT), flag(W, 1500))


def test_row_21_amb_06_as_an_option() -> None:
    setup = replace(READ, options={"checking_flag_counts": True})
    assert where(after(played(games.WIPE_OUT, setup), flag(B, 1300))) == (Phase.CHOICE, B, None)
    with pytest.raises(IllegalEvent, match="last move"):
        after(played(games.WIPE_OUT), flag(B, 1300))


def test_row_22_both_agree() -> None:
    state = after(played(games.EMPTIES), DeclareEnd(70 * S, W), Agree(71 * S, True))
    assert (state.phase, state.result) == (Phase.RESULT, GameResult(B, 41, 23, EndReason.NORMAL, rated=True))
    ended = after(played(games.EMPTIES), DeclareEnd(70 * S, W))
    assert [type(effect) for effect in effects(ended, Agree(71 * S, False))] == [CallArbiter]
    assert after(ended, Agree(71 * S, False)).phase is Phase.ENDED


CHOOSING = after(pressed(started(), B, 1300, F5), flag(W, 1301))


def test_row_23_33_31() -> None:
    state = after(CHOOSING, Choose(1302 * S, TimeWinChoice.SCORE))
    assert (state.phase, state.result) == (Phase.RESULT, GameResult(W, 31, 33, EndReason.TIME, rated=True))


def test_row_24_free_play() -> None:
    state = after(CHOOSING, Choose(1302 * S, TimeWinChoice.FREE_PLAY))
    assert where(state) == (Phase.FREE, W, W)
    state = after(state, read(1303, games.after("f5d6")), read(1304, games.after("f5d6c3")), press(W, 1304))
    assert (state.transcript, where(state)) == ("f5d6c3", (Phase.FREE, W, W))


def test_row_25_the_losers_press_in_free_play_is_his_challenge() -> None:
    """M43-15b.1: the players are notified, the winner's time runs on, and the violation is recorded for the arbiter."""
    state = after(CHOOSING, Choose(1302 * S, TimeWinChoice.FREE_PLAY), read(1303, WRONG), press(B, 1304))
    assert where(state) == (Phase.FREE, W, W)
    assert state.notice is not None and state.notice.kind == "free-challenge"
    assert [filed.kind for filed in state.findings] == ["IM-4"]
    assert after(state, read(1306, games.after("f5d6"))).transcript == "f5d6"


def test_row_13_each_player_alone_may_stop_the_clock_in_free_play_and_while_a_move_is_finished() -> None:
    """M43-11: the clock resumes for the side it ran for."""
    free = after(CHOOSING, Choose(1302 * S, TimeWinChoice.FREE_PLAY))
    for seat in Seat:
        state = after(free, Hold(1310 * S, seat))
        assert (state.phase, state.held_by, state.clock.running) == (Phase.HOLD, seat, None)
        state = after(state, ArbiterOrder(1320 * S, Action.RESUME))
        assert where(state) == (Phase.FREE, W, W)
        assert state.remaining_ns(W, 1320 * S) == free.remaining_ns(W, 1310 * S)


def test_row_22_without_agreement_the_count_is_open_again_for_both() -> None:
    """M43-20: a signature is removed, and the same count must be entered anew before it is on a card."""
    state = after(played(games.EMPTIES), DeclareEnd(70 * S, W), Confirm(71 * S, B), Agree(72 * S, False))
    assert (state.phase, state.confirmed, state.notice and state.notice.kind) == (Phase.ENDED, (), "count-again")
    assert proposed_result(state) is None
    with pytest.raises(IllegalEvent, match="count again"):
        after(state, Confirm(73 * S, B))
    counted = after(state, DiscCount(74 * S, 40, 24))
    assert proposed_result(counted) is not None
    assert after(counted, Confirm(75 * S, B), Confirm(76 * S, W)).phase is Phase.SIGNED


def test_row_20_the_arbiter_reverts_an_end_declared_too_soon() -> None:
    """M43-22: the stopped clock runs again for the same side; times can be set before."""
    blind = after(started(replace(BLIND, main_ns=100 * S)), press(B, 10), DeclareEnd(20 * S, W))
    assert blind.phase is Phase.ENDED
    counted = after(blind, DiscCount(25 * S, 40, 24), Confirm(26 * S, B))
    state = after(counted, ArbiterOrder(30 * S, Action.RESUME))
    assert (where(state), state.count, state.confirmed) == ((Phase.TURN, W, W), None, ())
    assert [state.remaining_ns(color, 35 * S) for color in (B, W)] == [90 * S, 85 * S]
    assert after(state, press(W, 36)).side is B
    set_first = after(blind, ArbiterOrder(28 * S, Action.SET_TIME, "clock", black_ns=50 * S, white_ns=60 * S))
    assert set_first.phase is Phase.ENDED
    assert after(set_first, ArbiterOrder(30 * S, Action.RESUME)).remaining_ns(W, 31 * S) == 59 * S
    read_end = after(played(games.EMPTIES), DeclareEnd(70 * S, W))
    assert after(read_end, ArbiterOrder(71 * S, Action.RESUME)).phase is Phase.CHECK


def test_row_25_an_illegal_move_in_free_play() -> None:
    state = after(
        CHOOSING, Choose(1302 * S, TimeWinChoice.FREE_PLAY), read(1303, WRONG), illegal(B, 1304, "IM-4", "d5")
    )
    assert where(state) == (Phase.FREE, W, W)
    assert state.notice is not None and state.notice.kind == "challenge-confirmed"
    assert after(state, read(1306, games.after("f5d6"))).transcript == "f5d6"
    # IM-12: unchallenged, it stands, and play goes on from the board as it is.
    later_board = games.changed(WRONG, c4="X", d4="X")
    state = after(CHOOSING, Choose(1302 * S, TimeWinChoice.FREE_PLAY), read(1303, WRONG), read(1304, later_board))
    assert [turn.kind for turn in state.turns] == [TurnKind.MOVE, TurnKind.ILLEGAL, TurnKind.MOVE]


def test_row_26_stopped() -> None:
    state = after(CHOOSING, Choose(1302 * S, TimeWinChoice.FREE_PLAY), StopFreePlay(1303 * S))
    assert state.result == GameResult(W, 31, 33, EndReason.FREE_PLAY, rated=True)
    literal = replace(CHOOSING, setup=replace(READ, options={"free_play_floor": False}))
    state = after(literal, Choose(1302 * S, TimeWinChoice.FREE_PLAY), StopFreePlay(1303 * S))
    assert state.result == GameResult(W, 63, 1, EndReason.FREE_PLAY, rated=True)


def test_row_27_natural_end() -> None:
    before = pressed(played(games.WIPE_OUT[:14]), W, 1300, games.after(games.WIPE_OUT[:16]))
    state = after(
        before, flag(B, 1301), Choose(1302 * S, TimeWinChoice.FREE_PLAY), read(1303, games.after(games.WIPE_OUT))
    )
    assert state.result == GameResult(B, 64, 0, EndReason.FREE_PLAY, rated=True)


def test_row_28_the_winners_time_runs_out() -> None:
    free = after(CHOOSING, Choose(1302 * S, TimeWinChoice.FREE_PLAY))
    assert free.next_deadline_ns() == (1302 + 1199) * S
    state = after(free, Tick(2501 * S))
    assert (state.phase, state.result) == (Phase.RESULT, GameResult(W, 31, 33, EndReason.FREE_PLAY, rated=True))
    # A move in progress is completed first.
    state = after(free, read(2500, WRONG), Tick(2600 * S))
    assert (state.phase, state.next_deadline_ns()) == (Phase.FREE, None)
    state = after(state, read(2601, games.after("f5d6")))
    assert (state.phase, state.transcript) == (Phase.RESULT, "f5d6")


def test_row_29_signed() -> None:
    state = after(CHOOSING, Choose(1302 * S, TimeWinChoice.SCORE), Confirm(1303 * S, W))
    assert state.phase is Phase.RESULT
    with pytest.raises(IllegalEvent):
        after(state, Confirm(1304 * S, W))
    assert effects(state, Confirm(1304 * S, B)) == (CardReady(),)
    signed = after(state, Confirm(1304 * S, B))
    assert (signed.phase, signed.result) == (Phase.SIGNED, GameResult(W, 31, 33, EndReason.TIME, rated=True))


def test_row_30_submitted_and_locked() -> None:
    state = after(
        CHOOSING, Choose(1302 * S, TimeWinChoice.SCORE), Confirm(1303 * S, W), Confirm(1303 * S, B), Submitted(1304 * S)
    )
    assert state.phase is Phase.SUBMITTED
    for event in (
        DiscCount(1305 * S, 40, 24),
        Confirm(1305 * S, B),
        ArbiterOrder(1305 * S, Action.UNRATED, "late"),
        ArbiterOrder(1305 * S, Action.RESULT, "", winner=B, black_discs=40, white_discs=24),
    ):
        with pytest.raises(IllegalEvent):
            after(state, event)
    override = ArbiterOrder(
        1305 * S, Action.RESULT, "entered the wrong way round", winner=B, black_discs=33, white_discs=31
    )
    changed = after(state, override)
    assert (changed.phase, changed.result) == (Phase.SUBMITTED, GameResult(B, 33, 31, EndReason.ARBITER, rated=True))
    assert effects(state, override) == (CardReady(),)
    assert changed.arbiter_log[-1].reason == "entered the wrong way round"
