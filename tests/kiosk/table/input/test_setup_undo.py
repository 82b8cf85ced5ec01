"""Tests of undoing answers of the set-up (M43-2, FS-05); a late player's seat and clock stay (M43-12.1)."""

from __future__ import annotations

from itertools import product

import pytest
from tables import state_search
from tables.manual_time_table import LEFT, RIGHT, SECOND, StillTable
from tables.state_search import BUTTONS, MAIN_S, Node, S, order

from engine.board.color import Color
from engine.match.match_events_and_effects import Action
from engine.match.match_value_types import Phase, Seat
from kiosk.link.game_replay_and_event_encoding import NO_GAME, replay_record
from kiosk.table.state import SetupStep

L, R = Seat.LEFT, Seat.RIGHT
RULES = (("m43", "league", True), ("m43", "knockout", False), ("m40", "league", False), ("team", "league", False),
         ("wof", "league", True), ("wof", "league", False))  # fmt: skip


def arrived(node: Node, how: str, absent: Seat) -> Node:
    """A state in which the present player has pressed, 20 of 30 s are used up, and the late player has arrived."""
    if "pressed" in how:
        node = BUTTONS[f"press {absent.other}"](node)
    node = state_search.later(node, 20)
    if "arbiter" in how:
        return order(Action.RESUME)(node)
    return BUTTONS[f"press {absent if 'late' in how or 'pressed' not in how else absent.other}"](node)


@pytest.mark.parametrize(("rules", "stage", "designated"), RULES)
@pytest.mark.parametrize("known", [True, False])
def test_the_lost_time_is_charged_to_the_absent_player(rules: str, stage: str, designated: bool, known: bool) -> None:
    """Whoever is absent, from whichever seat, whatever is pressed then: 20 s are charged to the clock with his name
    and none to the other. If the absent player is unknown, the players answer truly where they sit; if known, no
    press can change it."""
    ways = ("late presses", "arbiter")
    if rules != "team":  # TEAM-7.8: the arbiter starts it
        ways += ("pressed, late presses", "pressed, present presses", "pressed, arbiter")
    for absent, who, how, answers in product(Seat, (0, 1), ways, product(Seat, repeat=3)):
        node = state_search.table(rules, stage, designated=designated)  # type: ignore[arg-type]
        seats = {absent: who, absent.other: 1 - who}
        if known:
            node = state_search.with_known_seats(node, seats)
        node = arrived(order(Action.LATE_START, side=absent)(node), how, absent)
        for answer in answers:
            state = node.state
            if state.match is None or state.match.phase is not Phase.SETUP:
                break
            asks_a = state.step is SetupStep.ASK_PLAYER_A or (state.step is SetupStep.ASK_BLACK and designated)
            seat = next(seat for seat, player in seats.items() if player == 0) if asks_a else answer
            node = BUTTONS[f"press {seat}"](node)
        assert node.state.match is not None and node.state.match.phase is Phase.READY, (absent, who, how, answers)
        match = node.state.match
        left = {player: match.remaining_ns(seat, node.now_ns) for seat, player in node.state.player_at.items()}
        assert left[1 - who] == MAIN_S * S, (absent, who, how, answers)
        assert left[who] < (MAIN_S - 19) * S, (absent, who, how, answers)
        if designated:
            black = node.state.match.black_seat
            assert black is not None and node.state.player_at[black] == 0, "M43-1"


def test_a_late_black_does_not_choose_his_seat_again() -> None:
    """M43-12.1 before M43-4, K-01: White was there, at the right; Black's lost time stays Black's."""
    node = state_search.with_known_seats(state_search.table("m43"), {L: 0, R: 1})
    node = order(Action.LATE_START, side=L)(node)
    node = BUTTONS["press left"](state_search.later(BUTTONS["press right"](node), 20))
    assert node.state.match is not None
    assert (node.state.match.phase, node.state.match.black_seat) == (Phase.READY, L)
    after = BUTTONS["both"](node)
    assert after.state.player_at == {L: 0, R: 1}, "nothing that the players have settled, nothing to take back"


@pytest.mark.parametrize("killed", [False, True])
def test_both_buttons_undo_a_wrong_setup_at_ready(killed: bool) -> None:
    """With both buttons held the clocks keep their state, every question is asked again, and the journal replays to
    the same state."""
    table = StillTable(rules="m43")
    table.press(RIGHT)
    assert (table.match.phase, table.match.black_seat) == (Phase.READY, R)
    for half in (0, 2):
        assert "2人で" in " ".join(item for item in table.scene().panels[half].texts("message"))
    table.both()
    assert (table.match.phase, table.match.black_seat, table.match.draw_right) == (Phase.SETUP, None, None)
    assert (table.state.step, table.state.player_at) == (SetupStep.ASK_BLACK, {})
    if killed:
        table = table.killed()
    assert (table.state.step, table.state.player_at) == (SetupStep.ASK_BLACK, {})
    assert all(table.match.remaining_ns(seat, table.time.now_ns()) == 1200 * SECOND for seat in Seat)
    table.press(LEFT)
    assert (table.match.black_seat, table.state.player_at) == (L, {L: 0, R: 1})
    table.press(RIGHT)
    assert table.match.phase is Phase.TURN
    table.save()
    table = table.killed()
    game = NO_GAME
    for entry in table.table.journal.recovered.entries:
        game = replay_record(game, entry, entry.at_ns)
    assert game.player_at == table.state.player_at == {L: 0, R: 1}, "the head's picture is the same"
    table.close()


def test_one_wrong_answer_is_asked_again() -> None:
    """In a game with a draw right (seat, Black, draw right) each step returns to the one before."""
    node = state_search.table("m43", "knockout", designated=False)
    seat, black = BUTTONS["press left"](node), BUTTONS["press right"](BUTTONS["press left"](node))
    assert [one.state.step for one in (node, seat, black)] == [
        SetupStep.ASK_PLAYER_A, SetupStep.ASK_BLACK, SetupStep.ASK_DRAW_RIGHT,
    ]  # fmt: skip
    back = BUTTONS["both"](black)
    assert (back.state.step, back.state.black_seat, back.state.player_at) == (SetupStep.ASK_BLACK, None, {L: 0, R: 1})
    back = BUTTONS["both"](back)
    assert (back.state.step, back.state.player_at) == (SetupStep.ASK_PLAYER_A, {})
    ready = BUTTONS["press left"](black)
    assert ready.state.match is not None and ready.state.match.draw_right is Color.WHITE
    again = BUTTONS["both"](ready)
    assert again.state.match is not None
    assert (again.state.match.phase, again.state.match.draw_right) == (Phase.SETUP, None)
    assert (again.state.step, again.state.player_at) == (SetupStep.ASK_PLAYER_A, {})


def test_the_arbiter_can_reopen_the_setup_until_a_turn_was_made() -> None:
    """Before the start and in the first turn, also on hold; the time used by the first turn is restored."""
    ready = state_search.table("m43", "knockout", designated=False)
    for seat in ("left", "right", "left"):
        ready = BUTTONS[f"press {seat}"](ready)
    turn = state_search.later(BUTTONS["press left"](ready), 7)
    held = state_search.later(BUTTONS["both"](turn), 3)
    for node in (ready, turn, held):
        after = order(Action.REOPEN)(node)
        match = after.state.match
        assert match is not None and match.phase is Phase.SETUP
        assert (match.black_seat, match.draw_right, match.clock.running) == (None, None, None)
        assert {match.remaining_ns(seat, after.now_ns) for seat in Seat} == {MAIN_S * S}
        assert (after.state.step, after.state.player_at) == (SetupStep.ASK_PLAYER_A, {})
        assert match.arbiter_log[-1].action == "reopen"
    moved = BUTTONS["press right"](turn)
    assert order(Action.REOPEN)(moved).state == moved.state, "colours stand once a turn was made"


def test_a_time_handicap_follows_white() -> None:
    node = BUTTONS["press left"](state_search.table("m43", options={"white_s": 50}))
    again = BUTTONS["press right"](BUTTONS["both"](node))
    match = again.state.match
    assert match is not None and match.phase is Phase.READY
    assert (match.remaining_ns(L, 0), match.remaining_ns(R, 0)) == (50 * S, MAIN_S * S)
