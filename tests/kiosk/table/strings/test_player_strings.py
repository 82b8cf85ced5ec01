"""Tests that every text for players is short plain English, and that every choice has one."""

from __future__ import annotations

import pytest

from engine.i18n import Text
from engine.match.match_events_and_effects import TimeWinChoice
from kiosk.table.state import HoldChoice
from kiosk.table.strings import player_strings as words


def texts_in(value: object) -> list[Text]:
    """Return the texts in a value: itself, or those of a table or a tuple."""
    if isinstance(value, Text):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else ()
    return [text for part in parts for text in texts_in(part)]


TEXTS = [text.template for name, value in vars(words).items() if name[0] != "_" for text in texts_in(value)]


@pytest.mark.parametrize("said", TEXTS)
def test_the_screen_s_font_has_all_letters_of_a_text(said: str) -> None:
    assert said.strip() and set(said) - set(map(chr, range(128))) <= set("–·“”×−±→")


def test_every_choice_has_a_text() -> None:
    assert set(words.HOLD_CHOICE) == set(HoldChoice)
    assert set(words.TIME_WIN_CHOICE) == set(TimeWinChoice)
