"""Reading of TOML files into msgspec Structs, with one-sentence errors."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TypeVar

import msgspec

from engine.translatable_text import say
from kiosk.errors import InputError
from kiosk.msgspec_thread_preparation import warm_up

T = TypeVar("T")


def _path(kind: type, value: object) -> Path:
    if kind is Path and isinstance(value, str) and value:
        return Path(value)
    raise ValueError(f"Expected a {kind.__name__.lower()}, got {value!r}")


def read_toml(path: Path, kind: type[T]) -> T:
    """Read ``path`` as ``kind``.

    :raises UnusableInput: the file is missing, is not TOML, lacks a field, or has one that ``kind`` does not know.
    """
    try:
        return parse_toml(path.read_bytes(), kind, str(path))
    except OSError as error:
        raise InputError(
            say("{path}: {why}; name a readable TOML file", path=path, why=error.strerror or error)
        ) from error


def parse_toml(content: bytes, kind: type[T], source: str) -> T:
    """Parse TOML content that was already read; ``source`` names it in messages.

    :raises UnusableInput: as ``read_toml``.
    """
    try:
        return msgspec.convert(tomllib.loads(content.decode()), warm_up(kind), dec_hook=_path)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(say("{source}: not valid TOML ({why}); correct it there", source=source, why=error)) from error
    except RecursionError:
        raise InputError(say("{source}: not a configuration (too deep); correct it there", source=source)) from None
    except msgspec.ValidationError as error:
        # of a field with its own validation
        own = error.__cause__ if isinstance(error.__cause__, InputError) else None
        at = "" if own is None else str(error).removeprefix(str(own))
        raise InputError(
            say("{source}: {why}{at}; correct or remove that field", source=source, why=own or error, at=at)
        ) from error
