"""Tests of ``kiosk convert`` between game file formats."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_answers import known

from engine.board.errors import BadRecord
from engine.board.ggf import read_ggf
from engine.board.position import Position
from engine.board.wthor import NameKind, WthorFile, WthorGame, WthorNames, date_bytes, write_names, write_wthor
from kiosk.cli import main
from kiosk.errors import InputError
from kiosk.records.game_file_formats import READERS, GameRecord, convert_games, ggf_text, read_games

STAMP = date_bytes(2026, 11, 20)
#: a shortest wipe-out: nine moves, 13 black discs
WIPE_OUT = "e6f4e3f6g5d6e7f5c5"
COLUMNS = "event,date,black,white,black_discs,transcript\n"
GGF = (
    "(;GM[Othello]PC[club]DT[2026.11.20]PB[Kuro]PW[Shiro]RE[+64]TI[5:00]TY[8]"
    "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"
    "B[E6//2]W[F4]B[E3]W[F6]B[G5]W[D6]B[E7]W[F5]B[C5];)\n"
)


def write(path: Path, content: bytes | str) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_a_game_through_all_formats(tmp_path: Path) -> None:
    names = ("a.ggf", "b.wtb", "c.csv", "d.wtb", "e.ggf", "f.txt")
    write(tmp_path / names[0], GGF)
    for source, target in pairwise(names):
        assert convert_games(tmp_path / source, tmp_path / target) == {"games": 1}
    assert (tmp_path / "c.csv").read_text() == (f"{COLUMNS}club,2026,Kuro,Shiro,64,{WIPE_OUT}\n")
    (game,) = read_ggf((tmp_path / "e.ggf").read_text())
    assert (game.tag("PB"), game.tag("PW"), game.tag("PC"), game.difference) == ("Kuro", "Shiro", "club", 64)
    assert (tmp_path / "f.txt").read_text() == f"{WIPE_OUT}\n"
    assert {path.name for path in tmp_path.glob("b.*")} == {"b.wtb", "b.jou", "b.trn"}


def test_a_name_ends_no_property_game_or_line_of_ggf() -> None:
    """With any characters in a name, each game is on one line with all its properties."""
    names = ("A];)(;GM[x", "B\\", "C\n(;PB[D\x00\x85\u2028]")
    text = ggf_text(GameRecord(Position.start(), ("e6", "f4"), name, "2026", name, name) for name in names)
    assert text.count("(;") == text.count(";)") == len(text.splitlines()) == 3 and "\\" not in text
    assert [game.tag("PB") for game in read_ggf(text)] == ["A),)(,GM(x", "B/", "C (,PB(D )"]


def test_conversion_to_the_same_format_keeps_its_own_fields(tmp_path: Path) -> None:
    wtb = write_wthor(WthorFile(STAMP, 2026, (WthorGame(7, 8, 9, 64, 33, ("e6", "f4")),), 0, 1, 24))
    for name, content in (("a.ggf", GGF.encode()), ("a.wtb", wtb)):
        source = write(tmp_path / name, content)
        assert convert_games(source, tmp_path / f"again{source.suffix}") == {"games": 1}
        again = (tmp_path / f"again{source.suffix}").read_bytes()
        assert again == content


def test_passes_that_wthor_leaves_out_are_in_the_ggf(tmp_path: Path) -> None:
    """After c1 Black has to pass: without the pass the colours would be wrong."""
    source = write(tmp_path / "a.txt", "d3c3e6d2d1e1b2c1a3\n")
    convert_games(source, tmp_path / "a.ggf")
    (game,) = read_ggf((tmp_path / "a.ggf").read_text())
    assert game.moves == ("d3", "c3", "e6", "d2", "d1", "e1", "b2", "c1", None, "a3")


def test_positions_become_games_without_moves(tmp_path: Path) -> None:
    source = write(tmp_path / "a.obf", f"{'-' * 27}OX------XO{'-' * 27} O; F4:+2; % a comment\n")
    assert convert_games(source, tmp_path / "a.ggf") == {"games": 1}
    assert convert_games(tmp_path / "a.ggf", tmp_path / "b.obf") == {"games": 1}
    assert (tmp_path / "b.obf").read_text() == f"{'-' * 27}OX------XO{'-' * 27} O;\n"
    assert convert_games(source, tmp_path / "c.obf") == {"games": 1}
    assert "F4:+2" in (tmp_path / "c.obf").read_text()


def test_names_beside_a_wthor_file_are_found(tmp_path: Path) -> None:
    players = write_names(WthorNames(STAMP, ("Kuro", "Shiro")), NameKind.PLAYERS)
    write(tmp_path / "WTHOR.JOU", players)
    wtb = write_wthor(WthorFile(STAMP, 2001, (WthorGame(0, 1, 5, 64, 64, ("e6",)),)))
    (game,) = read_games(write(tmp_path / "WTH_2001.wtb", wtb))
    assert (game.black, game.white, game.event, game.date, game.black_discs) == ("Shiro", "", "", "2001", 64)


@pytest.mark.parametrize(
    ("source", "content", "target", "message"),
    [
        ("a.wtb", b"\0" * 15, "b.txt", "a.wtb: byte 15: the file ends inside the header"),
        ("a.ggf", GGF + "(;GM[Othello]", "b.txt", "a.ggf: record 2, byte 215: is not closed"),
        ("a.ggf", b"\xff", "b.txt", "a.ggf: byte 0: this is not UTF-8 text"),
        ("a.txt", "f5d6\n\nf5x\n", "b.ggf", r"a.txt: record 3, byte 8: 'x(\\n' is neither|' is)"),
        ("a.txt", "\ufefff5\nx", "b.ggf", "a.txt: record 2, byte 6: 'x' is neither"),
        ("a.txt", "f5d6\n", "b.wtb", "b.wtb: record 1: the game is not over"),
        ("a.txt", "f5a1\n", "b.ggf", "b.ggf: record 1: move 2: white cannot play a1"),
        ("a.txt", "f5\n", "b.obf", "b.obf: record 1: OBF holds positions"),
        ("a.obf", f"{'X' * 64} X", "b.txt", "b.txt: record 1: a transcript begins from the usual set-up"),
        ("a.obf", f"{'X' * 64} X", "b.wtb", "b.wtb: record 1: WTHOR has only games from the usual"),
        ("a.csv", "f5\n", "b.txt", "a.csv: record 1, byte 0: the first line is not event,date"),
        ("a.csv", f"{COLUMNS},,,,65,f5\n", "b.txt", "record 2: black_discs is '65'"),
        ("a.csv", f"{COLUMNS},f5\n", "b.txt", "record 2: a line has 6 columns"),
        ("a.csv", f"{COLUMNS},,,,,f5i\n", "b.txt", "record 2: transcript: byte 2: 'i'"),
    ],
)
def test_unconvertible_games_are_refused_with_their_place(
    tmp_path: Path, source: str, content: bytes | str, target: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        convert_games(write(tmp_path / source, content), tmp_path / target)
    assert not (tmp_path / target).exists()


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*none\.wtb"):
        convert_games(tmp_path / "none.wtb", tmp_path / "a.txt")
    with pytest.raises(InputError, match="cannot write"):
        convert_games(write(tmp_path / "a.txt", "f5\n"), tmp_path / "no" / "a.ggf")


def test_only_game_files_are_converted(tmp_path: Path) -> None:
    for names in (("a.wtb", "b.json"), ("a.elo", "b.ggf")):
        with pytest.raises(InputError, match=r"is no file of games; they end in \.wtb, \.ggf"):
            convert_games(*(tmp_path / name for name in names))


@pytest.mark.parametrize("kind", [".wtb", *READERS])
@given(data=st.binary(max_size=120), text=st.text('f5d6XO-(;)[]GMBO8 *,\n"%:;+PSpa', max_size=120))
def test_any_content_is_converted_or_refused(kind: str, data: bytes, text: str) -> None:
    for content in (data, text.encode(), COLUMNS.encode() + data):
        try:
            read_games(Path(f"a{kind}"), content)
        except BadRecord as error:
            assert error.file == f"a{kind}"


def test_a_year_of_wthor_as_ggf_and_back_has_the_same_games(tmp_path: Path) -> None:
    source = known("games/WTH_1977.wtb")
    assert convert_games(source, tmp_path / "year.ggf") == {"games": 12}
    assert convert_games(tmp_path / "year.ggf", tmp_path / "year.wtb") == {"games": 12}
    old, new = read_games(source), read_games(tmp_path / "year.wtb")
    assert old == new
    assert all(game.black and game.white and game.event for game in new)


def test_the_command_converts_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["convert", str(write(tmp_path / "a.obf", f"{'X' * 64} X\n")), str(tmp_path / "b.ggf"), "--json"])
    assert (ended.value.code, capsys.readouterr().out) == (0, '{"games": 1}\n')
