"""Stability filter: stable readings from frames, with squares that flicker or are dead."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.reading_stability_filter import SquareFault, StabilityFilter, StableReading
from hardware.sensor_board_protocol import SensorFrame

MS = 1_000_000
EMPTY = "-" * 64


def disc(cells: str, square: int, cell: str) -> str:
    return cells[:square] + cell + cells[square + 1 :]


class SimulatedBoard:
    """Frames as a board sends them: at each change, and every 250 ms."""

    def __init__(self, settler: StabilityFilter, cells: str = EMPTY) -> None:
        self.settler = settler
        self.cells = cells
        self.at_ms = 0
        self.changed_ms = 0
        self.out: list[StableReading | SquareFault] = []

    def show(self, cells: str, answers: int | None = None) -> None:
        if cells != self.cells:
            self.cells, self.changed_ms = cells, self.at_ms
        frame = SensorFrame(0, answers, self.at_ms - self.changed_ms, cells, self.at_ms * MS)
        self.out += self.settler.feed(frame)

    def wait(self, ms: int) -> None:
        for _ in range(ms // 50):
            self.at_ms += 50
            self.show(self.cells)

    def flicker(self, square: int, cells: tuple[str, ...], times: int, each_ms: int = 60) -> None:
        for i in range(times):
            self.at_ms += each_ms
            self.show(disc(self.cells, square, cells[i % len(cells)]))

    @property
    def readings(self) -> list[tuple[str, int | None]]:
        return [(r.cells, r.answers) for r in self.out if isinstance(r, StableReading)]

    @property
    def troubles(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        return [(t.flickering, t.dead) for t in self.out if isinstance(t, SquareFault)]


def test_a_move_is_one_reading_once_settled() -> None:
    board = SimulatedBoard(StabilityFilter(settle_ms=300))
    board.wait(1_000)
    board.show(disc(board.cells, 19, "X"))
    board.wait(200)
    board.show(disc(board.cells, 27, "O"))
    board.wait(100)
    board.show(disc(board.cells, 27, "X"))
    board.wait(1_000)
    after = disc(disc(EMPTY, 19, "X"), 27, "X")
    assert board.readings == [(EMPTY, None), (after, None)]
    assert board.troubles == []


def test_a_reading_waits_for_the_settling_time() -> None:
    board = SimulatedBoard(StabilityFilter(settle_ms=300))
    board.wait(250)
    assert board.readings == []
    board.wait(50)
    assert [r.at_ns for r in board.out if isinstance(r, StableReading)] == [300 * MS]


def test_a_request_to_a_settled_board_is_answered_at_once() -> None:
    board = SimulatedBoard(StabilityFilter(settle_ms=300))
    board.wait(1_000)
    board.show(board.cells, answers=7)
    board.wait(500)
    assert board.readings == [(EMPTY, None), (EMPTY, 7)]


def test_a_request_to_a_moving_board_is_answered_once_settled() -> None:
    board = SimulatedBoard(StabilityFilter(settle_ms=300))
    board.wait(1_000)
    board.show(disc(board.cells, 0, "O"))
    board.at_ms += 10
    board.show(board.cells, answers=8)
    assert board.readings == [(EMPTY, None)]
    board.wait(300)
    assert board.readings == [(EMPTY, None), (disc(EMPTY, 0, "O"), 8)]


def test_a_flickering_square_is_reported_and_delays_nothing() -> None:
    board = SimulatedBoard(StabilityFilter(settle_ms=300), disc(EMPTY, 5, "X"))
    board.wait(1_000)
    board.flicker(5, ("-", "X", "X", "X"), times=40)
    board.show(disc(board.cells, 40, "O"))
    board.flicker(5, ("-", "X", "X", "X"), times=40)
    assert board.troubles == [((5,), ())]
    assert board.readings == [(disc(EMPTY, 5, "X"), None), (disc(disc(EMPTY, 5, "X"), 40, "O"), None)]


def test_a_square_flickering_to_unknown_keeps_its_known_value() -> None:
    board = SimulatedBoard(StabilityFilter(settle_ms=300), disc(EMPTY, 5, "X"))
    board.flicker(5, ("?", "?", "?", "X"), times=60)
    assert {cells for cells, _ in board.readings} == {disc(EMPTY, 5, "X")}
    assert ((5,), ()) in board.troubles


def test_a_square_that_stops_flickering_is_no_fault() -> None:
    board = SimulatedBoard(StabilityFilter(settle_ms=300, window_ms=2_000))
    board.flicker(5, ("X", "-"), times=10)
    board.wait(3_000)
    assert board.troubles == [((5,), ()), ((), ())]
    assert board.readings[-1] == (EMPTY, None)


def test_a_square_flickers_until_it_is_still_for_the_whole_window() -> None:
    board = SimulatedBoard(StabilityFilter(settle_ms=300, window_ms=2_000))
    board.flicker(5, ("X", "-"), times=10)
    board.flicker(5, ("X", "-"), times=10, each_ms=1_500)
    assert board.troubles == [((5,), ())]


def test_a_flickering_square_keeps_its_value_until_another_shows_for_two_thirds() -> None:
    board = SimulatedBoard(StabilityFilter(settle_ms=300), disc(EMPTY, 5, "X"))
    board.wait(500)
    board.flicker(5, ("-", "X", "-", "X", "-"), times=60)
    assert board.readings == [(disc(EMPTY, 5, "X"), None)]
    board.flicker(5, ("-", "-", "-", "-", "X"), times=60)
    assert board.readings[1:] == [(EMPTY, None)]


def test_a_frame_marked_as_moving_delays_the_reading() -> None:
    """The frames that showed the movement may have been lost."""
    settler = StabilityFilter(settle_ms=300)
    frames = [SensorFrame(n, None, 50, EMPTY, n * 100 * MS) for n in range(20)]
    assert [out for frame in frames for out in settler.feed(frame)] == []


def test_a_disc_flipped_on_a_flickering_square_is_read() -> None:
    board = SimulatedBoard(StabilityFilter(settle_ms=300), disc(EMPTY, 5, "X"))
    board.flicker(5, ("-", "X", "X", "X"), times=40)
    board.flicker(5, ("-", "O", "O", "O"), times=60)
    assert board.readings[-1] == (disc(EMPTY, 5, "O"), None)


def test_a_dead_square_is_reported_and_read_as_unknown() -> None:
    board = SimulatedBoard(StabilityFilter(settle_ms=300))
    board.wait(500)
    board.show(disc(board.cells, 63, "?"))
    board.wait(500)
    board.show(EMPTY)
    board.wait(500)
    assert board.troubles == [((), (63,)), ((), ())]
    assert board.readings == [(EMPTY, None), (disc(EMPTY, 63, "?"), None), (EMPTY, None)]


def test_flips_by_hand_are_no_flicker() -> None:
    board = SimulatedBoard(StabilityFilter(settle_ms=300))
    board.wait(500)
    for cell in "X?O":
        board.at_ms += 400
        board.show(disc(board.cells, 9, cell))
    board.wait(1_000)
    assert board.troubles == []


@given(st.lists(st.tuples(st.integers(1, 400), st.integers(0, 63), st.sampled_from("-XO?")), max_size=60))
def test_a_reading_without_flicker_equals_a_settled_frame(changes: list[tuple[int, int, str]]) -> None:
    """Without flickering squares a reading is what the board showed, unchanged for the settling time."""
    board = SimulatedBoard(StabilityFilter(settle_ms=300, flicker_changes=1_000))
    rested: set[str] = set()
    for ms, square, cell in changes:
        board.at_ms += ms
        board.show(board.cells)
        if board.at_ms - board.changed_ms >= 300:
            rested.add(board.cells)
        board.show(disc(board.cells, square, cell))
    board.wait(300)
    assert {cells for cells, _ in board.readings} == rested | {board.cells}


@pytest.mark.parametrize("wrong", [{"settle_ms": 0}, {"settle_ms": 2_000}, {"flicker_changes": 2}])
def test_invalid_settings_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="settle"):
        StabilityFilter(**wrong)
