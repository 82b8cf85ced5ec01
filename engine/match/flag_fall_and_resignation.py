"""Flags: claimed, declared, called by others where the rule set allows it, or ignored (M43-15, M43-16, TEAM-7.6); and
resignation.

- A fallen flag is latent (K-02). Only when a player claims the opponent's flag or declares their own is it compared
  with the clock; players are never informed of it before.
- The consequence of one established flag is the option ``flag_outcome``, that of two ``both_flags``, and who else may
  call one ``who_may_call``.
"""

from __future__ import annotations

from engine.board.board_geometry import scan
from engine.board.color import Color
from engine.board.position import Position
from engine.copy_with_changes import replace
from engine.end_reason import EndReason
from engine.i18n import say
from engine.match import screen_messages
from engine.match.chouchou_multiplayer_and_score_board import time_over
from engine.match.judge_board_readings import settle_correction
from engine.match.match_events_and_effects import ArbiterOrder, Declare, PlayerClaim
from engine.match.match_state import MatchState, MultiplayerState, Step
from engine.match.match_value_types import GameResult, IllegalEvent, Message, Phase, Seat, seconds_to_ns
from engine.match.rule_sets_and_options import BothFlags, FlagCallers, FlagOutcome, LastMoveFlag, PlayOut

#: phases in which a flag may be claimed; a HOLD counts as the phase it interrupts
FLAG_PHASES = frozenset({Phase.TURN, Phase.CORR, Phase.CHECK, Phase.ENDED})


def establish_flag(state: MatchState, event: PlayerClaim | Declare) -> Step:
    """Rows 15, 16, 17 and 21: claim that the opponent's time has run out, or declare that one's own has."""
    return _establish_flag(state, event.by.opponent if isinstance(event, PlayerClaim) else event.by, event.at_ns)


def claim_both_flags(state: MatchState, event: ArbiterOrder) -> Step:
    """Row 17, M43-16.3: point out that both flags have fallen; others than the players may do so."""
    if state.active_phase not in FLAG_PHASES or not both_fell(state, event.at_ns):
        raise IllegalEvent(say("both flags have not fallen in play (M43-16)"))
    return both_flags(replace(state, confirmed=()), event.at_ns)


def call_flag(state: MatchState, event: ArbiterOrder) -> Step:
    """TEAM-7.6: call a flag, or both, as arbiter. Without a ``side``, whichever has fallen."""
    at_ns = event.at_ns
    flagged = state.color_at(event.side) if isinstance(event.side, Seat) else event.side
    if flagged is None and state.time_loser is not None:
        flagged = state.time_loser  # only this player's extra time is still to be called (AMB-39)
    if flagged is None:
        fallen = [color for color in Color if state.flag(color, at_ns)]
        if not fallen:
            raise IllegalEvent(say("no flag has fallen"))
        # If both flags fell, after the last move only the last mover's can still be called (TEAM-7.7c).
        flagged = state.side if state.side in fallen else fallen[0]
    return _establish_flag(state, flagged, at_ns)


def resign(state: MatchState, loser: Color, at_ns: int) -> Step:
    """TEAM-8.4, AMB-08: record a time loss for a player who resigned with time on the clock."""
    if state.options.flag_outcome is FlagOutcome.PLAY_ON:  # a player who resigned does not play on
        return time_result(state, loser, 0, at_ns), ()
    return lose_on_time(state, loser, at_ns), ()


def _establish_flag(state: MatchState, flagged: Color, at_ns: int) -> Step:
    if state.active_phase not in FLAG_PHASES:
        raise IllegalEvent(say("no flag can be claimed now: {next}", next=state.waits_for))
    state = replace(state, confirmed=())  # M43-18.2: a card signed after the end had another result
    if state.company is not None and state.company.clocks:
        if flagged is not state.side or not state.flag(flagged, at_ns):
            raise IllegalEvent(say("{side}'s flag has not fallen", side=flagged.label))
        return _remove_players_without_time(state, state.company, at_ns), ()
    if not _may_lose_on_time(state, flagged):
        loser = flagged.opponent
        raise IllegalEvent(
            say("{loser} has lost on time; only their second flag can be claimed now", loser=loser.label)
        )
    # Row 17 and AMB-37: with both flags fallen nobody wins on time, whoever claims first.
    if both_fell(state, at_ns) and state.options.claimant_needs_time:
        return both_flags(state, at_ns)
    if not state.flag(flagged, at_ns):
        raise IllegalEvent(say("{side}'s flag has not fallen", side=flagged.label))
    # Row 21, M43-15.3, TEAM-7.7c and AMB-06: after the end only the flag of the last mover counts.
    if not flag_counts(state, flagged, at_ns) or (_last_move_made(state) and flagged is not state.side):
        raise IllegalEvent(
            say("{side} did not make the last move; that flag can no longer be claimed (M43-15.3)", side=flagged.label)
        )
    if state.time_loser is not None:  # the extra time is over as well: the loser gets nothing
        return time_result(state, flagged, 0, at_ns), ()
    # Row 16, M43-15.4: a move in progress stands and is completed first. Under M40-13 the game ends at once.
    if state.mid_move and state.side is flagged and state.options.flag_outcome is FlagOutcome.CHOICE:
        clock = state.clock
        state = replace(state.enter_phase(Phase.FINISH, flagged, at_ns), clock=clock)  # a clock on HOLD stays on HOLD
        return state.notify_players(screen_messages.finish(at_ns, mover=flagged)), ()
    state, effects = settle_correction(state, at_ns) if state.active_phase is Phase.CORR else (state, ())
    return lose_on_time(state, flagged, at_ns), effects


def lose_on_time(state: MatchState, loser: Color, at_ns: int) -> MatchState:
    """Rows 11, 15, 16 and 21: establish the time loss."""
    state = replace(state, declared_pass=False)
    match state.options.flag_outcome:
        case FlagOutcome.CHOICE:  # M43-15a/b: the winner is fixed, the clocks stop, and the winner chooses
            winner, half = loser.opponent, state.squares // 2
            choice = screen_messages.choice(at_ns, winner=winner, won=half + 1, lost=half - 1)
            return state.enter_phase(Phase.CHOICE, winner, at_ns).notify_players(choice)
        case FlagOutcome.WIN:  # M40-2, CC-WIN-5
            return time_result(state, loser, state.squares // 2 - 1, at_ns)
        case FlagOutcome.PLAY_ON:
            return _play_on(state, loser, at_ns)


def time_result(state: MatchState, loser: Color, own: int, at_ns: int) -> MatchState:
    """End the game by time; the loser keeps ``own`` discs."""
    result = GameResult.of_discs(loser.opponent, state.squares - own, state.squares, EndReason.TIME)
    return state.finish_game(result, at_ns)


def _play_on(state: MatchState, loser: Color, at_ns: int) -> MatchState:
    """International practice: the loser on time plays on with extra time and cannot win."""
    overtime_ns = seconds_to_ns(state.options.overtime_s)
    over = state.last_move_ns is not None or state.active_phase is Phase.ENDED
    seat = state.seat_of(loser)
    if seat is None or (overtime_ns <= 0 and not over):
        return time_result(state, loser, 0, at_ns)
    # The flag is lifted: only a second one counts. After the last move the extra time serves to correct it.
    state = replace(state, time_loser=loser, clock=state.clock.set_left(seat, max(1, overtime_ns), at_ns))
    notice = screen_messages.lost_on_time if over else screen_messages.overtime
    return state.notify_players(notice(at_ns, loser=loser))


def _may_lose_on_time(state: MatchState, color: Color) -> bool:
    """Return whether a flag of that colour can still be called; the winner on time can no longer lose by one."""
    return state.time_loser in (None, color)


def _last_move_made(state: MatchState) -> bool:
    return state.last_move_ns is not None and not state.options.checking_flag_counts


def flag_counts(state: MatchState, color: Color, at_ns: int) -> bool:
    """Return whether a fallen flag counts under the rules. The flag of a player who only checks the last move does not
    (K-06, AMB-06).
    """
    flag_at_ns = state.flag_at_ns(color, at_ns)
    if flag_at_ns is None:
        return False
    if not _last_move_made(state) or color is state.side or state.last_move_ns is None:
        return True
    return flag_at_ns <= state.last_move_ns


def both_fell(state: MatchState, at_ns: int) -> bool:
    """Row 17: return whether both flags fell before the last move was completed."""
    if state.time_loser is not None:
        return False
    return flag_counts(state, Color.BLACK, at_ns) and flag_counts(state, Color.WHITE, at_ns)


def both_flags(state: MatchState, at_ns: int) -> Step:
    """Row 17, M43-16, AMB-07: end the game as a draw, or as a win for the holder of the draw right if the game has no
    draw. 32-32, unrated. TEAM-7.7: a side that alone can move plays out its moves first, and the game counts normally.
    """
    rule = state.options.both_flags
    if rule is BothFlags.PLAY_OUT:
        return play_out(state, at_ns)
    by_right = rule is BothFlags.RIGHT_HOLDER or (rule is BothFlags.BY_STAGE and state.no_draw)
    return _end_level(state, at_ns, by_right=by_right), ()


def inform_arbiter(state: MatchState, at_ns: int) -> MatchState:
    """Inform the arbiter once, and never the players, of both flags (M43-16.3) and, where an arbiter may call it, of
    one flag (TEAM-7.6, AMB-39).
    """
    if state.active_phase not in (Phase.TURN, Phase.CORR, Phase.CHECK):
        return state
    if state.options.who_may_call is FlagCallers.PLAYERS_AND_ARBITER:
        for color in Color:
            if _may_lose_on_time(state, color) and flag_counts(state, color, at_ns):
                flag = screen_messages.second_flag if state.time_loser is color else screen_messages.flag
                state = _notify_arbiter_once(state, flag(at_ns, color=color), (color,))
    if not both_fell(state, at_ns):
        return state
    return _notify_arbiter_once(state, screen_messages.both_flags(at_ns), tuple(Color))


def _notify_arbiter_once(state: MatchState, message: Message, flagged: tuple[Color, ...]) -> MatchState:
    """Inform the arbiter once of each fall of these flags; one that was lifted may fall again."""
    fell_ns = max(state.flag_at_ns(color, message.at_ns) or 0 for color in flagged)
    if any(earlier.text == message.text and earlier.at_ns >= fell_ns for earlier in state.shown_to_arbiter):
        return state
    return state.notify_arbiter(message)


def advance_time(state: MatchState, at_ns: int) -> MatchState:
    """Apply what a fallen flag alone does in play: inform the arbiter, and call it where the rule set says so."""
    deadline_ns = state.next_deadline_ns()
    state = state if state.company is not None else inform_arbiter(state, at_ns)
    if deadline_ns is not None and deadline_ns <= at_ns:
        state = replace(state, told_until_ns=at_ns)
    if _flag_decides_at_press(state, at_ns) and state.side is not None:
        return lose_on_time(state, state.side, at_ns)
    if state.options.who_may_call is not FlagCallers.CLOCK or state.phase not in (Phase.TURN, Phase.CORR):
        return state
    if state.company is not None and state.company.clocks:
        return _remove_players_without_time(state, state.company, at_ns)
    may_lose = [color for color in Color if _may_lose_on_time(state, color)]
    fallen = [(at, color) for color in may_lose if (at := state.flag_at_ns(color, at_ns)) is not None]
    if not fallen:
        return state
    fell_ns, flagged = min(fallen)
    over_ns = max(fell_ns, state.clock.since_ns)
    try:
        return _establish_flag(state, flagged, over_ns)[0]
    except IllegalEvent:  # a flag that does not count now, or one for the arbiter to decide
        return state


def _remove_players_without_time(state: MatchState, company: MultiplayerState, at_ns: int) -> MatchState:
    """CC-WIN-5 with three or four individuals: remove players one by one as their times run out."""
    while state.side is not None and (fell_ns := state.flag_at_ns(state.side, at_ns)) is not None:
        state = time_over(state, company, max(fell_ns, state.clock.since_ns))
        if state.phase is not Phase.TURN or state.company is None:
            break
        company = state.company
    return state


def _flag_decides_at_press(state: MatchState, at_ns: int) -> bool:
    """TEAM-7.5 read strictly: return whether the last move counts only if the flag had not fallen at its press."""
    if state.options.last_move_flag is not LastMoveFlag.PRESS or state.phase is not Phase.CHECK:
        return False
    side = state.side
    if side is None or state.time_loser is not None or state.challenge is not None:
        return False
    return flag_counts(state, side, at_ns) and not both_fell(state, at_ns) and state.is_over(state.turn_board)


# Both flags under TEAM-7.7: a side that alone can still move plays out its moves, and the game counts normally.
#
# The board decides. If both sides can move, the right-holder wins 32-32 (TEAM-7.7b). If neither can, the game counts as
# it stands (TEAM-7.7a). Where the board was not read, both are assumed to be able to move, and the arbiter is informed.


def play_out(state: MatchState, at_ns: int) -> Step:
    """Stop the game on a claim of both flags; a move in progress stands and is completed."""
    if state.last_move_ns is not None or state.active_phase is Phase.ENDED:
        raise IllegalEvent(say("both have made their last moves: the game counts normally (TEAM-7.7a)"))
    if state.mid_move and (mover := state.side) is not None:
        return _enter_finish(state, mover, at_ns).notify_players(screen_messages.finish(at_ns, mover=mover)), ()
    state, effects = settle_correction(state, at_ns) if state.active_phase is Phase.CORR else (state, ())
    state, more = continue_play_out(state, at_ns)
    return state, (*effects, *more)


def continue_play_out(state: MatchState, at_ns: int) -> Step:
    """Continue from the board once no move is in progress."""
    board = state.turn_board
    if board is None or not state.board_known:
        state = state.notify_arbiter(screen_messages.both_flags_unread(at_ns))
        return _end_level(state, at_ns, by_right=True), ()
    if state.is_over(board):
        return _end_moves(state, at_ns), ()
    state = state.due_pass()
    mover = state.to_move
    if state.playing_out not in (None, mover):  # AMB-38: the other side can move again
        if state.options.play_out is PlayOut.ARBITER or state.draw_right is None:
            return state.stop_clock(at_ns).call_arbiter(screen_messages.moves_again(at_ns))
        return _end_level(state, at_ns, by_right=True), ()
    if not _has_made_last_move(mover.opponent, state.position(board, mover)):
        if state.both_claimed and state.draw_right is None:
            return state.stop_clock(at_ns).call_arbiter(screen_messages.no_right_holder(at_ns))
        return _end_level(state, at_ns, by_right=True), ()
    known = state.playing_out
    state = replace(_enter_finish(state, mover, at_ns), playing_out=mover)
    return (state if known else state.notify_players(screen_messages.play_out(at_ns, mover=mover))), ()


def _has_made_last_move(color: Color, position: Position) -> bool:
    """Return whether ``color``, who is not to move, cannot move now, or not after any move of the other side."""
    if not replace(position, to_move=color).legal_moves():
        return True
    return not any(position.play(square).legal_moves() for square in scan(position.legal_moves()))


def _enter_finish(state: MatchState, mover: Color, at_ns: int) -> MatchState:
    """Enter FINISH(mover) with both clocks stopped, as neither side has time left."""
    return replace(state.enter_phase(Phase.FINISH, mover, at_ns).stop_clock(at_ns), both_claimed=True)


def _end_moves(state: MatchState, at_ns: int) -> MatchState:
    """TEAM-7.7a: end the game; both have made their last moves, the clock is stopped and the result is to be agreed."""
    last = state.to_move.opponent
    state = replace(state, both_claimed=False, playing_out=None, last_move_ns=at_ns).enter_phase(
        Phase.ENDED, last, at_ns
    )
    return state.notify_players(screen_messages.end(at_ns))


def _end_level(state: MatchState, at_ns: int, *, by_right: bool) -> MatchState:
    """End the game 32-32 as a draw, or ``by_right`` (TEAM-7.7b) as a win for the holder of the draw right."""
    if by_right and state.draw_right is None:
        raise IllegalEvent(say("nobody holds the draw right in this game: the arbiter enters the result"))
    winner, half = state.draw_right if by_right else None, state.squares // 2
    result = GameResult(winner, half, half, EndReason.BOTH_FLAGS, rated=False)
    return replace(state, both_claimed=False, playing_out=None).finish_game(result, at_ns)
