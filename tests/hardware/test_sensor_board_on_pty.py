"""Sensor board over pyserial and a real pty, with a faulty simulated board at the other end."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator

import pytest
from devices.faulty_sensor_board import FaultySensorBoard
from waiting import HANGS_S, until

from hardware.reading_stability_filter import SquareFault, StabilityFilter, StableReading
from hardware.real_and_simulated_time import ManualTime, ScaledTime
from hardware.sensor_board_driver import SILENT_AFTER_NS, SensorBoard
from hardware.sensor_board_protocol import Identity, SensorFrame
from kiosk.locale import render

pytestmark = pytest.mark.slow

START = "---------------------------OX------XO---------------------------"
AFTER = "-------------------X-------XX------XO---------------------------"


class Rig:
    """Board, cable and table, in simulated time that runs ten times as fast."""

    def __init__(self) -> None:
        self.time = ScaledTime(10)
        self.far = FaultySensorBoard(self.time, seed=7)
        self.far.set(START)
        self.inbox: queue.SimpleQueue[SensorFrame] = queue.SimpleQueue()
        self.near = SensorBoard(self.far.device, self.inbox.put, self.time).start()
        until(lambda: self.near.identity is not None)

    def until(self, wanted: Callable[[SensorFrame], bool]) -> SensorFrame:
        while not wanted(frame := self.inbox.get(timeout=HANGS_S)):
            pass
        return frame

    def settled(
        self, settler: StabilityFilter, wanted: Callable[[StableReading | SquareFault], bool]
    ) -> StableReading | SquareFault:
        while True:
            for out in settler.feed(self.inbox.get(timeout=HANGS_S)):
                if wanted(out):
                    return out


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig()
    yield rig
    rig.near.close()
    rig.far.close()


def test_the_board_sends_its_identity_and_its_discs(rig: Rig) -> None:
    assert rig.near.identity == Identity(1, "simulated-1", 8, 8)
    assert rig.until(lambda frame: True).cells == START
    rig.far.set(AFTER)
    assert rig.until(lambda frame: frame.cells == AFTER).stable_ms == 0
    assert rig.until(lambda frame: frame.stable_ms > 500).cells == AFTER
    assert rig.near.trouble() is None


def test_a_request_is_answered_by_a_frame_with_its_number(rig: Rig) -> None:
    before = rig.time.now_ns()
    rig.near.ask(42)
    frame = rig.until(lambda frame: frame.answers is not None)
    assert (frame.answers, frame.cells) == (42, START)
    assert before < frame.at_ns <= rig.time.now_ns()


def test_settled_readings_come_through_the_whole_chain(rig: Rig) -> None:
    settler = StabilityFilter(settle_ms=300)
    first = rig.settled(settler, lambda out: isinstance(out, StableReading))
    assert isinstance(first, StableReading)
    assert (first.cells, first.answers) == (START, None)
    rig.far.set(AFTER)
    rig.near.ask(1)
    reading = rig.settled(settler, lambda out: isinstance(out, StableReading) and out.answers == 1)
    assert isinstance(reading, StableReading)
    assert reading.cells == AFTER


def test_requests_are_answered_despite_noise(rig: Rig) -> None:
    """With 0.5 % of the bytes wrong and 0.1 % lost, two frames of five are damaged, and every request is answered."""
    rig.far.faults.corrupted = 0.005
    rig.far.faults.dropped = 0.001
    for number in range(12):
        rig.near.ask(number)
        assert rig.until(lambda frame, number=number: frame.answers == number).cells == START


def test_a_slow_board_answers_late_and_only_with_the_number_asked(rig: Rig) -> None:
    rig.far.faults.answer_ms = 1_000
    requested_ns = rig.time.now_ns()
    rig.near.ask(9)
    assert rig.until(lambda frame: frame.answers is not None).at_ns - requested_ns >= 1_000_000_000


def test_an_unplugged_board_is_reported_and_answers_after_replugging(rig: Rig) -> None:
    rig.far.unplug()
    until(lambda: bool(rig.near.reader.reason))
    trouble = rig.near.trouble()
    assert trouble is not None
    assert render(trouble, "en").startswith("Sensor board") and "not connected" in render(trouble, "en")
    assert "つながっていません" in render(trouble, "ja")
    rig.near.ask(5)
    rig.far.set(AFTER)
    rig.far.replug()
    assert rig.until(lambda frame: frame.answers == 5).cells == AFTER
    assert rig.near.trouble() is None


def test_a_silent_board_is_reported(rig: Rig) -> None:
    rig.far.faults.mute = True
    until(lambda: rig.near.trouble() is not None)
    trouble = rig.near.trouble()
    assert trouble is not None
    assert render(trouble, "en").startswith("Sensor board") and "sends nothing" in render(trouble, "en")
    assert "応答がありません" in render(trouble, "ja")
    rig.far.faults.mute = False
    until(lambda: rig.near.trouble() is None)


def opened_board(sink: Callable[[SensorFrame], None], time: ManualTime) -> SensorBoard:
    """Return a board whose port counts as open."""
    near = SensorBoard("x", sink, time)
    near.reader.reason = ""
    return near


def test_a_board_of_another_size_is_refused_and_reported() -> None:
    inbox: list[SensorFrame] = []
    near = opened_board(inbox.append, ManualTime())
    near._process_line("I 1 small 6 6", 0)
    near._process_line(f"F 0 - 0 {'-' * 36}", 0)
    trouble = near.trouble()
    assert trouble is not None
    assert "6×6" in render(trouble, "en")
    assert "6×6" in render(trouble, "ja")
    assert inbox == []


def test_silence_is_measured_from_the_opening_of_the_port() -> None:
    time = ManualTime(10**12)
    near = opened_board(lambda frame: None, time)
    time.advance(SILENT_AFTER_NS)
    assert near.trouble() is None
    time.advance(1)
    assert near.trouble() is not None
