"""Reads a TOML file into a msgspec Struct, and says in one sentence what is wrong with it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TypeVar

import msgspec

from kiosk.errors import UnusableInput

T = TypeVar("T")


def _path(kind: type, value: object) -> Path:
    if kind is Path and isinstance(value, str) and value:
        return Path(value)
    raise ValueError(f"Expected a {kind.__name__.lower()}, got {value!r}")


def read_toml(path: Path, kind: type[T]) -> T:
    """Reads ``path`` as ``kind``.

    :raises UnusableInput: the file is missing, is not TOML, lacks a field, or has one that ``kind`` does not know.
    """
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), kind, dec_hook=_path)
    except OSError as error:
        raise UnusableInput(f"{path}: {error.strerror or error}; name a readable TOML file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UnusableInput(f"{path}: not valid TOML ({error}); correct it there") from error
    except msgspec.ValidationError as error:
        raise UnusableInput(f"{path}: {error}; correct or remove that field") from error
