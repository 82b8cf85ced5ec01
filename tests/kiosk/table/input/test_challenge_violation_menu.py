"""Tests of a challenge that names the violation at the table (M43-6a.3 to M43-6a.6, K-11), by the challenger's
button."""

from __future__ import annotations

from dataclasses import replace

import pytest
from matches import games
from matches.games import after as board_after
from matches.games import changed
from matches.steps import READ, B, S, W, after, flag, pressed
from tables.states import table

from engine.board.illegal_move_diagnosis_and_challenge import ViolationKind
from engine.match import IllegalEvent, MatchState, Phase, Seat, new_match, step
from engine.match.match_events_and_effects import Action, ArbiterOrder, Declare, Hold, PlayerClaim, Press, Restart
from kiosk.locale import ENGLISH
from kiosk.table.input.challenge_violation_menu import KINDS, menu_lines, naming_state_of
from kiosk.table.input.gesture_recognition import NAME, BothPressed, ButtonDown, Gesture, LongPress, ShortPress, Tap
from kiosk.table.input.gesture_responses import Response, respond, respond_to_touch, why_refused
from kiosk.table.state import Hint, HoldChoice, TableState
from kiosk.table.views import Layout, table_scene

F5, F5D6 = board_after("f5"), board_after("f5d6")
#: White played d6 and did not turn d5
FORGOT = changed(F5D6, d5="X")
BLACK, WHITE = Seat.LEFT, Seat.RIGHT


def challenged(board: str = FORGOT) -> TableState:
    """A state in which White's second turn gave ``board`` and Black challenged: White's time runs again."""
    match = after(new_match(READ), Press(0, WHITE))
    match = pressed(match, B, 1, F5)
    match = pressed(match, W, 2, board)
    match = pressed(match, B, 3, board)
    assert (match.phase, match.side) == (Phase.CORR, W)
    return table(match)


def does(state: TableState, *gestures: Gesture) -> TableState:
    for gesture in gestures:
        response = respond(state, gesture)
        state, match = response.state, response.state.match
        for event in response.events:
            assert match is not None
            match = step(match, event)[0]
        state = replace(state, match=match)
    return state


def short_presses(state: TableState, times: int = 1) -> TableState:
    return does(state, *[one for _ in range(times) for one in (ButtonDown(BLACK, 5 * S), ShortPress(BLACK, 5 * S))])


def long_press(state: TableState) -> TableState:
    return does(state, ButtonDown(BLACK, 6 * S), LongPress(BLACK, 6 * S, pressed_before=True))


def notice(state: TableState) -> str:
    assert state.match is not None and state.match.notice is not None
    return str(state.match.notice.text)


def test_the_usual_challenge_takes_three_presses() -> None:
    """ "Not turned" is the first kind, and the discs in line with the last move are the first squares: hold, press,
    hold."""
    state = long_press(challenged())
    assert (
        naming_state_of(state, BLACK) is not None and naming_state_of(state, BLACK).kind is ViolationKind.UNDER_TURNED
    )  # type: ignore[union-attr]
    presses = 1
    while current(state) != "d5":
        state, presses = short_presses(state), presses + 1
    state, presses = long_press(state), presses + 1
    assert presses <= 3 and notice(state) == "Confirmed: IM-4 d5"
    assert state.match is not None and state.match.phase is Phase.CORR, "the offender corrects it on his time"


def current(state: TableState) -> str:
    named = naming_state_of(state, BLACK)
    assert state.match is not None and named is not None
    return menu_lines(state.match, named)[named.marked]


def test_an_impossible_square_takes_two_presses() -> None:
    assert notice(long_press(short_presses(challenged()))) == "Not found: IM-3"


def test_unnamed_violations_are_not_revealed() -> None:
    """K-11: a player who names a correct disc learns that it is correct, and not which one is wrong."""
    state = short_presses(long_press(challenged()))
    while current(state) == "d5":
        state = short_presses(state)
    wrong = current(state)
    state = long_press(state)
    assert notice(state) == f"Not found: IM-4 {wrong}"
    assert "d5" not in " ".join(table_scene(state, 0, Layout()).texts())
    assert naming_state_of(state, BLACK) is not None, "he can name another"


def test_the_lines_depend_on_public_data_only() -> None:
    """K-12: the squares are those of the mover's discs on the board, whether the turn was correct or not."""
    fine, wrong = (long_press(challenged(board)) for board in (F5D6, FORGOT))
    for state, board in ((fine, F5D6), (wrong, FORGOT)):
        match, named = state.match, naming_state_of(state, BLACK)
        assert match is not None and named is not None
        assert len(menu_lines(match, named)) == board.count("X") + 1
        passes = replace(state, naming=replace(named, kind=ViolationKind.FALSE_PASS, column="a"))
        assert menu_lines(match, passes.naming) == (*(f"a{row}" for row in range(1, 9)), "back")


def test_the_arbiter_is_one_of_the_lines_and_never_the_first() -> None:
    state = challenged()
    assert current(state) != "arbiter"
    state = long_press(short_presses(state, len(KINDS)))
    assert state.match is not None and (state.match.phase, state.match.held_by) == (Phase.HOLD, BLACK)


def test_agreement_corrects_and_disagreement_calls_the_arbiter() -> None:
    state = long_press(short_presses(challenged()))
    assert state.match is not None
    put_right = pressed(state.match, W, 9, F5D6)
    assert (put_right.phase, put_right.running(), put_right.transcript) == (Phase.TURN, B, "f5d6")
    disagreed = does(state, BothPressed(9 * S, (8 * S, 8 * S)))
    assert disagreed.match is not None and disagreed.match.phase is Phase.HOLD


@pytest.mark.parametrize("seat", [WHITE])
def test_the_offender_s_button_switches_his_clock(seat: Seat) -> None:
    response = respond(challenged(), ButtonDown(seat, 9 * S))
    assert response.events == (Press(9 * S, seat),)


def test_a_violation_can_be_named_by_touch() -> None:
    state = respond_to_touch(challenged(), Tap(str(BLACK), NAME, False, 5 * S)).state
    assert current(state) == ViolationKind.IMPOSSIBLE_SQUARE
    (claim,) = respond_to_touch(state, Tap(str(BLACK), NAME, True, 6 * S)).events
    assert claim.kind is ViolationKind.IMPOSSIBLE_SQUARE  # type: ignore[union-attr]
    touch = table_scene(state, 0, Layout(touch=True)).panels[0]
    assert any(getattr(item, "action", "") == NAME for item in touch.items)


def test_without_a_reading_no_violation_can_be_named() -> None:
    state = challenged()
    match = state.match
    assert match is not None
    blind = replace(match, turns=tuple(replace(turn, before=None, after=None) for turn in match.turns))
    assert naming_state_of(replace(state, match=blind), BLACK) is None
    assert naming_state_of(state, WHITE) is None, "nor for the offender"
    assert naming_state_of(replace(state, one_operates=True), BLACK) is None


def test_the_screen_asks_in_words() -> None:
    assert state_text(challenged()) == "What was wrong? Not turned\nPress: next · Hold: confirm"
    assert state_text(long_press(challenged())).startswith("What was wrong? Not turned: ")


def state_text(state: TableState) -> str:
    assert state.languages[BLACK] == ENGLISH
    panel = table_scene(state, 0, Layout()).panels[0]
    return panel.texts("message")[0]


def test_the_menu_starts_anew_with_each_challenge() -> None:
    state = long_press(challenged())
    match: MatchState | None = state.match
    assert match is not None and naming_state_of(state, BLACK).kind is not None  # type: ignore[union-attr]
    corrected = pressed(match, W, 9, FORGOT)
    again = pressed(corrected, B, 10, FORGOT)
    assert again.phase is Phase.CORR
    assert naming_state_of(replace(state, match=again), BLACK).kind is None  # type: ignore[union-attr]


# --- a challenge from the menu -------------------------------------------------------------------------------------


@pytest.mark.parametrize("read", [False, True])
def test_the_menu_of_a_stopped_clock_makes_a_press_a_challenge(read: bool) -> None:
    """M43-6a.3, K-04: without a board reading a press may be a challenge or a move, so the menu has this line."""
    match = after(new_match(replace(READ, has_board_source=read)), Press(0, WHITE))
    match = pressed(match, B, 1, F5) if read else after(match, Press(1 * S, BLACK))
    match = pressed(match, W, 2, F5D6) if read else after(match, Press(2 * S, WHITE))
    match = after(match, *(() if read else (Press(3 * S, BLACK),)))
    number = match.move_number
    seat, offender = BLACK, WHITE
    state = does(table(match), BothPressed(4 * S, (3 * S, 3 * S)))
    lines = state.hold_choices
    assert lines.count(HoldChoice.CHALLENGE) == 1
    for _ in range(lines.index(HoldChoice.CHALLENGE)):
        state = does(state, ShortPress(seat, 5 * S))
    state = does(state, LongPress(seat, 6 * S))
    assert state.match is not None
    assert (state.match.phase, state.match.clock.running) == (Phase.CORR, offender)
    state = does(state, ButtonDown(offender, 9 * S))
    assert state.match is not None and state.match.move_number == (number if read else number - 1)


def test_the_line_is_missing_if_no_player_stopped_the_clock() -> None:
    """An arbiter or a power cut stopped it, or there is no move before."""
    match = pressed(after(new_match(READ), Press(0, WHITE)), B, 1, F5)
    assert HoldChoice.CHALLENGE not in table(after(match, ArbiterOrder(2 * S, Action.HOLD))).hold_choices
    assert HoldChoice.CHALLENGE not in table(after(match, Restart(2 * S))).hold_choices
    first = after(new_match(READ), Press(0, WHITE), Hold(1 * S, BLACK))
    assert HoldChoice.CHALLENGE not in table(first).hold_choices


# --- why a claim of the time is refused ------------------------------------------------------------------------------


def refusal(match: MatchState, event: PlayerClaim | Declare) -> Hint | None:
    with pytest.raises(IllegalEvent):
        step(match, event)
    return why_refused(match, LongPress(BLACK, event.at_ns), Response(table(match), (event,)))


def test_after_the_last_move_only_the_mover_s_time_counts() -> None:
    """M43-15.3, AMB-06: White made the last move, and the flag of Black, who checks it, falls too late; the answer
    says so."""
    moves = [cells for _, _, cells in games.turns(games.FULL)]
    match = after(new_match(replace(READ, main_ns=200 * S)), Press(0, WHITE))
    for number, cells in enumerate(moves):
        assert match.side is not None
        match = pressed(match, match.side, number + 1, cells)
    assert match.phase is Phase.CHECK and match.side is not None
    last, checks = match.side, match.side.opponent
    held = after(match, Hold(900 * S, match.seat_of(last)))
    assert refusal(held, flag(last, 901)) is Hint.FLAG_TOO_LATE
    assert refusal(held, Declare(901 * S, checks)) is Hint.FLAG_TOO_LATE
    assert refusal(held, flag(checks, 901)) is Hint.OPPONENT_HAS_TIME
    assert refusal(held, Declare(901 * S, last)) is Hint.OWN_TIME_LEFT


def test_a_refused_flag_claim_in_play_has_its_own_answer() -> None:
    """The loser on time continues and can no longer win by the other's flag."""
    match = after(new_match(replace(READ, rules="wof", main_ns=60 * S)), Press(0, WHITE))
    match = after(match, flag(W, 61))
    match = pressed(match, B, 62, F5)
    held = after(match, Hold(200 * S, BLACK))
    assert refusal(held, flag(B, 201)) is Hint.NOT_NOW
