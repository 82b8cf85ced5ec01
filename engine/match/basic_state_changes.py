"""Basic state changes from which all rules are built.

The running clock follows from the phase and its side alone (``clock_seat``). Rules start and stop clocks only by
``enter_phase``.
"""

from __future__ import annotations

from engine.board.color import Color
from engine.board.variants import STANDARD
from engine.copy_with_changes import replace
from engine.match import screen_messages
from engine.match.match_state import MatchState
from engine.match.model import CompletedTurn, GameResult, Message, Phase, RecordedViolation, Seat, TurnKind
from engine.match.rulesets import ScoreRule, Submitter
from engine.match.step_effects import CallArbiter, CardReady, Effect, ViolationRecorded

Step = tuple[MatchState, tuple[Effect, ...]]


def clock_seat(state: MatchState, phase: Phase, side: Color | None) -> Seat | None:
    """Return the seat whose time runs in a phase. In CHECK(q) it is the checking player's (K-06)."""
    match phase:
        case Phase.LATE:
            return state.late
        case Phase.TURN | Phase.CORR | Phase.FINISH | Phase.FREE if side is not None:
            return state.seat_of(side)
        case Phase.CHECK if side is not None:
            return state.seat_of(side.opponent)
        case _:
            return None


def enter_phase(state: MatchState, phase: Phase, side: Color | None, at_ns: int) -> MatchState:
    """Enter ``phase(side)``; its clock runs from ``at_ns``."""
    seat = clock_seat(state, phase, side)
    clock = state.clock if seat is state.clock.running else state.clock.run(seat, at_ns)
    challenge = state.challenge if phase is Phase.CORR else None
    return replace(
        state, phase=phase, side=side, clock=clock, challenge=challenge,
        resume_phase=None, held_by=None, held_board=None, notice=None,
    )  # fmt: skip


def stop_clock(state: MatchState, at_ns: int) -> MatchState:
    return replace(state, clock=state.clock.run(None, at_ns))


def hold(state: MatchState, at_ns: int) -> MatchState:
    """Row 13: stop the clock and remember the phase to resume (M43-11)."""
    clock = state.clock.run(None, at_ns)
    return replace(state, phase=Phase.HOLD, resume_phase=state.phase, clock=clock, notice=None, held_board=state.board)


def notify_players(state: MatchState, message: Message) -> MatchState:
    return replace(state, shown_to_players=(*state.shown_to_players, message), notice=message)


def notify_arbiter(state: MatchState, message: Message) -> MatchState:
    return replace(state, shown_to_arbiter=(*state.shown_to_arbiter, message))


def call_arbiter(state: MatchState, message: Message) -> Step:
    return notify_arbiter(state, message), (CallArbiter(message.text),)


def file_findings(state: MatchState, findings: tuple[RecordedViolation, ...], at_ns: int) -> Step:
    """K-08: add findings to the record and inform the arbiter, never the players. The same finding is added once."""
    new = tuple(filed for filed in findings if filed not in state.findings)
    if not new:
        return state, ()
    state = replace(state, findings=(*state.findings, *new))
    for filed in new:
        state = notify_arbiter(state, screen_messages.finding(filed, at_ns))
    return state, tuple(ViolationRecorded(filed) for filed in new)


def finish_game(state: MatchState, result: GameResult, at_ns: int) -> MatchState:
    """Enter RESULT with ``result``. An arbiter's order may have made the game unrated."""
    result = result_on_card(state, result)
    state = enter_phase(state, Phase.RESULT, None, at_ns)
    player = None if state.company is None else state.company.winner
    won = screen_messages.result(result, at_ns) if player is None else screen_messages.player_won(player + 1, at_ns)
    return notify_players(replace(state, result=result, reading_open=False), won)


def result_on_card(state: MatchState, result: GameResult) -> GameResult:
    """Return the result as this card shows it: without discs where none are counted (M40-15.1)."""
    usual = state.variant == STANDARD  # only games on the usual board can be rated
    rated = result.rated and state.options.rated and usual and not state.unrated
    if state.rules.score is ScoreRule.DISCS:
        return replace(result, rated=rated)
    if state.rules.score is ScoreRule.NONE:
        return replace(result, black_discs=None, white_discs=None, rated=rated)
    black, white = state.count or (None, None)  # CC-SCO-1: the captured pieces count, however the game ended
    return replace(result, black_discs=black, white_discs=white, rated=rated)


def close_card(state: MatchState, at_ns: int) -> Step:
    """Row 29: close the card, which both players have checked and signed (M43-18.2)."""
    message = screen_messages.card(state.submitter or Submitter.WINNER, at_ns)
    return notify_players(enter_phase(state, Phase.SIGNED, None, at_ns), message), (CardReady(),)


def add_turn(state: MatchState, turn: CompletedTurn) -> MatchState:
    return replace(state, turns=(*state.turns, turn))


def without_bonus(state: MatchState, by: Color) -> MatchState:
    """Take back the time control's bonus: the last press of ``by`` was a challenge and completed no turn."""
    seat = state.seat_of(by)
    return state if seat is None else replace(state, clock=state.clock.without_bonus(seat))


def due_pass(state: MatchState) -> MatchState:
    """OTH-09: add the pass of a side that cannot move, where nobody presses for it."""
    board = state.turn_board
    if board is None or not state.position(board, state.to_move).must_pass:
        return state
    return add_turn(state, CompletedTurn(state.to_move, TurnKind.PASS, None, board, board))


def is_over(state: MatchState, cells: str | None) -> bool:
    """OTH-11: return whether neither side can move."""
    return cells is not None and state.position(cells, Color.BLACK).is_over
