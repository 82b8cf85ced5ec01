"""Backups of a head: made by hand or kept up by the head itself, and restored on another machine.

The law: a backup is one file, and with it a spare machine becomes this head: it holds the store, the tables' keys, the
event and the configuration, and only its owner may read it. Passwords and sessions are in no backup (docs/security.md):
a restored head shows a setup code. Trouble with a backup is shown and never stops the head.
Restoring never overwrites what the backup does not have, unless it is forced, and even then the old store is kept.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection

from kiosk.errors import UnusableInput
from kiosk.head.config import HeadConfig, load_config
from kiosk.head.errors import StoreError
from kiosk.head.store.place import STORE_FILE, Place, lock_directory
from kiosk.head.store.snapshot import (
    Extent,
    aside,
    carried_files,
    check_whole,
    extent,
    fill,
    holds,
    reading,
    settle,
    sync_folder,
    write_snapshot,
)

log = logging.getLogger(__name__)

#: a backup's name in its folder
BACKUP_FILE = "othello-head.backup"

#: the files that a backup carries beside the store, as they are named in a restored folder
CONFIG, KEYS, EVENT, VENUES, VENUE_KEY = "head.toml", "keys.json", "event.json", "venues.json", "venue-key.json"
ROSTER, FEDERATION_CERTIFICATE = "roster.json", "federation-cert.pem"


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was written and read again."""

    file: Path
    extent: Extent
    carried: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Restored:
    """A folder that a head can start from. ``kept``: what was there before, under its new name."""

    folder: Path
    extent: Extent
    files: tuple[str, ...]
    kept: tuple[Path, ...]


def back_up(source: Path | HeadConfig, target: Path) -> Backup:
    """Backs up a head (its configuration) or a bare store (a data directory) while it may run.

    ``target``: a folder, or the name of the file to write.

    :raises UnusableInput: the source cannot be read or the target not be written; the message says which.
    """
    if isinstance(source, Path):
        source = load_config(source) if source.is_file() and source.suffix == ".toml" else source
    try:
        files = carried(source) if isinstance(source, HeadConfig) else {}
        file = _file_in(target)
        written = write_snapshot(store_of(source), file, files)
    except StoreError as error:
        raise UnusableInput(str(error)) from error
    except OSError as error:
        raise UnusableInput(f"{error.filename or target}: {error.strerror or error}; choose another place") from error
    return Backup(file, written, tuple(sorted(files)))


def carried(config: HeadConfig) -> dict[str, bytes]:
    """What a spare machine needs beside the store: configuration, keys, event; no certificate, which is a machine's.

    :raises OSError: a file cannot be read.
    """
    wanted = {KEYS: config.keys, VENUES: config.venues, **dict(zip(_event_names(config), config.events, strict=True))}
    if config.federation is not None:
        wanted |= {VENUE_KEY: config.federation.key, FEDERATION_CERTIFICATE: config.federation.certificate}
    wanted |= {ROSTER: roster if (roster := config.data / ROSTER).is_file() else None}
    files = {name: path.read_bytes() for name, path in wanted.items() if path is not None}
    return files | {CONFIG: _portable(config).encode()}


def _event_names(config: HeadConfig) -> list[str]:
    """The event files' names beside the store. Of several each keeps its own: it names the division."""
    if len(config.events) == 1:
        return [EVENT]
    names = [file.name for file in config.events]
    taken = {CONFIG, KEYS, VENUES, VENUE_KEY, ROSTER, FEDERATION_CERTIFICATE}
    return [
        name if names.count(name) == 1 and name not in taken else f"division-{number}.json"
        for number, name in enumerate(names, start=1)
    ]


def store_of(source: Path | HeadConfig) -> Path | Place:
    """The store of a head, a data directory, a folder with a backup, or the file itself."""
    if isinstance(source, HeadConfig):
        return Place(source.data, source.store) if source.store else source.data / STORE_FILE
    if source.is_dir():
        return next(
            (file for name in (STORE_FILE, BACKUP_FILE) if (file := source / name).exists()), source / STORE_FILE
        )
    return store_of(load_config(source)) if source.suffix == ".toml" else source


def restore(source: Path, folder: Path, *, force: bool = False, store: str = "") -> Restored:
    """Makes ``folder`` a head's folder from a backup: ``kiosk head --config FOLDER/head.toml`` goes on from there.

    ``store``: the address of an empty PostgreSQL database that the store is put into.

    :raises UnusableInput: the backup is damaged, a head runs there, or the folder holds what the backup does not.
    """
    file = source / BACKUP_FILE if (source / BACKUP_FILE).is_file() else store_of(source)
    if isinstance(file, Place):
        raise UnusableInput(f"{source} is a head and no backup; make one with kiosk backup, then restore that")
    try:
        files = carried_files(file)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with closing(_lock(folder)):
            if store:
                return _fill_server(file, folder, files, store)
            return _restore_locked(file, folder, files, force)
    except StoreError as error:
        raise UnusableInput(str(error)) from error
    except OSError as error:
        raise UnusableInput(f"{error.filename or folder}: {error.strerror or error}; choose another place") from error


def _lock(folder: Path) -> Any:
    try:
        return lock_directory(folder)
    except StoreError:
        raise UnusableInput(f"{folder}: a head is running there; stop it before you restore") from None


def _fill_server(file: Path, folder: Path, files: Mapping[str, bytes], store: str) -> Restored:
    with reading(file, quiet=True) as backup:
        found = check_whole(backup)
    fill(file, Place(folder, store))
    if CONFIG in files:
        files = {**files, CONFIG: f"store = {json.dumps(store)}\n".encode() + files[CONFIG]}
    kept = [kept for name, content in files.items() for kept in _put(folder / name, content)]
    sync_folder(folder)
    return Restored(folder, found, tuple(sorted(files)), tuple(kept))


def _restore_locked(file: Path, folder: Path, files: Mapping[str, bytes], force: bool) -> Restored:
    store = folder / STORE_FILE
    draft = folder / f".{STORE_FILE}.restored"
    draft.unlink(missing_ok=True)
    try:
        found = write_snapshot(file, draft, {}, new_life=True)
        with reading(draft, quiet=True) as backup:
            if store.exists() and not force:
                _refuse_newer(store, backup, found)
        kept = [*_put_store_aside(store)]
        draft.replace(store)
    finally:
        draft.unlink(missing_ok=True)
    for name, content in files.items():
        kept += _put(folder / name, content)
    sync_folder(folder)
    return Restored(folder, found, (STORE_FILE, *sorted(files)), tuple(kept))


def _refuse_newer(store: Path, backup: Connection, found: Extent) -> None:
    try:
        with reading(store) as there:
            present = extent(there)
    except StoreError as error:
        raise UnusableInput(f"{error}; it is in the way of the backup: give --force to put it aside") from error
    if not holds(backup, present):
        raise UnusableInput(
            f"{store} has what the backup has not: it holds {present.spoken()}, the backup {found.spoken()}; "
            "give --force to restore the backup all the same (the present store is kept beside it)"
        )


def _put_store_aside(store: Path) -> list[Path]:
    """Keeps the store that is there, as one file; its log first, so that no log of an old store meets a new one."""
    if not store.exists():
        return []
    try:
        with closing(sqlite3.connect(store, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.Error:
        log.warning("%s is damaged; it is kept as it is", store)
    kept = aside(store)
    for suffix in ("-wal", "-shm", ""):
        part = store.with_name(store.name + suffix)
        if part.exists():
            part.rename(kept.with_name(kept.name + suffix))
    return [kept]


def _put(file: Path, content: bytes) -> list[Path]:
    """Writes a file that only its owner may read; one that says something else is kept beside it."""
    kept = []
    if file.exists() and file.read_bytes() != content:
        kept = [aside(file)]
        file.rename(kept[0])
    draft = file.with_name(f".{file.name}.restored")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened:
        opened.write(content)
    settle(draft)
    draft.replace(file)
    return kept


def _file_in(target: Path) -> Path:
    """The file that a backup is written to. The last folder is made, the one above must be there: it is the stick."""
    if target.suffix and not target.is_dir():
        return target
    target.mkdir(mode=0o700, exist_ok=True)
    return target / BACKUP_FILE


def _portable(config: HeadConfig) -> str:
    """The configuration for a folder that holds everything: data, keys and event beside it."""
    here: dict[str, Any] = {"data": ".", "keys": KEYS, "event": _event_names(config) or None}
    here |= {"setup_code": None if config.setup_code is None else "setup-code.txt"}
    here |= {"backup": None if config.backup is None else str(config.backup)}
    here |= {"store": None}  # its address may hold a password, and the spare machine may have no server
    here |= {"venues": None if config.venues is None else VENUES, "tls": None}
    if config.federation is not None:
        certificate = None if config.federation.certificate is None else FEDERATION_CERTIFICATE
        here["federation"] = msgspec.structs.asdict(config.federation) | {"key": VENUE_KEY, "certificate": certificate}
    fields = msgspec.structs.asdict(config) | here | {"table": msgspec.structs.asdict(config.table)}
    return "".join(f"{name} = {_toml(value)}\n" for name, value in fields.items() if value is not None)


def _toml(value: object) -> str:
    """A value as TOML writes it; strings, numbers and lists look as in JSON."""
    match value:
        case dict():
            said = (f"{json.dumps(str(key))} = {_toml(one)}" for key, one in value.items() if one is not None)
            return "{" + ", ".join(said) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(_toml, value)) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)
