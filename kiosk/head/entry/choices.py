"""The options of a format in plain words: what a person at the desk can choose, and for which formats.

The law: every choice is a reading that a format offers (``Facts.choices``); what is not chosen is the format's default.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.text import say_in
from engine.tournament.facts import Count, Flag, OneOf, Reading
from engine.tournament.formats import FORMATS
from engine.tournament.words import Words


@dataclass(frozen=True, slots=True)
class Choice:
    """``values``: the option's values with their words; none: a whole number from ``low`` to ``high``."""

    name: str
    formats: frozenset[str]
    label: Words
    values: tuple[tuple[str, Words], ...] = ()
    low: int = 1
    high: int = 30

    def read(self, typed: str) -> object | None:
        """The option's value; None is the default.

        :raises ValueError: the value is none of the choice.
        """
        if typed == "":
            return None
        if not self.values:
            if not (typed.isascii() and typed.isdigit() and self.low <= int(typed) <= self.high):
                raise ValueError(
                    f"{self.label.en}: '{typed[:20]}' must be a whole number from {self.low} to {self.high}"
                )
            return int(typed)
        if typed not in (value for value, _ in self.values):
            raise ValueError(f"{self.label.en}: '{typed[:20]}' is none of the choices")
        return {"yes": True, "no": False}.get(typed, int(typed) if typed.isdigit() else typed)


_YES_NO = (("yes", say_in("choices", "yes")), ("no", say_in("choices", "no")))


def _choice(reading: Reading[Any]) -> Choice:
    formats = frozenset(name for name, format in FORMATS.items() if reading in format.facts.choices)
    label = reading.label or Words(reading.name, reading.name)
    match reading:
        case OneOf(values=values, words=words):
            return Choice(reading.name, formats, label, tuple(zip(values, words, strict=True)))
        case Count(offered=(low, high), words=words):
            named = tuple((str(number), word) for number, word in enumerate(words, start=low))
            return Choice(reading.name, formats, label, named, low, high)
        case Flag():
            return Choice(reading.name, formats, label, _YES_NO)
    raise AssertionError(reading)


CHOICES: tuple[Choice, ...] = tuple(
    _choice(reading)
    for reading in dict.fromkeys(reading for format in FORMATS.values() for reading in format.facts.choices)
)


def choices_of(format: str) -> tuple[Choice, ...]:
    return tuple(choice for choice in CHOICES if format in choice.formats)
