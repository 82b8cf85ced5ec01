"""Positions from the diagrams of the rule sources and from published games (RULES.md A4, B, THY-02)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from known_answers import known_json

from engine.board.board_geometry import scan
from engine.board.color import Color
from engine.board.position import Position
from engine.board.transcript import parse_transcript, plies, replay

#: RULES.md 1.3: the four basic openings, with the board they lead to.
OPENINGS = {
    "f5d6c5f4e3": "--------------------X------XOO----XXOX-----O--------------------",
    "f5d6c3d3c4": "------------------XO------XXX------OXX-----O--------------------",
    "f5f6e6d6c5": "---------------------------OX-----XXXX-----OOO------------------",
    "f5f4e3f6d3": "-------------------XX------XXO-----XOO-------O------------------",
}
SYMBOLS = {"X": Color.BLACK, "O": Color.WHITE}
#: What the facts of diagrams.json say of legal moves: all of them.
ALL_MOVES = {
    "fig1": "d3 c4 f5 e6",
    "fig5": "f2 f3 g4 h4 d6",
    "handicap1": "e3 f4 c5 d6",
    "handicap2": "e3 f4 c5 d6",
    "handicap3": "e3 f4 c5 d6",
    "handicap4": "e3 f4 c5 d6",
    "start_parallel": "c3 d3 e3 f3",
    "opening_intro": "d3 c4 e6 f7",
    "too_many_discs": "g7",
    "woc1995_final_g2": "b1 c1 b2 g3",
}
#: ... and of flips, by diagram and move.
FLIPS = {
    ("fig1", "f5"): "e5",
    ("fig2", "d6"): "d5",
    ("fig3", "c3"): "d4",
    ("fig4", "g5"): "f4 e5 f5",
    ("one_flip", "e6"): "e5",
    ("tedomari", "b7"): "c7 d7 e7",
}
#: diagram, move, the diagram it leads to
STEPS = [("fig1", "f5", "fig2"), ("fig2", "d6", "fig3"), ("fig4", "g5", "fig5"), ("tedomari", "b7", "parity")]


@pytest.fixture(scope="module")
def diagrams() -> dict[str, dict[str, Any]]:
    return {d["id"]: d for d in known_json("board/diagrams.json")}


@pytest.fixture(scope="module")
def games() -> dict[str, dict[str, Any]]:
    known: dict[str, dict[str, Any]] = known_json("board/known_games.json")
    return known


def position_of(diagram: dict[str, Any]) -> Position:
    return Position.from_cells(diagram["board"], SYMBOLS[diagram["to_move"] or "X"])


@pytest.mark.parametrize(("transcript", "cells"), OPENINGS.items())
def test_openings(transcript: str, cells: str) -> None:
    """OPN-03 to OPN-06: the basic openings lead to their diagrams, with White to move (OPN-07)."""
    position = replay(parse_transcript(transcript))
    assert (position.cells(), position.to_move) == (cells, Color.WHITE)


def test_disc_counts(diagrams: dict[str, dict[str, Any]]) -> None:
    for diagram in diagrams.values():
        position = position_of(diagram)
        counts = position.count(Color.BLACK), position.count(Color.WHITE), position.empty.bit_count()
        assert counts == (diagram["black"], diagram["white"], diagram["empty"]), diagram["id"]


def test_transcripts_lead_to_their_diagrams(diagrams: dict[str, dict[str, Any]]) -> None:
    played = {name for name, diagram in diagrams.items() if "transcript" in diagram}
    assert len(played) == 14
    for name in played:
        position = replay(parse_transcript(diagrams[name]["transcript"]))
        assert position.cells() == diagrams[name]["board"], name
        assert diagrams[name]["to_move"] in (None, position.to_move.symbol), name


def test_legal_moves_of_diagrams(diagrams: dict[str, dict[str, Any]]) -> None:
    for name, moves in ALL_MOVES.items():
        position = position_of(diagrams[name])
        assert " ".join(position.geometry.names(position.legal_moves())) == moves, name


def test_flips_of_diagrams(diagrams: dict[str, dict[str, Any]]) -> None:
    for (name, move), turned in FLIPS.items():
        position = position_of(diagrams[name])
        assert " ".join(position.geometry.names(position.flips(position.geometry.square(move)))) == turned, name


def test_one_move_leads_from_figure_to_figure(diagrams: dict[str, dict[str, Any]]) -> None:
    for before, move, after in STEPS:
        position = position_of(diagrams[before])
        assert position.play(position.geometry.square(move)).cells() == diagrams[after]["board"]


def test_the_handicaps_are_those_of_the_source(diagrams: dict[str, dict[str, Any]]) -> None:
    """OTH-HC-1, OTH-HC-2: handicap starts equal the source's diagrams."""
    for discs in range(1, 5):
        assert Position.start(f"handicap-{discs}") == position_of(diagrams[f"handicap{discs}"])
    assert Position.start("parallel") == position_of(diagrams["start_parallel"])


def test_ends_and_scores_of_diagrams(diagrams: dict[str, dict[str, Any]]) -> None:
    ended = [diagram for diagram in diagrams.values() if "result" in diagram]
    assert len(ended) == 4
    for diagram in ended:
        position = position_of(diagram)
        assert position.is_over
        assert position.final_score() == (diagram["result"]["black"], diagram["result"]["white"])
    assert position_of(diagrams["fig6"]).must_pass


def test_the_line_from_the_parity_diagram_is_a_draw(diagrams: dict[str, dict[str, Any]]) -> None:
    position = replay(parse_transcript("a1b2b1d1e1"), position_of(diagrams["parity"]))
    assert position.is_over
    assert position.final_score() == (32, 32)


def test_best_play_on_6x6(games: dict[str, dict[str, Any]]) -> None:
    """THY-02: White wins 16-20. The record names the squares as the middle of an 8x8 board."""
    game = games["6x6_best_play_standard"]
    names = parse_transcript(game["moves_8x8_names"])
    moves = [f"{chr(ord(name[0]) - 1)}{int(name[1]) - 1}" for name in names if name]
    played = list(plies(moves, Position.start("6x6")))
    end = played[-1][1]
    assert end.is_over
    assert list(end.final_score()) == game["result_black_white"]
    passes = [after.to_move for move, after in played if move is None]
    assert passes.count(Color.WHITE) == game["black_passes"]


def test_games_that_lose_at_reversed_6x6(games: dict[str, dict[str, Any]]) -> None:
    for moves in games["6x6_anti"]["moves"]:
        start = Position.start("6x6")
        assert list(replay(parse_transcript(moves, start.geometry), start).final_score()) == [17, 19]


def test_a_game_of_23_passes(games: dict[str, dict[str, Any]]) -> None:
    played = list(plies(parse_transcript(games["passes_23"]["moves"])))
    end = played[-1][1]
    assert sum(move is None and after.to_move is Color.WHITE for move, after in played) == 23
    assert [end.count(Color.BLACK), end.count(Color.WHITE)] == games["passes_23"]["discs"]
    assert end.is_over
    assert end.final_score() == (0, 64)


def test_original_starts_are_empty_boards(diagrams: dict[str, dict[str, Any]]) -> None:
    """VAR-01: the first four moves are played on d4 e4 d5 e5."""
    for name in ("start_original", "start_original_reprint"):
        start = Position.start("original")
        assert start.cells() == diagrams[name]["board"]
        assert start.geometry.names(start.legal_moves()) == ("d4", "e4", "d5", "e5")


def test_reprints_are_the_same_boards(diagrams: dict[str, dict[str, Any]]) -> None:
    same = [(name, diagram["duplicate_of"]) for name, diagram in diagrams.items() if "duplicate_of" in diagram]
    same += [("start_original_reprint", "start_original"), ("start_cross", "fig1")]
    assert len(same) >= 5
    for name, other in same:
        assert diagrams[name]["board"] == diagrams[other]["board"], name


def test_figure_4_is_four_plies_from_the_start(diagrams: dict[str, dict[str, Any]]) -> None:
    reached = {Position.start()}
    for _ in range(4):
        reached = {position.play(square) for position in reached for square in scan(position.legal_moves())}
    assert position_of(diagrams["fig4"]) in reached


def test_illegal_and_forced_moves_of_diagrams(diagrams: dict[str, dict[str, Any]]) -> None:
    fig5 = position_of(diagrams["fig5"])
    assert not fig5.is_legal(fig5.geometry.square("h5"))
    fig6 = position_of(diagrams["fig6"])
    assert fig6.geometry.names(fig6.pass_turn().legal_moves()) == ("c5", "e7")
    crowded = position_of(diagrams["too_many_discs"])
    after = crowded.play(crowded.geometry.square("g7"))
    assert "h8" in after.geometry.names(after.legal_moves())


def test_c_and_x_squares(diagrams: dict[str, dict[str, Any]]) -> None:
    """NOT-02: a C square is beside a corner on the edge, an X square on the diagonal."""
    position = position_of(diagrams["c_x_squares"])
    across, _, down, diagonal = position.geometry.shifts
    corners = position.geometry.mask("a1 h1 a8 h8")
    beside = corners << across | corners >> across | corners << down | corners >> down
    crosswise = corners << diagonal | corners >> diagonal | corners << down - across | corners >> down - across
    assert position.black == beside & position.geometry.playable
    assert position.white == crosswise & position.geometry.playable


def test_regions_of_the_parity_diagram(diagrams: dict[str, dict[str, Any]]) -> None:
    position = position_of(diagrams["parity"])
    assert position.geometry.names(position.empty) == ("a1", "b1", "d1", "e1", "b2")
    after = position.play(position.geometry.square("a1"))
    assert after.geometry.names(after.legal_moves()) == ("b2",)


def test_g2_can_have_been_the_last_disc_of_1995(diagrams: dict[str, dict[str, Any]]) -> None:
    """Some set of discs in line with g2, flipped back, gives a board on which g2 flips exactly them."""
    position = position_of(diagrams["woc1995_final_g2"])
    geometry = position.geometry
    g2 = geometry.square("g2")
    assert position.black >> g2 & 1
    black, discs = position.black & ~(1 << g2), position.black | position.white
    lines = []
    for step in (step for shift in geometry.shifts for step in (shift, -shift)):
        run, at = [], g2 + step
        while at >= 0 and black >> at & 1:
            run.append(at)
            at += step
        lines += [sum(1 << square for square in run[:length]) for length in range(1, len(run))]
    white = discs & ~black & ~(1 << g2)
    boards = [replace(position, black=black & ~turned, white=white | turned, to_move=Color.BLACK) for turned in lines]
    assert any(board.flips(g2) == turned for board, turned in zip(boards, lines, strict=True))
    assert not position.is_legal(geometry.square("h1"))


def test_margin_of_figure_8(diagrams: dict[str, dict[str, Any]]) -> None:
    """OTH-17: the margin on the board is 13."""
    position = position_of(diagrams["fig8"])
    assert (position.empty.bit_count(), position.count(Color.BLACK) - position.count(Color.WHITE)) == (49, 13)
    assert replace(position, rules=replace(position.rules, empties_to_winner=False)).final_score() == (14, 1)


def test_every_correct_diagram_is_tested(diagrams: dict[str, dict[str, Any]]) -> None:
    """The number of diagrams, and those marked as wrong, are known, so that a new one needs its test."""
    assert len(diagrams) == 35
    assert [name for name, diagram in diagrams.items() if diagram["wrong"]] == [
        "opening_rabbit", "opening_tiger", "opening_cow", "opening_rat", "woc1995_final_g2",
    ]  # fmt: skip
    for name in ("opening_rabbit", "opening_tiger", "opening_cow", "opening_rat"):
        assert replay(parse_transcript(diagrams[name]["transcript"])).to_move is Color.WHITE
