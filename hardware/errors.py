"""Errors of the device drivers, with translatable messages for people.

A message is an English template with named fields, as in ``engine.i18n``, which this package must not import. The
programs translate both.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ErrorText:
    """One sentence: ``template`` with its ``{fields}``, pairs of name and value."""

    template: str
    fields: tuple[tuple[str, object], ...] = ()

    def __call__(self, **fields: object) -> ErrorText:
        """Return the sentence with more fields filled in."""
        return ErrorText(self.template, tuple(sorted((dict(self.fields) | fields).items())))

    def __str__(self) -> str:
        return self.template.format_map(dict(self.fields))


def say(template: str, /, **fields: object) -> ErrorText:
    """Return a sentence. ``template`` must be a literal to enter the catalogue."""
    return ErrorText(template)(**fields)


class HardwareError(RuntimeError):
    """A device cannot be used: ``text`` states what, where, and what to do; ``str()`` is its English."""

    def __init__(self, text: ErrorText) -> None:
        super().__init__(text)
        self.text = text


class PinFactoryError(HardwareError):
    """The configured GPIO library cannot be used."""


class GpioError(HardwareError):
    """A GPIO line cannot be claimed or read."""


@contextmanager
def raised_as(kind: type[HardwareError], sentence: ErrorText, *caught: type[Exception]) -> Iterator[None]:
    """Raise those errors of the block that are ``caught`` as ``kind``, with the error as the ``error`` of the
    sentence."""
    try:
        yield
    except caught as error:
        raise kind(sentence(error=error)) from error
