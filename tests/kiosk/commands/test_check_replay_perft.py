"""Tests of ``kiosk check``, ``kiosk replay`` and ``kiosk perft`` as specified in CONTRACT.md."""

from __future__ import annotations

import struct
from pathlib import Path
from random import Random
from typing import Any

import pytest
from commands.called import Cli
from known_answers import known

from engine.board.board_geometry import scan
from engine.board.position import Position
from engine.board.variants import PLAYABLE

START = "---------------------------OX------XO---------------------------"
F5 = "---------------------------OX------XXX--------------------------"
UNTURNED = "---------------------------OX------XOX--------------------------"
FORCED_PASS = "--------------------------XXX--O---XXXOO-----X-O-----X----------"
GGF = (
    "(;GM[Othello]RE[+62.000]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"
    "B[F5]W[F4]B[C3]W[E6]B[F7]W[G6]B[G4]W[E8]B[G8]W[G5]B[H5];)"
)


def test_check_of_a_legal_move(cli: Cli) -> None:
    assert cli.json("check", START, F5, "--to-move", "black") == {
        "verdict": "legal",
        "move": "f5",
        "flipped": ["e5"],
        "findings": [],
        "legal_moves": ["d3", "c4", "f5", "e6"],
    }


def test_check_of_an_illegal_move(cli: Cli) -> None:
    result = cli.json("check", START, UNTURNED, "--to-move", "black")
    assert (result["verdict"], result["move"], result["flipped"]) == ("illegal", "f5", [])
    assert result["findings"] == [{"kind": "IM-4", "squares": ["e5"], "text": "返し忘れ e5 / not turned: e5"}]


def test_check_of_no_move(cli: Cli) -> None:
    assert cli.json("check", START, START, "--to-move", "white")["verdict"] == "unchanged"
    result = cli.json("check", FORCED_PASS, FORCED_PASS, "--to-move", "black")
    assert (result["verdict"], result["move"], result["legal_moves"]) == ("pass", None, [])


def test_check_of_a_variant(cli: Cli) -> None:
    args = ("check", "-----OX--XO-----", "-X---XX--XO-----", "--to-move", "black", "--variant", "4x4")
    assert cli.json(*args)["verdict"] == "legal"


def test_check_of_a_partly_read_board(cli: Cli) -> None:
    """The fields of the contract are always present; other fields only when they have a value."""
    result = cli.json("check", START, F5[:36] + "?" + F5[37:], "--to-move", "black")
    assert result == {
        "verdict": "too_large",
        "move": "f5",
        "flipped": [],
        "findings": [],
        "legal_moves": ["d3", "c4", "f5", "e6"],
        "deciding": ["e5"],
        "possible": ["f5"],
    }
    far = cli.json("check", START, F5[:-1] + "?", "--to-move", "black")
    assert (far["verdict"], far["move"]) == ("legal", "f5")


def test_check_in_words(cli: Cli) -> None:
    code, out, _ = cli("check", START, UNTURNED, "--to-move", "black")
    assert (code, out) == (0, "illegal f5\nIM-4 返し忘れ e5 / not turned: e5\n")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((START[1:], F5, "--to-move", "black"), "BEFORE: a board has 64 characters, row by row, and this one has 63"),
        ((START, F5 + "-", "--to-move", "black"), "AFTER: a board has 64 characters, row by row, and this one has 65"),
        ((START, "Q" + F5[1:], "--to-move", "black"), "AFTER: square a1 is 'Q'"),
        (("?" + START[1:], F5, "--to-move", "black"), "BEFORE: square a1 is unknown ('?')"),
        ((START, F5, "--to-move", "black", "--variant", "nip-circular"), "'nip-circular' cannot be played: circular"),
        ((START, F5, "--to-move", "black", "--variant", "9x9"), "no variant '9x9'"),
        ((START, F5, "--to-move", "red"), "--to-move: one of black, white is needed"),
        ((START, F5), "--to-move is missing"),
        ((START, "--to-move", "black"), "AFTER is missing"),
        ((START, F5, "--to-mvoe", "black"), "more was given than is taken"),
    ],
)
def test_check_refuses_what_it_cannot_use(cli: Cli, args: tuple[str, ...], message: str) -> None:
    assert message in cli.refused("check", *args, "--json")


def test_perft(cli: Cli) -> None:
    result = cli.json("perft", 6)
    assert result.pop("seconds") >= 0
    assert result == {"variant": "8x8", "depth": 6, "leaves": 8200}
    assert cli.json("perft", 4, "--variant", "parallel")["leaves"] == 292
    assert cli("perft", 2)[1].startswith("8x8, depth 2: 12 leaves")


def test_perft_refuses_what_it_cannot_use(cli: Cli) -> None:
    assert "DEPTH: a whole number from 0 on is needed" in cli.refused("perft", "--", "-1")
    assert "DEPTH: a whole number from 0 on is needed" in cli.refused("perft", "deep")
    assert "'octo' cannot be played" in cli.refused("perft", "3", "--variant", "octo")


def wtb(discs: int, *moves: int) -> bytes:
    header = struct.pack("<4BIHH4B", 20, 26, 1, 1, 1, 0, 2001, 8, 0, 22, 0)
    return header + struct.pack("<3H2B", 0, 0, 0, discs, 0) + bytes(moves).ljust(60, b"\0")


#: f5f4c3e6f7g6g4e8g8g5h5: both sides are blocked after eleven moves, 63-1
SHORT = (56, 46, 33, 65, 76, 67, 47, 85, 87, 57, 58)


def test_replay_of_all_formats(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.wtb").write_bytes(wtb(63, *SHORT))
    (tmp_path / "b.txt").write_text("F5D6C3\n\nf5f4c3e6f7g6g4e8g8g5h5\n")
    (tmp_path / "c.GGF").write_text(GGF)
    result = cli.json("replay", tmp_path / "a.wtb", tmp_path / "b.txt", tmp_path / "c.GGF")
    assert result.pop("seconds") >= 0
    assert result == {"games": 4, "moves": 36, "illegal": 0, "unfinished": 1, "score_mismatches": 0, "problems": []}


def test_replay_reports_illegal_moves_and_wrong_scores(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "score.wtb").write_bytes(wtb(62, *SHORT))
    (tmp_path / "move.txt").write_text("f5d6c3\nf5d6a1c3\nf5--d6\n")
    (tmp_path / "score.ggf").write_text(GGF.replace("+62", "+13"))
    result = cli.json("replay", *(tmp_path / name for name in ("score.wtb", "move.txt", "score.ggf")))
    counts = {key: result[key] for key in ("games", "moves", "illegal", "unfinished", "score_mismatches")}
    assert counts == {"games": 5, "moves": 28, "illegal": 2, "unfinished": 1, "score_mismatches": 2}
    assert [(problem["file"], problem["game"], problem["ply"]) for problem in result["problems"]] == [
        ("score.wtb", 1, 11),
        ("move.txt", 2, 3),
        ("move.txt", 3, 2),
        ("score.ggf", 1, 11),
    ]
    assert "63-1" in result["problems"][0]["text"]
    assert "a1, it turns no disc" in result["problems"][1]["text"]
    assert "white may not pass" in result["problems"][2]["text"]


def test_replay_in_words(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "move.txt").write_text("f5d6a1\n")
    _, out, _ = cli("replay", tmp_path / "move.txt")
    assert out.startswith("1 games, 2 moves, 1 illegal, 0 unfinished, 0 score mismatches")
    assert "move.txt, game 1: move 3: black cannot play a1" in out


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.wtb", wtb(40, 56)[:-1], "a.wtb: record 1, byte 83: the file ends here"),
        ("a.wtb", wtb(40, 56, 90), "a.wtb: record 1, byte 25: 90 is not a square"),
        ("a.txt", b"f5d6\nf5 hello\n", "a.txt: line 2, byte 3: 'hell' is neither a square nor a pass"),
        ("a.txt", b"f5\xff", "a.txt: byte 2 is not UTF-8"),
        ("a.ggf", b"f5d6", "a.ggf: byte 0: there is no GGF game"),
        ("a.pgn", b"", "a.pgn: only .wtb, .ggf, .txt, .chouchou files can be replayed"),
    ],
)
def test_replay_refuses_what_it_cannot_read(cli: Cli, tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    assert message in cli.refused("replay", tmp_path / name, "--json")


def test_replay_refuses_a_file_that_is_not_there(cli: Cli, tmp_path: Path) -> None:
    assert "none.wtb: No such file" in cli.refused("replay", tmp_path / "none.wtb")


def test_the_system_s_reason_is_in_the_language_of_the_terminal(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "ja_JP.UTF-8")
    for path, reason in ((tmp_path / "none.wtb", "ファイルかフォルダーがありません"), (tmp_path, "フォルダーです")):
        told = cli.refused("pair", path)
        assert reason in told and "directory" not in told


def test_three_years_of_wthor_have_no_illegal_move_and_no_wrong_score(cli: Cli) -> None:
    result = cli.json("replay", *(known(f"games/WTH_{year}.wtb") for year in (1977, 2001, 2015)))
    counts = {key: result[key] for key in ("games", "moves", "illegal", "unfinished", "score_mismatches")}
    assert counts == {"games": 7513, "moves": 449973, "illegal": 0, "unfinished": 0, "score_mismatches": 0}


def test_bulk_replay_reports_errors_like_the_plain_engine(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bulk replay of an altered year gives the same counts and the same problems as replaying game by game."""
    data = bytearray(known("games/WTH_2015.wtb").read_bytes()[: 16 + 68 * 300])
    data[4:8] = struct.pack("<I", 300)
    for game in range(0, 300, 7):
        data[16 + 68 * game + 8 + game % 60] = 10 * (game % 8 + 1) + game % 5 + 1  # any square
        data[16 + 68 * (game + 1) + 6] ^= 1  # a changed score
        data[16 + 68 * (game + 2) + 8 + 40 : 16 + 68 * (game + 3)] = bytes(20)  # truncated
    (tmp_path / "spoilt.wtb").write_bytes(data)
    bulk = cli.json("replay", tmp_path / "spoilt.wtb")
    monkeypatch.setattr("engine.board.batch_replay.wtb_columns", lambda _: None)
    plain = cli.json("replay", tmp_path / "spoilt.wtb")
    assert bulk.pop("seconds") >= 0 and plain.pop("seconds") >= 0
    assert bulk == plain
    assert plain["games"] == 300
    assert min(plain["illegal"], plain["unfinished"], plain["score_mismatches"]) > 20


def test_deep_perft_counts_the_same(cli: Cli) -> None:
    assert cli.json("perft", 9)["leaves"] == 3005288
    assert cli.json("perft", 8, "--variant", "88")["leaves"] == 391920


@pytest.mark.parametrize("variant", PLAYABLE)
def test_replay_of_transcripts_of_every_variant(cli: Cli, tmp_path: Path, variant: str) -> None:
    """A whole game from the variant's start position is legal; with one move more it is not."""
    random, position, moves = Random(variant), Position.start(variant), list[str]()
    while not position.is_over:
        if position.must_pass:
            position = position.pass_turn()
            continue
        square = random.choice(scan(position.legal_moves()))
        moves.append(position.geometry.name(square))
        position = position.play(square)
    (tmp_path / "games.txt").write_text("".join(moves) + "\n" + "".join([*moves, moves[0]]) + "\n")
    found = cli.json("replay", tmp_path / "games.txt", "--variant", variant)
    assert (found["games"], found["illegal"], found["unfinished"]) == (2, 1, 0)
    assert (found["problems"][0]["game"], found["problems"][0]["ply"]) == (2, len(moves) + 1)
    assert "remarks" not in found


CHOUCHOU = """\
1. 1A
2. 2A
3. 3A-2A
4. 1B
5. 1A

board: 4x4
players: 3
1A 2A 3A 1B 2B 3B 2A→2D①
"""


def test_replay_of_chouchou_names_the_first_illegal_turn_missed_captures_and_penalties(
    cli: Cli, tmp_path: Path
) -> None:
    file = tmp_path / "games.chouchou"
    file.write_text(CHOUCHOU + "\n1A 2A 1A>2A1 3C x2A>1A1\n", encoding="utf-8")
    assert "line 11: 'x2A>1A1'" in cli.refused("replay", file)
    file.write_text(CHOUCHOU + "\n1A 2A 1A>2A1 3C x2A>1A13B\n", encoding="utf-8")
    found = cli.json("replay", file)
    assert (found["games"], found["moves"], found["illegal"], found["unfinished"]) == (3, 16, 1, 2)
    (problem,) = found["problems"]
    assert (problem["game"], problem["ply"]) == (2, 7) and "CC-MOV-3" in problem["text"]
    assert [(one["game"], one["ply"], one["kind"], one["cells"]) for one in found["remarks"]] == [
        (1, 3, "missed", ["2A"]),
        (3, 5, "penalty", []),
    ]
    _, out, _ = cli("replay", file)
    assert "each opponent receives 5 (CC-SUP-1)" in out


def test_check_of_a_turn_of_chouchou(cli: Cli, tmp_path: Path) -> None:
    """``check`` judges the next turn after a record, given as text or as a file."""

    def checked(before: object, after: str, *more: str) -> dict[str, Any]:
        return cli.json("check", before, after, "--variant", "chouchou-3x3", *more)

    took = checked("1A 2A", "3A")
    assert (took["verdict"], took["move"], took["captured"], took["findings"]) == ("legal", "3A", 1, [])
    assert "1A→2A①" in took["legal_moves"]
    (tmp_path / "game.chouchou").write_text("1. 1A\n2. 2A\n")
    missed = checked(tmp_path / "game.chouchou", "3A-2A")
    assert [(one["kind"], one["squares"]) for one in missed["findings"]] == [("missed", ["2A"])]
    illegal = checked("1A", "1A→2A②")
    assert (illegal["verdict"], illegal["captured"], illegal["findings"][0]["kind"]) == ("illegal", 0, "illegal")
    assert checked("1A 1A 1A", "2A", "--players", "3")["captured"] == 0
    assert "BEFORE: turn 1" in cli.refused("check", "1A→2A②", "1A", "--variant", "chouchou-3x3")
    assert "one of" in cli.refused("check", "1A", "1A", "--variant", "chouchou-5x5")
    assert "one turn" in cli.refused("check", "1A", "2A 3A", "--variant", "chouchou-3x3")
    assert "--to-move" in cli.refused("check", START, F5)
