"""Tests of incomplete readings, and of a board that does not show the start position."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from devices.faulty_sensor_board import FaultySensorBoard
from matches.steps import S
from messages.bilingual import both
from msgspec import structs
from tables.manual_time_table import LEFT as STILL_LEFT
from tables.manual_time_table import RIGHT as STILL_RIGHT
from tables.manual_time_table import StillTable
from tables.rig import LEFT, RIGHT, TableRig
from tables.states import BLACK, WHITE
from tables.states import LEFT as LEFT_SEAT

from engine.board.position import Position
from engine.match import MatchState, Phase, Seat, Setup, new_match, step
from engine.match.match_events_and_effects import BoardReported, Event, Press, SeatsAssigned
from hardware.reading_stability_filter import StableReading
from hardware.real_and_simulated_time import SystemTime
from kiosk.table.board_sources.doubtful_board_readings import complete_reading, start_position_alarm

START = Position.start()
AFTER = START.play(START.geometry.square("f5")).cells()


def match(*events: Event) -> MatchState:
    state = new_match(Setup(has_board_source=True))
    for event in (SeatsAssigned(0, LEFT_SEAT), Press(0, Seat.RIGHT), *events):
        state = step(state, event)[0]
    return state


def blind(cells: str, *names: str) -> str:
    shown = list(cells)
    for name in names:
        shown["abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1)] = "?"
    return "".join(shown)


def test_a_complete_reading_is_unchanged() -> None:
    assert complete_reading(match(), AFTER, None) == AFTER


@pytest.mark.parametrize("names", [("a1",), ("f5",), ("e5",), ("d4", "h8"), ("e5", "a1", "h1")])
def test_unread_squares_are_filled_in_from_the_only_legal_move(names: tuple[str, ...]) -> None:
    pressed = match(Press(20 * S, Seat.LEFT))
    assert complete_reading(pressed, blind(AFTER, *names), 1) == AFTER


def test_an_unchanged_board_stays_unchanged() -> None:
    """A challenge or a pass with an unread square keeps the board."""
    pressed = match(Press(20 * S, Seat.LEFT))
    assert complete_reading(pressed, blind(START.cells(), "a1", "e4"), 1) == START.cells()


def test_a_reading_is_not_completed_if_two_moves_or_none_fit() -> None:
    pressed = match(Press(20 * S, Seat.LEFT))
    assert complete_reading(pressed, blind(AFTER, "e5", "f5"), 1) is None, "a move at f5, or none"
    wrong = blind("X" + AFTER[1:], "e5")
    assert complete_reading(pressed, wrong, 1) is None, "a blind square makes no accusation"
    assert complete_reading(pressed, blind(AFTER, "a1", "a2", "a3", "a4"), 1) is None


def test_a_reading_is_completed_for_the_turn_it_answers() -> None:
    """If two presses wait, the first one's answer is a move of Black, the second's of White."""
    second = Position.from_cells(AFTER, WHITE)
    later = second.play(second.geometry.square("d6")).cells()
    first = match(Press(20 * S, Seat.LEFT), Press(30 * S, Seat.RIGHT))
    assert complete_reading(first, blind(AFTER, "e5"), 1) == AFTER
    known = step(first, BoardReported(31 * S, AFTER, 1))[0]
    assert complete_reading(known, blind(later, "d5"), 2) == later
    assert known.to_move is WHITE and BLACK is known.turns[0].by


def test_a_wrong_start_position_is_reported_only_before_the_start() -> None:
    state = new_match(Setup(has_board_source=True))
    state = step(state, BoardReported(0, blind(START.cells()).replace("X", "-", 1), None))[0]
    assert start_position_alarm(state) is None, "the players are still setting it up"
    ready = step(state, SeatsAssigned(0, LEFT_SEAT))[0]
    told = start_position_alarm(ready)
    assert told is not None and both(told.text).count("e4") == 2
    assert start_position_alarm(step(ready, Press(0, Seat.RIGHT))[0]) is None
    right = step(ready, BoardReported(0, START.cells(), None))[0]
    assert start_position_alarm(right) is None
    swept = step(ready, BoardReported(0, "-" * 64, None))[0]
    assert start_position_alarm(swept) is not None


# --- a second reading -----------------------------------------------------------------------------------------------

OTHERWISE = "X" + AFTER[1:]


class Camera:
    """A source that repeats a reading if asked to. ``again``: the presses for which it was asked."""

    def __init__(self, looks_again: bool) -> None:
        self.looks_again, self.again = looks_again, list[int]()

    def ask(self, number: int) -> None: ...

    def ask_again(self, number: int) -> bool:
        self.again += [number] if self.looks_again else []
        return self.looks_again

    def trouble(self) -> None: ...

    def start(self) -> None: ...

    def close(self) -> None: ...


NOT_TURNED = AFTER[:36] + "O" + AFTER[37:]
E5_UNSEEN = blind(AFTER, "e5")


def pressed(looks_again: bool, *presses: list[str]) -> tuple[str | None, int]:
    """White starts, Black presses, then White and so on, and the source answers each press with a board. Return the
    accepted board, and how many readings were requested at the last press."""
    still, source = StillTable(), Camera(looks_again)
    try:
        begun(still, source)
        for gpio, readings in zip((STILL_LEFT, STILL_RIGHT), presses, strict=False):
            answer(still, source, gpio, readings)
        return None if still.match.pending else still.match.board, len(source.again)
    finally:
        still.close()


def begun(still: StillTable, source: Camera) -> None:
    """Start a game with Black at the left; his clock runs."""
    for gpio in (STILL_LEFT, STILL_RIGHT):
        still.press(gpio)
    still.table.program._game._board = source


def answer(still: StillTable, source: Camera, gpio: int, readings: list[str]) -> None:
    source.again.clear()
    still.press(gpio)
    (press,) = still.match.pending
    for cells in readings:
        still.table.program.inbox.put(StableReading(cells, press.number, still.time.now_ns()))
        still.settle()
    assert set(source.again) <= {press.number}


FINDINGS = {
    "legal": (True, [AFTER], AFTER),
    "one illegal reading": (True, [OTHERWISE], None),
    "illegal, then legal": (True, [OTHERWISE, AFTER], AFTER),
    "the same illegal one twice": (True, [OTHERWISE, OTHERWISE], OTHERWISE),
    "illegal, then two squares unread": (True, [OTHERWISE, blind(OTHERWISE, "a1", "h1")], AFTER),
    "two different illegal ones": (True, [OTHERWISE, "X" * 8 + AFTER[8:]], None),
    "no second reading": (False, [OTHERWISE], OTHERWISE),
}


@pytest.mark.parametrize(("looks_again", "readings", "board"), FINDINGS.values(), ids=FINDINGS)
def test_a_finding_needs_two_readings(looks_again: bool, readings: list[str], board: str | None) -> None:
    """An illegal board counts only if a second reading agrees; squares in which the readings differ count as unread."""
    assert pressed(looks_again, readings) == (board, int(looks_again and readings[0] != AFTER))


PARTLY_READ = {
    "move read at the second reading": (True, [E5_UNSEEN, AFTER], AFTER, 1),
    "each square read once": (True, [E5_UNSEEN, blind(AFTER, "a1")], AFTER, 1),
    "square of the move never read": (True, [E5_UNSEEN, E5_UNSEEN], None, 1),
    "then not turned": (True, [E5_UNSEEN, NOT_TURNED], None, 2),
    "then not turned twice": (True, [E5_UNSEEN, NOT_TURNED, NOT_TURNED], NOT_TURNED, 2),
    "then not turned, then legal": (True, [E5_UNSEEN, NOT_TURNED, AFTER], None, 2),
    "another square unread": (True, [blind(AFTER, "a1")], None, 1),
    "another square unread twice": (True, [blind(AFTER, "a1"), blind(AFTER, "a1")], AFTER, 1),
    "another square unread, then illegal twice": (True, [blind(AFTER, "a1"), OTHERWISE, OTHERWISE], OTHERWISE, 2),
    "no second reading": (False, [E5_UNSEEN], AFTER, 0),
}


@pytest.mark.parametrize(("looks_again", "readings", "board", "asked"), PARTLY_READ.values(), ids=PARTLY_READ)
def test_a_partly_read_move_is_not_classified_as_legal(
    looks_again: bool, readings: list[str], board: str | None, asked: int
) -> None:
    """A disc that was not turned may be on the square that was not read."""
    assert pressed(looks_again, readings) == (board, asked)


def test_a_square_that_was_read_at_the_press_before_is_not_filled_in() -> None:
    """Its disc may have been turned in this turn; a square that was not read before either has another cause, such
    as a reflection."""
    second = Position.from_cells(AFTER, WHITE)
    later = second.play(second.geometry.square("d6")).cells()
    unread = blind(later, "e4")
    assert pressed(True, [AFTER], [unread, unread]) == (None, 1)
    assert pressed(True, [AFTER], [unread, later]) == (later, 1)
    assert pressed(True, [blind(AFTER, "e4")] * 2, [unread, unread]) == (later, 1)


def test_a_pending_reading_of_the_previous_game_is_ignored() -> None:
    """Each game's presses count from one; a game that is withdrawn may leave a request open."""
    still, source = StillTable(), Camera(looks_again=True)
    try:
        for game in ("g1", "g2"):
            assignment = still.state.assignment
            assert assignment is not None
            still.table.program._game.begin(structs.replace(assignment, game=game))
            begun(still, source)
            answer(still, source, STILL_LEFT, [OTHERWISE])
            assert [press.number for press in still.match.pending] == source.again == [1]
    finally:
        still.close()


# --- on a real line -------------------------------------------------------------------------------------------------


def in_play(directory: Path) -> tuple[FaultySensorBoard, TableRig]:
    time_base = SystemTime()
    board = FaultySensorBoard(time_base)
    board.set(START.cells())
    rig = TableRig(directory, time_base, board.device)
    rig.press(LEFT)
    rig.phase(Phase.READY)
    rig.press(RIGHT)
    rig.phase(Phase.TURN)
    return board, rig


def test_a_sensor_board_that_is_unplugged_in_mid_game_and_plugged_in_again(tmp_path: Path) -> None:
    """Play continues, the fault is shown, and the waiting press is answered when the board is back."""
    board, rig = in_play(tmp_path)
    board.unplug()
    rig.until(lambda state: any(trouble.kind == "board" for trouble in state.troubles), "it is told")
    rig.press(LEFT)
    rig.until(lambda _: rig.match.clock.running is Seat.RIGHT, "the clock does not wait for the board")
    board.set(AFTER)
    board.replug()
    rig.until(lambda _: rig.match.transcript == "f5", "the press is answered")
    rig.until(lambda state: not state.troubles, "all is well again")
    rig.close()
    board.close()


def test_a_dead_square_of_the_move_is_filled_in_on_a_real_line(tmp_path: Path) -> None:
    board, rig = in_play(tmp_path)
    board.faults.missing = {START.cells().index("O")}  # d4 does not change any more
    board.set(AFTER)
    time.sleep(0.4)
    rig.press(LEFT)
    rig.until(lambda _: rig.match.transcript == "f5", "the move is read")
    rig.until(lambda state: any(trouble.kind == "board-squares" for trouble in state.troubles), "d4 is told")
    assert rig.match.findings == ()
    rig.close()
    board.close()
