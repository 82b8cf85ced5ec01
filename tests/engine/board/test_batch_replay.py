"""Batch replay of many games: the results equal those of the plain engine for each game."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from boards.random_boards import BOARDS, COLORS, game
from hypothesis import given, settings
from hypothesis import strategies as st
from known_answers import known

from engine.board import batch_replay, bitboard_numpy
from engine.board.board_geometry import Geometry, scan
from engine.board.color import Color
from engine.board.errors import IllegalMove
from engine.board.position import Position
from engine.board.transcript import plies

SQUARES = [f"{column}{row}" for row in range(1, 9) for column in "abcdefgh"]


def replay_one_by_one(moves: list[str], start: Position) -> tuple[int, int, bool, tuple[int, int]]:
    """Return the plain engine's result.

    That is the number of moves before an illegal one, the illegal one's ply or 0, whether the game is over, and the
    score.
    """
    position, played = start, 0
    try:
        for move, after in plies(moves, start):
            position = after
            played += move is not None
    except IllegalMove as error:
        return played, error.ply or 0, False, (0, 0)
    return played, 0, position.is_over, position.final_score()


def replay_in_batch(games: list[list[str]], start: Position) -> list[tuple[int, int, bool, tuple[int, int]]]:
    table = np.full((len(games), 60), bitboard_numpy.NO_SQUARE, np.uint8)
    for row, moves in enumerate(games):
        table[row, : len(moves)] = [SQUARES.index(move) for move in moves]
    replays = batch_replay.replay(table, start)
    answers = []
    for moves, illegal, over, black, white in zip(
        replays.moves, replays.illegal, replays.is_over, replays.black, replays.white, strict=True
    ):
        if illegal:
            answers.append((int(moves), int(illegal), False, (0, 0)))
        else:
            answers.append((int(moves), 0, bool(over), (int(black), int(white))))
    return answers


def transcript(seed: int, variant: str = "8x8") -> list[str]:
    reached = game(seed, variant)
    moves = []
    for before, after in pairwise(reached):
        placed = (after.black | after.white) & ~(before.black | before.white)
        moves.append(before.geometry.name(placed.bit_length() - 1))
    last = reached[-1]
    return [*moves, last.geometry.name(scan(last.legal_moves())[0])]


def spoil(moves: list[str], choice: random.Random) -> list[str]:
    """Return the moves cut short, with a wrong square, with two moves exchanged, or unchanged."""
    moves = list(moves)
    match choice.randrange(4):
        case 0:
            return moves[: choice.randrange(len(moves))]
        case 1:
            moves[choice.randrange(len(moves))] = choice.choice(SQUARES)
        case 2:
            at = choice.randrange(len(moves) - 1)
            moves[at : at + 2] = reversed(moves[at : at + 2])
        case _:
            pass
    return moves


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["8x8", "parallel", "handicap-1", "handicap-4"])
def test_correct_and_damaged_random_games(variant: str) -> None:
    choice = random.Random(5)
    start = Position.start(variant)
    games = [spoil(transcript(seed, variant), choice) for seed in range(150)]
    answers = replay_in_batch(games, start)
    assert answers == [replay_one_by_one(moves, start) for moves in games]
    assert {bool(illegal) for _, illegal, _, _ in answers} == {True, False}
    assert {over for _, _, over, _ in answers} == {True, False}


def test_damaged_real_games() -> None:
    """Games of a year of the database agree, with a wrong square in every third."""
    read = batch_replay.wtb_columns(known("games/WTH_2015.wtb").read_bytes())
    assert read is not None
    moves = read[0].copy()[:600]
    choice = random.Random(7)
    for row in moves[::3]:
        row[choice.randrange(60)] = choice.randrange(64)
    games = [[SQUARES[square] for square in row if square != bitboard_numpy.NO_SQUARE] for row in moves]
    start = Position.start()
    assert replay_in_batch(games, start) == [replay_one_by_one(game, start) for game in games]


def test_a_year_of_games_has_no_illegal_move_and_the_scores_of_the_record() -> None:
    read = batch_replay.wtb_columns(known("games/WTH_2001.wtb").read_bytes())
    assert read is not None
    replays = batch_replay.replay(read[0])
    assert not replays.illegal.any()
    assert replays.is_over.all()
    assert (replays.black == read[1]).all()


def test_games_are_replayed_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    games = [transcript(seed) for seed in range(7)]
    results = replay_in_batch(games, Position.start())
    monkeypatch.setattr(batch_replay, "_TOGETHER", 3)
    assert replay_in_batch(games, Position.start()) == results
    assert replay_in_batch([], Position.start()) == []


def test_rules_that_are_not_othello_are_refused() -> None:
    for variant in ("10x10", "nip-octagon", "original", "original-32", "othelle"):
        with pytest.raises(ValueError, match="in bulk"):
            batch_replay.replay(np.full((1, 60), bitboard_numpy.NO_SQUARE, np.uint8), Position.start(variant))


@given(st.lists(st.tuples(BOARDS, COLORS), min_size=1, max_size=5))
@settings(max_examples=50)
def test_arbitrary_boards_have_the_same_moves_and_flips(boards: list[tuple[str, Color]]) -> None:
    positions = [Position.from_cells(cells, color) for cells, color in boards]
    geometry = positions[0].geometry
    own = np.array([bitboard_numpy.to_column_bits(geometry, position.own) for position in positions], np.uint64)
    enemy = np.array([bitboard_numpy.to_column_bits(geometry, position.enemy) for position in positions], np.uint64)
    moves = bitboard_numpy.legal_moves(own, enemy)
    assert list(map(int, moves)) == [
        bitboard_numpy.to_column_bits(geometry, position.legal_moves()) for position in positions
    ]
    assert list(bitboard_numpy.count(own)) == [position.own.bit_count() for position in positions]
    for square in range(64):
        turned = bitboard_numpy.flips(own, enemy, np.full(len(positions), square, np.intp))
        plain = [
            position.rules.flips(position.own, position.enemy, square // 8 * 9 + square % 8) for position in positions
        ]
        assert list(map(int, turned)) == [bitboard_numpy.to_column_bits(geometry, squares) for squares in plain]


def test_discs_are_counted_without_numpy_2(monkeypatch: pytest.MonkeyPatch) -> None:
    sets = np.array([0, 1, 2**64 - 1, 0x8000000000000001], np.uint64)
    monkeypatch.delattr(np, "bitwise_count", raising=False)
    assert list(bitboard_numpy.count(sets)) == [0, 1, 64, 2]


def test_small_boards_are_centred_in_8x8() -> None:
    geometry = Geometry(4, 4)
    assert bitboard_numpy.to_column_bits(geometry, 1) == 1 << 8 * 2 + 2
    assert not bitboard_numpy.fits_64_bits(Geometry(10, 10))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        bytes(16) + b"x",
        bytes(4) + b"\2" + bytes(11) + bytes(68),
        bytes(4) + b"\1" + bytes(7) + b"\6" + bytes(3) + bytes(68),
        bytes(4) + b"\1" + bytes(11) + b"\0\0\0\0\0\0\x41" + bytes(61),
        bytes(4) + b"\1" + bytes(11) + bytes(8) + bytes([90]) + bytes(59),
        bytes(4) + b"\1" + bytes(11) + bytes(8) + bytes([56, 0, 64]) + bytes(57),
    ],
    ids=["empty", "a byte too many", "a game too few", "size 6", "65 discs", "not a square", "moves after the end"],
)
def test_a_broken_file_is_left_to_the_reader_that_reports_errors(data: bytes) -> None:
    assert batch_replay.wtb_columns(data) is None
