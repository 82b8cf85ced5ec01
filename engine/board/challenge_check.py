"""Check of a challenge: whether the violation that a player names is on the board (RULES.md 4.1 to 4.3, K-11).

- The answer covers only what the challenger named. For IM-1 to IM-3 he names the fact, for IM-4 to IM-6 the discs, for
  IM-7 a square that can be played (M43-6a.4, M43-6a.5).
- What the board alone cannot settle is left to the players and the arbiter (M43-6a.6).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from engine.board.errors import BadClaim
from engine.board.illegal_move_diagnosis import Diagnosis, Hypothesis, Verdict, Violation, ViolationKind
from engine.i18n import say

#: M43-6a.4, M43-6a.5: kinds that need squares named as well as the fact, and which squares
TO_NAME = {
    ViolationKind.UNDER_TURNED: say("the discs that were not turned"),
    ViolationKind.OVER_TURNED: say("the discs that were wrongly turned"),
    ViolationKind.DISPLACED: say("the discs that were displaced"),
    ViolationKind.FALSE_PASS: say("a square that can be played"),
}


class ChallengeAnswer(StrEnum):
    CONFIRMED = "confirmed"
    DENIED = "denied"
    UNSETTLED = "unsettled"


@dataclass(frozen=True, slots=True)
class ChallengeVerdict:
    """Answer to a challenge.

    - ``right`` and ``wrong``: the named squares that are among those concerned, and those that are not. One right
      square confirms the kind; the others remain wrong.
    - ``unsettled``: the violation is too large to point out, a deciding square was not read, or equally likely accounts
      differ in the answer.
    """

    answer: ChallengeAnswer
    right: tuple[str, ...]
    wrong: tuple[str, ...]


def confirm(
    diagnosis: Diagnosis, kind: ViolationKind, squares: Iterable[str] = (), *, naming_duty: bool = True
) -> ChallengeVerdict:
    """Check whether a violation of this ``kind`` was made on ``squares`` in the turn of ``diagnosis``.

    A turn with an unchanged board counts as a pass: a claim of IM-7 is right if it names a playable square, whether the
    pass was declared or not. ``naming_duty``: AMB-19.

    :raises BadClaim: if the rule requires named squares and none is given.
    """
    named = tuple(squares)
    if naming_duty and kind in TO_NAME and not named:
        raise BadClaim(say("{kind}: name {what} (M43-6a.4, M43-6a.5)", kind=kind, what=TO_NAME[kind]))
    deciding = set(diagnosis.deciding)
    if diagnosis.verdict is Verdict.TOO_LARGE or (deciding and diagnosis.verdict is not Verdict.ILLEGAL):
        return ChallengeVerdict(ChallengeAnswer.UNSETTLED, (), ())
    accounts = [Hypothesis(diagnosis.move, diagnosis.findings), *diagnosis.ties]
    answers = {_answer(account.findings, diagnosis, kind, named) for account in accounts}
    answer = answers.pop()
    if answers or (answer.answer is ChallengeAnswer.DENIED and deciding & {*named}):
        return ChallengeVerdict(ChallengeAnswer.UNSETTLED, (), ())
    return answer


def _answer(
    findings: tuple[Violation, ...], diagnosis: Diagnosis, kind: ViolationKind, named: tuple[str, ...]
) -> ChallengeVerdict:
    concerned = {square for finding in findings if finding.kind is kind for square in finding.squares}
    if kind is ViolationKind.FALSE_PASS and diagnosis.verdict is Verdict.UNCHANGED:
        concerned = set(diagnosis.legal_moves)
    right = tuple(square for square in named if square in concerned)
    wrong = tuple(square for square in named if square not in concerned)
    is_so = bool(right) if named else bool(concerned)
    return ChallengeVerdict(ChallengeAnswer.CONFIRMED if is_so else ChallengeAnswer.DENIED, right, wrong)
