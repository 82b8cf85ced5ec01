"""Shorthands for tests of the match engine: seconds instead of nanoseconds, colours instead of seats."""

from __future__ import annotations

from dataclasses import replace

from matches import games
from matches.games import turns

from engine.board.color import Color
from engine.match import Effect, GameStage, MatchState, Phase, ReadBoard, Seat, Setup, new_match, step
from engine.match.match_events_and_effects import BoardReported, ClaimKind, Event, PlayerClaim, Press

B, W = Color.BLACK, Color.WHITE
S = 1_000_000_000
#: Black sits on the left and the board is read
READ = Setup(black_seat=Seat.LEFT, has_board_source=True)
#: Black sits on the left, without a board source
BLIND = Setup(black_seat=Seat.LEFT)
FINAL = replace(READ, stage=GameStage.KNOCKOUT, draw_right=W)


#: Black's first move, and White's d6 after it with d5 left unturned
F5, WRONG = games.after("f5"), games.changed(games.after("f5d6"), d5="X")


def where(state: MatchState) -> tuple[Phase, Color | None, Color | None]:
    return state.phase, state.side, state.running()


def after(state: MatchState, *events: Event) -> MatchState:
    for event in events:
        state, _ = step(state, event)
    return state


def effects(state: MatchState, event: Event) -> tuple[Effect, ...]:
    return step(state, event)[1]


def press(by: Color, at_s: float) -> Press:
    return Press(round(at_s * S), Seat.LEFT if by is B else Seat.RIGHT)


def read(at_s: float, cells: str, answers: int | None = None) -> BoardReported:
    return BoardReported(round(at_s * S), cells, answers)


def flag(by: Color, at_s: float) -> PlayerClaim:
    return PlayerClaim(round(at_s * S), by, ClaimKind.FLAG)


def illegal(by: Color, at_s: float, kind: str | None = None, *squares: str) -> PlayerClaim:
    return PlayerClaim(round(at_s * S), by, ClaimKind.ILLEGAL, kind, squares)


def pressed(state: MatchState, by: Color, at_s: float, cells: str) -> MatchState:
    """Return the state after a press and the board read for it at once."""
    state, effects_of_press = step(state, press(by, at_s))
    (request,) = effects_of_press
    assert isinstance(request, ReadBoard)
    return after(state, read(at_s, cells, request.number))


def started(setup: Setup = READ) -> MatchState:
    return after(new_match(setup), press(W, 0))


def played(transcript: str, setup: Setup = READ, seconds: float = 1) -> MatchState:
    """Return the game after these moves, each of which took ``seconds``."""
    state = started(setup)
    for number, (by, _, cells) in enumerate(turns(transcript), start=1):
        state = pressed(state, by, number * seconds, cells)
    return state
