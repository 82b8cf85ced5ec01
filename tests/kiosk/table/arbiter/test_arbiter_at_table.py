"""Tests of an arbiter at a real table: three buttons suffice for all acts, and nothing takes effect by accident."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import waiting
from tables.manual_time_table import ARBITER, LEFT, MS, RIGHT, SECOND, StillTable

from engine.board.color import Color
from engine.end_reason import EndReason
from engine.match.match_events_and_effects import Action
from engine.match.match_value_types import Phase, Seat
from kiosk.link.link_messages import Assignment, Command, Configuration, PlayerInfo, localize_reason, to_dict
from kiosk.locale import JAPANESE, render
from kiosk.table.arbiter.arbiter_controller import PinFormatError, hash_pin, is_correct_pin
from kiosk.table.arbiter.arbiter_screen_forms_to_orders import available_tasks
from kiosk.table.arbiter.two_button_form_input import cells
from kiosk.table.input.gesture_recognition import RUN_NS
from kiosk.table.journal.segment_files_and_recovery import decode_entry
from kiosk.table.state.arbiter_screen_state import LOCK_NS, ArbiterPage, HomeTask, Task
from kiosk.table.table_config import ArbiterConfig

PIN = "2580"
HASH = hash_pin(PIN)
LONG = 1_050 * MS
#: seconds for an arbiter's act, from the press that stops the clock to the one that executes it
MOST_PRESSES = 37
MINUTE = 60 * SECOND


@pytest.fixture
def table() -> Iterator[StillTable]:
    made = StillTable(arbiter=ArbiterConfig(pin=HASH))
    yield made
    made.close()


class Counted:
    """Presses the three buttons as an arbiter does without touch, and counts the presses."""

    def __init__(self, table: StillTable) -> None:
        self.table = table
        self.presses = 0
        self.began_ns = table.time.now_ns()

    def next(self, times: int = 1) -> None:
        self._press(LEFT, times)

    def take(self, times: int = 1) -> None:
        self._press(RIGHT, times)

    def accept(self) -> None:
        self._press(RIGHT, 1, LONG)

    def own(self) -> None:
        self._press(ARBITER, 1)

    def _press(self, gpio: int, times: int, hold_ns: int = 150 * MS) -> None:
        for _ in range(times):
            self.table.press(gpio, hold_ns)
            self.presses += 1

    def turn(self, by: int, held: int, limit: int = 10) -> None:
        """Change a digit by so much: a press of the right button adds one; if held, the button subtracts."""
        if by < 4:
            self.take(by)
        else:
            self._press(held, 1, LONG + (limit - by - 1) * RUN_NS)

    def enter_pin(self, pin: str = PIN) -> None:
        for figure in pin:
            self.turn(int(figure), RIGHT)
            self.next()
        checked(self.table)

    def choose(self, task: HomeTask) -> None:
        tasks = available_tasks(self.table.state.match, self.table.time.now_ns())
        self.next(tasks.index(task))
        self.take()

    def figures(self, wanted: str) -> None:
        """Set the digits of one field to ``wanted`` and move past it."""
        for figure in wanted:
            value, limit = marked_figure(self.table)
            self.turn((int(figure) - value) % limit, LEFT, limit)
            self.next()


def marked_figure(table: StillTable) -> tuple[int, int]:
    """Return the value of the marked cell of the form, and its limit."""
    session = table.state.arbiter
    assert session is not None
    number, place = cells(session.form)[session.cell]
    return session.form[number].values[place], session.form[number].limits[place]


def checked(table: StillTable) -> None:
    """Wait for the check of the PIN, which runs in its own thread and answers through the input queue."""
    until(table, lambda: table.state.arbiter is None or not table.state.arbiter.checking)


def until(table: StillTable, seen: Callable[[], bool]) -> None:
    def settled() -> bool:
        table.settle()
        return seen()

    waiting.until(lambda: seen() or settled())


def records(table: StillTable, kind: str) -> list[dict[str, object]]:
    table.save()
    entries = map(decode_entry, table.table.journal._payloads)
    return [entry.body for entry in entries if entry.type == kind]


def started(table: StillTable) -> None:
    table.presses("lr")
    table.wait(61 * SECOND)
    assert table.match.running() is Color.BLACK


def opened(table: StillTable, pin: str = PIN) -> Counted:
    """Stop the clock by the arbiter's button, open the screen and enter the PIN."""
    hand = Counted(table)
    hand.own()
    assert table.match.phase is Phase.HOLD
    hand.own()
    assert table.state.arbiter is not None and table.state.arbiter.page is ArbiterPage.PIN
    hand.enter_pin(pin)
    assert table.state.arbiter.page is ArbiterPage.HOME
    return hand


def order(table: StillTable, name: str, **body: object) -> None:
    table.table.program.inbox.put(Command(name, "arbiter", body=body))
    table.settle()


def assign(table: StillTable, *, stage: str = "league", designated: bool = True) -> None:
    game = Assignment(
        game="g7", event="e", division="open", round=1, table=1, rules="m43", stage=stage, label_ja="決勝",
        label_en="Final", main_s=60, designated=designated, players=[PlayerInfo("p1", "A"), PlayerInfo("p2", "B")],
    )  # fmt: skip
    table.table.program.inbox.put(Command("a", "assign", game="g7", body=to_dict(game)))
    table.settle()


# --- the PIN --------------------------------------------------------------------------------------------------------


def test_a_pin_is_kept_as_a_hash_and_has_4_to_8_figures() -> None:
    assert HASH.startswith("$argon2id$") and PIN not in HASH
    assert (
        is_correct_pin(HASH, (2, 5, 8, 0))
        and not is_correct_pin(HASH, (2, 5, 8, 1))
        and not is_correct_pin("nonsense", (2, 5, 8, 0))
    )
    for wrong in ("123", "123456789", "12a4", "１２３４"):
        with pytest.raises(PinFormatError):
            hash_pin(wrong)


def test_three_wrong_pins_lock_the_screen_also_over_a_power_cut(table: StillTable) -> None:
    started(table)
    hand = Counted(table)
    hand.own()
    hand.own()
    for wrong in (1, 2, 3):
        hand.enter_pin("1111")
        assert table.state.pin.wrong == wrong
    assert [record["act"] for record in records(table, "arbiter")] == ["wrong-pin"] * 3
    again = table.killed()
    locked_ns = again.state.pin.locked_until_ns - again.time.now_ns()
    assert 0 < locked_ns <= LOCK_NS
    again.press(ARBITER)
    other = Counted(again)
    other.take(3)
    assert again.state.arbiter is not None and again.state.arbiter.figure == 0, "nothing is taken while it is locked"
    again.wait(locked_ns)
    other.enter_pin()
    assert again.state.arbiter.page is ArbiterPage.HOME
    assert again.state.pin.wrong == 0
    again.close()


def test_a_hall_sends_its_pin_and_a_table_keeps_it(table: StillTable) -> None:
    sent = Configuration(arbiter_pin=hash_pin("975310"), pin_digits=6)
    table.table.program.inbox.put(Command("p", "configure", body=to_dict(sent)))
    table.settle()
    started(table)
    again = table.killed()
    assert again.state.pin.digits == 6
    again.press(ARBITER)
    Counted(again).enter_pin("975310")
    assert again.state.arbiter is not None and again.state.arbiter.page is ArbiterPage.HOME
    again.close()


def test_without_a_pin_rulings_are_made_from_the_head_only() -> None:
    table = StillTable()
    table.table.program._table.change(head="somewhere")
    started(table)
    table.press(ARBITER)
    table.press(ARBITER)
    assert table.state.arbiter is not None and table.state.arbiter.page is ArbiterPage.HOME, (
        "a free clock at a club is open"
    )
    table.close()


# --- setting times and the turn -------------------------------------------------------------------------------------


def set_times(table: StillTable, black: str, white: str) -> Counted:
    hand = opened(table)
    hand.choose(Action.SET_TIME)
    hand.figures(black)
    hand.figures(white)
    hand.take(2)  # the turn: as it is, Black, White
    hand.accept()
    hand.take()  # the usual reason is marked
    return hand


def test_both_times_and_the_turn_are_set_and_resumed_after_a_countdown(table: StillTable) -> None:
    started(table)
    hand = set_times(table, "1230", "1505")
    assert hand.presses <= 30, "with the one that carries it out, at two a second, far less than a minute"
    before = table.match
    assert table.state.arbiter is not None and table.state.arbiter.page is ArbiterPage.PREVIEW
    hand.take()
    hand.next()
    assert table.match == before, "a short press of the preview does nothing"
    hand.accept()
    assert table.match.clock.left.left_ns == 750 * SECOND and table.match.clock.right.left_ns == 905 * SECOND
    assert table.match.side is Color.WHITE
    ruling = table.match.arbiter_log[-1]
    assert ruling.action == "set_time"
    assert "Clock pressed" in ruling.reason and "時計" in render(localize_reason(ruling.reason), JAPANESE)
    hand.choose(Action.RESUME)
    hand.accept()
    countdown = table.state.countdown
    assert countdown is not None and table.state.arbiter is None
    assert table.match.phase is Phase.HOLD, "nothing runs before its end"
    table.wait(countdown.until_ns - table.time.now_ns() + 70 * MS)
    assert table.match.running() is Color.WHITE
    assert table.match.clock.since_ns == countdown.until_ns, "exactly at its end, however late the loop is"
    assert [record["act"] for record in records(table, "arbiter")] == ["opened", "countdown", "closed"]


def test_the_longest_case_takes_less_than_a_minute() -> None:
    """The PIN with most presses, every digit of both clocks as far away as possible, the turn and the number of the
    move."""
    table = StillTable(arbiter=ArbiterConfig(pin=hash_pin("4444")))
    started(table)
    hand = opened(table, "4444")
    hand.choose(Action.SET_TIME)
    for _ in range(8):
        hand.turn(4, LEFT, marked_figure(table)[1])
        hand.next()
    hand.take(2)
    hand.next()
    hand.turn(4, LEFT)
    hand.next()
    hand.turn(4, LEFT)
    hand.accept()
    hand.take()
    hand.accept()
    assert table.match.side is Color.WHITE
    table.close()
    assert hand.presses <= MOST_PRESSES


def test_an_unchanged_clock_keeps_its_nanoseconds(table: StillTable) -> None:
    started(table)
    table.press(LEFT)
    hand = opened(table)
    before = table.match
    hand.choose(Action.SET_TIME)
    hand.next()
    hand.take()
    hand.accept()
    hand.take()
    hand.accept()
    assert table.match.clock.right.left_ns == before.clock.right.left_ns
    assert table.match.clock.left.left_ns % SECOND == 0


# --- resuming ---------------------------------------------------------------------------------------------------------


def resumed(table: StillTable) -> int:
    hand = opened(table)
    hand.choose(Action.RESUME)
    hand.accept()
    assert table.state.countdown is not None
    return table.state.countdown.until_ns


def test_an_edge_after_the_countdown_is_charged_even_if_handled_earlier(table: StillTable) -> None:
    started(table)
    until_ns = resumed(table)
    pressed_ns = table.press(LEFT, at_ns=until_ns + 5)
    assert table.match.running() is Color.WHITE
    assert pressed_ns == until_ns + 5
    assert table.match.clock.since_ns == pressed_ns


def test_players_cannot_stop_the_countdown_and_the_arbiter_can(table: StillTable) -> None:
    started(table)
    resumed(table)
    table.presses("lR")
    assert table.state.countdown is not None and table.match.phase is Phase.HOLD
    table.press(ARBITER)
    assert table.state.countdown is None
    table.wait(20 * SECOND)
    assert table.match.phase is Phase.HOLD
    assert records(table, "arbiter")[-1]["act"] == "countdown-stopped"


def test_a_kill_in_the_countdown_leaves_the_clocks_stopped(table: StillTable) -> None:
    started(table)
    resumed(table)
    again = table.killed(60 * SECOND)
    assert again.match.phase is Phase.HOLD and again.state.countdown is None
    again.close()


def test_the_buttons_are_for_the_players_when_the_head_resumes(table: StillTable) -> None:
    started(table)
    opened(table)
    order(table, "r", action="resume", reason="the head goes on")
    assert table.state.arbiter is None
    table.press(LEFT)
    assert table.match.running() is Color.WHITE
    assert records(table, "arbiter")[-1]["act"] == "closed"


def test_a_forgotten_screen_closes(table: StillTable) -> None:
    started(table)
    opened(table)
    table.wait(179 * SECOND)
    assert table.state.arbiter is not None
    table.wait(2 * SECOND)
    assert table.state.arbiter is None


# --- rulings --------------------------------------------------------------------------------------------------------


def test_a_ruling_needs_a_held_touch(table: StillTable) -> None:
    started(table)
    opened(table)
    tasks = available_tasks(table.state.match, table.time.now_ns())
    table.touch("arbiter", f"line-{tasks.index(Action.RESULT)}")
    table.touch("arbiter", "pick-0-1")  # White
    table.touch("arbiter", "done")
    table.touch("arbiter", "line-6")
    before = table.match
    for _ in range(5):
        table.touch("arbiter", "carry-out")
    assert table.match == before
    table.touch("arbiter", "carry-out", LONG)
    assert table.match.result is not None
    assert (table.match.result.winner, table.match.result.end) == (Color.WHITE, EndReason.ARBITER)
    assert table.state.arbiter is None, "the players have the word: they confirm the card"


def test_the_finding_is_shown_when_a_challenge_is_ruled_on(table: StillTable) -> None:
    started(table)
    table.touch("transcriber", "square-h8")  # no legal move: the helper enters the board as it is
    table.touch("transcriber", "done")
    table.press(LEFT)
    assert [finding.kind for finding in table.match.findings] != []
    table.press(RIGHT)
    table.touch("transcriber", "unchanged")  # White challenges
    assert table.match.phase is Phase.CORR
    opened(table)
    tasks = available_tasks(table.state.match, table.time.now_ns())
    assert tasks[:2] == (Action.RESUME, Action.CHALLENGE)
    assert table.state.arbiter is not None and table.state.arbiter.cell == 1, "the marked line is the ruling"
    table.touch("arbiter", "line-1")
    seen = " ".join(table.scene().texts())
    assert table.match.findings[0].kind in seen and "h8" in seen
    table.touch("arbiter", "done")
    table.touch("arbiter", "line-6")
    table.touch("arbiter", "carry-out", LONG)
    assert table.match.challenge is not None and table.match.challenge.agreed


def test_a_board_without_a_reader_is_entered_by_the_arbiter(table: StillTable) -> None:
    """Two presses wait for a board that does not answer; until it is entered the turn cannot be set."""
    started(table)
    table.presses("lr")
    assert len(table.match.pending) == 2
    hand = opened(table)
    hand.choose(Task.BOARD)
    for square in ("f5", "e5", "e5", "d6", "d6", "d5"):  # each touch: empty, black, white, empty
        table.touch("arbiter", f"square-{square}")
    hand.accept()
    assert table.match.pending == () and table.match.phase is Phase.HOLD
    assert table.match.board is not None and table.match.board.count("-") == 58
    order(table, "t", action="set_time", black_s=600, white_s=600, turn="black", reason="put right")
    order(table, "r", action="resume", reason="go on")
    table.touch("transcriber", "square-c3")
    table.press(LEFT)
    assert table.match.turns[-1].move == "c3"


def test_the_absent_player_is_asked_for_if_the_seats_are_unknown(table: StillTable) -> None:
    assign(table, stage="knockout", designated=False)
    table.press(ARBITER)
    Counted(table).enter_pin()
    tasks = available_tasks(table.state.match, table.time.now_ns())
    table.touch("arbiter", f"line-{tasks.index(Action.FORFEIT)}")
    table.touch("arbiter", "pick-0-1")  # the right seat is empty
    table.touch("arbiter", "pick-1-1")  # B
    table.touch("arbiter", "done")
    table.touch("arbiter", "line-4")
    table.touch("arbiter", "carry-out", LONG)
    assert table.state.player_at == {Seat.RIGHT: 1, Seat.LEFT: 0}
    table.presses("lr")
    (card,) = records(table, "card")
    assert (card["winner"], card["black_id"], card["white_id"]) == ("black", "p1", "p2")


def test_a_late_player_s_time_runs_during_the_arbiter_s_screen(table: StillTable) -> None:
    """AMB-40, rows 2 and 3: the screen does not stop it; marking the late player as present does."""
    table.press(ARBITER)
    Counted(table).enter_pin()
    tasks = available_tasks(table.state.match, table.time.now_ns())
    table.touch("arbiter", f"line-{tasks.index(Action.LATE_START)}")
    table.touch("arbiter", "pick-0-1")  # the right seat is empty
    table.touch("arbiter", "pick-1-1")
    table.touch("arbiter", "done")
    table.touch("arbiter", "line-4")
    table.touch("arbiter", "carry-out", LONG)
    assert table.match.phase is Phase.LATE and table.match.clock.running is Seat.RIGHT
    pressed_ns = table.press(LEFT)
    assert table.match.clock.since_ns == pressed_ns, "M43-12.2: it runs from the edge of the player present"
    table.press(ARBITER)
    assert table.match.clock.running is Seat.RIGHT
    Counted(table).enter_pin()
    assert "遅刻者が到着した" in " ".join(table.scene().texts())
    table.touch("arbiter", "line-0")
    table.touch("arbiter", "carry-out", LONG)
    assert table.match.phase is Phase.READY and table.match.clock.running is None
    assert table.match.black_seat is Seat.LEFT, "M43-12.1: White was late at the right, so nothing is left to ask"


@pytest.mark.parametrize("gpio", [LEFT, RIGHT])
def test_a_press_on_either_side_marks_the_late_player_present(table: StillTable, gpio: int) -> None:
    order(table, "l", action="late_start", absent="right")
    started_ns = table.press(LEFT)
    table.wait(90 * SECOND)
    arrived_ns = table.press(gpio, 400 * MS)
    assert table.match.phase is Phase.SETUP
    assert table.match.clock.right.left_ns == 1200 * SECOND - (arrived_ns - started_ns), "from edge to edge"


def test_a_result_without_names_is_shown(table: StillTable) -> None:
    """The head forfeited a game before anybody sat down: the desk enters it, and the table continues."""
    assign(table)
    order(table, "f", action="forfeit", loser="left", reason="never came")
    table.presses("lr")
    assert table.match.phase is Phase.SIGNED
    assert [trouble.kind for trouble in table.state.troubles] == ["card-nameless"]


# --- the table itself -----------------------------------------------------------------------------------------------


def test_play_continues_by_touch_by_an_arbiter_s_decision(table: StillTable) -> None:
    started(table)
    before = table.match
    table.touch("left", "button")
    assert table.match == before, "a sleeve on the display is no press"
    hand = opened(table)
    hand.choose(Task.TABLE)
    hand.take()  # the left side by touch
    hand.accept()
    assert table.state.by_touch == {Seat.LEFT}
    order(table, "r", action="resume", reason="go on")
    again = table.killed()
    assert again.state.by_touch == {Seat.LEFT}
    order(again, "r2", action="resume", reason="go on")
    again.touch("left", "button")
    assert again.match.running() is Color.WHITE
    again.press(RIGHT)
    assert again.match.running() is Color.BLACK
    again.close()


def test_a_stuck_button_is_reported_and_replaced_by_touch(table: StillTable) -> None:
    started(table)
    table.factory.button(LEFT).stick()
    table.wait(11 * SECOND)
    assert table.match.running() is Color.WHITE, "the press itself counted"
    assert [trouble.kind for trouble in table.state.troubles] == ["button-left-stuck"]
    table.press(RIGHT, LONG)
    assert table.match.running() is Color.BLACK, "the stuck button is no finger: this was not both"
    table.touch("left", "button")
    assert table.match.running() is Color.WHITE
    table.factory.button(LEFT).release()
    table.wait(SECOND)
    assert table.state.troubles == () and table.state.by_touch == frozenset()
    assert table.match.running() is Color.WHITE


def test_amb_05_the_arbiter_chooses_the_interpretation(table: StillTable) -> None:
    """When the late player's time is used up, both interpretations are offered and none is selected; "done" without
    a selection does nothing; the selected one is executed."""
    order(table, "l", action="late_start", absent="right")
    table.wait(1201 * SECOND)
    assert table.match.reading_open and table.match.phase is Phase.RESULT
    assert not any("64" in text for text in table.scene().texts()), "players see no result yet"
    hand = Counted(table)
    hand.own()
    hand.enter_pin()
    hand.choose(Action.LATE_READING)
    assert all("marked" not in (item.name for item in panel.items) for panel in table.scene().panels)
    hand.accept()
    assert table.state.arbiter is not None and table.state.arbiter.page is ArbiterPage.FORM
    hand.take(2)  # the second reading
    hand.accept()
    assert table.state.arbiter.page is ArbiterPage.PREVIEW
    hand.accept()
    assert (table.match.phase, table.match.side) == (Phase.CHOICE, table.match.color_at(Seat.LEFT))


def test_the_move_number_is_corrected_with_the_times(table: StillTable) -> None:
    """If a press that was no move was counted, the number is one of the digits and counts on from there."""
    started(table)
    hand = opened(table)
    hand.choose(Action.SET_TIME)
    hand.next(9)  # past both clocks and the turn
    hand.figures("31")
    hand.accept()
    hand.take()
    hand.accept()
    assert table.match.move_number == 31
    order(table, "r", action="resume")
    table.press(LEFT)
    assert table.match.move_number == 32
    again = table.killed()
    assert again.match.move_number == 32
    again.close()


def test_both_players_buttons_together_turn_the_arbiter_s_screen(table: StillTable) -> None:
    started(table)
    opened(table)
    for turned in (True, False, True):
        table.both()
        assert table.state.arbiter is not None and table.state.arbiter.turned is turned
    table.press(ARBITER)
    table.press(ARBITER)
    assert table.state.arbiter is not None and table.state.arbiter.turned, "he stands where he stood before"


#: presses of every act of an arbiter with two buttons, from the one that stops the clock, including 8 for the PIN
PRESSES = {
    Action.RESUME: 12, Action.DEDUCT: 16, Action.RESULT: 17, Action.FORFEIT: 18, Action.RESIGNATION: 19,
    Action.UNRATED: 19,
}  # fmt: skip


@pytest.mark.parametrize("task", PRESSES)
def test_every_correction_is_made_within_a_minute(task: HomeTask, table: StillTable) -> None:
    """At two presses a second none takes a minute; setting both times and the turn has a test of its own."""
    started(table)
    hand = opened(table)
    hand.choose(task)
    for _ in range(4):
        session = table.state.arbiter
        if session is None or session.page is ArbiterPage.HOME:
            break
        hand.take() if session.page is ArbiterPage.REASON else hand.accept()
    assert table.state.countdown is not None or table.match.arbiter_log[-1].action == task.value
    assert hand.presses <= PRESSES[task]
