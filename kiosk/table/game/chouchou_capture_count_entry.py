"""Entry of ChouChou's score board by the players: by touch during a turn, or by the buttons.

- A change is only noted; the match receives it with the next press of a clock (CC-SUP-2c: captures are on the score
  board before the clock is switched).
- Reaching the target ends the game only when both players hold their buttons.
- With more than two players a button counts for that side's player in turn, or its next player.
"""

from __future__ import annotations

from engine.board.color import Color
from engine.copy_with_changes import replace
from engine.end_reason import EndReason
from engine.match import MatchState, Phase, Seat
from engine.match.chouchou_multiplayer_and_score_board import captured_by, captured_by_sides, player_at
from engine.match.match_events_and_effects import DiscCount
from engine.match.rule_sets_and_options import ScoreRule
from kiosk.table.state import TableState

#: touch actions on a half: change its own player's pieces
CAPTURED_MORE, CAPTURED_LESS = "captured+1", "captured-1"
MOST = 99


def can_enter_pieces(match: MatchState) -> bool:
    """Return whether captured pieces can be entered now."""
    return match.rules.score is ScoreRule.CAPTURES and match.phase in (Phase.TURN, Phase.RESULT)


def player_of_button(match: MatchState, seat: Seat) -> int:
    """Return the player for whom this button counts."""
    return player_at(match, match.color_at(seat) or Color.BLACK)


def with_pieces_changed(state: TableState, match: MatchState, seat: Seat, by: int) -> TableState:
    """Return the state with one player's pieces changed by ``by``."""
    pieces, player = list(state.captures), player_of_button(match, seat)
    pieces[player] = min(MOST, max(0, pieces[player] + by))
    return replace(state, captures=tuple(pieces))


def are_pieces_missing(match: MatchState) -> bool:
    """Return whether the score sheet of a game lost on time still lacks the pieces (AMB-27)."""
    return can_enter_pieces(match) and match.result is not None and match.result.end is EndReason.TIME


def with_one_piece_more(state: TableState, match: MatchState, seat: Seat) -> TableState:
    """Return the state after a long press that adds a piece, after a loss on time. Nobody had reached the target, so
    the count wraps to 0 before it.
    """
    more = with_pieces_changed(state, match, seat, 1)
    if max(more.captures) < match.options.target:
        return more
    return with_pieces_changed(more, match, seat, -MOST)


def pending_count(state: TableState, match: MatchState, at_ns: int) -> tuple[DiscCount, ...]:
    """Return what has not been sent to the match yet, on a press of a clock; not a score that ends the game."""
    news = state.captures != captured_by(match) and max(state.captures) < match.options.target
    return _with_own_count(state, match, at_ns) if can_enter_pieces(match) and news else ()


def final_count(state: TableState, match: MatchState, at_ns: int) -> tuple[DiscCount, ...]:
    """Return the score board as it is when both hold their buttons, even if it ends the game."""
    return _with_own_count(state, match, at_ns) if state.captures != captured_by(match) else ()


def after_penalty(captures: tuple[int, ...], before: MatchState, match: MatchState) -> tuple[int, ...]:
    """Return the noted pieces with those of a penalty added (CC-SUP-1)."""
    each = zip(captures, captured_by(before), captured_by(match), strict=True)
    return tuple(own + now - was for own, was, now in each)


def _with_own_count(state: TableState, match: MatchState, at_ns: int) -> tuple[DiscCount, ...]:
    each = () if match.company is None else state.captures
    return (DiscCount(at_ns, *captured_by_sides(state.captures), each),)
