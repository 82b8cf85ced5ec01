"""Options of a format that the desk can choose, with labels; the formats that have them; presets of divisions.

A format offers them in ``FormatSpec.choices``; an option that is not chosen has the format's default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.i18n import Text, say, say_in
from engine.tournament.format_spec_and_options import (
    MATCHES,
    VARIANT,
    ChoiceOption,
    DivisionPreset,
    IntOption,
    ListOption,
    RuleOption,
)
from engine.tournament.formats import FORMATS
from kiosk.head.errors import HeadError
from kiosk.head.registration.player_list_columns_and_cells import to_half_width


@dataclass(frozen=True, slots=True)
class FormatChoice:
    """One option. ``values``: its values with their labels; empty: an integer from ``low`` to ``high``. ``places``: so
    many fields name a list of values in order, else 0. ``rare``: whether it stands with the rarely used ones.
    """

    name: str
    label: Text
    values: tuple[tuple[str, Text], ...]
    low: int
    high: int
    places: int
    rare: bool

    @property
    def fields(self) -> tuple[str, ...]:
        """Return the names of its fields in a form."""
        return tuple(f"choice-{self.name}{place or ''}" for place in range(max(self.places, 1)))

    def read_form(self, form: Mapping[str, str]) -> object | None:
        """Return the option's value in a form; None is the default.

        :raises HeadError: a value is none of the choice, or named twice.
        """
        named = [value for field in self.fields if (value := self._read(form[field])) is not None]
        if not self.places:
            return named[0] if named else None
        if len(set(named)) < len(named):
            raise HeadError.saying("{label}: choose each criterion once", label=self.label)
        return named or None

    def _read(self, typed: str) -> object | None:
        if typed == "":
            return None
        if not self.values:
            typed = to_half_width(typed)
            if not (typed.isascii() and typed.isdigit() and len(typed) <= 9 and self.low <= int(typed) <= self.high):
                why = say("{label}: '{typed}' must be a whole number from {low} to {high}")
                raise HeadError(why(label=self.label, typed=typed[:20], low=self.low, high=self.high))
            return int(typed)
        if typed not in dict(self.values):
            raise HeadError.saying("{label}: '{typed}' is none of the choices", label=self.label, typed=typed[:20])
        if self.places or self.name == VARIANT.name:  # "88" is the name of a board
            return typed
        return {"yes": True, "no": False}.get(typed, int(typed) if typed.isdigit() else typed)


_YES_NO = (("yes", say_in("to use a rule", "yes")), ("no", say_in("to use a rule", "no")))


def _choice(option: RuleOption[Any]) -> FormatChoice:
    values: tuple[tuple[str, Text], ...] = _YES_NO
    low, high = 1, 30
    match option:
        case ChoiceOption() | ListOption():
            values = tuple(zip(option.values, option.words, strict=True))
        case IntOption(offered=(low, high), words=words):
            values = tuple((str(number), word) for number, word in enumerate(words, start=low))
    places = len(values) if isinstance(option, ListOption) else 0
    label = option.label or Text(option.name)
    return FormatChoice(option.name, label, values, low, high, places, rare=places > 0 or option in MATCHES)


CHOICES: Mapping[RuleOption[Any], FormatChoice] = {
    option: _choice(option) for format in FORMATS.values() for option in format.facts.choices
}


def choices_of(format: str) -> tuple[FormatChoice, ...]:
    return tuple(choice for option, choice in CHOICES.items() if option in FORMATS[format].facts.choices)


# Presets of divisions to choose from, as each format defines them (``engine.tournament.format_spec_and_options``).
#
# A preset is data. Everything it sets can be changed on the division's page before round 1.

KINDS: tuple[DivisionPreset, ...] = tuple(kind for each in FORMATS.values() for kind in each.facts.kinds)


def preset_by_key(key: str) -> DivisionPreset | None:
    return next((kind for kind in KINDS if kind.key == key), None)
