"""The keys that tables and head share, one for each table.

The law: a key is 32 random bytes, its file is readable by its owner only, and a key is never shown or logged. The
head's file holds all keys, a table's file its own; both have the same form:

    {"schema": "othello-keys/1", "keys": {"1": "<64 hexadecimal digits>", "2": "..."}}
"""

from __future__ import annotations

import hmac
import logging
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from kiosk.link.errors import KeyFileError
from kiosk.link.frames import KEY_BYTES, MAX_TABLE

log = logging.getLogger(__name__)

SCHEMA = "othello-keys/1"


class _KeyFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    schema: str
    keys: dict[str, str]


def new_keys(tables: Iterable[int]) -> dict[int, bytes]:
    """A fresh key for each table."""
    return {table: secrets.token_bytes(KEY_BYTES) for table in tables}


def load_keys(path: Path) -> dict[int, bytes]:
    """The keys in a file, by table.

    :raises KeyFileError: it cannot be read, others can read it, or it does not hold keys.
    """
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode & 0o777
            text = file.read()
    except OSError as error:
        raise KeyFileError(f"{path}: {error.strerror or error}; name a key file made for this table") from None
    if mode & 0o077:
        raise KeyFileError(f"{path}: mode {mode:04o} lets others read the keys; run: chmod 600 {path}")
    try:
        found = msgspec.json.decode(text, type=_KeyFile)
    except ValueError as error:
        raise KeyFileError(f"{path}: not a key file ({error}); make it again") from None
    if found.schema != SCHEMA:
        raise KeyFileError(f"{path}: schema {found.schema!r}; this program reads {SCHEMA!r}")
    return {_table(path, name): _key(path, name, digits) for name, digits in found.keys.items()}


def load_key(path: Path, table: int) -> bytes:
    """One table's key.

    :raises KeyFileError: as ``load_keys``, or the file has no key for this table.
    """
    keys = load_keys(path)
    if table not in keys:
        raise KeyFileError(f"{path}: no key for table {table}; it has {', '.join(map(str, sorted(keys))) or 'none'}")
    return keys[table]


class KeyRing(Mapping[int, bytes]):
    """The head's keys, read again when the file has changed, so that a revoked key stops working at once.

    :raises KeyFileError: by the constructor. A file that turns bad later is logged, and the keys stay as they were.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = self._stamp()
        self._keys = load_keys(path)

    def __getitem__(self, table: int) -> bytes:
        stamp = self._stamp()
        if stamp != self._seen:
            self._seen = stamp
            try:
                self._keys = load_keys(self._path)
            except KeyFileError as error:
                log.warning("%s; the keys stay as they were", error)
            else:
                log.info("%s was read again: %d keys", self._path, len(self._keys))
        return self._keys[table]

    def __iter__(self) -> Iterator[int]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def _stamp(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns


def check_word(key: bytes) -> str:
    """Eight digits that are the same for the same key and tell nothing else of it."""
    return hmac.digest(key, b"othello-keys check", "sha256").hex()[:8]


def save_keys(path: Path, keys: Mapping[int, bytes]) -> None:
    """Writes a key file that is whole or not there, with mode 0600 from its first byte.

    :raises KeyFileError: the file cannot be written.
    """
    text = msgspec.json.encode(_KeyFile(SCHEMA, {str(table): key.hex() for table, key in sorted(keys.items())}))
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(msgspec.json.format(text) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise KeyFileError(f"{path}: {error.strerror or error}; choose a place that can be written") from None


def _table(path: Path, name: str) -> int:
    if not (name.isascii() and name.isdigit() and name == str(int(name)) and 0 < int(name) <= MAX_TABLE):
        raise KeyFileError(f"{path}: {name!r} is not a table number from 1 to {MAX_TABLE}")
    return int(name)


def _key(path: Path, name: str, digits: str) -> bytes:
    # The digits are secret and therefore not in the message.
    try:
        key = bytes.fromhex(digits)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise KeyFileError(f"{path}: the key of table {name} is not {2 * KEY_BYTES} hexadecimal digits; make a new key")
    return key
