"""Openings by name (OPN-01 to OPN-10)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.color import Color
from engine.board.errors import BoardError
from engine.board.opening_recognition import Opening, mirrored, normalise, openings, recognise, symmetric_positions
from engine.board.position import Position
from engine.board.transcript import parse_transcript, replay
from kiosk.locale import ENGLISH, JAPANESE, render

LINES = st.sampled_from(openings())
SYMMETRIES = st.integers(0, 3)


def moves(text: str) -> list[str | None]:
    return parse_transcript(text)


@pytest.mark.parametrize(
    ("text", "ja", "en", "board"),
    [
        ("f5d6c5f4e3", "兎定石", "Rabbit", "--------------------X------XOO----XXOX-----O--------------------"),
        ("f5d6c3d3c4", "虎定石", "Tiger", "------------------XO------XXX------OXX-----O--------------------"),
        ("f5f6e6d6c5", "牛定石", "Cow", "---------------------------OX-----XXXX-----OOO------------------"),
        ("f5f4e3f6d3", "鼠定石", "Rat", "-------------------XX------XXO-----XOO-------O------------------"),
    ],
)
def test_the_four_basic_openings(text: str, ja: str, en: str, board: str) -> None:
    """OPN-03 to OPN-06: the four are recognised, with White to move (OPN-07, AMB-31)."""
    found = recognise(moves(text))
    assert found is not None
    assert (render(found.name, JAPANESE), render(found.name, ENGLISH)) == (ja, en)
    end = replay(moves(text))
    assert (end.cells(), end.to_move) == (board, Color.WHITE)


@pytest.mark.parametrize(("text", "en"), [("f5d6", "Vertical"), ("f5f6", "Diagonal"), ("f5f4", "Parallel")])
def test_openings_by_the_second_move(text: str, en: str) -> None:
    """OPN-01: the second move decides which of the basic openings it is."""
    found = recognise(moves(text))
    assert found is not None
    assert str(found.name).startswith(en)
    assert found.rule == "OPN-02"


def test_after_the_diagonal_black_has_four_moves() -> None:
    """OPN-08: Black has four moves."""
    position = replay(moves("f5f6"))
    assert set(position.geometry.names(position.legal_moves())) == {"c4", "d3", "e6", "f7"}


def test_the_book_move_of_the_rabbit_flips_one_disc() -> None:
    """OPN-09: one disc is flipped."""
    position = replay(moves("f5d6c5f4e3c6d3f6"))
    assert position.geometry.names(position.flips(position.geometry.square("e6"))) == ("e5",)


@pytest.mark.parametrize("opening", openings(), ids=lambda opening: opening.transcript)
def test_every_line_replays_from_f5_and_is_recognised(opening: Opening) -> None:
    assert opening.transcript.startswith("f5")
    assert str(opening.name)
    assert recognise(moves(opening.transcript)) == opening


def test_no_two_lines_lead_to_the_same_position_or_have_the_same_name() -> None:
    led_to = [set(symmetric_positions(replay(moves(opening.transcript)))) for opening in openings()]
    assert len(set().union(*led_to)) == sum(map(len, led_to))
    assert len({render(opening.name, JAPANESE) for opening in openings()}) == len(openings())


@given(LINES, SYMMETRIES)
def test_the_four_symmetries_are_one_opening(opening: Opening, number: int) -> None:
    """OPN-10: the symmetric images of a line have its name."""
    turned = [mirrored(move, number) for move in moves(opening.transcript) if move]
    assert recognise(turned) == opening
    assert "".join(move or "" for move in normalise(turned)) == opening.transcript


def test_the_symmetries_are_those_of_the_start() -> None:
    assert [mirrored("f5", number) for number in range(4)] == ["f5", "e6", "c4", "d3"]
    assert normalise(["d3", "c5", None]) == ("f5", "d6", None)
    with pytest.raises(BoardError, match="first move is d3, c4, f5 or e6"):
        normalise(["a1"])


def test_the_name_of_the_longest_line_is_used() -> None:
    found = recognise(moves("f5d6c5f4e3c6d3f6e6d7g3c4b4"))
    assert found is not None
    assert str(found.name) == "Rose-Birdie, Rose-Tamenori"
    rose = recognise(moves("f5d6c5f4e3c6d3f6e6d7a1"))
    assert rose is not None
    assert str(rose.name) == "Rose"


def test_transpositions_are_the_same_opening() -> None:
    """The cow is recognised by way of f4 and e3, the mirror image of d6 and c5."""
    found = recognise(moves("f5f6e6f4e3"))
    assert found is not None
    assert found.rule == "OPN-05"


def test_positions_that_are_no_opening() -> None:
    assert recognise([]) is None
    assert recognise(["f5"]) is None
    assert recognise(["a1"]) is None
    assert recognise(["z9"]) is None
    assert recognise(moves("f5d6"), Position.start("parallel")) is None
