"""ChouChou's score board as the players fill it in: by touch during the turn, or by the buttons.

The law: a piece more or less is only noted; the match is told with the next press of a clock (CC-SUP-2c: captures are
on the score board before the clock is switched), and the target ends the game only when both hold their buttons.
"""

from __future__ import annotations

from engine.board.color import Color
from engine.match.events import Discs
from engine.match.model import End, Phase, Seat
from engine.match.rulesets import Score
from engine.match.state import MatchState
from engine.values import replace
from kiosk.table.state import TableState

#: touch actions on a half: its own player's pieces
CAPTURED_MORE, CAPTURED_LESS = "captured+1", "captured-1"
MOST = 99


def are_counted(match: MatchState) -> bool:
    """Whether this is a game in which captured pieces can be entered now."""
    return match.rules.score is Score.CAPTURES and match.phase in (Phase.TURN, Phase.RESULT)


def changed(state: TableState, match: MatchState, seat: Seat, by: int) -> TableState:
    """One player's pieces ``by`` more."""
    black, white = state.captures
    if match.color_at(seat) is Color.BLACK:
        return replace(state, captures=(min(MOST, max(0, black + by)), white))
    return replace(state, captures=(black, min(MOST, max(0, white + by))))


def are_missing(match: MatchState) -> bool:
    """A game lost on time: the score sheet still wants the pieces (AMB-27)."""
    return are_counted(match) and match.result is not None and match.result.end is End.TIME


def one_more(state: TableState, match: MatchState, seat: Seat) -> TableState:
    """By a long press, after a loss on time: nobody had reached the target, so after the last figure comes 0."""
    more = changed(state, match, seat, 1)
    if max(more.captures) < match.options.target:
        return more
    return changed(more, match, seat, -MOST)


def noted(state: TableState, match: MatchState, at_ns: int) -> tuple[Discs, ...]:
    """What the match has not been told yet, with a press of a clock: not a score that ends the game."""
    news = state.captures != (match.count or (0, 0)) and max(state.captures) < match.options.target
    return _told(state, at_ns) if are_counted(match) and news else ()


def finished(state: TableState, match: MatchState, at_ns: int) -> tuple[Discs, ...]:
    """Both hold their buttons: the score board as it is, even if it ends the game."""
    return _told(state, at_ns) if state.captures != (match.count or (0, 0)) else ()


def _told(state: TableState, at_ns: int) -> tuple[Discs, ...]:
    return (Discs(at_ns, *state.captures),)
