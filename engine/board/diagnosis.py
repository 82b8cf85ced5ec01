"""What is wrong with a move, as the rule book names it (RULES.md 4.1, M43-6a.1 = M40-5a.1).

The law: ``diagnose`` is a function of the board before and the board after, and nothing else. It accuses nobody: it
finds the explanation that needs the fewest wrong squares and names every square concerned, from any board, reachable
or not (K-09). Whether and to whom the finding is shown is for the match to decide (K-08, K-11).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from engine.board.color import Color
from engine.board.explanation import Discs, Explanation, best_explanation
from engine.board.geometry import Geometry
from engine.board.position import Position, parse_cells


class Verdict(StrEnum):
    """What became of the turn."""

    LEGAL = "legal"
    PASS = "pass"
    ILLEGAL = "illegal"
    UNCHANGED = "unchanged"
    TOO_LARGE = "too_large"


class Kind(StrEnum):
    """The seven illegal moves of M43-6a.1 / M40-5a.1."""

    WRONG_COLOR = "IM-1"
    OUT_OF_TURN = "IM-2"
    IMPOSSIBLE_SQUARE = "IM-3"
    UNDER_TURNED = "IM-4"
    OVER_TURNED = "IM-5"
    DISPLACED = "IM-6"
    FALSE_PASS = "IM-7"


@dataclass(frozen=True, slots=True)
class Finding:
    """One error. ``squares`` are all squares concerned: the square played (IM-1 to IM-3), the discs (IM-4, IM-5),
    where a disc was and where it stands (IM-6), the squares that can be played (IM-7)."""

    kind: Kind
    squares: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What happened in a turn. ``move`` is the square played, ``flipped`` the discs that changed colour, rightly or
    not, ``legal_moves`` the squares that could have been played."""

    verdict: Verdict
    move: str | None
    flipped: tuple[str, ...]
    findings: tuple[Finding, ...]
    legal_moves: tuple[str, ...]


def diagnose(before: Position, after: str, *, declared_pass: bool = False) -> Diagnosis:
    """Compares the board string ``after`` with ``before``, whose side to move has just finished his turn.

    - IM-1 wrong colour placed, IM-2 moved out of turn, IM-3 impossible square, IM-4 under-turning, IM-5 over-turning
      and IM-6 displaced disc are found on the board, alone or together.
    - IM-7 (false pass) is found only in a *declared* pass; an unchanged board is ``pass`` if there was no legal move
      (OTH-09) and else ``unchanged``, which a match may take as a challenge (M43-6a). Where a declared pass and the
      board disagree, the board counts.
    - IM-10: a board that no single move explains is ``too_large``.

    ``legal`` is said only of a board that equals the position after a legal move in every square.

    :raises BadBoard: if ``after`` is no board string of this geometry.
    """
    geometry = before.geometry
    black, white = parse_cells(after, geometry)
    is_black = before.to_move is Color.BLACK
    old = Discs(before.own, before.enemy)
    new = Discs(black, white) if is_black else Discs(white, black)
    legal = geometry.names(before.legal_moves())
    false_pass = (_false_pass(legal),) if declared_pass and legal else ()

    if new == old:
        verdict = Verdict.ILLEGAL if false_pass else Verdict.UNCHANGED if legal else Verdict.PASS
        return Diagnosis(verdict, None, (), false_pass, legal)

    flipped = geometry.names(old.own & new.enemy | old.enemy & new.own)
    best = best_explanation(geometry, old, new)
    if best is None:
        return Diagnosis(Verdict.TOO_LARGE, None, flipped, (), legal)
    move = None if best.square is None else geometry.name(best.square)
    if best.is_legal:
        return Diagnosis(Verdict.LEGAL, move, flipped, (), legal)
    findings = tuple(_findings(best, geometry))
    return Diagnosis(Verdict.ILLEGAL, move, flipped, findings if move else findings + false_pass, legal)


def _findings(explanation: Explanation, geometry: Geometry) -> Iterator[Finding]:
    """The errors of an explanation, in the order of the rule book, in words."""
    if explanation.square is not None:
        square = geometry.name(explanation.square)
        if explanation.wrong_color:
            yield Finding(Kind.WRONG_COLOR, (square,), f"{square} の石の色が違う / wrong colour on {square}")
        if explanation.out_of_turn:
            yield Finding(Kind.OUT_OF_TURN, (square,), f"手番でない側が {square} に着手 / {square} played out of turn")
        if explanation.impossible:
            yield Finding(Kind.IMPOSSIBLE_SQUARE, (square,), f"{square} は打てない場所 / {square} turns no disc")
    if explanation.under_turned:
        discs = geometry.names(explanation.under_turned)
        yield Finding(Kind.UNDER_TURNED, discs, f"返し忘れ {' '.join(discs)} / not turned: {' '.join(discs)}")
    if explanation.over_turned:
        discs = geometry.names(explanation.over_turned)
        yield Finding(Kind.OVER_TURNED, discs, f"返しすぎ {' '.join(discs)} / wrongly turned: {' '.join(discs)}")
    for pair in explanation.displaced:
        origin, target = map(geometry.name, pair)
        text = f"石のずれ {origin} → {target} / disc moved from {origin} to {target}"
        yield Finding(Kind.DISPLACED, (origin, target), text)
    for disc in geometry.names(explanation.missing):
        yield Finding(Kind.DISPLACED, (disc,), f"{disc} の石がない / the disc of {disc} is missing")
    for disc in geometry.names(explanation.extra):
        yield Finding(Kind.DISPLACED, (disc,), f"{disc} に余分な石 / an extra disc on {disc}")


def _false_pass(legal: tuple[str, ...]) -> Finding:
    squares = " ".join(legal)
    return Finding(Kind.FALSE_PASS, legal, f"打てるのにパス {squares} / passed, but can play {squares}")
