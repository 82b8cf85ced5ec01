"""Transcripts (NOT-01)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.errors import BadRecord, IllegalMove
from engine.board.position import Position
from engine.board.transcript import format_transcript, parse_transcript, plies, replay
from engine.board.variants import VARIANTS


@pytest.mark.parametrize("text", ["f5d6c3", "F5D6C3", " f5 D6\tc3\n", "f5,d6;c3", "f5, d6, c3"])
def test_reading(text: str) -> None:
    assert parse_transcript(text) == ["f5", "d6", "c3"]


@pytest.mark.parametrize("mark", ["--", "pass", "PASS", "pa", "ps"])
def test_pass_marks(mark: str) -> None:
    assert parse_transcript(f"f5{mark}d6 {mark} c3") == ["f5", None, "d6", None, "c3"]


def test_ten_columns() -> None:
    assert parse_transcript("j10a10a1", VARIANTS["10x10"].geometry) == ["j10", "a10", "a1"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f5d6zz", r"byte 4: 'zz' is neither a square nor a pass"),
        ("f5 d", r"byte 3: 'd' is neither"),
        ("f5d9", r"byte 2: 'd9' is not a square of this board"),
        ("1. f5", r"byte 0: '1. f' is neither"),
        ("f5-d6", r"byte 2: '-d6' is neither"),
    ],
)
def test_an_unreadable_transcript_is_refused_with_the_place(text: str, message: str) -> None:
    with pytest.raises(BadRecord, match=message):
        parse_transcript(text)


@given(st.lists(st.one_of(st.none(), st.sampled_from([f"{c}{r}" for c in "abcdefgh" for r in range(1, 9)]))))
def test_format_and_parse_round_trip(moves: list[str | None]) -> None:
    assert parse_transcript(format_transcript(moves)) == moves


def test_an_empty_transcript_has_no_moves() -> None:
    assert parse_transcript("  \n") == []
    assert replay([]) == Position.start()


def test_implied_passes_are_found_and_may_be_written(random_game: list[str | None]) -> None:
    """A game has the same moves with and without its passes marked."""
    assert None in random_game
    without = [move for move in random_game if move]
    assert [move for move, _ in plies(without)] == random_game
    assert replay(without) == replay(random_game)


def test_a_false_pass_is_illegal() -> None:
    """OTH-09: a marked pass is illegal where a move is legal."""
    with pytest.raises(IllegalMove, match="move 2: white may not pass and can play f4 d6 f6") as caught:
        replay(["f5", None])
    assert caught.value.ply == 2


def test_an_illegal_move_names_its_place() -> None:
    with pytest.raises(IllegalMove, match="move 3: black cannot play a1, it turns no disc") as caught:
        replay(["f5", "d6", "a1"])
    assert caught.value.ply == 3


def test_nothing_is_played_after_the_end() -> None:
    with pytest.raises(IllegalMove, match="move 12: white cannot play a1, the game is over"):
        replay([*parse_transcript("f5f4c3e6f7g6g4e8g8g5h5"), "a1"])


@pytest.fixture
def random_game() -> list[str | None]:
    """Return a random game with its passes marked."""
    position = Position.start()
    moves: list[str | None] = []
    while not position.is_over:
        names = position.geometry.names(position.legal_moves())
        moves.append(names[0] if names else None)
        position = position.play(position.geometry.square(names[0])) if names else position.pass_turn()
    return moves
