"""Check of challenges: confirmed and denied (RULES.md 4.1 to 4.3, K-11)."""

from __future__ import annotations

import pytest

from engine.board.color import Color
from engine.board.errors import BadClaim
from engine.board.illegal_move_diagnosis_and_challenge import (
    ChallengeAnswer,
    ChallengeVerdict,
    Diagnosis,
    ViolationKind,
    confirm,
    diagnose,
)
from engine.board.position import Position

#: Black to move: g5 turns f4, e5 and f5.
RAT = "--------------------X------OXO-----XOO-------O------------------"
FORCED_PASS = "--------------------------XXX--O---XXXOO-----X-O-----X----------"


def after(**squares: str) -> Diagnosis:
    board = list(RAT)
    for name, cell in squares.items():
        board["abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1)] = cell
    return diagnose(Position.from_cells(RAT, Color.BLACK), "".join(board))


FORGOTTEN = after(g5="X", f4="X")  # e5 and f5 were not turned
SLID = after(g5="X", f4="X", e5="X", f5="X", e3="-", e2="X")


@pytest.mark.parametrize(
    ("diagnosis", "kind", "named", "answer"),
    [
        # the fact, and the fact with its square
        (after(g5="O", f4="X", e5="X", f5="X"), "IM-1", "", ("confirmed", "", "")),
        (after(g5="O", f4="X", e5="X", f5="X"), "IM-1", "g5", ("confirmed", "g5", "")),
        (after(g5="O", f4="X", e5="X", f5="X"), "IM-1", "a1", ("denied", "", "a1")),
        (after(e2="O", e3="O", e4="O"), "IM-2", "", ("confirmed", "", "")),
        (after(a1="X"), "IM-3", "", ("confirmed", "", "")),
        (FORGOTTEN, "IM-3", "", ("denied", "", "")),
        # the discs
        (FORGOTTEN, "IM-4", "e5 f5", ("confirmed", "e5 f5", "")),
        (FORGOTTEN, "IM-4", "e5", ("confirmed", "e5", "")),
        (FORGOTTEN, "IM-4", "e5 f4", ("confirmed", "e5", "f4")),
        (FORGOTTEN, "IM-4", "f4 g5", ("denied", "", "f4 g5")),
        (FORGOTTEN, "IM-5", "e5", ("denied", "", "e5")),
        (SLID, "IM-6", "e3", ("confirmed", "e3", "")),
        (SLID, "IM-6", "e2 e3", ("confirmed", "e2 e3", "")),
        # a false pass: any square that can be played
        (after(), "IM-7", "g5", ("confirmed", "g5", "")),
        (after(), "IM-7", "g5 a1", ("confirmed", "g5", "a1")),
        (after(), "IM-7", "a1", ("denied", "", "a1")),
        (after(), "IM-4", "e5", ("denied", "", "e5")),
        (after(g5="X", f4="X", e5="X", f5="X"), "IM-7", "d6", ("denied", "", "d6")),
        (after(g5="X", f4="X", e5="X", f5="X"), "IM-4", "e5", ("denied", "", "e5")),
        # nothing to be said: too large, or not read
        (after(a1="X", b1="X", c1="X", d1="O"), "IM-3", "", ("unsettled", "", "")),
        (after(g5="X", f4="X", e5="?", f5="X"), "IM-4", "e5", ("unsettled", "", "")),
        # certain in spite of an unread square; the unread square itself is not
        (after(g5="X", f4="O", e5="?", f5="X"), "IM-4", "f4", ("confirmed", "f4", "")),
        (after(g5="X", f4="O", e5="?", f5="X"), "IM-4", "e5", ("unsettled", "", "")),
        # two discs on squares that turn nothing: either may be the move
        (after(a1="X", h8="X"), "IM-3", "a1", ("unsettled", "", "")),
        (after(a1="X", h8="X"), "IM-4", "e5", ("denied", "", "e5")),
    ],
)
def test_verdicts_of_challenges(diagnosis: Diagnosis, kind: str, named: str, answer: tuple[str, str, str]) -> None:
    expected = ChallengeVerdict(ChallengeAnswer(answer[0]), tuple(answer[1].split()), tuple(answer[2].split()))
    assert confirm(diagnosis, ViolationKind(kind), named.split()) == expected


def test_a_challenge_of_a_declared_false_pass_is_confirmed() -> None:
    before = Position.from_cells(RAT, Color.BLACK)
    declared = diagnose(before, RAT, declared_pass=True)
    assert confirm(declared, ViolationKind.FALSE_PASS, ["g5"]).answer is ChallengeAnswer.CONFIRMED
    assert confirm(declared, ViolationKind.FALSE_PASS, ["a1"]).answer is ChallengeAnswer.DENIED


def test_a_challenge_of_a_forced_pass_is_denied() -> None:
    passed = diagnose(Position.from_cells(FORCED_PASS, Color.BLACK), FORCED_PASS)
    assert confirm(passed, ViolationKind.FALSE_PASS, ["c5"]).answer is ChallengeAnswer.DENIED


@pytest.mark.parametrize(
    "kind", [ViolationKind.UNDER_TURNED, ViolationKind.OVER_TURNED, ViolationKind.DISPLACED, ViolationKind.FALSE_PASS]
)
def test_a_claim_without_its_squares_is_refused(kind: ViolationKind) -> None:
    """M43-6a.4, M43-6a.5: claims about discs must name squares."""
    with pytest.raises(BadClaim, match=f"{kind}: name .*M43-6a"):
        confirm(FORGOTTEN, kind)
