"""Every text exists in Japanese and in English, with the same fields."""

from __future__ import annotations

import string

import pytest

from engine.match.events import Choice
from kiosk.table.state import HoldChoice
from kiosk.table.words import players as words
from kiosk.table.words.players import Phrase

PHRASES = {name: value for name, value in vars(words).items() if isinstance(value, Phrase)} | {
    f"{name}[{key}]": phrase
    for name, table in vars(words).items()
    if isinstance(table, dict) and not name.startswith("_")
    for key, phrase in table.items()
}


def fields(text: str) -> set[str | None]:
    return {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}


@pytest.mark.parametrize("name", PHRASES)
def test_both_languages_say_the_same_fields(name: str) -> None:
    phrase = PHRASES[name]
    assert phrase.ja.strip() and phrase.en.strip()
    assert fields(phrase.ja) == fields(phrase.en)
    assert name == "OTHER_LANGUAGE" or set(phrase.en) - set(map(chr, range(128))) <= set("–·“”×−±")


def test_every_choice_has_words() -> None:
    assert set(words.HOLD_CHOICE) == set(HoldChoice)
    assert set(words.TIME_WIN_CHOICE) == set(Choice)
