"""Exact endgame solver: known answers, and comparison with a plain search."""

from __future__ import annotations

import random

import pytest
from boards.random_boards import game
from hypothesis import given
from hypothesis import strategies as st
from known_answers import known_text

from engine.board.board_geometry import scan
from engine.board.color import Color
from engine.board.endgame_solver import MOST_EMPTIES, Solution, solve, values, values_backwards
from engine.board.errors import UnsolvableBoard
from engine.board.position import Position

#: FFO positions of the test; ``benchmarks/endgame.py`` solves all nineteen.
FFO = (1, 4, 5, 7, 10, 13)
TEDOMARI = "--X--XXXX-XXXOOOOOOOOOOOOOXOOXXOOOOXOXXOOOXOXXXOO-OOOXOOXXXXXXXO"
PARITY = "--X--XXXX-XXXOOOOOOOOOOOOOXOOXXOOOOXOXXOOOXOXXXOOXXXXXOOXXXXXXXO"


def brute_force(position: Position, known: dict[tuple[int, int, Color], int] | None = None) -> int:
    """Return the score by searching every line. ``known``: scores of positions that were reached before."""
    known = {} if known is None else known
    key = position.black, position.white, position.to_move
    if key not in known:
        if position.is_over:
            black, white = position.final_score()
            known[key] = black - white if position.to_move is Color.BLACK else white - black
        elif position.must_pass:
            known[key] = -brute_force(position.pass_turn(), known)
        else:
            known[key] = max(-brute_force(position.play(square), known) for square in scan(position.legal_moves()))
    return known[key]


def end_of(position: Position, solution: Solution) -> int:
    """Return the score for the side to move at the end of a line, which must end the game."""
    after = position
    for move in solution.line:
        after = after.pass_turn() if move is None else after.play(after.geometry.square(move))
    assert after.is_over
    black, white = after.final_score()
    return black - white if position.to_move is Color.BLACK else white - black


def values_of_moves(position: Position) -> dict[str, int]:
    moves = scan(position.legal_moves())
    return {position.geometry.name(square): -solve(position.play(square)).score for square in moves}


def ffo_positions() -> list[tuple[Position, dict[str, int]]]:
    """Return the FFO positions with the exact score of every move."""
    positions = []
    for line in known_text("board/fforum-1-19.obf").splitlines():
        board, *moves = (part.strip() for part in line.split(";") if part.strip())
        cells, mover = board.split()
        scores = {name.lower(): int(score) for name, _, score in (move.partition(":") for move in moves)}
        positions.append((Position.from_cells(cells, Color.BLACK if mover == "X" else Color.WHITE), scores))
    assert len(positions) == 19
    return positions


@pytest.mark.slow
@pytest.mark.parametrize("number", FFO)
def test_ffo_positions(number: int) -> None:
    position, scores = ffo_positions()[number - 1]
    solution = solve(position)
    assert solution.score == max(scores.values())
    assert scores[str(solution.line[0])] == solution.score
    assert end_of(position, solution) == solution.score


def test_every_move_of_an_ffo_position() -> None:
    """All six moves of FFO #5, the position that is solved fastest, have their published scores."""
    position, scores = ffo_positions()[4]
    assert values_of_moves(position) == scores


def test_tedomari_and_parity_diagrams() -> None:
    """RULES.md appendix B: b7 is best (0 v -6); then a1 is the only best move."""
    assert values_of_moves(Position.from_cells(TEDOMARI, Color.BLACK)) == {"b7": 0, "b2": -6}
    parity = Position.from_cells(PARITY, Color.WHITE)
    assert values_of_moves(parity) == {"a1": 0, "b2": -6, "e1": -10, "d1": -16, "b1": -24}
    assert solve(parity).line == ("a1", "b2", "b1", "d1", "e1")


def test_4x4_from_its_start() -> None:
    """THY-01: White wins 3-13."""
    solution = solve(Position.start("4x4"))
    assert solution.score == 3 - 13
    assert end_of(Position.start("4x4"), solution) == -10
    assert solve(Position.from_cells("-----OO--XX-----", Color.BLACK, "4x4")).score == -4


@pytest.mark.slow
@given(st.integers(0, 2**32), st.sampled_from(["8x8", "6x6", "10x10", "88"]))
def test_late_positions_of_random_games(seed: int, variant: str) -> None:
    position = next(p for p in reversed(game(seed, variant)) if p.empty.bit_count() >= 1)
    for late in [p for p in game(seed, variant) if p.empty.bit_count() <= 6]:
        solution = solve(late)
        assert solution.score == brute_force(late)
        assert end_of(late, solution) == solution.score
    assert solve(position).nodes > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_scores_agree_with_brute_force_at_8_and_9_empties(seed: int) -> None:
    """Positions at which move ordering and the transposition table are used have brute-force scores."""
    reached = [p for p in game(seed) if p.empty.bit_count() in (8, 9)]
    for position in reached[:1]:
        assert solve(position).score == brute_force(position)


def test_the_best_line_contains_its_passes() -> None:
    """The returned line shows where passes occur; nearly every such ending has one."""
    lines = [solve(p).line for seed in range(40) for p in game(seed) if p.empty.bit_count() == 5]
    assert any(None in line for line in lines)


@pytest.mark.slow
def test_arbitrary_boards() -> None:
    """Boards that no game reaches (K-09) have brute-force scores, also without discs of one colour."""
    choice = random.Random(3)
    for _ in range(60):
        cells = [choice.choice("XO") for _ in range(64)]
        for square in choice.sample(range(64), 6):
            cells[square] = "-"
        position = Position.from_cells("".join(cells), choice.choice(list(Color)))
        assert solve(position).score == brute_force(position)
    alone = Position.from_cells("X" * 60 + "----", Color.WHITE)
    assert solve(alone) == Solution(-64, (), 1)


def test_too_many_empties_are_refused() -> None:
    with pytest.raises(UnsolvableBoard, match=f"60 squares are empty; at most {MOST_EMPTIES}"):
        solve(Position.start())
    with pytest.raises(UnsolvableBoard, match="rules of Othello"):
        solve(Position.from_cells("X" * 60 + "----", Color.WHITE, "othelle"))


def test_the_values_of_a_game_equal_those_of_its_single_positions() -> None:
    """Scores with a shared table equal those of each position alone; too many empties are refused."""
    line, rng = [Position.start()], random.Random(8)
    while not line[-1].is_over:
        position = line[-1]
        legal = [square for square in position.geometry.squares if position.legal_moves() >> square & 1]
        line.append(position.play(rng.choice(legal)) if legal else position.pass_turn())
    end = [position for position in line if position.empty.bit_count() <= 7]
    assert values(end) == [solve(position).score for position in end] and values([]) == []
    with pytest.raises(UnsolvableBoard):
        values(line)


def test_backward_values_equal_single_scores_and_can_be_stopped() -> None:
    """Bounding a position by the next one's score changes no score, and the search stops on request."""
    for seed in range(12):
        late = [p for p in game(seed) if p.empty.bit_count() <= 7]
        assert list(values_backwards(late)) == [
            brute_force(p) if p.empty.bit_count() <= 6 else solve(p).score for p in late[::-1]
        ]
    late = [p for p in game(1) if p.empty.bit_count() <= 14]
    stopped = list(values_backwards(late, lambda: False))
    assert len(stopped) < len(late)
    known = values([p for p in late if p.empty.bit_count() <= 11])[::-1]
    assert stopped == known[: len(stopped)]
