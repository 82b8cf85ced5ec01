"""Translatable texts: an English template with named fields.

- A text is created once, where its content is known, by ``say`` and its variants, with a literal template.
- Only the edges (page, screen, print, command line) translate it, with the catalogues of ``kiosk.locale``.
- The English template is the catalogue's key and may be reworded; code never compares texts by their English.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeAlias, Union

from engine.copy_with_changes import replace

#: a value of a template's ``{field}``. A text is rendered in the reader's language, a tuple as a list of its items
Item: TypeAlias = Union[str, int, float, "Text", None]
Field: TypeAlias = Union[str, int, float, "Text", tuple[Item, ...], None]


@dataclass(frozen=True, slots=True)
class Text:
    """One translatable sentence or label.

    - ``template``: English, with ``{fields}`` as in ``str.format``; ``{n:ordinal}`` is "1st" in English.
    - ``fields``: pairs of name and value.
    - ``context``: distinguishes two meanings of the same English.
    - ``many``: the English for every ``count`` but 1, where that differs.
    """

    template: str
    fields: tuple[tuple[str, Field], ...] = ()
    context: str = ""
    many: str = ""
    count: int | None = None

    def __call__(self, **fields: object) -> Text:
        """Return the text with more fields filled in. A ``LocalizedError`` is replaced by its text, any other object by
        its ``str``."""
        return replace(self, fields=_pairs(dict(self.fields) | fields))

    def __str__(self) -> str:
        """Return the English sentence, as logs and tracebacks show it."""
        return render(self)


class Renderable(Protocol):
    """Anything that can be rendered: a ``Text``, or the simpler text of ``hardware.errors``, which does not depend on
    the engine."""

    @property
    def template(self) -> str: ...
    @property
    def fields(self) -> tuple[tuple[str, Any], ...]: ...


def _pairs(fields: Mapping[str, object]) -> tuple[tuple[str, Field], ...]:
    return tuple([(name, _field(fields[name])) for name in sorted(fields)])


def _field(value: object) -> Field:
    match value:
        case tuple() | list():
            return tuple(map(_item, value))
        case _:
            return _item(value)


def _item(value: object) -> Item:
    match value:
        case Text() | int() | float() | None:
            return value
        case str():
            return str(value)  # the value of an enumeration member, not the member
        case _:
            return text_of(value) if hasattr(getattr(value, "text", value), "template") else str(value)


def text_of(value: Any) -> Text:
    """Return an error's text in a form that can be stored and sent. Errors from outside the program are returned
    unchanged."""
    value = getattr(value, "text", value)
    if isinstance(value, Text):
        return value
    return Text(value.template)(**dict(value.fields)) if hasattr(value, "template") else Text("{why}")(why=str(value))


def say(template: str, /, **fields: object) -> Text:
    """Return a text, as ``say("round {n} is not there any more", n=3)``. The template must be a literal to enter the
    catalogue."""
    return Text(template, _pairs(fields))


def say_in(context: str, template: str, /, **fields: object) -> Text:
    """Return a text whose English has two meanings: ``say_in("column of a table", "No.")``."""
    return Text(template, context=context)(**fields)


def say_n(one: str, many: str, count: int, /, **fields: object) -> Text:
    """Return a text whose English differs for one and many: ``say_n("{n} game is open", "{n} games are open", n)``. The
    number is the field ``n``."""
    return Text(one, many=many, count=count)(n=count, **fields)


class LocalizedError(Exception):
    """An error with a translatable text. ``text`` states what is wrong, where, and what to do; ``str()`` is its
    English."""

    def __init__(self, text: Text) -> None:
        super().__init__(text)
        self.text = text

    @classmethod
    def saying(cls, template: str, /, **fields: object) -> Self:
        """Return the error with that text, as ``raise HeadError.saying("round {n} is not there any more", n=3)``. The
        template must be a literal, as in ``say``."""
        return cls(Text(template, _pairs(fields)))

    def __str__(self) -> str:
        return render(self.text)


#: what a system says of a file that cannot be used, by its English
_SYSTEM_REASONS = {
    text.template: text
    for text in (
        say("No such file or directory"),
        say("Is a directory"),
        say("Not a directory"),
        say("Permission denied"),
        say("File exists"),
        say("No space left on device"),
        say("Read-only file system"),
        say("File name too long"),
    )
}


#: where a parser of JSON or TOML stopped, in its English
_STOPPED = re.compile(r"line (\d+),? column (\d+)|at end of document")


def reason_of(error: Exception) -> object:
    """Return why an operation failed, for a field of a text: of an ``OSError`` the system's reason, translatable if it
    is a usual one; of the decoding of UTF-8, JSON or TOML where it stopped; of a number its length; else the error
    itself."""
    if reason := getattr(error, "strerror", None):
        return _SYSTEM_REASONS.get(reason, reason)
    if isinstance(error, UnicodeDecodeError):
        return say("it is not UTF-8 text")
    if isinstance(error, RecursionError):
        return say("nested too deeply")
    if isinstance(error, ValueError) and str(error).startswith("Exceeds the limit"):  # of int(), 4300 digits
        return say("a number has too many digits")
    found = _STOPPED.search(str(error)) if isinstance(error, ValueError) else None
    if found is None or isinstance(error, LocalizedError):
        return error
    at = say("line {line}, column {column}")
    return at(line=found[1], column=found[2]) if found[1] else say("the end of the file")


@contextmanager
def raised_as(kind: type[LocalizedError], sentence: Text, *caught: type[Exception]) -> Iterator[None]:
    """Raise those errors of the block that are ``caught`` as ``kind``; the ``why`` of the sentence is their text, of an
    ``OSError`` the system's reason."""
    try:
        yield
    except caught as error:
        raise kind(sentence(why=reason_of(error))) from error


def source_text(text: Renderable) -> str:
    """Return the template itself, singular or plural as its count requires."""
    many: str = getattr(text, "many", "")
    return many if many and getattr(text, "count", None) != 1 else text.template


def render(
    text: Renderable, find: Callable[[Renderable], str] = source_text, more: Mapping[str, Any] | None = None
) -> str:
    """Return the sentence with all fields filled in.

    Templates may come from elsewhere (a table, an older journal). Rendering therefore never raises, never accesses
    attributes of a value and has bounded length: an unknown or malformed field is left as it stands.

    :param find: returns the template in the reader's language
    :param more: fields that the text does not have yet
    """
    return _render(text, find, {**dict(text.fields), **(more or {})}, DEEPEST)


#: the maximum nesting depth of texts, and the maximum characters of one
DEEPEST, LONGEST = 12, 20_000


def _render(text: Renderable, find: Callable[[Renderable], str], fields: Mapping[str, Any], deeper: int) -> str:
    template = find(text)
    if not fields:
        return template
    known: dict[str, str] = {}  # each field is rendered once, however often the template uses it
    parts, length, end = list[str](), 0, 0
    for found in _FIELD.finditer(template):
        if found[0] not in known:
            known[found[0]] = _render_field(found, fields, find, deeper)
        parts += (template[end : found.start()], known[found[0]])
        length += len(parts[-2]) + len(parts[-1])
        end = found.end()
        if length > LONGEST:
            break
    return "".join((*parts, template[end:]))[:LONGEST]


#: doubled braces, and the fields: {name}, {name!r}, {name:02d}, {name:ordinal}
_FIELD = re.compile(r"\{\{|\}\}|\{(\w+)(!r)?(?::(ordinal|[+,]?0?\d?(?:\.\d)?[dfX]?))?\}")


def _render_field(
    found: re.Match[str], fields: Mapping[str, Any], find: Callable[[Renderable], str], deeper: int
) -> str:
    name, as_repr, spec = found.groups()
    if name is None:
        return found[0][0]  # a doubled brace is written once
    if name not in fields:
        return found[0]
    value = fields[name]
    try:
        return (
            repr(value)
            if as_repr and not hasattr(value, "template")
            else _render_value(value, spec or "", find, deeper)
        )
    except ValueError:
        return found[0]


def _render_value(value: Any, spec: str, find: Callable[[Renderable], str], deeper: int) -> str:
    if isinstance(value, tuple):
        return find(_BETWEEN).join(_render_value(item, "", find, deeper) for item in value)
    if hasattr(value, "template"):
        return _render(value, find, dict(value.fields), deeper - 1) if deeper else "…"
    if spec == "ordinal":
        form = find(_ORDINAL)
        return ordinal(int(value)) if form == _ORDINAL.template else form.replace("{n}", str(value))
    return format(value, spec)


def ordinal(place: int) -> str:
    """Return the English ordinal: 1 -> "1st"."""
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"


_BETWEEN = say_in("between the items of a list", ", ")
_ORDINAL = say_in("a place: 1st, 2nd", "{n:ordinal}")
