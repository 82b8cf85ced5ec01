"""Tests of RULES.md 2: who hides the disc, and how each rule set settles colours."""

from __future__ import annotations

import pytest
from matches.steps import B, S, W, after

from engine.match import GameStage, MatchState, Phase, Seat, Setup, new_match
from engine.match.match_events_and_effects import Action as Order
from engine.match.match_events_and_effects import ArbiterOrder, Arrive, SeatsAssigned
from engine.match.rule_sets_and_options import ColorDecision


@pytest.mark.parametrize(
    ("rules", "stage", "decision"),
    [
        ("m43", "league", ColorDecision.DESIGNATED),
        ("m43", "knockout", ColorDecision.HIDDEN_DISC),
        ("m40", "league", ColorDecision.HIDDEN_DISC),
        ("team", "league", ColorDecision.HIDDEN_DISC),
        ("chouchou", "knockout", ColorDecision.ROCK_PAPER_SCISSORS),
        ("casual", "league", ColorDecision.HIDDEN_DISC_DRAWS),
        ("wof", "knockout", ColorDecision.HIDDEN_DISC),
    ],
)
def test_which_games_use_which_method(rules: str, stage: str, decision: ColorDecision) -> None:
    assert new_match(Setup(rules=rules, stage=GameStage(stage))).color_decision is decision
    chosen = Setup(rules=rules, stage=GameStage(stage), options={"color_decision": "designated"})
    assert new_match(chosen).color_decision is ColorDecision.DESIGNATED


def open_match() -> MatchState:
    return new_match(Setup(rules="m40"))


def test_a_late_player_has_a_seat_before_a_colour() -> None:
    """K-01, M40-11.1: the player present has the right seat; colours are settled when the other has come."""
    late = after(open_match(), ArbiterOrder(0, Order.LATE_START, side=Seat.LEFT))
    assert (late.phase, late.clock.running, late.running()) == (Phase.LATE, Seat.LEFT, None)
    arrived = after(late, Arrive(100 * S))
    assert arrived.phase is Phase.SETUP
    ready = after(arrived, SeatsAssigned(150 * S, Seat.RIGHT, draw_right=W))
    assert (ready.phase, ready.color_at(Seat.LEFT), ready.draw_right) == (Phase.READY, W, W)
    assert (ready.remaining_ns(W, 150 * S), ready.remaining_ns(B, 150 * S)) == (1100 * S, 1200 * S)
