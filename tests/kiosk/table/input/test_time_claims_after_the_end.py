"""Tests of time claims after the end of the game, until both players have agreed on the result (M43-15.3)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tables.manual_time_table import LEFT, RIGHT, SECOND, StillTable

from engine.board.color import Color
from engine.match.match_value_types import Phase, Seat
from kiosk.table.input.gesture_recognition import DONE
from kiosk.table.state import Hint, HoldChoice
from kiosk.table.table_config import BoardConfig

LONG = 1_200 * 1_000_000


def ended(black_s: int = 31, **config: object) -> StillTable:
    """Return a table without a board source at the end of a game: Black, at the left, made the last move after
    ``black_s`` of 30 seconds, and 33 black discs have been counted."""
    table = StillTable(board=BoardConfig(source="none"), rules="m43", main_s=30, **config)
    table.presses("lr")
    table.wait(black_s * SECOND)
    table.press(LEFT)
    table.call(LEFT)
    table.choose(LEFT, HoldChoice.END)
    table.press(RIGHT, LONG)
    assert table.match.phase is Phase.ENDED
    table.press(LEFT)
    table.both()
    return table


@pytest.fixture
def table() -> Iterator[StillTable]:
    table = ended()
    yield table
    table.close()


def texts(table: StillTable) -> str:
    return " ".join(text for panel in table.scene().panels for text in panel.texts())


def test_the_opponent_claims_the_last_movers_time(table: StillTable) -> None:
    """The card names the gesture, the menu shows the clocks, and the winner on time chooses."""
    assert "時間切れの申告は両方を長押し" in texts(table)
    table.both()
    assert table.state.hold_choices == (HoldChoice.BACK, HoldChoice.CLAIM_TIME, HoldChoice.OWN_TIME_OUT)
    table.presses("rR")
    assert table.match.phase is Phase.CHOICE and table.match.side is Color.WHITE
    table.press(RIGHT, LONG)
    assert table.match.result is not None and table.match.result.white_discs == 33


def test_the_last_mover_declares_the_own_time(table: StillTable) -> None:
    table.both()
    table.presses("llL")
    assert table.match.phase is Phase.CHOICE and table.match.side is Color.WHITE


def test_a_claim_stands_until_both_have_agreed(table: StillTable) -> None:
    """One player has confirmed the result already; after both have, there is no menu."""
    table.press(LEFT)
    table.both()
    table.presses("rR")
    assert table.match.phase is Phase.CHOICE
    agreed = ended()
    agreed.presses("lr")
    agreed.both()
    assert agreed.match.phase is not Phase.ENDED and not agreed.state.claims_time
    agreed.close()


def test_a_claim_while_time_is_left_changes_nothing_and_says_how_much() -> None:
    """Promise 3: nothing shows before a claim whether a flag has fallen; the menu stays open after a refusal."""
    table, fallen = ended(black_s=20), ended()
    for each in (table, fallen):
        each.both()
        each.save()  # the mark of what is saved is on the screen too
    assert texts(table).replace("9.9", "0:00") == texts(fallen)
    table.presses("rR")
    assert table.match.phase is Phase.ENDED and table.state.claims_time
    assert table.state.hints[Seat.RIGHT][0] is Hint.OPPONENT_HAS_TIME and texts(table).count("9.9") == 2
    for each in (table, fallen):
        each.close()


@pytest.mark.parametrize("way", ["line", "both"])
def test_back_to_the_count(table: StillTable, way: str) -> None:
    """From the menu the players come back to the card, and sign it."""
    table.both()
    if way == "both":
        table.both()
    else:
        table.press(LEFT, LONG)
    assert not table.state.claims_time
    table.presses("lr")
    assert table.match.result is not None and table.match.result.black_discs == 33


def test_the_menu_opens_by_touch(table: StillTable) -> None:
    """A touch on the card's lower part, held, replaces the two buttons."""
    table.touch("left", DONE, LONG)
    assert table.state.claims_time
