"""Test of ``kiosk demo --eye``: simulated cameras read the boards of the simulated hall."""

from __future__ import annotations

import queue

import pytest
from waiting import HANGS_S

from engine.board.variants import STANDARD
from hardware.reading_stability_filter import SquareFault, StableReading
from hardware.real_and_simulated_time import SystemTime
from kiosk.demo.simulated_table_camera import DrawnBoard
from kiosk.table.table_config import BoardConfig

MOVED = STANDARD.start[:19] + "X" + STANDARD.start[20:27] + "X" + STANDARD.start[28:]


@pytest.mark.slow
def test_a_press_is_answered_by_the_board_after_the_move() -> None:
    """The real board source reads the rendered pictures the right way round and answers with the press's number."""
    time, heard = SystemTime(), queue.Queue[StableReading | SquareFault]()
    board = DrawnBoard(time, 1)
    source = board.source(BoardConfig(source="camera", settle_ms=200), time, heard.put)

    def answer(number: int) -> str:
        source.ask(number)
        while True:
            heard_now = heard.get(timeout=HANGS_S)
            if isinstance(heard_now, StableReading) and heard_now.answers == number:
                return heard_now.cells

    source.start()
    try:
        assert answer(1) == STANDARD.start
        board.set(MOVED)
        assert answer(2) == MOVED
    finally:
        board.close()
        source.close()
