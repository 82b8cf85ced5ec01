"""Keys of the venues, one for each; a venue's own file and the federation's have the same form.

{"schema": "othello-venues/1", "keys": {"osaka": "<64 hexadecimal digits>"}}
"""

from __future__ import annotations

import re
import secrets
from pathlib import Path

import msgspec

from engine.i18n import raised_as, say
from kiosk.errors import InputError
from kiosk.json_validation import warm_up
from kiosk.platform_compat import write_secret

SCHEMA = "othello-venues/1"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,29}")
_BYTES = 32


class _File(msgspec.Struct, forbid_unknown_fields=True):
    keys: dict[str, str]
    schema: str = SCHEMA


def check_venue(name: str) -> str:
    """Check a venue's name.

    :raises InputError: it cannot name a venue.
    """
    if not _NAME.fullmatch(name):
        raise InputError.saying(
            "'{name}' cannot name a venue; use up to 30 small letters, digits and dashes: osaka-1", name=name[:40]
        )
    return name


def load_venues(path: Path) -> dict[str, bytes]:
    """Return the keys in a file, by venue.

    :raises InputError: it cannot be read, others can read it, or it does not contain keys.
    """
    with raised_as(InputError, say("{path}: {why}; name a readable file of venue keys", path=path), OSError):
        mode, content = path.stat().st_mode & 0o777, path.read_bytes()
    if mode & 0o077:
        text = say("{path}: mode {mode} lets others read the keys; run: chmod 600 {path}")
        raise InputError(text(path=path, mode=f"{mode:04o}"))
    invalid = say("{path}: not a file of venue keys; make it with kiosk venue new", path=path)
    with raised_as(InputError, invalid, ValueError):
        found = msgspec.json.decode(content, type=warm_up(_File))
        keys = {name: bytes.fromhex(digits) for name, digits in found.keys.items()}
    for name in keys:
        check_venue(name)
    if found.schema != SCHEMA or any(len(key) != _BYTES for key in keys.values()):
        raise InputError(invalid)
    return keys


def load_venue(path: Path, venue: str) -> bytes:
    """Return one venue's key.

    :raises InputError: as ``load_venues``, or the file has no key for this venue.
    """
    keys = load_venues(path)
    if venue not in keys:
        text = say("{path}: no key for the venue '{venue}'; it has {keys}")
        raise InputError(text(path=path, venue=venue, keys=", ".join(sorted(keys)) or "–"))
    return keys[venue]


def save_venues(path: Path, keys: dict[str, bytes]) -> None:
    """Write the file atomically, readable by its owner only.

    :raises InputError: it cannot be written.
    """
    text = msgspec.json.encode(_File({name: keys[name].hex() for name in sorted(keys)}))
    with raised_as(InputError, say("{path}: {why}; choose a place that can be written", path=path), OSError):
        write_secret(path, msgspec.json.format(text) + b"\n")


def new_key() -> bytes:
    return secrets.token_bytes(_BYTES)
