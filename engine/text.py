"""What is said to people: an English template with named fields, and nothing else.

The law: a sentence is made where it is known, once, by ``say`` and its kin, with a literal template. Only the edges
(page, screen, print, command line) put it into a reader's language, from the catalogues of ``kiosk.locale``. Nothing is
ever recognised by its English, which is the catalogue's key and may be reworded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias, Union

#: what a template's ``{field}`` may stand for. A text is said in the reader's language, a tuple as a list of its items
Field: TypeAlias = Union[str, int, float, "Text", "tuple[Field, ...]", None]


@dataclass(frozen=True, slots=True)
class Text:
    """One sentence or label. ``template``: English, with ``{fields}`` as ``str.format`` takes them; ``{n:ordinal}`` is
    "1st" in English. ``fields``: pairs of name and value. ``context``: tells two meanings of the same English apart.
    ``many``: the English for every ``count`` but 1, where that differs."""

    template: str
    fields: tuple[tuple[str, Field], ...] = ()
    context: str = ""
    many: str = ""
    count: int | None = None

    def __call__(self, **fields: Field) -> Text:
        """The same with more of its fields filled in."""
        return replace(self, fields=tuple(sorted({**dict(self.fields), **fields}.items(), key=lambda pair: pair[0])))

    def __str__(self) -> str:
        """In English: what logs and tracebacks show."""
        return render(self)


class Said(Protocol):
    """What can be rendered: a ``Text``, or the plainer one of ``hardware.errors``, which knows no engine."""

    @property
    def template(self) -> str: ...
    @property
    def fields(self) -> tuple[tuple[str, Any], ...]: ...


def say(template: str, /, **fields: Field) -> Text:
    """``say("round {n} is not there any more", n=3)``; the template is a literal, or it is in no catalogue."""
    return Text(template)(**fields) if fields else Text(template)


def say_in(context: str, template: str, /, **fields: Field) -> Text:
    """As ``say``, for English that means two things: ``say_in("column of a table", "No.")``."""
    return Text(template, context=context)(**fields)


def say_n(one: str, many: str, count: int, /, **fields: Field) -> Text:
    """As ``say``, where English tells one from many: ``say_n("{n} game is open", "{n} games are open", n)``. The
    number is the field ``n``."""
    return Text(one, many=many, count=count)(n=count, **fields)


class TextError(Exception):
    """A refusal. ``text`` says what is wrong, where, and what to do; ``str()`` is its English."""

    def __init__(self, text: Text) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return render(self.text)


def english(text: Said) -> str:
    """The template itself, in the form that its count wants."""
    many: str = getattr(text, "many", "")
    return many if many and getattr(text, "count", None) != 1 else text.template


def render(text: Said, find: Callable[[Said], str] = english, more: Mapping[str, Any] | None = None) -> str:
    """The sentence. ``find`` gives the template in the reader's language; ``more``: fields that it has not got yet."""
    template = find(text)
    if not text.fields and not more:
        return template
    fields = {**dict(text.fields), **(more or {})}
    return template.format_map({name: _Value(value, find) for name, value in fields.items()})


class _Value:
    """A field's value as the reader's language writes it inside a template."""

    __slots__ = ("_find", "_value")

    def __init__(self, value: Any, find: Callable[[Said], str]) -> None:
        self._value = value
        self._find = find

    def __format__(self, spec: str) -> str:
        value = self._value
        if isinstance(value, tuple):
            return self._find(_BETWEEN).join(format(_Value(item, self._find)) for item in value)
        if hasattr(value, "template"):
            return format(render(value, self._find), spec)
        if spec == "ordinal":
            form = self._find(_ORDINAL)
            return ordinal(value) if form == _ORDINAL.template else form.format(n=value)
        return format(value, spec)


def ordinal(place: int) -> str:
    """1 -> "1st"."""
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"


_BETWEEN = say_in("between the items of a list", ", ")
_ORDINAL = say_in("a place: 1st, 2nd", "{n:ordinal}")
