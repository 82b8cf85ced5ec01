"""Diagnosis of every kind of error, injected into positions from random and from real games.

Some boards have two possible causes, which the board alone cannot distinguish. Where they are equally likely the other
is among the ties; for kinds where the injected error is sometimes the less likely one, the table requires a share of
correct answers. ``benchmarks/board.py`` publishes the shares.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from boards import move_errors
from boards.move_errors import AlteredBoard, spoil
from boards.random_boards import game
from known_answers import known

from engine.board.illegal_move_diagnosis_and_challenge import (
    ChallengeAnswer,
    Hypothesis,
    Verdict,
    ViolationKind,
    confirm,
    diagnose,
)
from engine.board.position import Position
from engine.board.transcript import plies
from engine.board.wthor import read_wtb

#: Kinds whose injected error is not always among the likeliest hypotheses, and the share of boards where it is.
SHARES = {
    move_errors.jumped: 0.99,
    move_errors.two_moves_made: 0.95,  # the second move turned discs of the first line as well
    move_errors.slid_and_under_turned: 0.98,
    move_errors.under_and_over_turned: 0.97,  # exactly the flips of a neighbouring move, whose disc then slid
    move_errors.taken_off_and_under_turned: 0.75,  # with one disc to turn, this is the board of one disc that moved
}


@pytest.fixture(scope="module")
def random_positions() -> list[Position]:
    return [position for seed in range(8) for position in game(seed)]


@pytest.fixture(scope="module")
def real_positions() -> list[Position]:
    games = list(read_wtb(known("games/WTH_2015.wtb").read_bytes()))[::200]
    reached = [after for played in games for _, after in plies(played.moves)]
    return [position for position in reached if position.legal_moves()]


def squares_of(account: Hypothesis) -> frozenset[tuple[str, tuple[str, ...]]]:
    return frozenset((str(finding.kind), finding.squares) for finding in account.findings)


@pytest.mark.slow
@pytest.mark.parametrize("where", ["random_positions", "real_positions"])
@pytest.mark.parametrize("move_error", move_errors.MOVE_ERRORS, ids=lambda move_error: move_error.__name__)
def test_injected_errors_are_named(
    move_error: Callable[[AlteredBoard], None], where: str, request: pytest.FixtureRequest
) -> None:
    choice = random.Random(20)
    boards = [spoil(before, move_error, choice) for before in request.getfixturevalue(where)]
    named = []
    for board in boards:
        if board is None:
            continue
        diagnosis = diagnose(board.before, board.after)
        assert diagnosis.verdict in (Verdict.ILLEGAL, Verdict.TOO_LARGE)
        accounts = [Hypothesis(diagnosis.move, diagnosis.findings), *diagnosis.ties]
        assert len({squares_of(account) for account in accounts}) == len(accounts)
        named.append(board.expected in map(squares_of, accounts))
    assert len(named) > 200
    assert sum(named) >= SHARES.get(move_error, 1) * len(named), f"{sum(named)} of {len(named)}"


@pytest.mark.slow
@pytest.mark.parametrize("hidden", [1, 3, 10])
def test_boards_with_unread_squares_get_only_certain_verdicts(hidden: int, random_positions: list[Position]) -> None:
    """A legal move is never called illegal.

    An error is called legal only if the disc that shows it is on a square that was empty before and is not read.
    """
    choice = random.Random(hidden)
    for before in random_positions[::2]:
        geometry = before.geometry
        square = choice.choice(geometry.names(before.legal_moves()))
        right = before.play(geometry.square(square)).cells()
        cells, unread = cover(right, hidden, choice)
        diagnosis = diagnose(before, cells)
        assert diagnosis.verdict in (Verdict.LEGAL, Verdict.TOO_LARGE)
        assert square in diagnosis.possible
        assert diagnosis.verdict is Verdict.TOO_LARGE or diagnosis.move == square
        assert set(diagnosis.deciding) <= {geometry.name(geometry.squares[index]) for index in unread}
        for move_error in move_errors.MOVE_ERRORS:
            if board := spoil(before, move_error, choice):
                cells, unread = cover(board.after, hidden, choice)
                answer = diagnose(before, cells)
                if answer.verdict is Verdict.LEGAL:
                    hides = [index for index in unread if before.cells()[index] == "-" != board.after[index]]
                    assert hides, (before.cells(), board.after, cells)
                if answer.verdict is Verdict.ILLEGAL:
                    assert not legal_boards(before, cells)


def cover(cells: str, hidden: int, choice: random.Random) -> tuple[str, list[int]]:
    unread = choice.sample(range(len(cells)), hidden)
    return "".join("?" if index in unread else cell for index, cell in enumerate(cells)), unread


def legal_boards(before: Position, cells: str) -> list[str]:
    """Return the boards after no move or a legal one that agree with the squares that were read."""
    moves = [before.geometry.square(name) for name in before.geometry.names(before.legal_moves())]
    boards = [before.cells(), *(before.play(square).cells() for square in moves)]
    return [board for board in boards if all(c in ("?", b) for b, c in zip(board, cells, strict=True))]


@pytest.mark.slow
@pytest.mark.parametrize(
    "move_error",
    [
        move_errors.impossible_square,
        move_errors.impossible_square_and_a_disc_turned,
        move_errors.impossible_square_and_a_moves_discs_turned,
    ],
    ids=lambda move_error: move_error.__name__,
)
def test_a_correct_claim_of_an_impossible_square_is_never_denied(
    move_error: Callable[[AlteredBoard], None], random_positions: list[Position]
) -> None:
    """M43-6a.4: a displaced disc (IM-6) is at most as likely, and leaves the claim unsettled."""
    choice, answers = random.Random(3), []
    for before in random_positions:
        board = spoil(before, move_error, choice)
        if board is not None:
            answer = confirm(diagnose(board.before, board.after), ViolationKind.IMPOSSIBLE_SQUARE).answer
            answers.append(answer)
    assert len(answers) > 200
    assert ChallengeAnswer.DENIED not in answers


@pytest.mark.slow
def test_a_board_with_many_changes_is_too_large_to_point_out(random_positions: list[Position]) -> None:
    """IM-10, M43-6a.6: five flipped and two displaced discs are not named one by one."""
    choice = random.Random(4)
    boards = [
        spoil(before, move_errors.hands_through_the_board, choice)
        for before in random_positions
        if before.own.bit_count() > 12
    ]
    verdicts = [diagnose(board.before, board.after).verdict for board in boards if board is not None]
    assert len(verdicts) > 100
    assert verdicts.count(Verdict.TOO_LARGE) >= 0.97 * len(verdicts), "a few are one stray disc by chance"
