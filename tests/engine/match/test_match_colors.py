"""RULES.md 2: who hides, who chooses, who gets which colour and the draw right."""

from __future__ import annotations

import pytest
from matches.steps import B, S, W, after

from engine.board.color import Color
from engine.match import MatchState, Phase, Seat, Setup, Stage, new_match
from engine.match.colors import (
    Colors,
    Right,
    designated,
    first_choice,
    hidden_disc_with_draws,
    hider,
    rights_chosen,
    rock_paper_scissors,
)
from engine.match.events import Action as Order
from engine.match.events import Arbiter, Arrive, Seats
from engine.match.rulesets import ColorDecision


@pytest.mark.parametrize(
    ("grades", "born", "hides"),
    [
        ((5, 3), (2000, 1950), 0),
        ((3, 5), (1950, 2000), 1),
        ((3, 3), (1990, 1980), 1),
        ((None, 3), (1980, 1990), 0),
        ((3, 3), (1990, 1990), None),
        ((None, None), (None, 1990), None),
    ],
)
def test_fs_01_the_higher_grade_hides_or_the_older_player(
    grades: tuple[int | None, int | None], born: tuple[int | None, int | None], hides: int | None
) -> None:
    assert hider(grades, born) == hides


@pytest.mark.parametrize("hides", [0, 1])
@pytest.mark.parametrize(
    ("top_named", "top", "guesser_gets"), [(True, B, B), (True, W, W), (False, B, W), (False, W, B)]
)
def test_fs_03_he_gets_the_colour_of_the_face_he_named(
    hides: int, top_named: bool, top: Color, guesser_gets: Color
) -> None:
    colors = hidden_disc_with_draws(hides, top_named, top)
    assert (colors.black == 1 - hides) is (guesser_gets is B)
    assert colors.draw_right is None


@pytest.mark.parametrize("hides", [0, 1])
@pytest.mark.parametrize("color", list(Color))
@pytest.mark.parametrize(
    ("right", "takes"), [(True, "draw-right"), (True, "color"), (False, "draw-right"), (False, "color")]
)
def test_fs_04_and_fs_05_the_four_rows(hides: int, color: Color, right: bool, takes: str) -> None:
    """One of the two has the draw right, and the other chooses the colour."""
    chooser = first_choice(hides, guess=B, top=B if right else W)
    assert chooser == (1 - hides if right else hides)
    colors = rights_chosen(chooser, Right(takes), color)
    namer = chooser if takes == "color" else 1 - chooser
    assert (colors.black == namer) is (color is B), "he names his own colour"
    holder = colors.black if colors.draw_right is B else 1 - colors.black
    assert holder == 1 - namer, "the other holds the draw right"


def test_designated_and_rock_paper_scissors() -> None:
    assert (designated(), designated(first_has_black=False)) == (Colors(0), Colors(1))
    assert rock_paper_scissors(winner=0) == Colors(1), "the loser moves first"


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
    assert new_match(Setup(rules=rules, stage=Stage(stage))).color_decision is decision
    chosen = Setup(rules=rules, stage=Stage(stage), options={"color_decision": "designated"})
    assert new_match(chosen).color_decision is ColorDecision.DESIGNATED


def open_match() -> MatchState:
    return new_match(Setup(rules="m40"))


def test_the_late_players_seat_is_known_before_his_colour() -> None:
    """K-01, M40-11.1: the player present sits on the right; colours are settled when the other has come."""
    late = after(open_match(), Arbiter(0, Order.LATE_START, side=Seat.LEFT))
    assert (late.phase, late.clock.running, late.running()) == (Phase.LATE, Seat.LEFT, None)
    come = after(late, Arrive(100 * S))
    assert come.phase is Phase.SETUP
    ready = after(come, Seats(150 * S, Seat.RIGHT, draw_right=W))
    assert (ready.phase, ready.color_at(Seat.LEFT), ready.draw_right) == (Phase.READY, W, W)
    assert (ready.remaining_ns(W, 150 * S), ready.remaining_ns(B, 150 * S)) == (1100 * S, 1200 * S)
