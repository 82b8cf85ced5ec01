"""The few changes of state that every rule is made of.

The law: which clock runs follows from the phase and its side alone (``clock_seat``); no rule starts or stops a clock
by any other way than ``enter``.
"""

from __future__ import annotations

from dataclasses import replace

from engine.board.color import Color
from engine.board.position import Position
from engine.match import messages
from engine.match.effects import CallArbiter, CardReady, Effect, FindingFiled
from engine.match.model import FiledFinding, Message, Phase, Result, Seat, Turn
from engine.match.state import MatchState

Step = tuple[MatchState, tuple[Effect, ...]]


def clock_seat(state: MatchState, phase: Phase, side: Color | None) -> Seat | None:
    """The seat whose time runs in a phase. In CHECK(q) it is the checking player's (K-06)."""
    match phase:
        case Phase.LATE:
            return state.late
        case Phase.TURN | Phase.CORR | Phase.FINISH | Phase.FREE if side is not None:
            return state.seat_of(side)
        case Phase.CHECK if side is not None:
            return state.seat_of(side.opponent)
        case _:
            return None


def enter(state: MatchState, phase: Phase, side: Color | None, at_ns: int) -> MatchState:
    """Goes to ``phase(side)``; its clock runs from ``at_ns``."""
    seat = clock_seat(state, phase, side)
    clock = state.clock if seat is state.clock.running else state.clock.run(seat, at_ns)
    challenge = state.challenge if phase is Phase.CORR else None
    state = replace(state, phase=phase, side=side, clock=clock, challenge=challenge)
    return replace(state, resume_phase=None, held_by=None, notice=None)


def stop_clock(state: MatchState, at_ns: int) -> MatchState:
    return replace(state, clock=state.clock.run(None, at_ns))


def hold(state: MatchState, at_ns: int) -> MatchState:
    """Row 13: stops the clock and remembers where the game goes on (M43-11)."""
    return replace(state, phase=Phase.HOLD, resume_phase=state.phase, clock=state.clock.run(None, at_ns), notice=None)


def tell(state: MatchState, message: Message) -> MatchState:
    return replace(state, shown_to_players=(*state.shown_to_players, message), notice=message)


def tell_arbiter(state: MatchState, message: Message) -> MatchState:
    return replace(state, shown_to_arbiter=(*state.shown_to_arbiter, message))


def call_arbiter(state: MatchState, message: Message) -> Step:
    return tell_arbiter(state, message), (CallArbiter(message.ja, message.en),)


def file_findings(state: MatchState, findings: tuple[FiledFinding, ...], at_ns: int) -> Step:
    """K-08: findings go to the record and to the arbiter, never to the players. The same one is filed once."""
    new = tuple(filed for filed in findings if filed not in state.findings)
    state = replace(state, findings=(*state.findings, *new))
    for filed in new:
        state = tell_arbiter(state, messages.finding(filed, at_ns))
    return state, tuple(FindingFiled(filed) for filed in new)


def conclude(state: MatchState, result: Result, at_ns: int) -> MatchState:
    """The result is known (RESULT). An arbiter's order may have made the game unrated."""
    result = replace(result, rated=result.rated and not state.unrated)
    state = enter(state, Phase.RESULT, None, at_ns)
    return tell(replace(state, result=result), messages.result(result, at_ns))


def sign(state: MatchState, result: Result, at_ns: int) -> Step:
    """Row 29: both have checked and signed the card (M43-18.2)."""
    return tell(enter(state, Phase.SIGNED, None, at_ns), messages.card(at_ns)), (CardReady(result),)


def add_turn(state: MatchState, turn: Turn) -> MatchState:
    return replace(state, turns=(*state.turns, turn))


def is_over(cells: str) -> bool:
    """OTH-11: neither side can move."""
    return Position.from_cells(cells, Color.BLACK).is_over
