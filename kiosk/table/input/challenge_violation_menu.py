"""Naming of an illegal move by the challenger's button: the kind, and where required the disc or square (M43-6a.3 to
M43-6a.5). Pure.

The choices are what everybody sees on the board, nearest to the disc just played first, correct or not. The engine
answers only what was named (K-11, K-12).
"""

from __future__ import annotations

from dataclasses import replace

from engine.board.color import Color
from engine.board.illegal_move_diagnosis import TO_NAME, ViolationKind
from engine.board.variants import shape_of
from engine.match.match_events_and_effects import ClaimKind, Event, Hold, PlayerClaim
from engine.match.match_state import MatchState
from engine.match.model import CompletedTurn, Phase, Seat
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
    begun = state.naming
    return begun if begun.since_ns == match.clock.since_ns else NamingState(match.clock.since_ns)


def menu_lines(match: MatchState, named: NamingState) -> tuple[str, ...]:
    """Return the lines that short presses step through: kinds, then columns or squares."""
    turn = nameable_turn(match)
    if turn is None or named.kind is None:
        return (*KINDS, ARBITER)
    squares = _squares(turn, named.kind)
    if named.kind in _BY_COLUMN and not named.column:
        return (*sorted({square[0] for square in squares}), BACK)
    return (*(square for square in squares if square.startswith(named.column)), BACK)


def next_line(state: TableState, match: MatchState, named: NamingState) -> TableState:
    return replace(state, naming=replace(named, marked=(named.marked + 1) % len(menu_lines(match, named))))


def choose_line(
    state: TableState, match: MatchState, named: NamingState, seat: Seat, at_ns: int
) -> tuple[TableState, tuple[Event, ...]]:
    """Choose the marked line: continue to the squares, or make the claim."""
    line = menu_lines(match, named)[named.marked]
    assert match.challenge is not None
    by = match.challenge.by
    afresh = replace(state, naming=NamingState(named.since_ns))
    if line == ARBITER:
        return replace(afresh, menu={}), (Hold(at_ns, seat),)
    if line == BACK:
        return afresh, ()
    if named.kind is None:
        kind = ViolationKind(line)
        if kind in TO_NAME:
            return replace(state, naming=NamingState(named.since_ns, kind)), ()
        return afresh, (PlayerClaim(at_ns, by, ClaimKind.ILLEGAL, kind),)
    if len(line) == 1:
        return replace(state, naming=NamingState(named.since_ns, named.kind, line)), ()
    return afresh, (PlayerClaim(at_ns, by, ClaimKind.ILLEGAL, named.kind, (line,)),)


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
    return tuple(sorted(found, key=lambda square: _far(square, placed)))


def _far(square: str, placed: str) -> tuple[bool, int]:
    """Return the sort key: squares in line with the disc that was placed first, then by distance from it."""
    across, down = abs(ord(square[0]) - ord(placed[0])), abs(int(square[1:]) - int(placed[1:]))
    return not (across == 0 or down == 0 or across == down), max(across, down)
