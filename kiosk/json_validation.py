"""Strict JSON validation by msgspec, with a one-sentence error that names the path of the faulty field.

An object is read completely or rejected. An unknown field is an error, because a misspelt one would otherwise be
ignored silently.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, TypeVar, get_type_hints

import msgspec
from msgspec import inspect

from engine.i18n import LocalizedError, Text, say

# Preparation of msgspec types for use by several threads.
#
# msgspec builds the type information of a Struct on first use, and two threads doing so at once crash the process with
# a segmentation fault (msgspec 0.22, tests/kiosk/test_msgspec_thread_preparation.py). Therefore every type is prepared
# here, one at a time, before it is read; a test checks this.

_learning = threading.Lock()
_learned: set[Any] = set()


def warm_up(kind: type[T]) -> type[T]:
    """Return ``kind`` after preparing it for use by any thread."""
    if kind not in _learned:
        with _learning:
            msgspec.msgpack.Decoder(kind)
            _learned.add(kind)
    return kind


T = TypeVar("T")


class ValidationError(LocalizedError, ValueError):
    """Validation error. The message names the field by its path, what is wrong, and what to do."""


def without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON, as the ``object_pairs_hook`` of ``json.loads``.

    :raises ValidationError: a field is written twice, of which ``json.loads`` would ignore one silently
    """
    fields = dict(pairs)
    if len(fields) < len(pairs):
        ((twice, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise ValidationError.saying("field {name} is written twice; remove one", name=repr(twice[:60]))
    return fields


def is_storable(text: str) -> bool:
    """Return whether a text can be encoded: JSON may hold half of a surrogate pair, such as ``"\\ud800"``."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def read(kind: type[T], data: object) -> T:
    """Return ``data``, as parsed by ``json.loads``, as a msgspec Struct.

    :raises ValidationError: with the path of the field, e.g. ``$.players[3].seed``
    """
    try:
        return msgspec.convert(data, warm_up(kind))
    except msgspec.ValidationError as error:
        raise ValidationError(_fault(_form(kind), data, "$") or Text(str(error))) from None  # type: ignore[arg-type]


@cache
def _form(kind: Any) -> inspect.Type:
    return inspect.type_info(kind)


def strict_struct(value: type, **other: Any) -> type[msgspec.Struct]:
    """Return a Struct with the fields of a dataclass that rejects unknown ones. ``other``: types of fields that are
    written differently from how they are kept in memory.
    """
    hints = get_type_hints(value) | other
    lines: list[Any] = [
        (field.name, hints[field.name]) if field.default is MISSING else (field.name, hints[field.name], field.default)
        for field in fields(value)
    ]
    return msgspec.defstruct(value.__name__, lines, forbid_unknown_fields=True, frozen=True)


def _fault(kind: inspect.Type, value: Any, at: str) -> Text | None:
    """Return the first fault, None if there is none."""
    match kind:
        case inspect.Metadata(type=inner, extra={"refusal": refusal}):
            return refusal(at=at, shown=format_value(value)) if _fault(inner, value, at) else None
        case inspect.UnionType(types=types):
            faults = [_fault(one, value, at) for one in types]
            return None if None in faults else faults[0]
        case inspect.StructType():
            return _fault_of_object(kind, value, at)
        case inspect.DictType(value_type=inner):
            if not isinstance(value, Mapping):
                return _MUST_BE_OBJECT(at=at, shown=format_value(value))
            parts = [(inner, part, f"{at}.{name}") for name, part in value.items()]
        case inspect.ListType(item_type=inner) | inspect.VarTupleType(item_type=inner):
            if not isinstance(value, list | tuple):
                return say("{at} must be a list, not {shown}", at=at, shown=format_value(value))
            parts = [(inner, part, f"{at}[{index}]") for index, part in enumerate(value)]
        case inspect.TupleType(item_types=inners):
            if not isinstance(value, list | tuple) or len(value) != len(inners):
                return say("{at} must be a list of {n}, not {shown}", at=at, n=len(inners), shown=format_value(value))
            pairs = zip(inners, value, strict=True)
            parts = [(one, part, f"{at}[{index}]") for index, (one, part) in enumerate(pairs)]
        case _:
            return _fault_of_value(kind, value, at)
    return next((found for part in parts if (found := _fault(*part))), None)


def _fault_of_object(kind: inspect.StructType, value: Any, at: str) -> Text | None:
    if not isinstance(value, Mapping):
        return _MUST_BE_OBJECT(at=at, shown=format_value(value))
    known = {field.encode_name: field for field in kind.fields}
    for name in value:
        if name not in known:
            return say("{at}.{name}: unknown field {name!r}; correct the name or remove it", at=at, name=str(name))
    for name, field in known.items():
        if name in value:
            if found := _fault(field.type, value[name], f"{at}.{name}"):
                return found
        elif field.required:
            return say("{at}.{name} is missing; field {name!r} is needed", at=at, name=name)
    return None


def _fault_of_value(kind: inspect.Type, value: Any, at: str) -> Text | None:
    match kind:
        case inspect.EnumType(cls=enum):
            allowed: list[Any] = [one.value for one in enum]
        case inspect.LiteralType(values=values):
            allowed = list(values)
        case inspect.IntType(ge=low, le=high):
            if type(value) is not int:
                return say("{at} must be a whole number, not {shown}", at=at, shown=format_value(value))
            if (low is None or value >= low) and (high is None or value <= high):
                return None
            if high is None:
                return say("{at} is {value}; it must be {low} or more", at=at, value=value, low=low)
            return say("{at} is {value}; it must be from {low} to {high}", at=at, value=value, low=low, high=high)
        case inspect.StrType(min_length=least):
            if not isinstance(value, str):
                return say("{at} must be a text, not {shown}", at=at, shown=format_value(value))
            if len(value) >= (least or 0):
                return None
            return say("{at} is missing; it must be a text that is not empty", at=at)
        case inspect.NoneType():
            return None if value is None else say("{at} must be null, not {shown}", at=at, shown=format_value(value))
        case inspect.BoolType():
            text = say("{at} must be true or false, not {shown}")
            return None if isinstance(value, bool) else text(at=at, shown=format_value(value))
        case _:
            return None
    if any(type(value) is type(one) and value == one for one in allowed):
        return None
    text = say("{at} is {shown}; it must be one of {allowed}")
    return text(at=at, shown=format_value(value), allowed=tuple(map(str, allowed)))


_MUST_BE_OBJECT = say("{at} must be an object with named fields, not {shown}")


def format_value(value: object) -> Text | str:
    """Return a value as it is quoted in a message."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str | int | float):
        return repr(value)[:60]
    return say("an object") if isinstance(value, Mapping) else say("a list")
