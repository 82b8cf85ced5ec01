"""Result card of a finished game (K-13), as sent to the head."""

from __future__ import annotations

from typing import Any

from engine.board.color import Color
from kiosk.link.link_messages import ResultCard, Side
from kiosk.table.state import TableState

NS_PER_MS = 1_000_000


def card_of(state: TableState, at_ns: int) -> ResultCard:
    """Return the card of a game whose result both players have signed, or the arbiter has ruled.

    :raises ValueError: there is no result yet, or it is not known who sits where.
    """
    match, assignment = state.match, state.assignment
    if match is None or assignment is None or match.result is None:
        raise ValueError("there is no result to write on a card")
    black_seat = match.seat_of(Color.BLACK)
    if black_seat is None or black_seat not in state.player_at:
        raise ValueError("nobody has said who has Black")
    black = assignment.players[state.player_at[black_seat]]
    white = assignment.players[state.player_at[black_seat.other]]
    result = match.result
    remaining: dict[Side, int] = {
        "black": match.remaining_ns(Color.BLACK, at_ns) // NS_PER_MS,
        "white": match.remaining_ns(Color.WHITE, at_ns) // NS_PER_MS,
    }
    findings: list[dict[str, Any]] = [
        {"ply": finding.ply, "kind": finding.kind, "squares": list(finding.squares)} for finding in match.findings
    ]
    return ResultCard(
        game=assignment.game,
        winner="draw" if result.winner is None else _side(result.winner),
        black_id=black.id,
        white_id=white.id,
        black_discs=result.black_discs,
        white_discs=result.white_discs,
        end=str(result.end),
        rated=result.rated,
        transcript=match.transcript,
        draw_right=None if match.draw_right is None else _side(match.draw_right),
        remaining_ms=remaining,
        findings=findings,
    )


def _side(color: Color) -> Side:
    return "black" if color is Color.BLACK else "white"
