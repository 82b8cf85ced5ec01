"""JSON read strictly by msgspec, and one sentence for what is wrong in it, with its path.

The law: an object is understood completely or refused; a field that is unknown is named by its path, because a misspelt
one would otherwise be lost in silence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar, get_type_hints

import msgspec
from msgspec import inspect

T = TypeVar("T")


class NotOfThisForm(ValueError):  # noqa: N818 - it names the object, not the reading, as what is wrong
    """The message names the field by its path, what is wrong, and what to do."""


def read(kind: type[T], data: object) -> T:
    """``data``, what ``json.loads`` gives, as a msgspec Struct.

    :raises NotOfThisForm: with the path of the field, e.g. ``$.players[3].seed``
    """
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise NotOfThisForm(_fault(inspect.type_info(kind), data, "$") or str(error)) from None


def struct_of(value: type, **other: Any) -> type[msgspec.Struct]:
    """The Struct with the fields of a dataclass, which refuses unknown ones. ``other``: types that are written in
    another way than they are kept."""
    hints = get_type_hints(value) | other
    lines: list[Any] = [
        (field.name, hints[field.name]) if field.default is MISSING else (field.name, hints[field.name], field.default)
        for field in fields(value)
    ]
    return msgspec.defstruct(value.__name__, lines, forbid_unknown_fields=True, frozen=True)


def _fault(kind: inspect.Type, value: Any, at: str) -> str | None:
    """The first thing that is wrong, None if nothing is."""
    match kind:
        case inspect.Metadata(type=inner, extra_json_schema={"description": described}):
            return f"{at} must be {described}, not {shown(value)}" if _fault(inner, value, at) else None
        case inspect.UnionType(types=types):
            faults = [_fault(one, value, at) for one in types]
            return None if None in faults else faults[0]
        case inspect.StructType():
            return _fault_of_object(kind, value, at)
        case inspect.DictType(value_type=inner):
            if not isinstance(value, Mapping):
                return f"{at} must be an object with named fields, not {shown(value)}"
            parts = [(inner, part, f"{at}.{name}") for name, part in value.items()]
        case inspect.ListType(item_type=inner) | inspect.VarTupleType(item_type=inner):
            if not isinstance(value, list | tuple):
                return f"{at} must be a list, not {shown(value)}"
            parts = [(inner, part, f"{at}[{index}]") for index, part in enumerate(value)]
        case inspect.TupleType(item_types=inners):
            if not isinstance(value, list | tuple) or len(value) != len(inners):
                return f"{at} must be a list of {len(inners)}, not {shown(value)}"
            pairs = zip(inners, value, strict=True)
            parts = [(one, part, f"{at}[{index}]") for index, (one, part) in enumerate(pairs)]
        case _:
            return _fault_of_value(kind, value, at)
    return next((found for part in parts if (found := _fault(*part))), None)


def _fault_of_object(kind: inspect.StructType, value: Any, at: str) -> str | None:
    if not isinstance(value, Mapping):
        return f"{at} must be an object with named fields, not {shown(value)}"
    known = {field.encode_name: field for field in kind.fields}
    for name in value:
        if name not in known:
            return f"{at}.{name}: unknown field {name!r}; correct the name or remove it"
    for name, field in known.items():
        if name in value:
            if found := _fault(field.type, value[name], f"{at}.{name}"):
                return found
        elif field.required:
            return f"{at}.{name} is missing; field {name!r} is needed"
    return None


def _fault_of_value(kind: inspect.Type, value: Any, at: str) -> str | None:
    match kind:
        case inspect.EnumType(cls=enum):
            allowed: list[Any] = [one.value for one in enum]
        case inspect.LiteralType(values=values):
            allowed = list(values)
        case inspect.IntType(ge=low, le=high):
            if type(value) is not int:
                return f"{at} must be a whole number, not {shown(value)}"
            if (low is not None and value < low) or (high is not None and value > high):
                return f"{at} is {value}; it must be {f'{low} or more' if high is None else f'from {low} to {high}'}"
            return None
        case inspect.StrType(min_length=least):
            if not isinstance(value, str):
                return f"{at} must be a text, not {shown(value)}"
            return f"{at} is missing; it must be a text that is not empty" if len(value) < (least or 0) else None
        case inspect.NoneType():
            return None if value is None else f"{at} must be null, not {shown(value)}"
        case inspect.BoolType():
            return None if isinstance(value, bool) else f"{at} must be true or false, not {shown(value)}"
        case _:
            return None
    if any(type(value) is type(one) and value == one for one in allowed):
        return None
    return f"{at} is {shown(value)}; it must be one of {', '.join(map(str, allowed))}"


def shown(value: object) -> str:
    """A value as it stands in a sentence."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str | int | float):
        return repr(value)[:60]
    return "an object" if isinstance(value, Mapping) else "a list"
