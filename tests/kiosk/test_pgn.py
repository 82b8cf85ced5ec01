"""Tests of PGN as LiveOthello publishes it, and of player numbers in WTHOR files."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from events.recorded_events import random_game

from engine.board.errors import BadRecord
from engine.board.pgn import TAGS, PgnGame, read_pgn, write_pgn
from engine.board.transcript import parse_transcript
from engine.board.wthor import NameKind, WthorNames, date_bytes, read_names, read_wthor, write_names
from kiosk.errors import InputError
from kiosk.records.game_file_formats import convert_games, read_games

GAME = (
    '[Event "World \\"Open\\" 2031"]\r\n[Date "2031.04.05"]\r\n[Round "3"]\r\n[Black "LUND Bea"]\r\n'
    '[White "ORRE Nils"]\r\n[Result "33-31"]\r\n1. f5 d6 2. c3 d3 3. c4\r\n33-31\r\n\r\n'
)


def test_a_game_reads_back_as_it_was_written() -> None:
    (game,) = read_pgn(GAME)
    tags = [game.tag(name) for name in TAGS]
    assert tags == ['World "Open" 2031', "2031.04.05", "3", "LUND Bea", "ORRE Nils", "33-31"]
    assert game.moves == ("f5", "d6", "c3", "d3", "c4") and write_pgn([game]) == GAME


@pytest.mark.parametrize("seed", range(2))
def test_whole_games_with_passes_are_read_back(seed: int) -> None:
    """Moves are wrapped, two games follow each other, and there is no empty line within one."""
    rng, games = random.Random(seed), []
    for number in range(2):
        transcript, black, white = random_game(rng)
        moves = tuple(parse_transcript(transcript))
        said = ("春の大会", "2031.04.05", str(number), "青木", "Bea [L]", f"{black}-{white}")
        games.append(PgnGame((*moves[:20], None, *moves[20:]), tuple(zip(TAGS, said, strict=True))))
    text = write_pgn(games)
    assert list(read_pgn(text)) == games and text.count("\r\n\r\n") == 2
    assert max(map(len, text.split("\r\n"))) < 80


def test_additions_of_other_programs_are_skipped() -> None:
    text = '[Event "?"]\n[Site "Rome"]\n[Result "*"]\n\n1. f5 {[%clk 0:19:55]} d6 ; good\n2... C3! -- *\n'
    (game,) = read_pgn(text)
    assert game.moves == ("f5", "d6", "c3", None) and game.tag("Event") == "" and game.tag("Site") == "Rome"


@pytest.mark.parametrize(
    ("text", "why", "byte"),
    [("f5d6", "no PGN game", 0), ('[Event "x"]\n1. f5 zz', "zz", 18), ('hello [Event "x"]', "text before", 0)],
)
def test_a_broken_file_is_named_with_its_byte(text: str, why: str, byte: int) -> None:
    with pytest.raises(BadRecord, match=why) as told:
        list(read_pgn(text))
    assert told.value.byte == byte


def test_wthor_and_pgn_are_converted_with_the_player_numbers(tmp_path: Path) -> None:
    """Players in WTHOR.JOU keep their numbers, also if a name occurs there twice; new names are appended."""
    (tmp_path / "games.pgn").write_bytes(GAME.encode())
    held = ("", "ORRE Nils", "", "SUND Petra")
    names = write_names(WthorNames(date_bytes(2031, 4, 5), held), NameKind.PLAYERS)
    (tmp_path / "WTHOR.JOU").write_bytes(names)
    assert convert_games(tmp_path / "games.pgn", tmp_path / "games.wtb") == {"games": 1}
    (game,) = read_wthor((tmp_path / "games.wtb").read_bytes()).games
    assert (game.black, game.white) == (4, 1)
    assert read_names((tmp_path / "games.jou").read_bytes(), NameKind.PLAYERS).names == (*held, "LUND Bea")
    convert_games(tmp_path / "games.wtb", tmp_path / "again.pgn")
    (again,), (first,) = read_games(tmp_path / "again.pgn"), read_games(tmp_path / "games.pgn")
    assert (again.black, again.white, again.moves, again.black_discs) == (first.black, first.white, first.moves, 33)
    with pytest.raises(InputError):
        convert_games(tmp_path / "games.jou", tmp_path / "x.pgn")
