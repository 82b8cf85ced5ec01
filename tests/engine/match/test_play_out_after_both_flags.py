"""Tests of TEAM-7.7a step by step, and of a clock that calls the flag: cases too detailed for a table script."""

from __future__ import annotations

from dataclasses import replace

import pytest
from matches.games import FULL, turns
from matches.steps import BLIND, READ, B, S, W, after, effects, flag, press, pressed, read, started

from engine.end_reason import EndReason
from engine.match import GameResult, IllegalEvent, MatchState, Phase, ReadBoard, proposed_result
from engine.match.match_events_and_effects import Action, ArbiterOrder, DeclareEnd, DiscCount

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
