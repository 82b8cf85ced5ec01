"""Naming of an illegal move by the challenger's button: the kind, and where required the disc or square (M43-6a.3 to
M43-6a.5). Pure.

The choices are what everybody sees on the board, nearest to the disc just played first, correct or not. The engine
answers only what was named (K-11, K-12).
"""

from __future__ import annotations

from dataclasses import replace

from engine.board.color import Color
from engine.board.illegal_move_diagnosis_and_challenge import TO_NAME, ViolationKind
from engine.board.variants import shape_of
from engine.match.match_events_and_effects import ClaimKind, Event, Hold, PlayerClaim
from engine.match.match_state import MatchState
from engine.match.match_value_types import CompletedTurn, Phase, Seat
from kiosk.table.state import NamingState, TableState

#: the usual ones first; the arbiter is the last line
KINDS = (
    ViolationKind.UNDER_TURNED,
    ViolationKind.IMPOSSIBLE_SQUARE,
    ViolationKind.OVER_TURNED,
    ViolationKind.FALSE_PASS,
    ViolationKind.WRONG_COLOR,
    ViolationKind.OUT_OF_TURN,
    ViolationKind.DISPLACED,
)
#: kinds that any square may have: choose the column first, then the square
_BY_COLUMN = frozenset({ViolationKind.FALSE_PASS, ViolationKind.DISPLACED})
ARBITER, BACK = "arbiter", "back"


def nameable_turn(match: MatchState) -> CompletedTurn | None:
    """Return the turn that can be named: one whose board was read."""
    challenge = match.challenge
    if match.phase is not Phase.CORR or challenge is None or challenge.agreed or match.pending or not match.turns:
        return None
    turn = match.turns[-1]
    return turn if turn.by is match.side and turn.after is not None else None


def naming_state_of(state: TableState, seat: Seat) -> NamingState | None:
    """Return this player's progress in naming; None if there is nothing to name."""
    match = state.match
    if match is None or match.challenge is None or state.one_operates or nameable_turn(match) is None:
        return None
    if match.color_at(seat) is not match.challenge.by:
        return None
    naming = state.naming
    return naming if naming.since_ns == match.clock.since_ns else NamingState(match.clock.since_ns)


def menu_lines(match: MatchState, naming: NamingState) -> tuple[str, ...]:
    """Return the lines that short presses step through: kinds, then columns or squares."""
    turn = nameable_turn(match)
    if turn is None or naming.kind is None:
        return (*KINDS, ARBITER)
    squares = _squares(turn, naming.kind)
    if naming.kind in _BY_COLUMN and not naming.column:
        return (*sorted({square[0] for square in squares}), BACK)
    return (*(square for square in squares if square.startswith(naming.column)), BACK)


def next_line(state: TableState, match: MatchState, naming: NamingState) -> TableState:
    return replace(state, naming=replace(naming, marked=(naming.marked + 1) % len(menu_lines(match, naming))))


def choose_line(
    state: TableState, match: MatchState, naming: NamingState, seat: Seat, at_ns: int
) -> tuple[TableState, tuple[Event, ...]]:
    """Choose the marked line: continue to the squares, or make the claim."""
    line = menu_lines(match, naming)[naming.marked]
    assert match.challenge is not None
    by = match.challenge.by
    restarted = replace(state, naming=NamingState(naming.since_ns))
    if line == ARBITER:
        return replace(restarted, menu={}), (Hold(at_ns, seat),)
    if line == BACK:
        return restarted, ()
    if naming.kind is None:
        kind = ViolationKind(line)
        if kind in TO_NAME:
            return replace(state, naming=NamingState(naming.since_ns, kind)), ()
        return restarted, (PlayerClaim(at_ns, by, ClaimKind.ILLEGAL, kind),)
    if len(line) == 1:
        return replace(state, naming=NamingState(naming.since_ns, naming.kind, line)), ()
    return restarted, (PlayerClaim(at_ns, by, ClaimKind.ILLEGAL, naming.kind, (line,)),)


def _squares(turn: CompletedTurn, kind: ViolationKind) -> tuple[str, ...]:
    """Return all squares that can be named, from the board: for a disc that was not turned those of the challenger's
    colour, for one that was turned the mover's, for a pass the empty squares.
    """
    cells = turn.after or ""
    mover = "X" if turn.by is Color.BLACK else "O"
    wanted = {
        ViolationKind.UNDER_TURNED: {"X", "O"} - {mover},
        ViolationKind.OVER_TURNED: {mover},
        ViolationKind.FALSE_PASS: {"-"},
    }.get(kind, {"X", "O", "-"})
    found = [
        square
        for square, cell in zip(shape_of(cells).square_names, cells, strict=True)
        if cell in wanted and square != turn.move
    ]
    if kind in _BY_COLUMN or turn.move is None:
        return tuple(found)
    placed = turn.move
    return tuple(sorted(found, key=lambda square: _distance_key(square, placed)))


def _distance_key(square: str, placed: str) -> tuple[bool, int]:
    """Return the sort key: squares in line with the disc that was placed first, then by distance from it."""
    across, down = abs(ord(square[0]) - ord(placed[0])), abs(int(square[1:]) - int(placed[1:]))
    return not (across == 0 or down == 0 or across == down), max(across, down)
