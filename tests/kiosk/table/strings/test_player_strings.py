"""Tests that every text for players is short plain English, and that every choice has one."""

from __future__ import annotations

import pytest

from engine.i18n import Text
from engine.match.match_events_and_effects import TimeWinChoice
from kiosk.table.state import HoldChoice
from kiosk.table.strings import player_strings as words

TEXTS = {name: value for name, value in vars(words).items() if isinstance(value, Text)} | {
    f"{name}[{key}]": text
    for name, table in vars(words).items()
    if isinstance(table, dict) and not name.startswith("_")
    for key, text in table.items()
}


@pytest.mark.parametrize("name", TEXTS)
def test_the_screen_s_font_has_all_letters_of_a_text(name: str) -> None:
    said = TEXTS[name].template
    assert said.strip() and set(said) - set(map(chr, range(128))) <= set("–·“”×−±→")


def test_every_choice_has_a_text() -> None:
    assert set(words.HOLD_CHOICE) == set(HoldChoice)
    assert set(words.TIME_WIN_CHOICE) == set(TimeWinChoice)
