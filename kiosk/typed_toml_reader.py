"""Reading of TOML files into msgspec Structs, with one-sentence errors."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import msgspec.inspect

from engine.i18n import Text, raised_as, reason_of, say
from kiosk.errors import InputError
from kiosk.json_validation import warm_up
from kiosk.untrusted_file_sandbox import MOST_SETTINGS, read_limited_bytes

T = TypeVar("T")


def _path(kind: type, value: object) -> Path:
    if kind is Path and isinstance(value, str) and value:
        return Path(value)
    raise ValueError(f"Expected a {kind.__name__.lower()}, got {value!r}")


def read_toml(path: Path, kind: type[T]) -> T:
    """Read ``path`` as ``kind``.

    :raises InputError: the file is missing or too large, is not TOML, lacks a field, or has one that ``kind`` does not
        know.
    """
    with raised_as(InputError, say("{path}: {why}; name a readable TOML file", path=path), OSError):
        return parse_toml(read_limited_bytes(path, MOST_SETTINGS), kind, str(path))


def parse_toml(content: bytes, kind: type[T], source: str) -> T:
    """Parse TOML content that was already read; ``source`` names it in messages.

    :raises InputError: as ``read_toml``.
    """
    try:
        raw = tomllib.loads(content.decode("utf-8-sig"))  # editors of Windows begin a file with a byte order mark
        return msgspec.convert(raw, warm_up(kind), dec_hook=_path)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError.saying(
            "{source}: not valid TOML ({why}); correct it there", source=source, why=reason_of(error)
        ) from error
    except RecursionError:
        raise InputError.saying("{source}: not a configuration (too deep); correct it there", source=source) from None
    except msgspec.ValidationError as error:
        # of a field with its own validation
        own = error.__cause__ if isinstance(error.__cause__, InputError) else None
        if own is not None:
            raise InputError.saying("{source}: {why}; correct it there", source=source, why=own) from error
        raise InputError(_validation_error_text(str(error), raw, kind, source)) from error


def _validation_error_text(error: str, raw: Any, kind: type, source: str) -> Text:
    """Return the sentence for a validation error of msgspec, which is English and does not list what is allowed."""
    what, _, place = error.partition(" - at `$")
    path = place.strip("`.")
    allowed = msgspec.inspect.type_info(kind)
    for step in re.findall(r"[^.\[\]]+", path):
        allowed = _type_inside(allowed, step)
        raw = raw[int(step)] if isinstance(raw, list) else raw.get(step) if isinstance(raw, dict) else raw
    if (named := re.fullmatch(r"Object (missing required|contains unknown) field `(.*)`", what)) is None:
        value = json.dumps(raw, ensure_ascii=False, default=str)[:80]
        return say(
            "{source}: {field} is {value}, but allowed is: {allowed}",
            source=source, field=path, value=value, allowed=_describe_type(allowed),
        )  # fmt: skip
    field = f"{path}.{named[2]}".strip(".")
    if named[1].startswith("missing"):
        return say("{source}: the field {field} is missing; add it", source=source, field=field)
    known = tuple(one.encode_name for one in getattr(allowed, "fields", ()))
    return say(
        "{source}: there is no field {field}; remove it or correct its name; known: {known}",
        source=source, field=field, known=known,
    )  # fmt: skip


def _type_inside(kind: Any, step: str) -> Any:
    """Return the type of a field or item of a type."""
    match kind:
        case msgspec.inspect.UnionType():
            return _type_inside(
                next(one for one in kind.types if hasattr(one, "fields") or hasattr(one, "item_type")), step
            )
        case msgspec.inspect.StructType():
            return next(field.type for field in kind.fields if field.encode_name == step)
        case msgspec.inspect.TupleType():
            return kind.item_types[int(step)]
        case _:
            return getattr(kind, "item_type", kind)


def _describe_type(kind: Any) -> Text | tuple[Text | str, ...]:
    """Return what may be written for a type."""
    match kind:
        case msgspec.inspect.UnionType():
            kinds = [one for one in kind.types if not isinstance(one, msgspec.inspect.NoneType)]
            return tuple(option for one in kinds for option in _as_tuple(_describe_type(one)))
        case msgspec.inspect.LiteralType():
            return tuple(json.dumps(value) for value in kind.values)
        case msgspec.inspect.BoolType():
            return "true", "false"
        case msgspec.inspect.IntType() | msgspec.inspect.FloatType():
            low = kind.ge if kind.ge is not None else kind.gt
            if low is not None and kind.le is not None:
                return say("a number from {low} to {high}", low=low, high=kind.le)
            whole = isinstance(kind, msgspec.inspect.IntType)
            return say("a whole number") if whole else say("a number")
        case msgspec.inspect.ListType():
            return say("a list in [ ]")
        case msgspec.inspect.TupleType():
            return say("a list of {n} values in [ ]", n=len(kind.item_types))
        case msgspec.inspect.StructType() | msgspec.inspect.DictType():
            return say("a table of fields")
        case msgspec.inspect.DateType():
            return say("a date such as 2026-11-27")
        case msgspec.inspect.StrType(pattern=str()):
            return say("a text of the form {pattern}", pattern=kind.pattern)
        case _:
            return say('a text in "", not empty')


def _as_tuple(options: Text | tuple[Text | str, ...]) -> tuple[Text | str, ...]:
    return options if isinstance(options, tuple) else (options,)
