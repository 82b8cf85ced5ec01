"""Tests of free play without a board source, which ends with a count by the players (M43-15b.2, 15b.3, 17.2)."""

from __future__ import annotations

import pytest
from tables.manual_time_table import LEFT, RIGHT, SECOND, StillTable

from engine.board.color import Color
from engine.end_reason import EndReason
from engine.match.match_value_types import GameResult, Phase, Seat
from kiosk.table.table_config import BoardConfig

W = Color.WHITE


def stopped(rules: str = "m43", **config: object) -> StillTable:
    """A state in which Black, at the left, used up his time on the first move, and White chose free play and stopped
    it."""
    table = StillTable(board=BoardConfig(source="none"), rules=rules, main_s=30, **config)
    table.press(LEFT)
    if rules == "team":  # White has the draw right
        table.press(RIGHT)
    table.press(RIGHT)
    table.wait(31 * SECOND)
    table.call(RIGHT)
    table.press(RIGHT)
    table.press(RIGHT, 1_200 * 1_000_000)
    assert table.match.phase is Phase.CHOICE
    table.press(RIGHT)
    table.press(RIGHT, 1_200 * 1_000_000)
    assert table.match.phase is Phase.FREE
    return table


def texts(table: StillTable) -> str:
    return " ".join(text for panel in table.scene().panels for text in panel.texts())


@pytest.mark.parametrize("rules", ["m43", "team"])
@pytest.mark.parametrize("how", ["stop", "time over"])
@pytest.mark.parametrize("killed", [False, True])
def test_two_buttons_enter_the_count(rules: str, how: str, killed: bool) -> None:
    """24-40: White enters his own discs, the rest is the loser's; the same after a power cut."""
    table = stopped(rules)
    if how == "stop":
        table.press(RIGHT, 1_200 * 1_000_000)
    else:
        table.wait(40 * SECOND)
    assert table.match.clock.running is None
    if killed:
        table = table.killed()
    table.presses(8 * "r")
    assert table.state.black_count == 24
    table.both()
    assert table.match.result == GameResult(W, 24, 40, EndReason.FREE_PLAY, rated=True)
    table.presses("lr")
    assert table.match.phase is Phase.SIGNED
    table.close()


def test_a_count_that_one_does_not_agree_with_is_entered_again() -> None:
    """M43-18.2: nothing is signed before both agree; the arbiter is called."""
    table = stopped()
    table.press(RIGHT, 1_200 * 1_000_000)
    table.press(LEFT)
    table.both()
    table.press(RIGHT)
    assert table.match.confirmed == (W,)
    table.press(LEFT, 1_200 * 1_000_000)
    assert (table.match.phase, table.match.result, table.match.confirmed) == (Phase.FREE, None, ())
    assert table.match.shown_to_arbiter[-1].kind == "called"
    assert table.match.seat_of(W) is Seat.RIGHT
    table.presses("rr")
    table.both()
    assert table.match.result == GameResult(W, 31, 33, EndReason.FREE_PLAY, rated=True)
    table.close()
