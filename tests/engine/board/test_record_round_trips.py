"""Round trips of every kind of game record: parse, write, parse is the identity, and a broken record is refused with
the place of the error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_answers import known, known_text

from engine.board.board_geometry import scan
from engine.board.color import Color
from engine.board.errors import BadRecord
from engine.board.ggf import GgfGame, read_ggf, write_ggf
from engine.board.obf_positions import ObfPosition, format_board, parse_board, read_obf, write_obf
from engine.board.position import Position
from engine.board.transcript import format_transcript, parse_transcript, plies
from engine.board.wthor import (
    NameKind,
    WthorFile,
    WthorGame,
    WthorNames,
    date_bytes,
    read_names,
    read_wthor,
    write_names,
    write_wthor,
)

SQUARES = st.builds(lambda column, row: f"{'abcdefgh'[column]}{row + 1}", st.integers(0, 7), st.integers(0, 7))
BYTE, WORD = st.integers(0, 255), st.integers(0, 0xFFFF)
STAMP = st.binary(min_size=4, max_size=4)
MOVES = st.lists(SQUARES | st.none(), max_size=70)


def positions(variant: str = "8x8") -> st.SearchStrategy[Position]:
    size = Position.start(variant).geometry.size
    cells = st.text("XO-", min_size=size, max_size=size)
    return st.builds(lambda text, color: Position.from_cells(text, color, variant), cells, st.sampled_from(Color))


WTHOR_GAMES = st.builds(
    WthorGame, WORD, WORD, WORD, st.integers(0, 64), BYTE, st.lists(SQUARES, max_size=60).map(tuple)
)
WTHOR_FILES = st.builds(
    WthorFile, STAMP, WORD, st.lists(WTHOR_GAMES, max_size=4).map(tuple), st.sampled_from([0, 8]), BYTE, BYTE
)
LATIN = st.characters(min_codepoint=1, max_codepoint=255)
TAGS = st.tuples(
    st.from_regex("[A-Z]{1,3}", fullmatch=True).filter(lambda name: name not in ("GM", "BO", "B", "W")),
    st.text().filter(lambda value: "]" not in value),
)
NOTES = st.just("") | st.text(max_size=6).filter(lambda note: "]" not in note).map(lambda note: f"/{note}")


@st.composite
def ggf_games(draw: st.DrawFn) -> GgfGame:
    variant = draw(st.sampled_from(["4x4", "6x6", "8x8", "10x10"]))
    start = draw(positions(variant))
    names = [start.geometry.name(square) for square in start.geometry.squares]
    moves = draw(st.lists(st.sampled_from(names) | st.none(), max_size=20))
    notes = [draw(NOTES) for _ in moves]
    return GgfGame(start, tuple(moves), tuple(draw(st.lists(TAGS, max_size=4))), tuple(notes))


COMMENTS = st.text(max_size=12).map(lambda text: " ".join(text.split()))
OBF = st.builds(
    ObfPosition,
    positions(),
    st.lists(st.tuples(SQUARES | st.none(), st.integers(-64, 64)), max_size=5).map(tuple),
    COMMENTS,
)


@given(WTHOR_FILES)
def test_wthor(file: WthorFile) -> None:
    data = write_wthor(file)
    assert len(data) == 16 + 68 * len(file.games)
    assert read_wthor(data) == file


@given(st.sampled_from(NameKind), STAMP, st.data())
def test_wthor_names(kind: NameKind, stamp: bytes, data: st.DataObject) -> None:
    names = data.draw(st.lists(st.text(LATIN, max_size=kind - 1), max_size=6))
    file = WthorNames(stamp, tuple(names))
    assert read_names(write_names(file, kind), kind) == file


@pytest.mark.slow
@given(st.lists(ggf_games(), min_size=1, max_size=3))
def test_ggf(games: list[GgfGame]) -> None:
    assert list(read_ggf(write_ggf(games))) == games


@given(st.lists(OBF, max_size=4))
def test_obf(entries: list[ObfPosition]) -> None:
    assert list(read_obf(write_obf(entries))) == entries


@given(MOVES, st.booleans(), st.sampled_from(["", " ", ", ", "; "]))
def test_transcripts_in_either_case_with_or_without_spaces(moves: list[str | None], upper: bool, between: str) -> None:
    text = format_transcript(moves, upper=upper)
    assert text == (text.upper() if upper else text.lower())
    assert parse_transcript(text) == moves
    assert parse_transcript(between.join(text[i : i + 2] for i in range(0, len(text), 2))) == moves


@given(st.lists(st.integers(0, 100), max_size=70))
def test_a_game_without_its_pass_marks_replays_to_itself(choices: list[int]) -> None:
    position, moves = Position.start(), list[str | None]()
    for choice in choices:
        legal = scan(position.legal_moves())
        if not legal and not position.must_pass:
            break
        square = legal[choice % len(legal)] if legal else None
        moves.append(None if square is None else position.geometry.name(square))
        position = position.pass_turn() if square is None else position.play(square)
    while moves and moves[-1] is None:  # a last pass can only be seen where it is marked
        moves.pop()
    bare = parse_transcript(format_transcript(moves, passes=False))
    assert None not in bare
    assert [move for move, _ in plies(bare)] == moves


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["4x4", "6x6", "8x8", "10x10", "88"])
@given(data=st.data(), rows=st.booleans())
def test_board_strings(variant: str, data: st.DataObject, rows: bool) -> None:
    position = data.draw(positions(variant))
    assert parse_board(format_board(position, rows=rows), variant) == position


def test_boards_in_the_notation_of_other_programs() -> None:
    start = Position.start()
    assert parse_board("-" * 27 + "OX------XO" + "-" * 27 + "X") == start
    assert parse_board("." * 27 + "ox......xo" + "." * 27 + " x\n") == start
    assert parse_board("." * 27 + "10......01" + "." * 27 + " 0") == start
    assert parse_board("-" * 27 + "wb------bw" + "-" * 27 + " B") == start
    assert format_board(start) == "---------------------------OX------XO--------------------------- X"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-" * 63, "byte 63: it ends after 63 characters; a board has 64 cells"),
        ("-" * 64 + " -", "byte 65: the side to move is neither X nor O"),
        ("-" * 10 + "?" + "-" * 53 + "X", r"byte 10: '\?' is not a cell"),
        ("○" + "-" * 62 + "?X", r"byte 65: '\?' is not a cell"),
        ("-" * 64 + " XX", "byte 66: there is extra text"),
    ],
)
def test_a_broken_board_string(text: str, message: str) -> None:
    with pytest.raises(BadRecord, match=message):
        parse_board(text)


def test_an_nboard_game_is_read_and_written_back() -> None:
    """NBoard writes the board without line breaks, a pass at the end, and the result without a decimal point."""
    text = (
        "(;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[a]PW[b]RE[-56]TI[15:00]TY[8]BO[8 --------------------"
        "-------O*------*O--------------------------- *]B[F5]W[F6]B[D3//2.991]W[PA];)"
    )
    (game,) = read_ggf(text)
    assert (game.moves, game.notes, game.difference) == (("f5", "f6", "d3", None), ("", "", "//2.991", ""), -56)
    assert game.tag("DT") == "2014-02-21 20:52:27 GMT"
    assert list(read_ggf(write_ggf([game]))) == [game]


def test_a_ggf_value_may_contain_delimiters() -> None:
    """A value may contain ``;)(;``; a result impossible on 64 squares (Edax: RE[-127.000]) is not compared."""
    (game,) = read_ggf(write_ggf([GgfGame(Position.start(), ("f5",), (("PB", "a;)(;b"), ("RE", "-127.000")))]))
    assert (game.tag("PB"), game.difference) == ("a;)(;b", None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"% only a comment\n{'-' * 64} X; G8:+18; H9:2;", "record 2, byte 93: 'H9' is not a square"),
        (f"{'-' * 64} X; G8+18;", "record 1, byte 67: 'G8.18' is not a move and its score"),
        (f"{'-' * 64} X; G8H8:+18;", "record 1, byte 67: 'G8H8' is not one move"),
        ("\n\n--X", "record 3, byte 5: it ends after 3 characters"),
    ],
)
def test_a_broken_obf_file(text: str, message: str) -> None:
    with pytest.raises(BadRecord, match=message):
        list(read_obf(text))


def test_control_characters_beside_an_obf_score_are_space() -> None:
    """``str.strip`` takes them for space, ``int`` does not."""
    (position,) = read_obf(f"{'-' * 64} X; G8:\x1d+18\x1c;")
    assert position.scores == (("g8", 18),)


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda: write_wthor(WthorFile(b"\0" * 4, 2001, (WthorGame(0, 0, 0, 65, 0, ()),))), "record 1: black cannot"),
        (lambda: write_wthor(WthorFile(b"\0" * 4, 2001, (WthorGame(0, 0, 0, 1, 0, ("i9",)),))), "record 1: 'i9' is no"),
        (lambda: write_wthor(WthorFile(b"\0" * 4, 2001, (WthorGame(70000, 0, 0, 1, 0, ()),))), "record 1: a .wtb rec"),
        (lambda: write_wthor(WthorFile(b"\0" * 4, 2001, (WthorGame(0, 0, 0, 1, 0, ("a1",) * 61),))), "WTHOR holds 60"),
        (lambda: write_wthor(WthorFile(b"\0" * 4, 70000, ())), "a .wtb header cannot hold this"),
        (lambda: write_wthor(WthorFile(b"", 2001, ())), "the date of a file is 4 bytes"),
        (lambda: write_names(WthorNames(b"\0" * 4, ("a", "名")), NameKind.PLAYERS), "record 2: '名' has letters"),
        (lambda: write_names(WthorNames(b"\0" * 4, ("a" * 20,)), NameKind.PLAYERS), "must be shorter than 20"),
        (lambda: write_ggf([GgfGame(Position.start("88"), ())]), "record 1: GGF has games of Othello on square boards"),
        (lambda: write_ggf([GgfGame(Position.start(), (), (("PB", "]"),))]), r"record 1: PB\[\]\] is no GGF property"),
        (lambda: write_ggf([GgfGame(Position.start(), ("f5",), (), ("x",))]), "the note 'x' of a move"),
        (lambda: write_obf([ObfPosition(Position.start("6x6"))]), "record 1: OBF has boards of 8x8 only"),
        (lambda: write_obf([ObfPosition(Position.start(), (), "a\nb")]), "record 1: a comment is one line"),
    ],
)
def test_values_that_a_format_cannot_hold_are_refused(write: Callable[[], object], message: str) -> None:
    with pytest.raises(BadRecord, match=message):
        write()


def test_an_error_has_file_record_byte_and_reason() -> None:
    with pytest.raises(BadRecord) as caught:
        list(read_ggf("(;GM[Othello]BO[8 x *];)"))
    error = caught.value.within(file="a.ggf")
    assert (error.file, error.record, error.byte) == ("a.ggf", 1, 13)
    assert str(error) == f"a.ggf: record 1, byte 13: {error.reason}"


WTB = write_wthor(
    WthorFile(
        date_bytes(2026, 11, 20), 2026, (WthorGame(1, 2, 3, 40, 32, ("f5", "d6", "c3")), WthorGame(1, 3, 2, 0, 0, ()))
    )
)
JOU = write_names(WthorNames(date_bytes(2026, 11, 20), ("Kuro", "Shiro")), NameKind.PLAYERS)
GGF = write_ggf([GgfGame(Position.start(), ("f5", None, "d6"), (("PB", "a"), ("RE", "+2")), ("//1", "", ""))]).encode()
OBF_FILE = write_obf([ObfPosition(Position.start(), (("f5", 2), (None, -4)), "c")] * 2).encode()


def _round_trip(read: Callable[[Any], Any], write: Callable[[Any], Any]) -> Callable[[bytes], None]:
    def check(data: bytes) -> None:
        once = read(data)
        assert read(write(once)) == once

    return check


CHECKS = {
    "wtb": (WTB, _round_trip(read_wthor, write_wthor)),
    "jou": (JOU, _round_trip(lambda d: read_names(d, NameKind.PLAYERS), lambda f: write_names(f, NameKind.PLAYERS))),
    "ggf": (GGF, _round_trip(lambda d: list(read_ggf(d.decode("latin-1"))), lambda g: write_ggf(g).encode("latin-1"))),
    "obf": (
        OBF_FILE,
        _round_trip(lambda d: list(read_obf(d.decode("latin-1"))), lambda g: write_obf(g).encode("latin-1")),
    ),
    "txt": (
        b"f5d6C3--d3",
        _round_trip(lambda d: parse_transcript(d.decode("latin-1")), lambda m: format_transcript(m).encode()),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", CHECKS)
@given(st.data())
def test_randomly_damaged_records_are_read_or_refused(kind: str, data: st.DataObject) -> None:
    """Records with bytes changed, cut out or added raise BadRecord, or round-trip."""
    record, check = CHECKS[kind]
    damaged = bytearray(record)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(damaged)))
        cut = data.draw(st.integers(0, 3))
        damaged[at : at + cut] = data.draw(st.binary(max_size=3))
    try:
        check(bytes(damaged))
    except BadRecord as error:
        assert error.reason


@pytest.mark.parametrize("year", ["1977", "2001", "2015"])
def test_the_years_of_wthor_are_written_back_byte_by_byte(year: str) -> None:
    data = known(f"games/WTH_{year}.wtb").read_bytes()
    file = read_wthor(data)
    assert file.year == int(year)
    assert write_wthor(file) == data


@pytest.mark.parametrize(("name", "kind"), [("WTHOR.JOU", NameKind.PLAYERS), ("WTHOR.TRN", NameKind.TOURNAMENTS)])
def test_the_names_of_wthor_are_written_back_byte_by_byte(name: str, kind: NameKind) -> None:
    data = known(f"games/{name}").read_bytes()
    file = read_names(data, kind)
    assert len(file.names) == (len(data) - 16) // kind
    assert write_names(file, kind) == data


def test_the_endgame_positions_of_the_french_federation() -> None:
    text = known_text("board/fforum-1-19.obf")
    entries = list(read_obf(text))
    assert len(entries) == 19
    for entry in entries:
        legal = set(entry.position.geometry.names(entry.position.legal_moves()))
        assert {move for move, _ in entry.scores} <= legal
    assert list(read_obf(write_obf(entries))) == entries
