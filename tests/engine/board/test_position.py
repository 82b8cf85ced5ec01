"""Moves, flips, passes, the end and the score (OTH-03 to OTH-16)."""

from __future__ import annotations

import pytest
from boards.random_boards import BOARDS, COLORS
from hypothesis import given

from engine.board.color import Color
from engine.board.errors import BadBoard, IllegalMove
from engine.board.position import Position
from engine.board.transcript import parse_transcript, replay

START = "---------------------------OX------XO---------------------------"
FORCED_PASS = "--------------------------XXX--O---XXXOO-----X-O-----X----------"
PARALLEL = "---------------------------OO------XX---------------------------"


def legal(position: Position) -> str:
    return " ".join(position.geometry.names(position.legal_moves()))


def flips(position: Position, square: str) -> str:
    return " ".join(position.geometry.names(position.flips(position.geometry.square(square))))


def after(transcript: str) -> Position:
    return replay(parse_transcript(transcript))


def test_the_start_position() -> None:
    """OTH-03, OTH-04: the start is the cross of two discs each."""
    position = Position.start()
    assert position.cells() == START
    assert position.to_move is Color.BLACK
    assert legal(position) == "d3 c4 f5 e6"


@pytest.mark.parametrize(
    ("variant", "cells", "moves"),
    [
        ("4x4", "-----OX--XO-----", "b1 a2 d3 c4"),
        ("6x6", "--------------OX----XO--------------", "c2 b3 e4 d5"),
        ("parallel", PARALLEL, "c3 d3 e3 f3"),
        ("handicap-1", "X" + START[1:], "e3 f4 c5 d6"),
        ("handicap-2", "X" + START[1:-1] + "X", "e3 f4 c5 d6"),
        ("handicap-3", "X------X" + START[8:-1] + "X", "e3 f4 c5 d6"),
        ("handicap-4", "X------X" + START[8:-8] + "X------X", "e3 f4 c5 d6"),
    ],
)
def test_the_starts_of_the_variants(variant: str, cells: str, moves: str) -> None:
    """VAR-03 to VAR-05, OTH-HC-1: each variant has its start; with a handicap White moves first (OTH-HC-2)."""
    position = Position.start(variant)
    assert (position.cells(), legal(position)) == (cells, moves)
    assert position.to_move is (Color.WHITE if variant.startswith("handicap") else Color.BLACK)


def test_a_move_flips_every_flanked_disc_in_every_direction() -> None:
    """OTH-06: g5 flips two discs of the row and one of the diagonal."""
    position = Position.from_cells("--------------------X------OXO-----XOO-------O------------------", Color.BLACK)
    assert flips(position, "g5") == "f4 e5 f5"
    played = position.play(position.geometry.square("g5"))
    assert played.cells() == "--------------------X------OXX-----XXXX------O------------------"
    assert played.to_move is Color.WHITE


def test_flipped_discs_do_not_flank() -> None:
    """OTH-07: b1, flipped by d1, is in line with b3, but b2 stays white."""
    position = Position.from_cells("XOO------O------" + "-X------" + "-" * 40, Color.BLACK)
    assert flips(position, "d1") == "b1 c1"


def test_a_move_that_flips_nothing_is_illegal() -> None:
    """OTH-08: a move must flip a disc."""
    position = Position.from_cells("--------------------X------OXX-----XXXX------O------------------", Color.WHITE)
    assert legal(position) == "f2 f3 g4 h4 d6"
    with pytest.raises(IllegalMove, match="white cannot play h5, it turns no disc"):
        position.play(position.geometry.square("h5"))


def test_an_occupied_square_cannot_be_played() -> None:
    position = Position.start()
    assert flips(position, "d4") == ""
    with pytest.raises(IllegalMove, match="black cannot play d4, it is occupied"):
        position.play(position.geometry.square("d4"))


def test_lines_end_at_the_edge() -> None:
    """Squares that are neighbours in the string but not on the board flank nothing."""
    position = Position.from_cells("-" * 30 + "XOO" + "-" * 31, Color.BLACK)
    assert legal(position) == ""


def test_a_player_without_a_move_must_pass() -> None:
    """OTH-09: a pass is forced where no move is legal."""
    position = Position.from_cells(FORCED_PASS, Color.BLACK)
    assert position.must_pass and not position.is_over
    passed = position.pass_turn()
    assert passed.to_move is Color.WHITE
    assert legal(passed) == "c5 e7"
    assert not passed.must_pass


def test_a_pass_is_refused_while_a_legal_move_exists() -> None:
    """OTH-09: a pass is illegal where a move is legal."""
    with pytest.raises(IllegalMove, match="black may not pass and can play d3 c4 f5 e6"):
        Position.start().pass_turn()


def test_the_game_is_over_when_neither_side_can_move() -> None:
    """OTH-11: the game ends, here with 49 empty squares."""
    position = after("f5f4c3e6f7g6g4e8g8g5h5")
    assert position.is_over and not position.must_pass
    assert (position.count(Color.BLACK), position.count(Color.WHITE)) == (14, 1)
    assert position.final_score() == (63, 1)
    with pytest.raises(IllegalMove, match="the game is over"):
        position.pass_turn()
    with pytest.raises(IllegalMove, match="white cannot play a1, the game is over"):
        position.play(position.geometry.square("a1"))


@pytest.mark.parametrize("transcript", ["e6f4e3f6g5d6e7f5c5", "f5d6c5f4e7f6g5e6e3"])
def test_extinction_scores_64_0(transcript: str) -> None:
    """OTH-15: the winner has all 64."""
    position = after(transcript)
    assert position.is_over
    assert (position.count(Color.BLACK), position.count(Color.WHITE)) == (13, 0)
    assert position.final_score() == (64, 0)


@pytest.mark.parametrize(
    ("black", "white", "score"),
    [(34, 29, (35, 29)), (29, 34, (29, 35)), (31, 31, (32, 32)), (32, 32, (32, 32)), (0, 13, (0, 64))],
)
def test_empty_squares_go_to_the_winner(black: int, white: int, score: tuple[int, int]) -> None:
    """OTH-14: empties count for the winner; a draw is 32-32 whatever is empty (OTH-16)."""
    cells = "X" * black + "O" * white + "-" * (64 - black - white)
    assert Position.from_cells(cells, Color.BLACK).final_score() == score


def test_the_score_of_a_small_board_adds_up_to_its_squares() -> None:
    """VAR-04: the scores total the number of squares."""
    cells = "X" * 10 + "O" * 20 + "-" * 6
    assert Position.from_cells(cells, Color.BLACK, "6x6").final_score() == (10, 26)


@given(BOARDS, COLORS)
def test_board_strings_round_trip(cells: str, to_move: Color) -> None:
    position = Position.from_cells(cells, to_move)
    assert position.cells() == cells
    assert position.count(Color.BLACK) == cells.count("X")
    assert Position.from_cells(position.cells(), to_move) == position


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (START[:-1], "64 characters, row by row, and this one has 63"),
        (START + "-", "has 65"),
        ("", "has 0"),
        (START[:28] + "*" + START[29:], r"square e4 is '\*'"),
        (START[:28] + "x" + START[29:], "square e4 is 'x'"),
        (START[:63] + "?", "square h8 is unknown"),
    ],
)
def test_a_bad_board_string_is_refused_with_the_place(cells: str, message: str) -> None:
    with pytest.raises(BadBoard, match=message):
        Position.from_cells(cells, Color.BLACK)
