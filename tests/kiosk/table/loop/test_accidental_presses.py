"""Tests of fingers, arms and electrical noise at a real table: who can stop a clock or end a game, and which
messages appear."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from tables.manual_time_table import ARBITER, LEFT, MS, RIGHT, SECOND, StillTable
from tables.press_profiles import PROFILES, edges_of

from engine.board.color import Color
from engine.match.match_value_types import Phase, Seat
from kiosk.table.input.gesture_recognition import LONG_NS, RUN_NS
from kiosk.table.scene import Box
from kiosk.table.state import Hint, HoldChoice, LinkState
from kiosk.table.table_config import AccessConfig, BoardConfig, ButtonsConfig

LONG = 1_200 * MS


@pytest.fixture
def table() -> Iterator[StillTable]:
    """A club clock without a board source, two turns made, Black's time running; Black sits left."""
    still = StillTable(board=BoardConfig())
    for gpio in (LEFT, RIGHT, LEFT, RIGHT):
        still.press(gpio)
    assert still.match.phase is Phase.TURN
    yield still
    still.close()


def words(table: StillTable, seat: Seat) -> str:
    (panel,) = (panel for panel in table.scene().panels if panel.name == seat)
    return " ".join(panel.texts("message"))


@pytest.mark.parametrize("name", [name for name, profile in PROFILES.items() if not profile.stalled])
def test_press_profiles_switch_the_clock_as_often_as_required(table: StillTable, name: str) -> None:
    """The debouncer's profiles, sent through the whole table, never stop a clock."""
    random, profile = Random(name), PROFILES[name]
    for _ in range(4):
        turns, mover = len(table.match.turns), table.match.clock.running
        contacts = profile.make(random)
        seats = {"left": mover, "right": mover and mover.other}
        start_ns = table.time.now_ns() + SECOND
        for edge in edges_of({str(seats[line]): contact for line, contact in contacts.items()}, start_ns):
            table.wait(max(0, edge.at_ns - table.time.now_ns()))
            table.table.program.inbox.put(edge)
            table.settle()
        table.wait(SECOND // 2)
        assert (len(table.match.turns) - turns, table.match.phase) == (profile.moves, Phase.TURN)


def test_a_lingering_finger_of_the_player_in_turn_is_one_press(table: StillTable) -> None:
    table.press(LEFT, 1_300 * MS)
    table.press(RIGHT)
    assert table.match.clock.running is Seat.LEFT


def test_a_spike_on_the_arbiter_s_line_has_no_effect(table: StillTable) -> None:
    for width_ns in (60_000, 300_000, 12 * MS):
        table.spike(ARBITER, width_ns)
        assert (table.match.phase, table.state.arbiter) == (Phase.TURN, None)
    pressed_ns = table.press(ARBITER)
    assert table.match.phase is Phase.HOLD
    assert table.match.clock.since_ns == pressed_ns, "from its edge on"


def test_the_arbiters_line_is_off_unless_it_is_configured() -> None:
    still = StillTable(board=BoardConfig(), buttons=ButtonsConfig())
    still.presses("lr")
    still.press(ARBITER)
    assert still.match.phase is Phase.TURN
    still.close()


def test_a_hold_alone_stops_no_clock_and_a_press_before_it_does(table: StillTable) -> None:
    """M43-11 needs a deliberate act; a player who only holds the button is told what that act is."""
    table.press(RIGHT, 3 * SECOND)
    assert table.match.phase is Phase.TURN
    assert table.state.hints[Seat.RIGHT][0] is Hint.KNOCK
    table.wait(4 * SECOND)
    assert table.state.hints == {}
    stopped_ns = table.call(RIGHT)
    assert (table.match.phase, table.match.held_by) == (Phase.HOLD, Seat.RIGHT)
    assert table.match.clock.since_ns == stopped_ns
    assert table.state.hints == {}, "the short press of the call is no press out of turn any more"


def test_a_hold_takes_effect_before_release_and_shows_its_progress(table: StillTable) -> None:
    table.call(RIGHT)
    table.mark(RIGHT, HoldChoice.END)
    table.factory.button(RIGHT).press(release=False)
    seen = []
    for _ in range(12):
        table.wait(100 * MS)
        bars = [item.box.w for panel in table.scene().panels for item in panel.named("held") if isinstance(item, Box)]
        seen.append((bars[0] if bars else 0, table.state.offered is not None))
    assert [chosen for _, chosen in seen] == [False] * 10 + [True] * 2, "at its second, and a moment for late edges"
    grown = [width for width, chosen in seen if not chosen]
    assert grown == sorted(grown) and grown[0] == 0 and grown[-1] == 800
    table.factory.button(RIGHT).release()
    table.wait(SECOND)
    assert table.match.phase is Phase.HOLD


def test_one_player_alone_ends_no_game(table: StillTable) -> None:
    """The other one has to hold his button as well; a press refuses the end."""
    table.call(RIGHT)
    table.choose(RIGHT, HoldChoice.END)
    for _ in range(2):
        table.press(RIGHT, LONG)
        assert table.match.phase is Phase.HOLD
    table.press(LEFT)
    assert table.state.offered is None and table.match.phase is Phase.HOLD
    table.choose(RIGHT, HoldChoice.END)
    table.press(LEFT, LONG)
    assert table.match.phase is Phase.ENDED


def test_an_offer_ends_when_the_clock_is_resumed(table: StillTable) -> None:
    table.press(LEFT)
    table.call(LEFT)
    table.choose(LEFT, HoldChoice.END)
    assert table.state.offered is not None
    table.press(LEFT)
    table.choose(LEFT, HoldChoice.GO_ON)
    assert table.match.phase is Phase.TURN
    table.call(LEFT)
    assert table.state.offered is None
    table.press(RIGHT, LONG)
    assert table.match.phase is Phase.HOLD


def test_holding_both_buttons_is_no_move_and_selects_nothing_that_ends_the_game(table: StillTable) -> None:
    number = table.match.move_number
    table.both()
    assert (table.match.phase, table.match.move_number) == (Phase.HOLD, number)
    assert table.state.hold_choices[0] is HoldChoice.GO_ON and not table.state.menu


def test_a_false_claim_is_answered(table: StillTable) -> None:
    """It is answered with the time left: the opponent's for a claim, the player's own for a declaration."""
    table.call(RIGHT)
    answers = {HoldChoice.CLAIM_TIME: Hint.OPPONENT_HAS_TIME, HoldChoice.OWN_TIME_OUT: Hint.OWN_TIME_LEFT}
    for choice, hint in answers.items():
        table.choose(RIGHT, choice)
        assert table.match.phase is Phase.HOLD
        assert table.state.hints[Seat.RIGHT][0] is hint
    left_s = -(-table.match.remaining_ns(Seat.RIGHT, table.time.now_ns()) // SECOND)
    assert f"{left_s // 60}:{left_s % 60:02}" in words(table, Seat.RIGHT)


def test_both_have_a_menu_while_the_clock_is_stopped(table: StillTable) -> None:
    """M43-15.2, row 15: whoever stopped it, each has a menu of his own; only the one who stopped it can resume
    alone."""
    table.call(RIGHT)
    table.press(RIGHT)
    assert (table.state.marked(Seat.RIGHT), table.state.marked(Seat.LEFT)) == (1, 0)
    table.choose(LEFT, HoldChoice.CLAIM_TIME)
    assert table.state.hints[Seat.LEFT][0] is Hint.OPPONENT_HAS_TIME
    assert table.state.marked(Seat.RIGHT) in (0, 1)
    table.choose(LEFT, HoldChoice.GO_ON)
    assert table.match.phase is Phase.HOLD and table.state.offered is not None
    table.press(RIGHT, LONG)
    assert table.match.phase is Phase.TURN


def test_a_stopped_clock_shows_whose_time_will_run(table: StillTable) -> None:
    mover = table.match.clock.running
    table.call(RIGHT)
    shown = [panel.name for panel in table.scene().panels if panel.named("resumes")]
    assert shown == [mover]


@pytest.mark.parametrize("running", Seat)
@pytest.mark.parametrize("held", [LEFT, RIGHT])
def test_one_person_who_presses_for_both_can_stop_the_clock(running: Seat, held: int) -> None:
    """M43-19: where one person presses for both, a held button stops the clock; its press was no move, and the
    screen says so."""
    table = StillTable(board=BoardConfig(), access=AccessConfig(one_operates=True))
    for _ in range(3 if running is Seat.RIGHT else 2):
        table.press(LEFT)
    assert table.match.clock.running is running
    assert all("押し続ける" in words(table, seat) and "次に" not in words(table, seat) for seat in Seat)
    turns = table.match.move_number
    table.press(held, LONG)
    assert (table.match.phase, table.match.held_by, table.match.move_number) == (Phase.HOLD, running, turns)
    table.press(held, LONG)
    assert table.match.clock.running is running or table.state.offered is not None
    table.close()


def test_both_halves_show_how_to_stop_the_clock(table: StillTable) -> None:
    assert "両方長押し" in words(table, Seat.LEFT) and "1回押し" in words(table, Seat.RIGHT)


def test_without_agreement_on_the_count_it_is_open_again_for_both(table: StillTable) -> None:
    table.call(RIGHT)
    table.choose(RIGHT, HoldChoice.END)
    table.presses("Llll")
    table.both()
    assert table.match.count == (35, 29)
    table.press(LEFT)
    assert table.match.confirmed == (Color.BLACK,)
    table.press(RIGHT, LONG)
    assert table.match.confirmed == ()
    assert [panel.texts("title") for panel in table.scene().panels if panel.name in tuple(Seat)] == [
        ("石数が不一致：数え直してください",)
    ] * 2
    table.press(LEFT)
    table.both()
    assert table.match.count == (36, 28)
    table.presses("lr")
    assert table.match.phase is Phase.SIGNED
    signed = table.state.assignment
    table.both()
    assert table.match.phase is Phase.SETUP and table.state.assignment != signed, "the next game"


def test_without_head_and_pin_the_players_resume_by_agreement(table: StillTable) -> None:
    """Promise 4: every stopped clock can be resumed; the agreement is recorded."""
    table.table.program._table.change(link=LinkState.DOWN)
    table.call(RIGHT)
    assert HoldChoice.GO_ON in table.state.hold_choices and not table.state.menu
    table.choose(RIGHT, HoldChoice.GO_ON)
    assert table.match.phase is Phase.HOLD, "it takes both"
    table.press(LEFT, LONG)
    assert table.match.phase is Phase.TURN
    assert [ruling.reason for ruling in table.match.arbiter_log] == ["both players agreed to go on, no arbiter"]
    table.table.program._table.change(link=LinkState.UP)
    table.call(RIGHT)
    assert HoldChoice.GO_ON not in table.state.hold_choices, "the head can be reached: an arbiter decides"


def test_every_count_is_entered_with_few_presses_by_either_player(table: StillTable) -> None:
    """Holding counts by five, repeatedly, and wraps around. The hold that rejects a count does not count.

    test_count_entry.py shows that no count takes more than five presses of one player.
    """
    table.call(RIGHT)
    table.choose(RIGHT, HoldChoice.END)
    table.presses("LRl")
    assert table.state.black_count == 28
    table.press(LEFT, LONG_NS + 3 * RUN_NS)
    assert table.state.black_count == 48
    table.both()
    assert table.match.count == (48, 16)
    table.press(LEFT, LONG_NS + 3 * RUN_NS)
    assert table.match.recount and table.state.black_count == 48
    assert table.match.phase is Phase.ENDED


def test_presses_out_of_turn_report_no_faulty_button(table: StillTable) -> None:
    """Presses of the waiting player are no evidence about the other's button."""
    table.presses(4 * "r")
    assert (table.state.troubles, table.state.by_touch) == ((), frozenset())


def test_a_possibly_dead_button_is_reported_to_the_arbiter_only() -> None:
    """The program restarts in a turn of Black's, whose button has not been pressed since."""
    table = StillTable(rules="casual", board=BoardConfig())
    table.presses("lr")
    table.save()
    table = table.killed()
    while table.match.phase is Phase.HOLD:
        table.choose(RIGHT, HoldChoice.GO_ON)
    table.presses(4 * "r")
    assert [trouble.kind for trouble in table.state.troubles] == ["button-left-silent"]
    assert table.state.by_touch == frozenset()
    assert not [item for panel in table.scene().panels for item in panel.named("trouble")]
    table.close()
