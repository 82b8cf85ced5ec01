"""Tests of rows of the M43 state machine (RULES.md 3.3); the table scripts of ``kiosk play`` show the others."""

from __future__ import annotations

from dataclasses import replace

import pytest
from matches import games
from matches.steps import (
    BLIND,
    F5,
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

from engine.board.color import Color
from engine.end_reason import EndReason
from engine.match import CardReady, GameResult, IllegalEvent, MatchState, Phase, Seat, Setup, new_match, proposed_result
from engine.match.match_events_and_effects import (
    Action,
    Agree,
    ArbiterOrder,
    Arrive,
    Choose,
    Confirm,
    DeclareEnd,
    DiscCount,
    Event,
    Hold,
    SeatsAssigned,
    Submitted,
    TimeWinChoice,
)
from engine.match.match_value_types import TurnKind

OPEN = Setup()
LATE_START = ArbiterOrder(0, Action.LATE_START, "absent", side=Seat.RIGHT)


@pytest.mark.parametrize("arrival", [Arrive(60 * S), Hold(60 * S, Seat.RIGHT), Hold(60 * S, Seat.LEFT), press(W, 60),
                                     ArbiterOrder(60 * S, Action.RESUME)])  # fmt: skip
def test_row_3_the_late_player_arrives(arrival: Event) -> None:
    state = after(new_match(OPEN), LATE_START, arrival)
    assert (state.phase, state.clock.running) == (Phase.SETUP, None)
    assert (state.remaining_ns(Seat.LEFT, 99 * S), state.remaining_ns(Seat.RIGHT, 99 * S)) == (1200 * S, 1140 * S)
    # M43-12.1: the seat was chosen before the colour; here the late player gets Black.
    assert after(state, SeatsAssigned(70 * S, Seat.RIGHT)).remaining_ns(B, 99 * S) == 1140 * S
    assert after(new_match(READ), LATE_START, arrival).phase is Phase.READY


def test_row_2_after_an_order_for_the_wrong_seat_the_absent_players_clock_is_started() -> None:
    """M43-12, TEAM-7.8."""
    state = after(new_match(OPEN), replace(LATE_START, side=Seat.LEFT), Arrive(30 * S))
    with pytest.raises(IllegalEvent, match="already arrived"):
        after(state, replace(LATE_START, at_ns=31 * S, side=Seat.LEFT))
    state = after(state, replace(LATE_START, at_ns=31 * S))
    assert (state.phase, state.late, state.clock.running) == (Phase.LATE, Seat.RIGHT, Seat.RIGHT)


def test_row_4_the_late_player_chooses_a_forfeit() -> None:
    forfeit = ArbiterOrder(61 * S, Action.FORFEIT, "chosen", side=Seat.RIGHT)
    for events in ([LATE_START, forfeit], [LATE_START, Arrive(60 * S), forfeit]):
        state = after(new_match(READ), *events)
        assert (state.phase, state.result) == (Phase.RESULT, GameResult(B, 64, 0, EndReason.LATE, rated=False))
    # Colours still open: the card needs two, and the player present gets Black.
    state = after(new_match(OPEN), LATE_START, forfeit)
    assert (state.result, state.color_at(Seat.LEFT)) == (GameResult(B, 64, 0, EndReason.LATE, rated=False), B)


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


@pytest.mark.parametrize("kind", ["IM-8", "IM-10", "four"])
def test_only_illegal_moves_can_be_named(kind: str) -> None:
    """A claim of IM-8 to IM-10 is refused: conduct and large changes are the arbiter's to name."""
    with pytest.raises(IllegalEvent, match="call the arbiter"):
        after(played("f5d6"), illegal(B, 3, kind, "d5"))


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


def test_row_19_the_last_move_is_challenged() -> None:
    state = played(games.WIPE_OUT)
    for challenged in (after(state, press(W, 2000)), after(state, illegal(W, 2000, "IM-3"))):
        assert where(challenged) == (Phase.CORR, B, B)
        back = pressed(challenged, B, 2005, state.board)
        assert where(back) == (Phase.CHECK, B, W)
        assert back.last_move_ns == 9 * S


CHOOSING = after(pressed(started(), B, 1300, F5), flag(W, 1301))


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


def ended_late(setup: Setup, late_turns: int) -> MatchState:
    """Return the ended game whose last turns took longer than the main time; Black made the last one."""
    state, at_s, moves = started(setup), 0, list(games.turns(games.EMPTIES))
    for number, (by, _, cells) in enumerate(moves, start=1):
        at_s += 1600 if number > len(moves) - late_turns else 1
        state = pressed(state, by, at_s, cells)
    return after(state, DeclareEnd((at_s + 1) * S, W))


@pytest.mark.parametrize(("rules", "right"), [("m43", None), ("m40", W), ("team", W), ("wof", None)])
def test_a_claim_after_a_signature_takes_the_signature_off_the_card(rules: str, right: Color | None) -> None:
    """M43-18.2: the last mover signed a win by discs and not the loss on time that the opponent claims then."""
    setup = replace(READ, rules=rules, draw_right=right)
    signed, claim = after(ended_late(setup, 1), Confirm(9000 * S, B)), flag(W, 9001)
    with pytest.raises(IllegalEvent):
        after(signed, flag(B, 9001))
    claimed = after(signed, claim)
    claimed = after(claimed, Choose(9002 * S, TimeWinChoice.SCORE)) if claimed.phase is Phase.CHOICE else claimed
    one = after(claimed, Confirm(9003 * S, W))
    assert (one.phase is Phase.SIGNED, one.confirmed) == (False, (W,))
    assert after(one, Confirm(9004 * S, B)).phase is Phase.SIGNED


def test_both_flags_after_a_signature_take_the_signature_off_the_card() -> None:
    signed = after(ended_late(READ, 2), Confirm(9000 * S, B))
    draw = after(signed, ArbiterOrder(9001 * S, Action.BOTH_FLAGS))
    assert (draw.phase, draw.confirmed) == (Phase.RESULT, ())


def test_a_reading_that_changes_the_card_takes_a_signature_off_it() -> None:
    """A count of 40-23 is 40-24 on the card; once the board is read, the empty square is the winner's: 41-23."""
    *moves, (by, _, last) = games.turns(games.EMPTIES)
    state = started()
    for number, (mover, _, cells) in enumerate(moves, start=1):
        state = pressed(state, mover, number, cells)
    state = after(state, press(by, 70), DeclareEnd(71 * S, W), DiscCount(72 * S, 40, 23), Confirm(73 * S, B))
    seen = after(state, read(74, last, state.asked))
    shown = [result and result.black_discs for result in (proposed_result(state), proposed_result(seen))]
    assert (shown, state.confirmed, seen.confirmed) == ([40, 41], (B,), ())


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
