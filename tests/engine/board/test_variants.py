"""Rules of the variants (RULES.md 1.2 to 1.4)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.board.color import Color
from engine.board.errors import IllegalMove, UnknownVariant
from engine.board.illegal_move_diagnosis_and_challenge import diagnose
from engine.board.position import Position
from engine.board.transcript import parse_transcript, plies, replay
from engine.board.variants import VARIANTS

#: CONTRACT.md
NAMES = (
    "8x8 6x6 4x4 10x10 88 nip-octagon parallel original original-32 handicap-1 handicap-2 handicap-3 handicap-4 othelle"
)


def names(position: Position) -> str:
    return " ".join(position.geometry.names(position.legal_moves()))


def play(position: Position, moves: str) -> Position:
    return replay(parse_transcript(moves, position.geometry), position)


@pytest.mark.parametrize("name", NAMES.split())
def test_every_variant_of_the_contract_can_be_played(name: str) -> None:
    assert not Position.start(name).is_over


@pytest.mark.parametrize("name", ["original", "original-32"])
def test_the_first_four_discs_go_onto_the_centre(name: str) -> None:
    """VAR-01: the first four moves, B, W, B, W, are on the centre and need not flank."""
    start = Position.start(name)
    assert start.cells() == "-" * 64
    assert names(start) == "d4 e4 d5 e5"
    with pytest.raises(IllegalMove, match="black cannot play c3, the first discs go onto the centre"):
        start.play(start.geometry.square("c3"))
    parallel = play(start, "d5d4e5e4")
    assert parallel.cells() == Position.start("parallel").cells()
    assert (parallel.to_move, names(parallel)) == (Color.BLACK, "c3 d3 e3 f3")
    cross = play(start, "e4d4d5e5")
    assert names(cross) == names(Position.start())
    square = cross.geometry.square("f5")
    assert diagnose(start, play(start, "e5").cells()).move == "e5"
    assert diagnose(cross, cross.play(square).cells()).move == "f5"


def test_a_player_without_discs_left_passes() -> None:
    """VAR-01: each player has 32 discs, including those of the set-up."""
    start = Position.from_cells("X" * 32 + "XO------" + "-" * 24, Color.BLACK, "original-32")
    assert names(replace(start, black_placed=31)) == "c5 a6 b6 c6"
    spent = replace(start, black_placed=32)
    assert spent.placed(Color.WHITE) == 2
    assert (names(spent), spent.is_over) == ("", True)  # White has discs left, but flanks nothing
    with pytest.raises(IllegalMove, match="the game is over"):
        spent.play(spent.geometry.square("c5"))


def test_a_limit_of_discs_ends_moves() -> None:
    """A player whose 32 discs are placed has no move where one without the limit has."""
    cells = "-XO-----" + "X" * 24 + "X" * 24 + "-OX-----"
    unlimited = Position.from_cells(cells, Color.BLACK, "original")
    limited = replace(Position.from_cells(cells, Color.BLACK, "original-32"), black_placed=32)
    assert names(unlimited) == "d1 a8"
    assert names(limited) == ""
    assert limited.must_pass and names(limited.pass_turn()) == "a1 d8"
    with pytest.raises(IllegalMove, match="black cannot play d1, all 32 discs are placed"):
        limited.play(limited.geometry.square("d1"))


def test_discs_placed_are_counted_move_by_move() -> None:
    position = play(Position.start("original-32"), "d5d4e5e4c3")
    assert (position.placed(Color.BLACK), position.placed(Color.WHITE)) == (3, 2)
    assert Position.from_cells(position.cells(), Color.WHITE, "original-32") == position


def test_nip_goes_on_when_both_are_blocked() -> None:
    """VAR-08b, AMB-32: the side to move places anywhere without flips until the board is full."""
    full = "X" * 49
    blocked = Position.from_cells(full + "---", Color.WHITE, "nip-octagon")
    assert not blocked.is_over
    assert names(blocked) == "d8 e8 f8"
    placed = blocked.play(blocked.geometry.square("d8"))
    assert placed.cells() == full + "O--"
    # Black may now turn the white disc, so he must do that: e8 flanks it against c8.
    assert names(placed) == "e8"
    turned = placed.play(placed.geometry.square("e8"))
    assert turned.cells() == full + "XX-"
    end = turned.play(turned.geometry.square("f8"))
    assert end.is_over
    assert end.final_score() == (51, 1)


def test_in_nip_one_blocked_side_passes() -> None:
    blocked = Position.from_cells("X" * 48 + "-OXX", Color.WHITE, "nip-octagon")
    assert blocked.must_pass
    assert names(blocked.pass_turn()) == "c8"


def test_free_placement_in_nip_is_diagnosed_as_legal() -> None:
    blocked = Position.from_cells("X" * 49 + "---", Color.WHITE, "nip-octagon")
    assert diagnose(blocked, "X" * 49 + "-O-").move == "e8"
    assert [str(finding.kind) for finding in diagnose(blocked, "X" * 49 + "-X-").findings] == ["IM-1"]


def test_othelle_flips_up_to_an_enemy_disc() -> None:
    """VAR-15 own-enemy-enemy: a row of enemy discs is flipped except for its last."""
    position = Position.from_cells("-OOOX---" + "-" * 56, Color.BLACK, "othelle")
    assert names(position) == "a1"
    after = position.play(position.geometry.square("a1"))
    assert after.cells() == "XXXOX---" + "-" * 56
    assert diagnose(position, after.cells()).verdict == "legal"
    forgotten = diagnose(position, "XXOOX---" + "-" * 56)
    assert [(str(f.kind), f.squares) for f in forgotten.findings] == [("IM-4", ("c1",))]


@pytest.mark.parametrize(
    ("triple", "before", "move", "after"),
    [
        ("own-enemy-own", "-OOX", "a1", "XXXX"),
        ("own-own-enemy", "-XXO", "a1", "XOOO"),
        ("own-own-own", "-XXX", "a1", "XOOX"),
        ("enemy-own-enemy", "-XXO", "a1", "OOOO"),
        ("enemy-enemy-own", "-OOX", "a1", "OXXX"),
        ("enemy-enemy-enemy", "-OOO", "a1", "OXXO"),
        ("enemy-own-own", "-XXX", "a1", "OOOX"),
    ],
)
def test_fairy_othello(triple: str, before: str, move: str, after: str) -> None:
    """VAR-15: place P, flip S, flanked by R, as seen from Black."""
    rest = "-" * 60
    position = Position.from_cells(before + rest, Color.BLACK, triple)
    reached = position.play(position.geometry.square(move))
    assert reached.cells() == after + rest
    assert diagnose(position, after + rest).verdict == "legal"


def test_othelle_is_own_enemy_enemy() -> None:
    assert VARIANTS["othelle"] == VARIANTS["own-enemy-enemy"]
    assert VARIANTS["own-enemy-own"] == VARIANTS["8x8"]


def test_scores_can_be_counted_on_the_board_alone() -> None:
    """Empties count for nobody if the variant says so, because VAR-01 leaves their scoring open."""
    position = Position.from_cells("X" * 10 + "-" * 54, Color.WHITE, "original-32")
    assert position.final_score() == (64, 0)
    assert replace(position, rules=replace(position.rules, empties_to_winner=False)).final_score() == (10, 0)


def test_circular_nip_is_refused_with_the_reason() -> None:
    with pytest.raises(UnknownVariant, match=r"'nip-circular' cannot be played: circular Nip \(VAR-09\): no source"):
        Position.start("nip-circular")


def test_a_whole_game_of_nip_fills_the_board() -> None:
    position = Position.start("nip-octagon")
    while not position.is_over:
        moves = position.geometry.names(position.legal_moves())
        position = next(iter(plies([moves[0]], position)))[1] if moves else position.pass_turn()
    assert "-" not in position.cells()
