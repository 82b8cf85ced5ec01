"""The secret keys shared by tables and head, one for each table.

A key is 32 random bytes, its file is readable by its owner only, and a key is never shown or logged. The head's file
holds all keys, a table's file its own; both have the same form:

    {"schema": "othello-keys/1", "keys": {"1": "<64 hexadecimal digits>", "2": "..."}}

The head's file may also have ``retired``, the keys of devices that a spare replaced: such a key only allows a device to
submit its missing records. A revoked key is in neither.
"""

from __future__ import annotations

import hmac
import logging
import os
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from engine.i18n import raised_as, say
from kiosk import platform_compat
from kiosk.json_validation import warm_up
from kiosk.link.errors import KeyFileError
from kiosk.link.message_macs_versions_handshake import KEY_BYTES, MAX_TABLE
from kiosk.platform_compat import write_secret

log = logging.getLogger(__name__)

SCHEMA = "othello-keys/1"
#: bytes of a key file that are read; thousands of keys have fewer
_MOST = 4 * 1024 * 1024
#: retired keys kept per table number, at most
MAX_RETIRED = 8


class _KeyFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    schema: str
    keys: dict[str, str]
    retired: dict[str, list[str]] = {}


@dataclass(frozen=True, slots=True)
class Keys:
    """The content of a key file."""

    present: Mapping[int, bytes]
    retired: Mapping[int, tuple[bytes, ...]] = field(default_factory=dict)

    def with_new(self, new_keys: Mapping[int, bytes]) -> Keys:
        """Return a copy with these keys; the keys they replace become retired."""
        retired = dict(self.retired)
        for table, key in new_keys.items():
            before = self.present.get(table)
            if before is not None and before != key:
                retired[table] = (before, *retired.get(table, ()))[:MAX_RETIRED]
        return Keys({**self.present, **new_keys}, retired)

    def without(self, tables: Collection[int]) -> Keys:
        """Return a copy without any key these tables ever had."""
        return Keys(
            {table: key for table, key in self.present.items() if table not in tables},
            {table: keys for table, keys in self.retired.items() if table not in tables},
        )


def new_keys(tables: Iterable[int]) -> dict[int, bytes]:
    """Return a fresh key for each table."""
    return {table: secrets.token_bytes(KEY_BYTES) for table in tables}


def load_keys(path: Path) -> dict[int, bytes]:
    """Return the present keys in a file, by table.

    :raises KeyFileError: as ``read_keys``.
    """
    return dict(read_keys(path).present)


def read_keys(path: Path) -> Keys:
    """Return the whole content of a key file.

    :raises KeyFileError: it cannot be read, others can read it, or it does not hold keys.
    """
    unreadable = say("{path}: {why}; name a key file made for this table", path=path)
    with raised_as(KeyFileError, unreadable, OSError), path.open("rb") as file:
        mode = os.fstat(file.fileno()).st_mode & 0o777
        text = file.read(_MOST)
    if mode & 0o077:
        raise KeyFileError.saying(
            "{path}: mode {mode} lets others read the keys; run: chmod 600 {path}", path=path, mode=f"{mode:04o}"
        )
    with raised_as(KeyFileError, say("{path}: not a key file; make it again", path=path), ValueError):
        content = msgspec.json.decode(text, type=warm_up(_KeyFile))
    if content.schema != SCHEMA:
        sentence = say("{path}: schema {schema}; this program reads {ours}")
        raise KeyFileError(sentence(path=path, schema=repr(content.schema), ours=repr(SCHEMA)))
    return Keys(
        {_table(path, name): _key(path, name, digits) for name, digits in content.keys.items()},
        {_table(path, name): tuple(_key(path, name, each) for each in many) for name, many in content.retired.items()},
    )


def load_key(path: Path, table: int) -> bytes:
    """Return one table's key.

    :raises KeyFileError: as ``read_keys``, or the file has no key for this table.
    """
    keys = load_keys(path)
    if table not in keys:
        text = say("{path}: no key for table {table}; it has {known}")
        raise KeyFileError(text(path=path, table=table, known=", ".join(map(str, sorted(keys))) or "none"))
    return keys[table]


class KeyRing(Mapping[int, bytes]):
    """The head's keys, reloaded when the file has changed, so that a revoked key stops working at once.

    :raises KeyFileError: by the constructor. If the file becomes invalid later, this is logged and the keys stay as
        they were.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._loaded_stamp = self._stamp()
        self._keys = read_keys(path)

    def __getitem__(self, table: int) -> bytes:
        return self._current_keys().present[table]

    def __iter__(self) -> Iterator[int]:
        return iter(self._current_keys().present)

    def __len__(self) -> int:
        return len(self._current_keys().present)

    def retired(self, table: int) -> tuple[bytes, ...]:
        """Return the keys of devices that were replaced at this table, the latest first."""
        return self._current_keys().retired.get(table, ())

    def put(self, table: int, key: bytes) -> None:
        """Set a table's key, also in the file. The previous key becomes retired.

        :raises KeyFileError: the file cannot be changed; the keys stay as they were.
        """
        change_keys(self._path, lambda keys: keys.with_new({table: key}))
        self._current_keys()

    def _current_keys(self) -> Keys:
        stamp = self._stamp()
        if stamp != self._loaded_stamp:
            self._loaded_stamp = stamp
            try:
                self._keys = read_keys(self._path)
            except KeyFileError as error:
                log.warning("%s; the keys stay as they were", error)
            else:
                log.info("%s was read again: %d keys", self._path, len(self._keys.present))
        return self._keys

    def _stamp(self) -> tuple[int, int] | None:
        try:
            status = self._path.stat()
        except OSError:
            return None
        return status.st_ino, status.st_mtime_ns


def check_word(key: bytes) -> str:
    """Return eight hexadecimal digits derived from a key, for comparison. They reveal nothing else about it."""
    return hmac.digest(key, b"othello-keys check", "sha256").hex()[:8]


def change_keys(path: Path, change: Callable[[Keys], Keys]) -> Keys:
    """Change or create a key file, under a lock.

    :raises KeyFileError: it cannot be read or written; it is unchanged.
    """
    unwritable = say("{path}: {why}; choose a place that can be written", path=path)
    with raised_as(KeyFileError, unwritable, OSError), platform_compat.locked_folder(path.parent):
        changed = change(read_keys(path) if path.exists() else Keys({}))
        save_keys(path, changed.present, changed.retired)
        return changed


def save_keys(path: Path, keys: Mapping[int, bytes], retired: Mapping[int, tuple[bytes, ...]] | None = None) -> None:
    """Write a key file, atomically and with mode 0600 from its first byte.

    :raises KeyFileError: the file cannot be written.
    """
    text = msgspec.json.encode(
        _KeyFile(
            SCHEMA,
            {str(table): key.hex() for table, key in sorted(keys.items())},
            {str(table): [key.hex() for key in many] for table, many in sorted((retired or {}).items())},
        )
    )
    with raised_as(KeyFileError, say("{path}: {why}; choose a place that can be written", path=path), OSError):
        write_secret(path, msgspec.json.format(text) + b"\n")


def _table(path: Path, name: str) -> int:
    if not (name.isascii() and name.isdigit() and name == str(int(name)) and 0 < int(name) <= MAX_TABLE):
        text = say("{path}: {name!r} is not a table number from 1 to {most}")
        raise KeyFileError(text(path=path, name=name, most=MAX_TABLE))
    return int(name)


def _key(path: Path, name: str, digits: str) -> bytes:
    # The digits are secret and therefore not in the message.
    try:
        key = bytes.fromhex(digits)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        text = say("{path}: the key of table {name} is not {digits} hexadecimal digits; make a new key")
        raise KeyFileError(text(path=path, name=name, digits=2 * KEY_BYTES))
    return key
