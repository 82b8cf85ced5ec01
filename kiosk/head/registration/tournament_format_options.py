"""Options of a format that the desk can choose, with labels; the formats that have them; presets of divisions.

A format offers them in ``FormatSpec.choices``; an option that is not chosen has the format's default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.i18n import LocalizedError, Text, say, say_in
from engine.tournament.format_spec_and_options import (
    BoolOption,
    ChoiceOption,
    DivisionPreset,
    IntOption,
    ListOption,
    RuleOption,
)
from engine.tournament.formats import FORMATS
from engine.tournament.shared_format_options import MATCHES, VARIANT


class InvalidChoice(LocalizedError, ValueError):  # noqa: N818 - named after the condition
    """A value that the option does not have."""


@dataclass(frozen=True, slots=True)
class FormatChoice:
    """One option. ``values``: its values with their labels; empty: an integer from ``low`` to ``high``. ``places``: so
    many fields name a list of values in order, else 0.
    """

    name: str
    formats: frozenset[str]
    label: Text
    values: tuple[tuple[str, Text], ...] = ()
    low: int = 1
    high: int = 30
    places: int = 0
    #: whether it stands with the rarely used ones
    rare: bool = False

    @property
    def fields(self) -> tuple[str, ...]:
        """Return the names of its fields in a form."""
        return tuple(f"choice-{self.name}{place or ''}" for place in range(max(self.places, 1)))

    def read_form(self, form: Mapping[str, str]) -> object | None:
        """Return the option's value in a form; None is the default.

        :raises InvalidChoice: a value is none of the choice, or named twice.
        """
        if not self.places:
            return self.read(form[self.fields[0]])
        named = [str(value) for field in self.fields if (value := self.read(form[field])) is not None]
        if len(set(named)) < len(named):
            raise InvalidChoice(say("{label}: choose each criterion once", label=self.label))
        return named or None

    def read(self, typed: str) -> object | None:
        """Return the option's value; None is the default.

        :raises InvalidChoice: the value is none of the choice.
        """
        if typed == "":
            return None
        if not self.values:
            if not (typed.isascii() and typed.isdigit() and self.low <= int(typed) <= self.high):
                raise InvalidChoice(
                    say("{label}: '{typed}' must be a whole number from {low} to {high}",
                        label=self.label, typed=typed[:20], low=self.low, high=self.high)
                )  # fmt: skip
            return int(typed)
        if typed not in (value for value, _ in self.values):
            raise InvalidChoice(say("{label}: '{typed}' is none of the choices", label=self.label, typed=typed[:20]))
        if self.name == VARIANT.name:  # "88" is the name of a board
            return typed
        return {"yes": True, "no": False}.get(typed, int(typed) if typed.isdigit() else typed)


_YES_NO = (("yes", say_in("to use a rule", "yes")), ("no", say_in("to use a rule", "no")))


def _choice(reading: RuleOption[Any]) -> FormatChoice:
    formats = frozenset(name for name, format in FORMATS.items() if reading in format.facts.choices)
    rare = reading in MATCHES
    label = reading.label or Text(reading.name)
    match reading:
        case ChoiceOption(values=values, words=words):
            return FormatChoice(reading.name, formats, label, tuple(zip(values, words, strict=True)), rare=rare)
        case ListOption(values=values, words=words):
            named = tuple(zip(values, words, strict=True))
            return FormatChoice(reading.name, formats, label, named, places=len(values), rare=True)
        case IntOption(offered=(low, high), words=words):
            named = tuple((str(number), word) for number, word in enumerate(words, start=low))
            return FormatChoice(reading.name, formats, label, named, low, high, rare=rare)
        case BoolOption():
            return FormatChoice(reading.name, formats, label, _YES_NO)
    raise AssertionError(reading)


CHOICES: tuple[FormatChoice, ...] = tuple(
    _choice(reading)
    for reading in dict.fromkeys(reading for format in FORMATS.values() for reading in format.facts.choices)
)


def choices_of(format: str) -> tuple[FormatChoice, ...]:
    return tuple(choice for choice in CHOICES if format in choice.formats)


# Presets of divisions to choose from, as each format defines them (``engine.tournament.format_spec_and_options``).
#
# A preset is data. Everything it sets can be changed on the division's page before round 1.

KINDS: tuple[DivisionPreset, ...] = tuple(kind for each in FORMATS.values() for kind in each.facts.kinds)


def preset_by_key(key: str) -> DivisionPreset | None:
    return next((kind for kind in KINDS if kind.key == key), None)
