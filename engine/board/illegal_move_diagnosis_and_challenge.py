"""Diagnosis of a move: which illegal moves of the rule book it contains (RULES.md 4.1, M43-6a.1), and of a challenge.

- ``diagnose`` depends only on the board before and the board after. It works from any board, reachable or not (K-09).
- It finds the explanation with the fewest wrong squares and names every square concerned. The match decides whether and
  to whom the finding is shown (K-08, K-11).
- Squares that a camera could not read (``?``) are never guessed. The verdict is ``illegal`` only if no legal move and
  no pass agrees with the squares that were read, and ``legal`` only if one move agrees and no unread square can
  contradict it: a square that was empty stays empty unless the turn's disc was put there, but any disc may have been
  turned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from engine.board.board_geometry import Geometry, scan
from engine.board.color import Color
from engine.board.errors import BadClaim
from engine.board.move_and_mistake_hypotheses import DiscDiff, MoveHypothesis, TurnDiff, best_explanations
from engine.board.position import Position, parse_reading
from engine.i18n import Text, say


class Verdict(StrEnum):
    """Classification of a turn."""

    LEGAL = "legal"
    PASS = "pass"
    ILLEGAL = "illegal"
    UNCHANGED = "unchanged"
    TOO_LARGE = "too_large"


class ViolationKind(StrEnum):
    """The seven illegal moves of M43-6a.1 / M40-5a.1."""

    WRONG_COLOR = "IM-1"
    OUT_OF_TURN = "IM-2"
    IMPOSSIBLE_SQUARE = "IM-3"
    UNDER_TURNED = "IM-4"
    OVER_TURNED = "IM-5"
    DISPLACED = "IM-6"
    FALSE_PASS = "IM-7"


@dataclass(frozen=True, slots=True)
class Violation:
    """One violation. ``squares``: all squares concerned, which are the square played (IM-1 to IM-3), the discs (IM-4,
    IM-5), where a disc was and where it stands (IM-6), the playable squares (IM-7)."""

    kind: ViolationKind
    squares: tuple[str, ...]
    text: Text


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One possible cause of a board: the square played, if any, and the violations."""

    move: str | None
    findings: tuple[Violation, ...]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Result of comparing the boards before and after a turn. ``move`` is the square played, ``flipped`` the discs that
    changed colour, rightly or not, ``legal_moves`` the squares that could have been played.

    - ``ties``: other accounts of the board, exactly as likely as ``move`` and ``findings``.
    - ``deciding``: the unread squares that could change this result; ``too_large`` may then only mean that a person has
      to check them.
    - ``possible``: with unread squares, the legal moves that agree with those that were read; None: no move.
    """

    verdict: Verdict
    move: str | None
    flipped: tuple[str, ...]
    findings: tuple[Violation, ...]
    legal_moves: tuple[str, ...]
    ties: tuple[Hypothesis, ...] = ()
    deciding: tuple[str, ...] = ()
    possible: tuple[str | None, ...] = ()


def diagnose(before: Position, after: str, *, declared_pass: bool = False) -> Diagnosis:
    """Compare the board string ``after`` with ``before``, whose side to move has just finished a turn.

    - IM-1 wrong colour placed, IM-2 moved out of turn, IM-3 impossible square, IM-4 under-turning, IM-5 over-turning
      and IM-6 displaced disc are found on the board, alone or together. A missing or extra disc is IM-6; what a second
      disc of the mover turned is IM-5.
    - IM-7 (false pass) is found only in a *declared* pass. An unchanged board is ``pass`` if there was no legal move
      (OTH-09), else ``unchanged``, which a match may treat as a challenge (M43-6a). Where a declared pass and the board
      disagree, the board counts.
    - IM-10: a board that no single move explains is ``too_large``.

    Without unread squares the verdict is ``legal`` only if the board equals the position after a legal move in every
    square.

    :raises BadBoard: if ``after`` is not a board string of this geometry.
    """
    geometry = before.geometry
    black, white, unread = parse_reading(after, geometry)
    if before.to_move is Color.WHITE:
        black, white = white, black
    moves = before.legal_moves()
    turn = TurnDiff(before.rules, DiscDiff(before.own, before.enemy), DiscDiff(black, white, unread), moves)
    legal = geometry.names(moves)
    if unread:
        return _diagnose_in_part(turn, legal, declared_pass)
    if turn.before == turn.after:
        false_pass = _false_pass(legal) if declared_pass else ()
        verdict = Verdict.ILLEGAL if false_pass else Verdict.UNCHANGED if legal else Verdict.PASS
        return Diagnosis(verdict, None, (), false_pass, legal)
    return _explain(turn, legal, declared_pass)


def _explain(turn: TurnDiff, legal: tuple[str, ...], declared_pass: bool, deciding: tuple[str, ...] = ()) -> Diagnosis:
    """Return the diagnosis of a changed board."""
    geometry = turn.rules.geometry
    flipped = geometry.names(turn.turned)
    best = best_explanations(turn)
    if not best:
        return Diagnosis(Verdict.TOO_LARGE, None, flipped, (), legal, (), deciding)
    false_pass = _false_pass(legal) if declared_pass else ()
    first, *others = [_account(explanation, geometry, false_pass) for explanation in best]
    verdict = Verdict.LEGAL if best[0].is_legal else Verdict.ILLEGAL
    ties = tuple(account for account in others if account.findings != first.findings)
    return Diagnosis(verdict, first.move, flipped, first.findings, legal, ties, deciding)


def _diagnose_in_part(turn: TurnDiff, legal: tuple[str, ...], declared_pass: bool) -> Diagnosis:
    """Return what is certain about a board with unread squares."""
    geometry, before, unread = turn.rules.geometry, turn.before, turn.after.unread
    one_disc_seen = turn.placed.bit_count() == 1 and not turn.lifted
    deciding = geometry.names(unread & before.occupied if one_disc_seen else unread)
    possible = _possible(turn)
    if not possible:
        return _explain(turn, legal, declared_pass, deciding)
    move = possible[0] if len(possible) == 1 else None
    verdict = Verdict.TOO_LARGE if deciding else Verdict.LEGAL
    return Diagnosis(verdict, move, geometry.names(turn.turned), (), legal, (), deciding, possible)


def _possible(turn: TurnDiff) -> tuple[str | None, ...]:
    """Return the legal moves, or None for no move, that agree with every square that was read."""
    rules, before, after = turn.rules, turn.before, turn.after
    fits: list[str | None] = []
    if not (turn.placed or turn.lifted or turn.turned):
        fits.append(None)
    for square in scan(turn.legal & (turn.placed | after.unread)):
        turned = rules.flips(before.own, before.enemy, square)
        own, enemy = rules.after(before.own, before.enemy, square, turned)
        if (own & ~after.unread, enemy & ~after.unread) == (after.own, after.enemy):
            fits.append(rules.geometry.name(square))
    return tuple(fits)


def _account(explanation: MoveHypothesis, geometry: Geometry, false_pass: tuple[Violation, ...]) -> Hypothesis:
    findings = tuple(_findings(explanation, geometry))
    if explanation.square is None:
        return Hypothesis(None, findings + false_pass)
    return Hypothesis(geometry.name(explanation.square), findings)


def _findings(explanation: MoveHypothesis, geometry: Geometry) -> Iterator[Violation]:
    """Yield the violations of an explanation, in the order of the rule book, with their texts."""
    if explanation.square is not None:
        square = geometry.name(explanation.square)
        if explanation.wrong_color:
            yield Violation(ViolationKind.WRONG_COLOR, (square,), say("wrong colour on {square}", square=square))
        if explanation.out_of_turn:
            yield Violation(ViolationKind.OUT_OF_TURN, (square,), say("{square} played out of turn", square=square))
        if explanation.impossible:
            yield Violation(ViolationKind.IMPOSSIBLE_SQUARE, (square,), say("{square} turns no disc", square=square))
    if discs := geometry.names(explanation.under_turned):
        yield Violation(ViolationKind.UNDER_TURNED, discs, say("not turned: {squares}", squares=" ".join(discs)))
    if discs := geometry.names(explanation.over_turned):
        yield Violation(ViolationKind.OVER_TURNED, discs, say("wrongly turned: {squares}", squares=" ".join(discs)))
    for pair in explanation.displaced:
        origin, target = map(geometry.name, pair)
        text = say("disc moved from {origin} to {target}", origin=origin, target=target)
        yield Violation(ViolationKind.DISPLACED, (origin, target), text)
    for disc in geometry.names(explanation.missing):
        yield Violation(ViolationKind.DISPLACED, (disc,), say("the disc of {square} is missing", square=disc))
    for disc in geometry.names(explanation.extra):
        yield Violation(ViolationKind.DISPLACED, (disc,), say("an extra disc on {square}", square=disc))


def _false_pass(legal: tuple[str, ...]) -> tuple[Violation, ...]:
    text = say("passed, but can play {squares}", squares=" ".join(legal))
    return (Violation(ViolationKind.FALSE_PASS, legal, text),) if legal else ()


# Check of a challenge: whether the violation that a player names is on the board (RULES.md 4.1 to 4.3, K-11).
#
# - The answer covers only what the challenger named. For IM-1 to IM-3 he names the fact, for IM-4 to IM-6 the discs,
#   for IM-7 a square that can be played (M43-6a.4, M43-6a.5).
# - What the board alone cannot settle is left to the players and the arbiter (M43-6a.6).

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
    confirmed = tuple(square for square in named if square in concerned)
    denied = tuple(square for square in named if square not in concerned)
    is_so = bool(confirmed) if named else bool(concerned)
    return ChallengeVerdict(ChallengeAnswer.CONFIRMED if is_so else ChallengeAnswer.DENIED, confirmed, denied)
