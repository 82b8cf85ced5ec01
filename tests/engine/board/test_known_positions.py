"""The diagrams of the rule sources and published games (RULES.md A4, B, THY-02)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from shared_data import shared

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
    return {d["id"]: d for d in json.loads(shared("rules/diagrams.json").read_text())["diagrams"]}


@pytest.fixture(scope="module")
def games() -> dict[str, dict[str, Any]]:
    known: dict[str, dict[str, Any]] = json.loads(shared("data/board/known_games.json").read_text())
    return known


def shown(diagram: dict[str, Any]) -> Position:
    return Position.from_cells(diagram["board"], SYMBOLS[diagram["to_move"] or "X"])


@pytest.mark.parametrize(("transcript", "cells"), OPENINGS.items())
def test_openings(transcript: str, cells: str) -> None:
    """OPN-03 to OPN-06; White is to move (OPN-07)."""
    position = replay(parse_transcript(transcript))
    assert (position.cells(), position.to_move) == (cells, Color.WHITE)


def test_disc_counts(diagrams: dict[str, dict[str, Any]]) -> None:
    for diagram in diagrams.values():
        position = shown(diagram)
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
        position = shown(diagrams[name])
        assert " ".join(position.geometry.names(position.legal_moves())) == moves, name


def test_flips_of_diagrams(diagrams: dict[str, dict[str, Any]]) -> None:
    for (name, move), turned in FLIPS.items():
        position = shown(diagrams[name])
        assert " ".join(position.geometry.names(position.flips(position.geometry.square(move)))) == turned, name


def test_figures_follow_from_one_another(diagrams: dict[str, dict[str, Any]]) -> None:
    for before, move, after in STEPS:
        position = shown(diagrams[before])
        assert position.play(position.geometry.square(move)).cells() == diagrams[after]["board"]


def test_the_handicaps_are_those_of_the_source(diagrams: dict[str, dict[str, Any]]) -> None:
    """OTH-HC-1, OTH-HC-2."""
    for discs in range(1, 5):
        assert Position.start(f"handicap-{discs}") == shown(diagrams[f"handicap{discs}"])
    assert Position.start("parallel") == shown(diagrams["start_parallel"])


def test_ends_and_scores_of_diagrams(diagrams: dict[str, dict[str, Any]]) -> None:
    ended = [diagram for diagram in diagrams.values() if "result" in diagram]
    assert len(ended) == 4
    for diagram in ended:
        position = shown(diagram)
        assert position.is_over
        assert position.final_score() == (diagram["result"]["black"], diagram["result"]["white"])
    assert shown(diagrams["fig6"]).must_pass


def test_the_line_from_the_parity_diagram_is_a_draw(diagrams: dict[str, dict[str, Any]]) -> None:
    position = replay(parse_transcript("a1b2b1d1e1"), shown(diagrams["parity"]))
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
