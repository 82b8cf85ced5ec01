"""ChouChou's score board as the players fill it in: by touch during the turn, or by the buttons.

The law: a piece more or less is only noted; the match is told with the next press of a clock (CC-SUP-2c: captures are
on the score board before the clock is switched), and the target ends the game only when both hold their buttons. Among
more than two a button counts for that side's player in turn, or the one who has it next.
"""

from __future__ import annotations

from engine.board.color import Color
from engine.match import company
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


def counts_for(match: MatchState, seat: Seat) -> int:
    """The player for whom this button counts."""
    return company.player_at(match, match.color_at(seat) or Color.BLACK)


def changed(state: TableState, match: MatchState, seat: Seat, by: int) -> TableState:
    """One player's pieces ``by`` more."""
    pieces, player = list(state.captures), counts_for(match, seat)
    pieces[player] = min(MOST, max(0, pieces[player] + by))
    return replace(state, captures=tuple(pieces))


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
    news = state.captures != company.captured_by(match) and max(state.captures) < match.options.target
    return _told(state, match, at_ns) if are_counted(match) and news else ()


def finished(state: TableState, match: MatchState, at_ns: int) -> tuple[Discs, ...]:
    """Both hold their buttons: the score board as it is, even if it ends the game."""
    return _told(state, match, at_ns) if state.captures != company.captured_by(match) else ()


def after_penalty(captures: tuple[int, ...], before: MatchState, match: MatchState) -> tuple[int, ...]:
    """A penalty's pieces come on top of what was noted and not told yet (CC-SUP-1)."""
    told = zip(captures, company.captured_by(before), company.captured_by(match), strict=True)
    return tuple(own + now - was for own, was, now in told)


def _told(state: TableState, match: MatchState, at_ns: int) -> tuple[Discs, ...]:
    each = () if match.company is None else state.captures
    return (Discs(at_ns, *company.sides(state.captures), each),)
