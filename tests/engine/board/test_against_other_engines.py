"""Comparison of the engine with a mailbox board and with rust-reversi, ply by ply."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from boards.random_boards import BOARDS, COLORS
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.simple_othello import Mailbox

from engine.board.board_geometry import scan
from engine.board.color import Color
from engine.board.perft import perft
from engine.board.position import Position
from engine.board.variants import VARIANTS

#: Rows of the boards that are not 8x8, '#' for no square.
ROWS = {
    "4x4": "---- -OX- -XO- ----",
    "6x6": "------ ------ --OX-- --XO-- ------ ------",
    "10x10": "---------- " * 4 + "----OX---- ----XO---- " + "---------- " * 4,
    "88": "##------## #--------# "
    + "---------- " * 2
    + "----OX---- ----XO---- "
    + "---------- " * 2
    + "#--------# ##------##",
    "nip-octagon": "##----## #------# -------- ---OX--- ---XO--- -------- #------# ##----##",
}
CENTRE = ((3, 3), (4, 3), (3, 4), (4, 4))


def start_of(variant: str) -> Mailbox:
    position = Position.start(variant)
    if variant in ROWS:
        mailbox = Mailbox.from_rows(ROWS[variant].split(), "X")
    else:
        mailbox = Mailbox.from_cells(position.cells(), position.to_move.symbol)
    mailbox.free = variant == "nip-octagon"
    if variant == "othelle":
        mailbox.triple = ("own", "enemy", "enemy")
    elif len(words := variant.split("-")) == 3:
        mailbox.triple = (words[0], words[1], words[2])
    if variant.startswith("original"):
        mailbox.opening = CENTRE
    if variant == "original-32":
        mailbox.left = {"X": 32, "O": 32}
    return mailbox


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=25)
def test_random_games_agree_with_a_mailbox_board(variant: str, seed: int) -> None:
    choice = random.Random(seed)
    position, mailbox = Position.start(variant), start_of(variant)
    while True:
        assert position.cells() == mailbox.text()
        assert position.to_move.symbol == mailbox.mover
        names = position.geometry.names(position.legal_moves())
        assert set(names) == mailbox.legal()
        if names:
            move = choice.choice(names)
            mailbox.play(move)
            position = position.play(position.geometry.square(move))
        elif mailbox.legal(position.to_move.opponent.symbol):
            assert position.must_pass
            mailbox.pass_turn()
            position = position.pass_turn()
        else:
            assert position.is_over
            return


@pytest.mark.parametrize("variant", ["nip-octagon", "original", "original-32", "othelle", "own-own-enemy"])
def test_perft_agrees_with_a_mailbox_board(variant: str) -> None:
    """Perft agrees on boards for which no counts are published."""

    def lines(mailbox: Mailbox, depth: int) -> int:
        if depth == 0:
            return 1
        count = 0
        for move in mailbox.legal():
            after = replace(mailbox, cells=dict(mailbox.cells), left=dict(mailbox.left))
            after.play(move)
            count += lines(after, depth - 1)
        assert count, "nobody has to pass so early"
        return count

    depth = 4 if variant == "own-own-enemy" else 5
    assert perft(Position.start(variant), depth) == lines(start_of(variant), depth)


@given(BOARDS, COLORS)
def test_arbitrary_boards_have_the_same_moves_and_flips(cells: str, to_move: Color) -> None:
    """Moves and flips agree also on boards that no game reaches (K-09)."""
    position, mailbox = Position.from_cells(cells, to_move), Mailbox.from_cells(cells, to_move.symbol)
    assert set(position.geometry.names(position.legal_moves())) == mailbox.legal()
    for square in scan(position.legal_moves()):
        at = (square % 9, square // 9)
        turned = {(index % 9, index // 9) for index in scan(position.flips(square))}
        assert turned == mailbox.flips(at, to_move.symbol)


@pytest.mark.parametrize("seed", range(20))
def test_moves_agree_with_rust_reversi(seed: int) -> None:
    rust_reversi = pytest.importorskip("rust_reversi", reason="rust-reversi, the oracle, is not installed")
    choice = random.Random(seed)
    position, oracle = Position.start(), rust_reversi.Board()
    while not position.is_over:
        moves = scan(position.legal_moves())
        assert [row * 9 + column for row, column in (divmod(at, 8) for at in oracle.get_legal_moves_vec())] == moves
        if moves:
            move = choice.choice(moves)
            oracle.do_move(move // 9 * 8 + move % 9)
            position = position.play(move)
        else:
            oracle.do_pass()
            position = position.pass_turn()
        assert oracle.black_piece_num() == position.count(Color.BLACK)
        assert oracle.white_piece_num() == position.count(Color.WHITE)
    assert oracle.is_game_over()
