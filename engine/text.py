"""What is said to people: an English template with named fields, and nothing else.

The law: a sentence is made where it is known, once, by ``say`` and its kin, with a literal template. Only the edges
(page, screen, print, command line) put it into a reader's language, from the catalogues of ``kiosk.locale``. Nothing is
ever recognised by its English, which is the catalogue's key and may be reworded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, Union

from engine.values import replace

#: what a template's ``{field}`` may stand for. A text is said in the reader's language, a tuple as a list of its items
Item: TypeAlias = Union[str, int, float, "Text", None]
Field: TypeAlias = Union[str, int, float, "Text", tuple[Item, ...], None]


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

    def __call__(self, **fields: object) -> Text:
        """The same with more of its fields filled in. A refusal stands for its text, whatever else for its ``str``."""
        return replace(self, fields=_pairs(dict(self.fields) | fields))

    def __str__(self) -> str:
        """In English: what logs and tracebacks show."""
        return render(self)


class Said(Protocol):
    """What can be rendered: a ``Text``, or the plainer one of ``hardware.errors``, which knows no engine."""

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
            return str(value)  # an enumeration's word, not the enumeration
        case _:
            return text_of(value) if hasattr(getattr(value, "text", value), "template") else str(value)


def text_of(said: Any) -> Text:
    """A refusal, or what the hardware said, as a sentence that can be kept and sent; a stranger's error as it is."""
    said = getattr(said, "text", said)
    if isinstance(said, Text):
        return said
    return Text(said.template)(**dict(said.fields)) if hasattr(said, "template") else Text("{why}")(why=str(said))


def say(template: str, /, **fields: object) -> Text:
    """``say("round {n} is not there any more", n=3)``; the template is a literal, or it is in no catalogue."""
    return Text(template, _pairs(fields))


def say_in(context: str, template: str, /, **fields: object) -> Text:
    """As ``say``, for English that means two things: ``say_in("column of a table", "No.")``."""
    return Text(template, context=context)(**fields)


def say_n(one: str, many: str, count: int, /, **fields: object) -> Text:
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
    """The sentence. ``find`` gives the template in the reader's language; ``more``: fields that it has not got yet.

    A template may come from elsewhere (a table, an older journal), so nothing in it can raise, reach into a value or
    grow without bound: a field that is not there, or is written in another way than ours, is shown as it stands.
    """
    return _rendered(text, find, {**dict(text.fields), **(more or {})}, DEEPEST)


#: how many sentences may stand within each other, and how many characters one may have
DEEPEST, LONGEST = 12, 20_000


def _rendered(text: Said, find: Callable[[Said], str], fields: Mapping[str, Any], deeper: int) -> str:
    template = find(text)
    if not fields:
        return template
    known: dict[str, str] = {}  # each field is said once, however often it stands in the template
    parts, length, end = list[str](), 0, 0
    for found in _FIELD.finditer(template):
        if found[0] not in known:
            known[found[0]] = _filled(found, fields, find, deeper)
        parts += (template[end : found.start()], known[found[0]])
        length += len(parts[-2]) + len(parts[-1])
        end = found.end()
        if length > LONGEST:
            break
    return "".join((*parts, template[end:]))[:LONGEST]


#: what stands for itself, and what is filled in: {name}, {name!r}, {name:02d}, {name:ordinal}
_FIELD = re.compile(r"\{\{|\}\}|\{(\w+)(!r)?(?::(ordinal|[+,]?0?\d?(?:\.\d)?[dfX]?))?\}")


def _filled(found: re.Match[str], fields: Mapping[str, Any], find: Callable[[Said], str], deeper: int) -> str:
    name, as_repr, spec = found.groups()
    if name is None:
        return found[0][0]  # a doubled brace is one
    if name not in fields:
        return found[0]
    value = fields[name]
    try:
        return repr(value) if as_repr and not hasattr(value, "template") else _spelt(value, spec or "", find, deeper)
    except ValueError:
        return found[0]


def _spelt(value: Any, spec: str, find: Callable[[Said], str], deeper: int) -> str:
    if isinstance(value, tuple):
        return find(_BETWEEN).join(_spelt(item, "", find, deeper) for item in value)
    if hasattr(value, "template"):
        return _rendered(value, find, dict(value.fields), deeper - 1) if deeper else "…"
    if spec == "ordinal":
        form = find(_ORDINAL)
        return ordinal(int(value)) if form == _ORDINAL.template else form.replace("{n}", str(value))
    return format(value, spec)


def ordinal(place: int) -> str:
    """1 -> "1st"."""
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"


_BETWEEN = say_in("between the items of a list", ", ")
_ORDINAL = say_in("a place: 1st, 2nd", "{n:ordinal}")
