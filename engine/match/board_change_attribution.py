"""Board changes made by somebody other than the player whose press was read, or outside that player's turn.

A press answers only for what its player did in their own turn. Not attributed to that player are: discs that the
opponent corrected after pressing, a move the opponent made out of turn, and moves after a pass for which nobody
pressed. The rules decide whose they are; otherwise no violation is recorded.
"""

from __future__ import annotations

from engine.board.board_geometry import scan
from engine.board.color import Color
from engine.board.illegal_move_diagnosis_and_challenge import Diagnosis, Verdict, ViolationKind, diagnose
from engine.board.position import Position
from engine.match.match_state import MatchState
from engine.match.match_value_types import CompletedTurn, TurnKind

#: A move or a due pass, and the position after it.
Made = tuple[str | None, Position]


def explain_two(before: Position, cells: str) -> tuple[Made, Made] | None:
    """Return the two turns (moves or due passes) that lead from ``before`` to ``cells``; None if no legal ones do."""
    for first in _continuations(before):
        for second in _continuations(first[1]):
            if second[1].cells() == cells:
                return first, second
    return None


def first_of_two(before: Position, cells: str) -> Made | None:
    """Return the legal turn that leads from ``before`` to ``cells`` together with the opponent's next move, which may
    be unfinished: the disc is laid, and some of its discs are turned (M43-8.1, M43-9, IM-8). None if there is none.
    """
    if both := explain_two(before, cells):
        return both[0]
    return next((first for first in _continuations(before) if _is_begun(first[1], cells)), None)


def _is_begun(before: Position, cells: str) -> bool:
    """Return whether ``cells`` shows a legal move from ``before`` whose discs are not all turned yet."""
    old = before.cells()
    squares = before.geometry.squares
    placed = [square for square, was, now in zip(squares, old, cells, strict=True) if was == "-" and now != was]
    if len(placed) != 1 or not before.legal_moves() >> placed[0] & 1:
        return False
    completed = before.play(placed[0]).cells()
    return all(now in (was, after) for was, now, after in zip(old, cells, completed, strict=True))


def after_unpressed_pass(before: Position, cells: str) -> tuple[Made, ...] | None:
    """OTH-09: return the turns of a player who had to pass without anybody pressing: the pass, the opponent's move, and
    the player's own reply if already made. None if they do not lead to ``cells``.
    """
    if not before.must_pass:
        return None
    passed = before.pass_turn()
    for step in _continuations(passed):
        if step[0] is not None and step[1].cells() == cells:
            return (None, passed), step
    both = explain_two(passed, cells)
    return None if both is None else ((None, passed), *both)


def reconcile(state: MatchState, by: Color, cells: str) -> str | None:
    """Return the board that the opponent's last move should have left, if ``by`` found it so: forgotten flips were made
    after the press (M43-6d).
    """
    last = state.last_turn
    if last is None or last.by is by or last.kind is not TurnKind.ILLEGAL or last.before is None or last.move is None:
        return None
    before = state.position(last.before, last.by)
    square = before.geometry.square(last.move)
    if not before.legal_moves() >> square & 1:
        return None
    right = before.play(square).cells()
    if right == last.after:
        return None
    verdict = diagnose(state.position(right, by), cells).verdict
    return right if verdict in (Verdict.LEGAL, Verdict.PASS, Verdict.UNCHANGED) else None


def moved_out_of_turn(state: MatchState, before: str | None, cells: str | None, by: Color) -> Diagnosis | None:
    """IM-2: return the diagnosis if the opponent moved in the turn of ``by``; None if the board does not show that."""
    if before is None or cells is None or before == cells:
        return None
    diagnosis = diagnose(state.position(before, by), cells)
    out_of_turn = any(finding.kind is ViolationKind.OUT_OF_TURN for finding in diagnosis.findings)
    return diagnosis if out_of_turn else None


def legal_turn(by: Color, step: Made, before: str) -> CompletedTurn:
    """Return a legal turn for the record."""
    square, position = step
    return CompletedTurn(by, TurnKind.PASS if square is None else TurnKind.MOVE, square, before, position.cells())


def _continuations(position: Position) -> list[Made]:
    if position.must_pass:
        return [(None, position.pass_turn())]
    return [(position.geometry.name(square), position.play(square)) for square in scan(position.legal_moves())]
