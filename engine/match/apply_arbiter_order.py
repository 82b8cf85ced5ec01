"""State changes caused by an arbiter's order. When an order is possible and which fields it needs is a row of
``arbiter_order_specs_and_parser``.

- Every order is logged with its reason, and the arbiter's decision overrides everything (M43-22).
- A submitted card changes only by ``result`` (K-14).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields

from engine.board.color import Color
from engine.board.illegal_move_diagnosis_and_challenge import Verdict, diagnose
from engine.copy_with_changes import replace
from engine.end_reason import EndReason
from engine.i18n import say
from engine.match import (
    chouchou_multiplayer_and_score_board,
    flag_fall_and_resignation,
    free_play_by_time_winner,
    game_end_disc_count_and_result_card,
    game_start_and_late_player,
    screen_messages,
)
from engine.match.arbiter_order_specs_and_parser import RULINGS, order_refusal
from engine.match.board_change_attribution import first_of_two, legal_turn
from engine.match.challenge import charge_unfounded
from engine.match.match_events_and_effects import Action, ArbiterOrder, CardReady
from engine.match.match_state import MatchState, Step
from engine.match.match_value_types import ArbiterRecord, CompletedTurn, GameResult, IllegalEvent, Phase, Seat, TurnKind
from engine.match.rule_sets_and_options import NoShowPolicy, Resignation, ScoreRule


def order(state: MatchState, event: ArbiterOrder) -> Step:
    """Carry out an order.

    :raises IllegalEvent: the order is not possible now, has no reason, or its figures are not allowed.
    """
    if why := order_refusal(state, event.action):
        raise IllegalEvent(why)
    spec = RULINGS[event.action]
    if spec.needs_reason and not event.reason.strip():
        raise IllegalEvent(say("{order}: give a reason (K-15)", order=spec.title))
    state, effects = _CARRY_OUT[event.action](state, event)
    ruling = ArbiterRecord(event.at_ns, event.action, _detail(event), event.reason)
    return replace(state, arbiter_log=(*state.arbiter_log, ruling)), effects


def _detail(event: ArbiterOrder) -> str:
    """Return the figures of an order, for the log."""
    _, _, _, *figures = (field.name for field in fields(event))  # after the time, the action and the reason
    return " ".join(f"{name}={value}" for name in figures if (value := getattr(event, name)) is not None)


def _hold(state: MatchState, event: ArbiterOrder) -> Step:
    """K-15: stop the clock."""
    return state.hold(event.at_ns).notify_players(screen_messages.hold(event.at_ns)), ()


def _resume(state: MatchState, event: ArbiterOrder) -> Step:
    """Resume the game.

    Row 13: the remembered clock runs again and the game goes on from the current board. Row 3: in LATE, the late player
    has arrived. CC: the arbiter starts the game. In ENDED: the game was not over.
    """
    if state.phase is Phase.LATE:
        return game_start_and_late_player.after_arrival(state, event.at_ns), ()
    if state.phase is Phase.READY:
        return game_start_and_late_player.begin_first_turn(state, event.at_ns), ()
    if state.phase is Phase.ENDED:
        return game_end_disc_count_and_result_card.take_back_end(state, event.at_ns), ()
    state = adopt_board(state, event.at_ns)
    if state.resume_phase is Phase.TURN and state.side is not None and not state.pending and state.company is None:
        state = give_turn(state, state.side)
    assert state.resume_phase is not None
    if state.resume_phase is Phase.FREE:
        return free_play_by_time_winner.resume_free_play(state, event.at_ns), ()
    state = state.enter_phase(state.resume_phase, state.side, event.at_ns)
    return (state.stop_clock(event.at_ns) if state.both_claimed else state), ()  # TEAM-7.7: neither has time left


def _set_time(state: MatchState, event: ArbiterOrder) -> Step:
    """M43-28, K-05: set both times and whose turn it is. A flag falls or is lifted accordingly."""
    black, white = state.seat_of(Color.BLACK), state.seat_of(Color.WHITE)
    assert black is not None and white is not None
    if event.black_ns is None or event.white_ns is None or min(event.black_ns, event.white_ns) < 0:
        raise IllegalEvent(say("“Set times and turn” needs both times, none below zero"))
    clock = state.clock.set_left(black, event.black_ns, event.at_ns)
    state = replace(state, clock=clock.set_left(white, event.white_ns, event.at_ns))
    if event.turn is not None:
        state = _set_turn(state, event.turn, event.at_ns)
    if event.move is not None:
        if event.move < 1:
            raise IllegalEvent(say("the number of a move is 1 or more"))
        state = replace(state, moves_more=state.moves_more + event.move - state.move_number)
    return state, ()


def _set_turn(state: MatchState, color: Color, at_ns: int) -> MatchState:
    """Give the turn to ``color``. This ends a challenge or a check in progress."""
    if state.active_phase not in (Phase.TURN, Phase.CORR, Phase.CHECK):
        raise IllegalEvent(say("the turn cannot be set now: {next}", next=state.waits_for))
    if state.pending:
        raise IllegalEvent(say("the board of the last press is still being read; set the turn when it is known"))
    state = replace(state, last_move_ns=None, declared_pass=False)
    state = chouchou_multiplayer_and_score_board.give_turn_to_side(state, color)
    if state.phase is not Phase.HOLD:
        state = give_turn(state, color) if state.company is None else state
        return state.enter_phase(Phase.TURN, color, at_ns)
    return replace(state, resume_phase=Phase.TURN, side=color, challenge=None)


def _deduct(state: MatchState, event: ArbiterOrder) -> Step:
    """M43-21: deduct time from a player. The flag falls if none is left."""
    seat = _seat(state, event)
    if event.amount_ns is None or event.amount_ns <= 0:
        raise IllegalEvent(say("“Deduct time” needs more than 0 seconds"))
    return replace(state, clock=state.clock.deducted(seat, event.amount_ns, event.at_ns)), ()


def _forfeit(state: MatchState, event: ArbiterOrder) -> Step:
    """Record a forfeit as 64-0 and unrated: chosen by the late player (row 4, M43-13.2) or imposed (S16, M43-21,
    AMB-09).
    """
    seat = _seat(state, event)
    before_start = state.active_phase in (Phase.LATE, Phase.SETUP, Phase.READY)
    chosen = before_start and seat is state.late and state.rules.late_may_forfeit
    end = EndReason.LATE if chosen else EndReason.FORFEIT
    state = game_start_and_late_player.bind_colors(state, present=seat.other)
    loser = state.color_at(seat)
    assert loser is not None
    rated = state.options.forfeit_rated and not chosen
    return replace(state, confirmed=()).finish_game(
        game_start_and_late_player.forfeit_result(state, loser, end, rated=rated), event.at_ns
    ), ()


def _result(state: MatchState, event: ArbiterOrder) -> Step:
    """M43-22: enter the result. K-14: this is the only way to change a submitted card."""
    if state.rules.score is ScoreRule.DISCS:
        _check_discs(event, state.squares)
    if event.winner is None and not state.rules.may_draw(state.setup.stage):
        raise IllegalEvent(say("these rules have no draws: name the winner"))
    if state.rules.score is ScoreRule.CAPTURES and event.black_discs is not None and event.white_discs is not None:
        state = replace(state, count=(event.black_discs, event.white_discs))
    rated = state.result.rated if state.result is not None else True
    result = GameResult(event.winner, event.black_discs, event.white_discs, EndReason.ARBITER, rated)
    locked = state.phase is Phase.SUBMITTED
    state = game_start_and_late_player.bind_colors(state, present=Seat.LEFT)
    state = replace(state, confirmed=()).finish_game(result, event.at_ns)
    if not locked:
        return state, ()
    state = state.enter_phase(Phase.SUBMITTED, None, event.at_ns)
    return state, (CardReady(),)


def _check_discs(event: ArbiterOrder, squares: int) -> None:
    if event.black_discs is None or event.white_discs is None or min(event.black_discs, event.white_discs) < 0:
        raise IllegalEvent(say("“Enter the result” needs both disc counts"))
    if event.black_discs + event.white_discs != squares:
        text = say("{black_discs}-{white_discs} does not total {squares} (K-14)", squares=squares)
        raise IllegalEvent(text(black_discs=event.black_discs, white_discs=event.white_discs))
    if event.winner is None and event.black_discs != squares // 2:
        raise IllegalEvent(say("a draw is {half}-{half} (M43-17.3)", half=squares // 2))


def _late_start(state: MatchState, event: ArbiterOrder) -> Step:
    """Row 2, M43-12: start the late player's time; also after the order was given for the wrong player."""
    absent = _seat(state, event)
    if absent is state.late:
        raise IllegalEvent(say("the late player has already arrived"))
    return game_start_and_late_player.late_start(state, absent, event.at_ns), ()


def _late_reading(state: MatchState, event: ArbiterOrder) -> Step:
    """AMB-05, M43-14: decide what a no-show means: 64-0 and unrated as for a forfeit, or an ordinary time loss."""
    assert state.result is not None and state.result.winner is not None
    match event.reading:
        case None | NoShowPolicy.ARBITER:
            raise IllegalEvent(say("say which of the two results applies (AMB-05)"))
        case NoShowPolicy.FORFEIT:
            return replace(state, reading_open=False), ()
        case NoShowPolicy.CHOICE:
            loser = state.result.winner.opponent
            state = replace(state, result=None, reading_open=False)
            return flag_fall_and_resignation.lose_on_time(state, loser, event.at_ns), ()


def _mark_unrated(state: MatchState, event: ArbiterOrder) -> Step:
    """K-15: mark the game unrated."""
    result = None if state.result is None else replace(state.result, rated=False)
    state = replace(state, unrated=True, result=result)
    return state, (CardReady(),) if state.phase is Phase.SIGNED and result is not None else ()


def _resignation(state: MatchState, event: ArbiterOrder) -> Step:
    """TEAM-8.4, AMB-08: record a resignation with time on the clock as a time loss. Players have no button for it."""
    loser = state.color_at(_seat(state, event))
    assert loser is not None
    if state.options.resignation is Resignation.FORFEIT:
        rated = state.options.forfeit_rated
        result = game_start_and_late_player.forfeit_result(state, loser, EndReason.FORFEIT, rated=rated)
        return state.finish_game(result, event.at_ns), ()
    return flag_fall_and_resignation.resign(state, loser, event.at_ns)


def _challenge(state: MatchState, event: ArbiterOrder) -> Step:
    """Row 12, M43-6a.6: rule on the challenge.

    If it is upheld, the offender corrects the turn and presses; otherwise the turn is the challenger's again. A clock
    on HOLD stays on HOLD until the arbiter resumes it.
    """
    challenge, offender = state.challenge, state.side
    assert challenge is not None and offender is not None
    if event.upheld is None:
        raise IllegalEvent(say("say whether the challenge is upheld"))
    if event.upheld:
        state = replace(state, challenge=replace(challenge, agreed=True))
        return state.notify_players(screen_messages.agreed(event.at_ns, offender=offender)), ()
    state = charge_unfounded(state, event.at_ns)
    phase = challenge.returns_to
    side = offender if phase is Phase.CHECK else offender.opponent
    if state.phase is Phase.HOLD:
        state = replace(state, resume_phase=phase, side=side, challenge=None)
    else:
        state = state.enter_phase(phase, side, event.at_ns)
    return state.notify_players(screen_messages.not_upheld(event.at_ns)), ()


def _seat(state: MatchState, event: ArbiterOrder) -> Seat:
    if event.side is None:
        raise IllegalEvent(say("{order}: name a player", order=RULINGS[event.action].title))
    if isinstance(event.side, Seat):
        return event.side
    seat = state.seat_of(event.side)
    if seat is None:
        raise IllegalEvent(say("colours are still open: name the seat, left or right"))
    return seat


_CARRY_OUT: Mapping[Action, Callable[[MatchState, ArbiterOrder], Step]] = {
    Action.HOLD: _hold,
    Action.RESUME: _resume,
    Action.SET_TIME: _set_time,
    Action.DEDUCT: _deduct,
    Action.FORFEIT: _forfeit,
    Action.RESULT: _result,
    Action.LATE_START: _late_start,
    Action.REOPEN: game_start_and_late_player.reopen_setup,
    Action.LATE_READING: _late_reading,
    Action.UNRATED: _mark_unrated,
    Action.BOTH_FLAGS: flag_fall_and_resignation.claim_both_flags,
    Action.FLAG: flag_fall_and_resignation.call_flag,
    Action.RESIGNATION: _resignation,
    Action.CHALLENGE: _challenge,
}


# Board changes that an arbiter made while the clock was on HOLD (K-09).
#
# The stored position follows the physical board. A board changed during a HOLD becomes the start of the turn that
# resumes. A move that the player in turn had begun, or made meanwhile, remains that player's move.


def adopt_board(state: MatchState, at_ns: int) -> MatchState:
    """Return the state on HOLD with the table's current board as the start of the turn, if the board was changed."""
    board, before = state.board, state.turn_board
    if board is None or before is None or state.held_board is None or not state.board_known:
        return state
    if board in (before, state.held_board):
        return state
    if state.resume_phase not in (Phase.TURN, Phase.CHECK) or state.side is None:
        return state
    if state.resume_phase is Phase.TURN and _is_move_in_progress(state, before, board):
        return state
    state = _restore_earlier_turn(state, board) or _correct_last_turn(state, before, board)
    if state.resume_phase is Phase.CHECK and not state.is_over(state.turn_board):  # it was not the last move (M43-9)
        state = replace(state, resume_phase=Phase.TURN, side=state.to_move, last_move_ns=None)
    return state.notify_arbiter(screen_messages.board_adopted(at_ns))


def _is_move_in_progress(state: MatchState, before: str, board: str) -> bool:
    """Return whether the board shows the turn in progress: a legal move, one already begun when the clock stopped, or
    one more disc than before whose flips may still follow.
    """
    assert state.side is not None
    verdict = diagnose(state.position(before, state.side), board).verdict
    may_be_unfinished = state.held_board != before or before.count("-") - board.count("-") == 1
    return verdict is Verdict.LEGAL or (may_be_unfinished and verdict is not Verdict.TOO_LARGE)


def _restore_earlier_turn(state: MatchState, board: str) -> MatchState | None:
    """Return the state after the arbiter restored the board of an earlier turn: later turns are dropped. None if no
    earlier turn ended with this board.
    """
    if state.side is None or state.resume_phase is not Phase.TURN:
        return None
    for count in range(len(state.turns) - 1, -1, -1):
        turns = state.turns[:count]
        after = turns[-1].after if turns else state.start_board
        mover = turns[-1].by.opponent if turns else state.first
        if after == board and mover is state.side:
            return replace(state, turns=turns)
    return None


def _correct_last_turn(state: MatchState, before: str, board: str) -> MatchState:
    """Return the state in which the last turn ended with this board: it was corrected, or the arbiter set it."""
    if not state.turns:
        return replace(state, start_board=board)
    last = state.turns[-1]
    turn = replace(last, after=board)
    if last.before is not None:
        diagnosis = diagnose(state.position(last.before, last.by), board)
        if diagnosis.verdict is Verdict.LEGAL:
            turn = replace(turn, kind=TurnKind.MOVE, move=diagnosis.move)
    return state.replace_last_turn(turn)


def give_turn(state: MatchState, color: Color) -> MatchState:
    """Return the state with the turn given to ``color`` by the arbiter (M43-28).

    Turns alternate in the record, so the turn before it is inserted: the legal one that the board shows (its press was
    forgotten), or one that nobody made.
    """
    before, board = state.turn_board, state.board
    if state.to_move is color:
        return state
    if before is not None and board is not None and board != before and state.board_known:
        position = state.position(before, color.opponent)
        diagnosis = diagnose(position, board)
        if diagnosis.verdict is Verdict.LEGAL:
            return state.add_turn(CompletedTurn(color.opponent, TurnKind.MOVE, diagnosis.move, before, board))
        if first := first_of_two(position, board):
            return state.add_turn(legal_turn(color.opponent, first, before))
    return state.add_turn(CompletedTurn(color.opponent, TurnKind.UNREAD, None, state.turn_board, state.turn_board))
