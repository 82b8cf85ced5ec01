"""Tests of game pages: the game as played, and the errors of its transcript."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from events.recorded_events import random_game

from engine.board.board_geometry import scan
from engine.board.color import Color
from engine.board.position import Position
from engine.board.svg import board_paths, centre
from engine.board.transcript import parse_transcript, plies
from engine.board.variants import PLAYABLE, VARIANTS
from engine.end_reason import EndReason
from engine.tournament.event_model import Game, Winner
from kiosk.head.publish.game_positions_and_best_play import SEARCHED, disc_difference_curve, replay_of
from kiosk.locale import JAPANESE, render


def game(
    transcript: str, black: int | None = None, white: int | None = None, end: EndReason = EndReason.NORMAL
) -> Game:
    return Game("a", "b", black_discs=black, white_discs=white, winner=Winner.BLACK, end=end, transcript=transcript)


@pytest.mark.parametrize("seed", range(3))
def test_the_boards_are_those_of_the_game(seed: int) -> None:
    transcript, black, white = random_game(random.Random(seed))
    replay = replay_of(game(transcript, black, white))
    due = list(plies(parse_transcript(transcript)))
    assert [ply.cells for ply in replay.plies] == [position.cells() for _, position in due]
    assert [ply.move for ply in replay.plies] == [move for move, _ in due]
    assert replay.problems == () and replay.text == transcript
    moves = [ply for ply in replay.plies if ply.move]
    assert [ply.number for ply in moves] == list(range(1, len(moves) + 1))
    before = Position.start()
    for ply, (_, after) in zip(replay.plies, due, strict=True):
        assert (ply.black, ply.white) == (after.count(Color.BLACK), after.count(Color.WHITE))
        changed = {at for at in range(64) if before.cells()[at] != after.cells()[at]}
        assert len(changed) == len(ply.turned) + bool(ply.move)
        before = after
    assert {square: number for square, (number, _) in replay.numbers.items()} == {p.move: p.number for p in moves}


def test_a_pass_is_a_step_without_a_number() -> None:
    passing = next(
        transcript
        for transcript, _, _ in (random_game(random.Random(seed)) for seed in range(200))
        if len(list(plies(parse_transcript(transcript)))) > len(transcript) // 2
    )
    passes = [ply for ply in replay_of(game(passing)).plies if ply.move is None]
    assert passes and all(ply.turned == () for ply in passes)


def test_an_illegal_move_is_named_and_the_boards_end_before_it() -> None:
    replay = replay_of(game("f5d6c3a1", 40, 24))
    (problem,) = replay.problems
    assert (
        problem.template.startswith("Move {ply}")
        and dict(problem.fields) == {"ply": 4, "move": "a1"}
        and len(replay.plies) == 3
    )
    assert "4" in render(problem, JAPANESE) and "a1" in str(problem)


def test_a_card_that_differs_from_the_board_is_reported() -> None:
    transcript, black, white = random_game(random.Random(1))
    (problem,) = replay_of(game(transcript, black - 1, white + 1)).problems
    assert problem.template.startswith("The moves end") and f"{black}–{white}" in str(problem)
    assert replay_of(game(transcript, 33, 31, EndReason.TIME)).problems == ()  # a win on time has its own score


def test_an_incomplete_transcript_is_reported_unless_the_game_ended_early() -> None:
    (problem,) = replay_of(game("f5d6c3", 40, 24)).problems
    assert problem.template.startswith("The transcript ends") and dict(problem.fields) == {"plies": 3}
    for end in (EndReason.TIME, EndReason.FORFEIT, EndReason.ARBITER, EndReason.FREE_PLAY):
        assert replay_of(game("f5d6c3", 40, 24, end)).problems == ()


def test_an_invalid_transcript_is_reported() -> None:
    (problem,) = replay_of(game("zz9")).problems
    assert problem.template.startswith("The transcript cannot be read")


@pytest.mark.parametrize("seed", range(3))
def test_after_the_event_the_losing_move_is_named(seed: int) -> None:
    """It is the last move of the loser before which best play did not lose and after which it did."""
    transcript, black, white = random_game(random.Random(seed))
    replay = replay_of(game(transcript, black, white), 11)
    assert sum(ply.best is not None for ply in replay.plies) >= 11
    near = [ply.best for ply in replay_of(game(transcript, black, white)).plies]
    assert all(one in (None, ply.best) for one, ply in zip(near, replay.plies, strict=True))
    lost = replay.losing_move
    if lost is None:
        return
    loser = Color.BLACK if black < white else Color.WHITE
    at = replay.plies.index(lost)
    sign = 1 if loser is Color.BLACK else -1
    assert lost.by is loser and (replay.plies[at - 1].best or 0) * sign >= 0
    assert all((ply.best or 0) * sign < 0 for ply in replay.plies[at:] if ply.by is loser)


@pytest.mark.parametrize("seed", range(2))
def test_moves_near_the_end_are_compared_with_best_play(seed: int) -> None:
    """A move changes the value of the board only by what it loses against best play; at the end it is the score."""
    transcript, black, white = random_game(random.Random(seed))
    made = replay_of(game(transcript, black, white)).plies
    known = [ply for ply in made if ply.best is not None]
    assert known and known[-1] is made[-1] and made[-1].best == black - white
    for before, after in pairwise(known):
        sign = -1 if after.by is Color.BLACK else 1
        assert after.lost >= 0 and after.best == before.best + sign * after.lost  # type: ignore[operator]
    assert all(ply.lost == 0 for ply in made if ply.best is None)
    assert all(64 - ply.black - ply.white < SEARCHED for ply in known)


def test_the_opening_has_its_name() -> None:
    opening = replay_of(game("f5d6c5f4e3")).opening
    assert opening is not None and str(opening.name) == "Rabbit"


def test_pictures_have_the_discs_of_the_board() -> None:
    paths = board_paths(Position.start().cells())
    assert (paths["black"], paths["white"]) == ("M4.5 3.5h0M3.5 4.5h0", "M3.5 3.5h0M4.5 4.5h0")
    assert centre("a1") == (0.5, 0.5) and centre("h8") == (7.5, 7.5)
    points = disc_difference_curve(replay_of(game("f5d6c3")).plies).split()
    assert points[0] == "0,16" and len(points) == 4 and points[1] == "1.00,15.25"  # 4-1: three discs ahead


@pytest.mark.parametrize("variant", PLAYABLE)
def test_a_game_of_every_variant_is_replayed_and_drawn(variant: str) -> None:
    """Its squares are those of the board, its curve is scaled by the board's total, and its transcript is legal."""
    chance, position, moves = random.Random(variant), Position.start(variant), list[str]()
    while not position.is_over:
        if position.must_pass:
            position = position.pass_turn()
            continue
        square = chance.choice(scan(position.legal_moves()))
        moves.append(position.geometry.name(square))
        position = position.play(square)
    replay = replay_of(game("".join(moves), *position.final_score()), 6, (), VARIANTS[variant])
    assert replay.problems == () and replay.final == position.cells() and replay.start == VARIANTS[variant].start
    paths, shape = board_paths(replay.final), position.geometry
    assert paths["side"] == shape.columns and str(paths["squares"]).count("z") == shape.rows + shape.columns
    assert str(paths["black"]).count("M") + str(paths["white"]).count("M") == shape.size - replay.final.count("-")
    assert replay.is_evaluated is (variant not in ("nip-octagon", "original", "original-32"))
    heights = [float(point.partition(",")[2]) for point in disc_difference_curve(replay.plies).split()]
    assert min(heights) >= 0 and max(heights) <= 32
