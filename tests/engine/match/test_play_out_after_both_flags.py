"""Tests of TEAM-7.7a step by step, and of a clock that calls the flag: cases too detailed for a table script."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from matches.games import EMPTIES, FULL, turns
from matches.games import after as after_moves
from matches.steps import BLIND, READ, B, S, W, after, effects, flag, press, pressed, read, started

from engine.end_reason import EndReason
from engine.match import GameResult, IllegalEvent, MatchState, Phase, ReadBoard, proposed_result
from engine.match.match_events_and_effects import Action, ArbiterOrder, Confirm, DeclareEnd, DiscCount, Event, Tick

TEAM = replace(READ, rules="team", draw_right=W)


def last_move_open() -> MatchState:
    """Return a state in which both flags are down and claimed, and only White has a move."""
    state, at = started(TEAM), 0
    for number, (by, _, cells) in enumerate(list(turns(FULL))[:59]):
        at += 1300 if number > 56 else 1
        state = pressed(state, by, at, cells)
    return after(state, flag(B, at + 1))


def test_a_press_during_the_play_out_waits_for_the_board() -> None:
    state = last_move_open()
    at = state.clock.since_ns // S + 1
    assert (state.phase, state.side, state.clock.running) == (Phase.FINISH, W, None)
    (request,) = effects(state, press(W, at))
    assert isinstance(request, ReadBoard)
    waiting = after(state, press(W, at))
    assert (waiting.phase, waiting.result) == (Phase.FINISH, None)
    ended = after(waiting, read(at + 1, list(turns(FULL))[59][2], request.number))
    assert (ended.phase, ended.side, ended.transcript) == (Phase.ENDED, W, FULL)


def test_the_loser_on_time_plays_on_with_extra_time_and_gets_31_discs_at_most() -> None:
    """International practice. With the extra time over as well, or none, or after a resignation, he gets none."""
    begun, without = (
        after(started(replace(BLIND, main_ns=600 * S, options={"flag_outcome": "play-on", "overtime_s": seconds})),
              press(B, 5), press(W, 6))
        for seconds in (30, 0)
    )  # fmt: skip
    state = after(begun, flag(W, 700))
    assert (state.phase, state.running(), state.remaining_ns(B, 710 * S)) == (Phase.TURN, B, 20 * S)
    with pytest.raises(IllegalEvent, match="only their second flag"):
        after(state, flag(B, 701))
    ended = after(state, DeclareEnd(710 * S, B), DiscCount(711 * S, 40, 24))
    shown = proposed_result(ended)
    assert shown is not None and (shown.winner, shown.black_discs, shown.white_discs) == (W, 31, 33)
    resigned = ArbiterOrder(10 * S, Action.RESIGNATION, "ill", side=B)
    for lost in (after(state, flag(W, 731)), after(without, flag(W, 700)), after(begun, resigned)):
        assert lost.result == GameResult(W, 0, 64, EndReason.TIME, rated=True)


WOF = replace(READ, rules="wof")


def finished(slow_turn: int) -> tuple[MatchState, int]:
    """Return an international game after its last move, Black's; ``slow_turn``, of 1600 s, is claimed at once."""
    state, at = started(WOF), 0
    for number, (by, _, cells) in enumerate(turns(EMPTIES), start=1):
        at += 1600 if number == slow_turn else 1
        state = pressed(state, by, at, cells)
        state = after(state, flag(by.opponent, at)) if number == slow_turn else state
    assert (state.phase, state.side) == (Phase.CHECK, B)
    return state, at


@pytest.mark.parametrize("again", [lambda at: flag(W, at), lambda at: ArbiterOrder(at * S, Action.FLAG)])
@pytest.mark.parametrize("ended", [False, True])
def test_one_flag_after_the_last_move_is_not_also_the_second(again: Callable[[int], Event], ended: bool) -> None:
    state, at = finished(59)
    assert (state.time_loser, [message.kind for message in state.shown_to_arbiter]) == (B, ["flag"])
    assert state.notice is not None and str(state.notice.text) == "Black has lost on time"
    state = after(state, DeclareEnd((at + 1) * S, W)) if ended else state
    with pytest.raises(IllegalEvent):
        after(state, again(at + 2))
    signed = after(
        state, *([] if ended else [DeclareEnd((at + 3) * S, W)]), Confirm((at + 4) * S, B), Confirm((at + 5) * S, W)
    )
    assert signed.result == GameResult(W, 31, 33, EndReason.TIME, rated=True)


def test_extra_time_that_ends_while_its_player_only_checks_does_not_count() -> None:
    """K-06, AMB-06: the second flag of the player who did not make the last move."""
    state, at = finished(58)
    assert (state.time_loser, state.flag(W, (at + 125) * S)) == (W, True)
    with pytest.raises(IllegalEvent, match="did not make the last move"):
        after(state, flag(B, at + 125))


def test_the_flag_of_the_winner_on_time_is_nobodys_to_call() -> None:
    """No arbiter reads of it, and it does not keep a clock that calls flags from the second one of the loser."""
    state = after(pressed(started(WOF), B, 1510, after_moves("f5")), flag(W, 1511), Tick(3100 * S))
    assert (state.flag(W, 3100 * S), [message.kind for message in state.shown_to_arbiter]) == (True, ["flag"])
    called = after(started(replace(BLIND, rules="wof", options={"who_may_call": "clock"})), press(B, 1250))
    assert after(called, press(W, 2500), Tick(2600 * S)).result == GameResult(W, 0, 64, EndReason.TIME, rated=True)
