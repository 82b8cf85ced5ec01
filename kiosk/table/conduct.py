"""What a gesture at the two buttons means at this moment: ``respond(state, gesture) -> Response``, pure.

The law: where a clock runs, the own button switches it at the edge (``Down``) and nothing else may be asked of the
players. Everywhere else the buttons answer what the screen asks: a short press says yes or goes on, a long press
chooses, stops the clock or calls, both together end the game. Nothing here decides a rule; a press that the rules do
not allow is refused by ``engine.match``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from engine.board.color import Color
from engine.match import proposed_result
from engine.match.events import (
    Agree,
    Arrive,
    Choose,
    Claim,
    ClaimOf,
    Confirm,
    Declare,
    DeclareEnd,
    Discs,
    Event,
    Hold,
    Press,
    Seats,
    StopFreePlay,
)
from engine.match.model import Phase, Seat
from engine.match.state import MatchState
from kiosk.table.gestures import Both, Down, Gesture, Long, Short
from kiosk.table.state import HOLD_CHOICES, TIME_WIN_CHOICES, HoldChoice, LinkState, SetupStep, TableState

#: phases in which the own button is the clock
CLOCK_PHASES = frozenset({Phase.READY, Phase.TURN, Phase.CORR, Phase.FINISH})


@dataclass(frozen=True, slots=True)
class Response:
    """The table's own part of the answer (``state``), what the match is told (``events``), and who sits where once
    that is known (``seated``: seat -> index into the assignment's players). ``taken_back``: times of presses that
    turned out to be part of this gesture; ``next_game``: a table without a head begins another game."""

    state: TableState
    events: tuple[Event, ...] = ()
    seated: Mapping[Seat, int] | None = None
    taken_back: tuple[int, ...] = ()
    next_game: bool = False


def respond(state: TableState, gesture: Gesture) -> Response:
    """What ``gesture`` means in ``state``. The caller drops ``state`` and logs if the match refuses an event."""
    match = state.match
    if match is None:
        return Response(state)
    if match.phase in CLOCK_PHASES:
        return _on_the_clock(state, match, gesture)
    match gesture:
        case Down():
            return Response(state)
        case Short(seat, at_ns):
            return _short(state, match, seat, at_ns)
        case Long(seat, at_ns):
            return _long(state, match, seat, at_ns)
        case Both(at_ns, _):
            return _both(state, match, at_ns)


def _on_the_clock(state: TableState, match: MatchState, gesture: Gesture) -> Response:
    match gesture:
        case Down(seat, at_ns):
            return Response(state, (Press(at_ns, seat),))
        case Long(seat, at_ns) if match.phase is not Phase.READY:
            # The running player's own press switched his clock, so a long press here is his opponent's (M43-11).
            return Response(replace(state, menu=0), (Hold(at_ns, seat),))
        case Both(at_ns, presses) if match.phase is not Phase.READY:
            return _both_on_the_clock(state, match, at_ns, presses)
        case _:
            return Response(state)


def _both_on_the_clock(state: TableState, match: MatchState, at_ns: int, presses: tuple[int, int]) -> Response:
    """Both hold their buttons: the game is over if nobody but the players can know it, else the arbiter is called.
    The two presses were no moves."""
    if match.start_board is None and match.phase is Phase.TURN and match.side is not None:
        return Response(state, (DeclareEnd(at_ns, match.side),), taken_back=presses)
    return Response(replace(state, menu=0), (Hold(at_ns, Seat.LEFT),), taken_back=presses)


def _short(state: TableState, match: MatchState, seat: Seat, at_ns: int) -> Response:
    match match.phase:
        case Phase.SETUP:
            return _settle(state, seat, at_ns)
        case Phase.LATE:
            return Response(state, (Arrive(at_ns),))
        case Phase.CHECK | Phase.FREE:
            return Response(state, (Press(at_ns, seat),))
        case Phase.HOLD if seat is match.held_by:
            return Response(replace(state, menu=(state.menu + 1) % len(HOLD_CHOICES)))
        case Phase.CHOICE if seat is _acting(match):
            return Response(replace(state, menu=(state.menu + 1) % len(TIME_WIN_CHOICES)))
        case Phase.ENDED | Phase.RESULT if proposed_result(match) is not None:
            return Response(state, (Confirm(at_ns, _color(match, seat)),))
        case Phase.ENDED:
            return Response(replace(state, black_count=_count(state, match, seat)))
        case _:
            return Response(state)


def _long(state: TableState, match: MatchState, seat: Seat, at_ns: int) -> Response:
    match match.phase:
        case Phase.CHECK if seat is match.clock.running:
            return Response(state, (DeclareEnd(at_ns, _color(match, seat)),))
        case Phase.CHECK:
            return Response(replace(state, menu=0), (Hold(at_ns, seat),))
        case Phase.ENDED:
            return Response(state, (Agree(at_ns, agree=False),))
        case Phase.HOLD if seat is match.held_by:
            return Response(state, _chosen_in_hold(state, match, seat, at_ns))
        case Phase.CHOICE if seat is _acting(match):
            return Response(replace(state, menu=0), (Choose(at_ns, TIME_WIN_CHOICES[state.menu]),))
        case Phase.FREE if seat is _acting(match):
            return Response(state, (StopFreePlay(at_ns),))
        case _:
            return Response(state)


def _both(state: TableState, match: MatchState, at_ns: int) -> Response:
    match match.phase:
        case Phase.CHECK:
            running = match.running()
            assert running is not None
            return Response(state, (DeclareEnd(at_ns, running),))
        case Phase.ENDED if proposed_result(match) is None:
            return Response(state, (Discs(at_ns, state.black_count, 64 - state.black_count),))
        case Phase.SIGNED if state.link is LinkState.NONE:
            return Response(state, next_game=True)
        case _:
            return Response(state)


def _settle(state: TableState, seat: Seat, at_ns: int) -> Response:
    """One step of the set-up: who sits where, who has Black, who holds the draw right (RULES.md 2)."""
    match state.step:
        case SetupStep.ASK_BLACK if state.designated:
            # M43-1: the colours are given, players[0] has Black; M43-4: Black chooses the seat.
            return Response(replace(state, step=None), (Seats(at_ns, seat, None),), {seat: 0, seat.other: 1})
        case SetupStep.ASK_PLAYER_A:
            return Response(
                replace(state, step=SetupStep.ASK_BLACK, player_at={seat: 0, seat.other: 1}),
                seated={seat: 0, seat.other: 1},
            )
        case SetupStep.ASK_BLACK if state.match is not None and state.match.no_draw:
            return Response(replace(state, step=SetupStep.ASK_DRAW_RIGHT, black_seat=seat))
        case SetupStep.ASK_BLACK:
            # A draw is a draw here: the hidden disc decided the colours only (FS-03).
            return Response(replace(state, step=None), (Seats(at_ns, seat, None),))
        case SetupStep.ASK_DRAW_RIGHT:
            assert state.black_seat is not None
            right = Color.BLACK if seat is state.black_seat else Color.WHITE
            return Response(replace(state, step=None), (Seats(at_ns, state.black_seat, right),))
        case None:
            return Response(state)


def _chosen_in_hold(state: TableState, match: MatchState, seat: Seat, at_ns: int) -> tuple[Event, ...]:
    match HOLD_CHOICES[state.menu]:
        case HoldChoice.ARBITER:
            return ()
        case HoldChoice.CLAIM_TIME:
            return (Claim(at_ns, _color(match, seat), ClaimOf.FLAG),)
        case HoldChoice.OWN_TIME_OUT:
            return (Declare(at_ns, _color(match, seat)),)


def _acting(match: MatchState) -> Seat | None:
    """The seat of the player that the phase is about (the winner on time in CHOICE and FREE)."""
    return None if match.side is None else match.seat_of(match.side)


def _count(state: TableState, match: MatchState, seat: Seat) -> int:
    """Black's count entered by the buttons: Black's own button adds one, White's takes one away."""
    step = 1 if match.color_at(seat) is Color.BLACK else -1
    return (state.black_count + step) % 65


def _color(match: MatchState, seat: Seat) -> Color:
    color = match.color_at(seat)
    assert color is not None, "colours are settled in every phase but SETUP and LATE"
    return color
