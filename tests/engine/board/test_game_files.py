"""WTHOR and GGF files."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_answers import known

from engine.board.color import Color
from engine.board.errors import BadRecord
from engine.board.ggf import read_ggf
from engine.board.position import Position
from engine.board.transcript import replay
from engine.board.wthor import WthorGame, read_wtb

MOVES = (56, 64, 53)  # f5 is row 5, column 6, so 56; then d6, c5


def wtb(*games: Sequence[int], count: int | None = None, discs: int = 40, size: int = 8) -> bytes:
    header = struct.pack("<4BIHH4B", 20, 26, 1, 1, len(games) if count is None else count, 0, 2001, size, 0, 22, 0)
    return header + b"".join(
        struct.pack("<3H2B", 7, 300, 12, discs, 32) + bytes(game).ljust(60, b"\0") for game in games
    )


def test_a_wthor_game() -> None:
    assert list(read_wtb(wtb(MOVES))) == [WthorGame(7, 300, 12, 40, 32, ("f5", "d6", "c5"))]


def test_wthor_squares_are_row_then_column() -> None:
    (game,) = read_wtb(wtb((11, 18, 81, 88)))
    assert game.moves == ("a1", "h1", "a8", "h8")


def test_board_size_0_in_an_old_wthor_header_means_8() -> None:
    assert len(list(read_wtb(wtb(MOVES, MOVES, size=0)))) == 2


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "byte 0: the file ends inside the header"),
        (wtb()[:15], "byte 15: the file ends inside the header"),
        (wtb(MOVES, size=10), "byte 12: the board size is 10"),
        (wtb(MOVES, MOVES)[:-1], "record 2, byte 151: the file ends here, but its header counts 2 games"),
        (wtb(MOVES, count=3), "record 2, byte 84: the file ends here, but its header counts 3 games"),
        (wtb(MOVES, MOVES, count=1), "byte 84: 68 bytes follow the 1 games"),
        (wtb(MOVES) + b"\0", "byte 84: 1 bytes follow"),
        (wtb(MOVES, discs=65), "record 1, byte 22: black cannot have 65 of 64 discs"),
        (wtb(MOVES, (56, 64, 99)), "record 2, byte 94: 99 is not a square"),
        (wtb((56, 19)), "record 1, byte 25: 19 is not a square"),
        (wtb((56, 0, 64)), "record 1, byte 25: there are moves after the end mark"),
    ],
)
def test_a_broken_wthor_file_is_refused_with_record_byte_and_reason(data: bytes, message: str) -> None:
    with pytest.raises(BadRecord, match=message):
        list(read_wtb(data))


@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_read_or_refused(tail: bytes) -> None:
    for data in (tail, wtb(MOVES, MOVES)[: len(tail)] + tail):
        try:
            list(read_wtb(data))
        except BadRecord:
            continue


def test_every_wthor_game_of_1977_is_legal_and_scores_as_recorded() -> None:
    games = list(read_wtb(known("games/WTH_1977.wtb").read_bytes()))
    assert len(games) == 12
    for game in games:
        end = replay(game.moves)
        assert end.is_over
        assert end.final_score()[0] == game.black_discs


GGF = (
    "(;GM[Othello]PC[GGS/os]DT[2003.12.15_13:24:03.MST]PB[a]PW[b]TI[05:00//02:00]TY[8]RE[+12.000]"
    "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"
    "B[F5//1.2]W[D6/-3.00/0.5]B[C3];)"
)


def test_a_ggf_game() -> None:
    (game,) = read_ggf(f"a word before\n{GGF}\n")
    assert game.start == Position.start()
    assert (game.moves, game.difference) == (("f5", "d6", "c3"), 12)


def test_ggf_passes_are_marked_or_follow_from_the_colours() -> None:
    marked = GGF.replace("W[D6/-3.00/0.5]", "W[PA]")
    unmarked = GGF.replace("W[D6/-3.00/0.5]", "")
    assert [game.moves for game in read_ggf(marked + unmarked)] == [("f5", None, "c3")] * 2


def test_a_ggf_game_from_a_position() -> None:
    (game,) = read_ggf(GGF.replace("- *]B[F5//1.2]", "- O]"))
    assert game.start.to_move is Color.WHITE
    assert game.moves == ("d6", "c3")


@pytest.mark.parametrize(
    ("old", "new"),
    [("RE[+12.000]", "RE[?]"), ("RE[+12.000]", "RE[-64.000:t]"), ("TY[8]", "TY[8a]"), ("TY[8]", "TY[8k]")],
)
def test_a_ggf_result_that_is_not_the_count_on_the_board_is_not_compared(old: str, new: str) -> None:
    assert next(read_ggf(GGF.replace(old, new))).difference is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f5d6c3", "no GGF game"),
        (GGF + GGF[:-2], r"record 2, byte 404: is not closed by ';\)'"),
        (GGF.replace("Othello", "Amazons"), "record 1, byte 2: it is a game of Amazons"),
        (GGF.replace("BO[8", "BO[9"), r"record 1, byte 92: BO\[9 .* is not a size"),
        (GGF.replace("---O*---", "---O*--"), "record 1, byte 92: a board has 64 characters, row by row, and this"),
        (GGF.replace("[C3]", "[]"), r"record 1, byte 196: B\[\] is not one move"),
        (GGF.replace("[C3]", "[C9]"), "record 1, byte 198: 'C9' is not a square"),
        (GGF.replace("B[C3]", "B[C3"), "record 1, byte 196: .* is not a property"),
        ("(;GM[Othello]B[F5];)", "record 1, byte 13: a move comes before the board"),
        ("(;GM[Othello];)", "record 1, byte 13: it has no board"),
        (GGF.replace("BO[8 ", "BO[").replace("- *]B", "-]B"), "is not a size"),
    ],
)
def test_a_broken_ggf_file_is_refused(text: str, message: str) -> None:
    with pytest.raises(BadRecord, match=message):
        list(read_ggf(text))
