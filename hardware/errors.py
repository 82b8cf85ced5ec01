"""What can be wrong with the edges to the world; every message is for a person.

A sentence is an English template with named fields, as in ``engine.text``, which nothing here imports: the two packages
never meet. The programs put both into the reader's language.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence: ``template`` with its ``{fields}``, pairs of name and value."""

    template: str
    fields: tuple[tuple[str, object], ...] = ()

    def __str__(self) -> str:
        return self.template.format_map(dict(self.fields))


def say(template: str, /, **fields: object) -> Said:
    """``template`` is a literal, or it is in no catalogue."""
    return Said(template, tuple(sorted(fields.items())))


class HardwareError(RuntimeError):
    """A device cannot be used: what, where, and what to do, as ``en`` and ``ja``; ``str()`` gives both."""

    def __init__(self, en: str, ja: str) -> None:
        super().__init__(f"{en} / {ja}")
        self.en = en
        self.ja = ja


class PinFactoryError(HardwareError):
    """The GPIO library that the configuration asks for cannot be used."""


class PinError(HardwareError):
    """A GPIO line cannot be taken or read."""


class LineError(HardwareError, ValueError):
    """A line of the serial protocol is not a message."""
