"""Reading JSON objects strictly, with the path of every field for the message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeVar

from engine.tournament.model import EventError

EnumT = TypeVar("EnumT", bound=StrEnum)
T = TypeVar("T")


class Fields:
    """One JSON object with its path; every field must be taken, and what is left over is an error."""

    def __init__(self, value: object, path: str) -> None:
        if not isinstance(value, Mapping):
            raise EventError(f"{path or 'the event'} must be an object with named fields, not {kind(value)}")
        self._left = dict(value)
        self._path = path

    def at(self, name: str) -> str:
        return f"{self._path}.{name}" if self._path else name

    def take(self, name: str) -> object:
        """The value of a field, None if it is missing or null."""
        return self._left.pop(name, None)

    def text(self, name: str) -> str | None:
        value = self.take(name)
        if value is None or isinstance(value, str):
            return value
        raise EventError(f"{self.at(name)} must be a text, not {kind(value)}")

    def required_text(self, name: str) -> str:
        value = self.text(name)
        if not value:
            raise EventError(f"{self.at(name)} is missing; it must be a text that is not empty")
        return value

    def number(self, name: str, low: int, high: int | None = None) -> int | None:
        value = self.take(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            raise EventError(f"{self.at(name)} must be a whole number, not {kind(value)}")
        if value < low or (high is not None and value > high):
            bounds = f"from {low} to {high}" if high is not None else f"{low} or more"
            raise EventError(f"{self.at(name)} is {value}; it must be {bounds}")
        return value

    def flag(self, name: str) -> bool | None:
        value = self.take(name)
        if value is None or isinstance(value, bool):
            return value
        raise EventError(f"{self.at(name)} must be true or false, not {kind(value)}")

    def choice(self, name: str, enum: type[EnumT]) -> EnumT | None:
        value = self.text(name)
        if value is None:
            return None
        try:
            return enum(value)
        except ValueError:
            allowed = ", ".join(enum)
            raise EventError(f"{self.at(name)} is {value!r}; it must be one of {allowed}") from None

    def each(self, name: str, read: Callable[[object, str], T]) -> tuple[T, ...]:
        value = self.take(name)
        if value is None:
            return ()
        if not isinstance(value, list | tuple):
            raise EventError(f"{self.at(name)} must be a list, not {kind(value)}")
        return tuple(read(item, f"{self.at(name)}[{index}]") for index, item in enumerate(value))

    def names(self) -> list[str]:
        """The fields that have not been taken yet."""
        return list(self._left)

    def nothing_left(self) -> None:
        if self._left:
            names = ", ".join(repr(name) for name in self._left)
            where = f"{self._path} has" if self._path else "the event has"
            raise EventError(f"{where} unknown field {names}; correct the name or remove it")


def kind(value: object) -> str:
    return "null" if value is None else repr(value) if isinstance(value, str | int | float) else type(value).__name__
