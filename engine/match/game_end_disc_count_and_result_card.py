"""End of the game and the result card (M43-10, M43-17, M43-18).

- A card totals the number of squares of the board, usually 64, before anybody signs it (K-14).
- The players enter their own count. Where it differs from the board that was read, the arbiter is informed.
"""

from __future__ import annotations

from engine.board.color import Color
from engine.board.variants import STANDARD
from engine.copy_with_changes import replace
from engine.end_reason import EndReason
from engine.i18n import say
from engine.match import chouchou_multiplayer_and_score_board, screen_messages
from engine.match.match_events_and_effects import Agree, Confirm, DeclareEnd, DiscCount, Submitted
from engine.match.match_state import MatchState, Step
from engine.match.match_value_types import GameResult, IllegalEvent, Phase
from engine.match.rule_sets_and_options import ReversedResultPolicy, ScoreRule


def declare_end(state: MatchState, event: DeclareEnd) -> Step:
    """Row 20, M43-10.2/3: end the game on the declaration of the last mover's opponent; both clocks stop."""
    if event.by is state.side:
        raise IllegalEvent(say("the end is declared by the opponent of the player who made the last move (M43-10.2)"))
    return _end_game(state, event.at_ns, Phase.CHECK), ()


def declare_end_unread(state: MatchState, event: DeclareEnd) -> Step:
    """Row 20 without a board source: only the players know that the last move was made."""
    if event.by is not state.side:
        raise IllegalEvent(
            say("the end is declared by the opponent of the last mover, after that move's press (M43-9, 10.2)")
        )
    if state.board_known and not state.is_over(state.turn_board):
        raise IllegalEvent(say("the board shows that the game is not over"))
    if not state.turns and not state.pending:
        raise IllegalEvent(say("no move has been made yet"))
    state = replace(state, side=event.by.opponent, last_move_ns=state.turn_since_ns, declared_pass=False)
    return _end_game(state, event.at_ns, Phase.TURN), ()


def declare_end_on_hold(state: MatchState, event: DeclareEnd) -> Step:
    """Row 20 on HOLD: without a board source the players stop the clock first and then declare the end."""
    match state.active_phase:
        case Phase.TURN:
            return declare_end_unread(state, event)
        case Phase.CHECK:
            return declare_end(state, event)
        case _:
            raise IllegalEvent(say("the end cannot be declared now: {next}", next=state.waits_for))


def _end_game(state: MatchState, at_ns: int, before: Phase) -> MatchState:
    state = replace(state.enter_phase(Phase.ENDED, state.side, at_ns), ended_from=before)
    return state.notify_players(screen_messages.end(at_ns) if _read_score(state) else screen_messages.count(at_ns))


def take_back_end(state: MatchState, at_ns: int) -> MatchState:
    """M43-22: take back the end of the game on the arbiter's order. The clock was stopped meanwhile and runs again for
    the same side; the count is discarded.
    """
    phase, last_mover = state.ended_from, state.side
    assert phase is not None and last_mover is not None
    count = state.count if state.rules.score is ScoreRule.CAPTURES else None  # CC-WIN-1: captures are counted in play
    state = replace(state, count=count, recount=False, confirmed=())
    if phase is Phase.CHECK:
        return state.enter_phase(phase, last_mover, at_ns)
    return replace(state, last_move_ns=None).enter_phase(phase, last_mover.opponent, at_ns)


def enter_discs(state: MatchState, event: DiscCount) -> Step:
    """M43-18.1: write both disc counts on the card. M43-18.5: a wrong total is read to the winner's disadvantage."""
    if state.rules.score is ScoreRule.CAPTURES:
        return chouchou_multiplayer_and_score_board.enter_pieces(state, event)
    check_count(state, event)
    count = (event.black, event.white)
    if count != state.count or state.recount:
        state = replace(state, count=count, recount=False, confirmed=())
    read = _read_counts(state)
    if read is not None and count not in (read, _read_score(state)):
        differs = screen_messages.count_differs(
            event.at_ns, black=event.black, white=event.white, read_black=read[0], read_white=read[1]
        )
        state = state.notify_arbiter(differs)
    try:
        score = _card_score(state)
        card_result(state)
    except IllegalEvent:
        return state.call_arbiter(screen_messages.card_undecided(event.at_ns, black=event.black, white=event.white))
    if count not in (score, read):
        repaired = screen_messages.card_repaired(
            event.at_ns, black=event.black, white=event.white, squares=state.squares
        )
        state = state.notify_arbiter(repaired)
    return state, ()


def check_count(state: MatchState, event: DiscCount) -> None:
    """Check that the counts do not exceed what the board can hold.

    :raises IllegalEvent: they do.
    """
    if not all(0 <= discs <= state.squares for discs in (event.black, event.white)):
        text = say("{black}-{white} is no count of {squares} discs", squares=state.squares)
        raise IllegalEvent(text(black=event.black, white=event.white))


def card_result(state: MatchState) -> GameResult:
    """Return the result on the card if both sign now.

    :raises IllegalEvent: there is no count yet, or the count does not decide the game.
    """
    if state.rules.score is ScoreRule.CAPTURES:
        return chouchou_multiplayer_and_score_board.card_result(state)
    return state.result_on_card(_result_by_count(state, *_card_score(state)))


def _card_score(state: MatchState) -> tuple[int, int]:
    """Return the discs that the card counts."""
    if state.recount:
        raise IllegalEvent(say("the players did not agree on the count: count again and enter it (M43-18.1)"))
    score = _read_score(state)
    if state.count is not None and state.count != _read_counts(state):
        score = _repair_count(state, *state.count)
    if score is None:
        raise IllegalEvent(say("count the discs and enter them first (M43-18.1)"))
    return score


def proposed_result(state: MatchState) -> GameResult | None:
    """Return the card to display: the result, or after the end what both would sign now; None if neither is known."""
    if state.result is not None or state.phase is not Phase.ENDED:
        return state.result
    try:
        return card_result(state)
    except IllegalEvent:
        return None


def awaits_count(state: MatchState) -> bool:
    """Return whether the players have to count the discs and enter them: after the end of a game, or of free play,
    without a board source.
    """
    if state.phase is Phase.FREE:
        return state.free_stopped
    ended = state.phase is Phase.ENDED and state.rules.score is not ScoreRule.CAPTURES
    return ended and proposed_result(state) is None


def is_hand_counted(state: MatchState) -> bool:
    """Return whether the result is a count that the players entered after free play. Until both have signed they may
    still disagree with it (M43-18.2).
    """
    result = state.result
    return (
        state.phase is Phase.RESULT and state.free_stopped and result is not None and result.end is EndReason.FREE_PLAY
    )


def _repair_count(state: MatchState, black: int, white: int) -> tuple[int, int]:
    """M43-18.5: correct a wrong total (``repair`` of RULES.md 5.1)."""
    squares, half = state.squares, state.squares // 2
    if black == white:
        if black > half:
            text = say("the count {black}-{white} does not decide the game: count again or call the arbiter")
            raise IllegalEvent(text(black=black, white=white))
        return half, half  # M43-17.3
    winner_discs, loser_discs = max(black, white), min(black, white)
    repaired = min(winner_discs, squares - loser_discs)
    if loser_discs == 0:  # OTH-15: extinction, the winner gets all empties
        repaired = squares
    elif repaired <= half:  # AMB-13: the correction would reverse or level the win
        if state.options.turned_win is ReversedResultPolicy.ARBITER:
            text = say("the count {black}-{white} would reverse the result: the arbiter decides (AMB-13)")
            raise IllegalEvent(text(black=black, white=white))
        repaired = half + 1
    return (repaired, squares - repaired) if black > white else (squares - repaired, repaired)


def _result_by_count(state: MatchState, black: int, white: int) -> GameResult:
    """Return the result by disc count. S1 to S4: more discs win; equal discs are a draw, or a win for the holder of the
    draw right (M43-1, M43-2a).
    """
    winner = None if black == white else Color.BLACK if black > white else Color.WHITE
    if (loser := state.time_loser) is not None:  # played on after a time loss: at best 31-33
        best = max(0, state.options.overtime_best + (state.squares - STANDARD.total) // 2)
        own = min(black if loser is Color.BLACK else white, best)
        return GameResult.of_discs(loser.opponent, state.squares - own, state.squares, EndReason.TIME)
    if winner is None and state.no_draw:
        if state.draw_right is None:
            raise IllegalEvent(say("nobody holds the draw right in this game: the arbiter enters the result"))
        winner = state.draw_right
    return GameResult(winner, black, white, EndReason.NORMAL, rated=True)


def _read_counts(state: MatchState) -> tuple[int, int] | None:
    """Return the discs on the board after the last move, if it was read and the game was over then; else None."""
    board = state.turn_board
    if board is None or not state.board_known or not state.is_over(board):
        return None
    return board.count("X"), board.count("O")


def _read_score(state: MatchState) -> tuple[int, int] | None:
    """Return the score read from the board. M43-17.1/3: the winner gets the empties; a draw is 32-32."""
    counts = _read_counts(state)
    if counts is None:
        return None
    black, white = counts
    if black == white:
        return state.squares // 2, state.squares // 2
    return (state.squares - white, white) if black > white else (black, state.squares - black)


def agree_result(state: MatchState, event: Agree) -> Step:
    """Row 22, M43-17: agree on the result. Otherwise the players count again, even if one has signed, and the arbiter
    is called (M43-20).
    """
    if event.agree:
        return state.finish_game(card_result(state), event.at_ns), ()
    return count_again(replace(state, recount=True, confirmed=()), event.at_ns)


def count_again(state: MatchState, at_ns: int) -> Step:
    """Ask both players to count again and call the arbiter."""
    return state.notify_players(screen_messages.count_again(at_ns)).call_arbiter(screen_messages.called(at_ns))


def confirm_end(state: MatchState, event: Confirm) -> Step:
    """Rows 22 and 29: check, agree and sign in one step; the second signature closes the card (M43-18.2)."""
    result = card_result(state)
    state = _sign(state, event.by)
    if len(state.confirmed) < 2:
        return state, ()
    return state.finish_game(result, event.at_ns).close_card(event.at_ns)


def confirm_result(state: MatchState, event: Confirm) -> Step:
    """Row 29, M43-18.2: sign the result. A player who never came cannot sign; only the opponent does (AMB-05)."""
    result = state.result
    assert result is not None
    if state.reading_open:
        raise IllegalEvent(say("the late player never came: an arbiter must decide the result first (AMB-05)"))
    state = _sign(state, event.by)
    never_came = state.late is state.seat_of(event.by.opponent) and not state.late_came
    alone = event.by is result.winner and (result.end is EndReason.LATE or never_came)
    enough = len(state.confirmed) == 2 or alone
    return state.close_card(event.at_ns) if enough else (state, ())


def confirm_signed(state: MatchState, event: Confirm) -> Step:
    """Row 29: add the late player's signature to a signed card."""
    return _sign(state, event.by), ()


def _sign(state: MatchState, by: Color) -> MatchState:
    if by in state.confirmed:
        raise IllegalEvent(say("{by} has signed already", by=by))
    return replace(state, confirmed=(*state.confirmed, by))


def submit(state: MatchState, event: Submitted) -> Step:
    """Row 30, M43-18.3/4: submit and lock the card (K-14)."""
    return state.enter_phase(Phase.SUBMITTED, None, event.at_ns).notify_players(
        screen_messages.submitted(event.at_ns)
    ), ()
