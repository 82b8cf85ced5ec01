"""Restoring a backup, on the machine it was made on or on a spare one.

- A backup is untrusted until it was read completely, and nothing is written before. Exactly what was read and agreed to
  is restored.
- Files get names of a fixed list inside the folder (``non_database_files_and_config_checks``); links are not followed.
- A backup with a wrong signature is refused; one of an unknown head, or without a signature, is restored only if a
  person agrees.
- Nothing that the backup lacks is overwritten, unless forced, and even then the old store is kept.
- A restored store begins a new life, with a signing key of its own.
"""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.i18n import Text, raised_as, say
from kiosk import platform_compat
from kiosk.errors import InputError, sanitized_text, unreadable
from kiosk.head.backup.non_database_files_and_config_checks import (
    CONFIG,
    KEYS,
    VENUE_KEY,
    VENUES,
    check_files,
    names_for_display,
)
from kiosk.head.backup.signed_backup_creation import BACKUP_FILE, backup_io_error, store_of
from kiosk.head.backup.signing_key_and_trusted_heads import fingerprint, is_signed, known_heads, own_signer, trust_head
from kiosk.head.errors import StoreError
from kiosk.head.federation.venue_keys import load_venues
from kiosk.head.head_config import load_config
from kiosk.head.store.store_backup_check_and_restore import (
    StoreCopy,
    StoreExtent,
    contains_extent,
    extent,
    fill_database,
    read_whole,
    reading,
    sync_and_drop_cache,
    unused_name,
    write_store,
)
from kiosk.head.store.store_connections_and_locks import STORE_FILE, StoreLocation, lock_directory
from kiosk.link.errors import KeyFileError
from kiosk.link.table_keys import read_keys

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BackupOrigin:
    """Maker of a backup. ``fingerprint`` empty: it is not signed; ``known``: this machine knows that head, or a person
    entered its fingerprint. ``head`` and ``at`` are that head's own claims.
    """

    fingerprint: str = ""
    head: str = ""
    at: str = ""
    known: bool = False


@dataclass(frozen=True, slots=True)
class BackupPreview:
    """A backup that was read completely, before anything of it is written."""

    file: Path
    origin: BackupOrigin
    extent: StoreExtent
    unusual: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Restored(BackupPreview):
    """A backup, and the folder in which a head can start from it. ``kept``: earlier files, under their new names;
    ``fingerprint``: of the head in this folder from now on.
    """

    folder: Path
    files: tuple[str, ...]
    kept: tuple[Path, ...]
    fingerprint: str


def restore(
    source: Path,
    folder: Path,
    *,
    force: bool = False,
    store: str = "",
    made_by: str = "",
    agree: Callable[[BackupPreview], bool] = lambda offered: True,
) -> Restored:
    """Make ``folder`` a head's folder from a backup: ``kiosk head --config FOLDER/head.toml`` continues from there.

    ``store``: the address of an empty PostgreSQL database that the store is put into. ``made_by``: the fingerprint of
    the head that must have made it. ``agree`` is called before anything is written, unless this machine knows the head.

    :raises InputError: the backup is damaged, was changed, is another head's or was not agreed to, a head runs
        there, or the folder contains what the backup lacks.
    """
    file = source / BACKUP_FILE if os.path.lexists(source / BACKUP_FILE) else store_of(source)
    if isinstance(file, StoreLocation):
        raise InputError.saying(
            "{source} is a head and no backup; make one with kiosk backup, then restore that", source=source
        )
    try:
        with _as_owner(file, folder) as readable:
            copy = read_whole(readable)
            files, unusual = check_files(copy.files, backup=file.absolute().parent, store=store)
            offered = BackupPreview(file, _origin(file, copy, folder, made_by), copy.extent, tuple(unusual))
            _refuse_links(folder)
            if not offered.origin.known and not agree(offered):
                raise InputError.saying("nothing was restored; use a backup of this hall's head")
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            running = say("{folder}: a head is running there; stop it before you restore", folder=folder)
            with raised_as(InputError, running, StoreError):
                lock = lock_directory(folder)
            with closing(lock):
                renamed = _restore_locked(offered, readable, copy, files, folder, force, store)
            made = (*(() if store else (STORE_FILE,)), *names_for_display(files))
            own = trust_head(folder, copy.signature.key) if copy.signature else own_signer(folder)
            read = offered.file, offered.origin, offered.extent, offered.unusual
            return Restored(*read, folder, made, tuple(renamed), own.fingerprint)
    except (StoreError, InputError) as error:
        raise InputError(error.text) from error
    except OSError as error:
        raise backup_io_error(error, folder) from error


@contextmanager
def _as_owner(file: Path, folder: Path) -> Iterator[Path]:
    """Become the owner of the folder; the backup, which perhaps only root can read, is copied there first."""
    if platform_compat.other_owner(folder) is None or file.is_symlink():
        yield file
        return
    with unreadable(file):
        descriptor = platform_compat.open_untrusted(file.parent, file.name)
    with (
        os.fdopen(descriptor, "rb") as source,
        platform_compat.as_owner_of(folder),
        TemporaryDirectory(prefix=".incoming-", dir=folder) as own,
    ):
        with Path(own, BACKUP_FILE).open("xb") as copy:
            shutil.copyfileobj(source, copy)
        yield Path(own, BACKUP_FILE)


def _origin(file: Path, copy: StoreCopy, folder: Path, made_by: str) -> BackupOrigin:
    """Return whose backup it is, as far as this machine knows."""
    expected = "".join(made_by.replace("-", " ").split())
    if copy.signature is None:
        if expected:
            raise InputError.saying(
                "{file} is signed by no head, and not by the one you named; look for another backup", file=file
            )
        return BackupOrigin()
    signature = copy.signature
    if not is_signed(signature, copy.digest):
        raise InputError.saying("{file} was changed after its head signed it; use another backup", file=file)
    print = fingerprint(signature.key)
    if expected and expected != print.replace("-", ""):
        text = say("{file} is signed by the head {print}, and not by the one you named; look for another one")
        raise InputError(text(file=file, print=print))
    known = bool(expected) or signature.key in known_heads(folder)
    return BackupOrigin(print, sanitized_text(signature.head, 64), sanitized_text(signature.at, 40), known)


def _refuse_links(folder: Path) -> None:
    """Refuse links in the folder: somebody who may write to the folder above must not choose where this program writes,
    which may run as root.
    """
    if folder.is_symlink():
        raise InputError.saying("{folder} is a link; name the folder itself", folder=folder)
    if folder.exists() and not folder.is_dir():
        raise InputError.saying("{folder} is not a folder; name another one", folder=folder)
    for there in folder.iterdir() if folder.is_dir() else ():
        if there.is_symlink():
            raise InputError.saying("{there} is a link; move it away, or name another folder", there=there)


def _restore_locked(
    offered: BackupPreview,
    readable: Path,
    copy: StoreCopy,
    files: Mapping[str, bytes],
    folder: Path,
    force: bool,
    store: str,
) -> list[Path]:
    """Write and check everything in a separate folder, as a head will read it, then move it into place."""
    stage = folder / f".restored-{secrets.token_hex(8)}"
    stage.mkdir(mode=0o700)
    try:
        draft = stage / STORE_FILE
        written = write_store(readable, draft, copy.files)
        if (written.digest, written.extent) != (copy.digest, copy.extent):
            text = say("{file} or {folder} changed while it was read; use another stick or disk")
            raise InputError(text(file=offered.file, folder=folder))
        for name, content in files.items():
            (stage / name).parent.mkdir(mode=0o700, exist_ok=True)
            platform_compat.write_secret(stage / name, content)
            sync_and_drop_cache(stage / name)
        _check_stage(stage, files)
        present = folder / STORE_FILE
        if store:
            fill_database(draft, StoreLocation(folder, store))
            renamed = []
        else:
            if present.exists() and not force:
                _refuse_newer(present, draft, copy.extent)
            renamed = _put_store_aside(present)
            draft.replace(present)
        for name in files:
            (folder / name).parent.mkdir(mode=0o700, exist_ok=True)
            renamed += _move_into_place(stage / name, folder / name)
        StoreLocation(folder, store).mark.unlink(missing_ok=True)  # it is of the store before
        platform_compat.sync_folder(folder)
        return renamed
    finally:
        shutil.rmtree(stage)


def _check_stage(stage: Path, files: Mapping[str, bytes]) -> None:
    """Check that a head can read its files."""
    try:
        if CONFIG in files:
            load_config(stage / CONFIG)
        if KEYS in files:
            read_keys(stage / KEYS)
        for name in (VENUES, VENUE_KEY):
            if name in files:
                load_venues(stage / name)
    except (KeyFileError, InputError) as error:
        words = {name: value.replace(f"{stage}/", "") for name, value in error.text.fields if isinstance(value, str)}
        raise InputError.saying("invalid backup: {said}", said=error.text(**words)) from error


def _refuse_newer(store: Path, draft: Path, found: StoreExtent) -> None:
    in_the_way = say("{why}; it is in the way of the backup: give --force to put it aside")
    with raised_as(InputError, in_the_way, StoreError), reading(store) as there:
        present = extent(there)
    with reading(draft, quiet=True) as backup:
        if contains_extent(backup, present):
            return
    raise InputError.saying(
        "{store} has what the backup has not: it holds {present}, the backup {found}; give --force to "
        "restore the backup all the same (the present store is kept beside it)",
        store=store,
        present=present.description(),
        found=found.description(),
    )


def _put_store_aside(store: Path) -> list[Path]:
    """Keep the present store as one file; move its log first, so that no log of an old store is
    applied to a new one.
    """
    if not store.exists():
        return []
    try:
        with closing(sqlite3.connect(store, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.Error:
        log.warning("%s is damaged; it is kept as it is", store)
    renamed = unused_name(store)
    for suffix in ("-wal", "-shm", ""):
        part = store.with_name(store.name + suffix)
        if part.exists():
            part.rename(renamed.with_name(renamed.name + suffix))
    return [renamed]


def _move_into_place(made: Path, file: Path) -> list[Path]:
    """Move a file into place; an existing file with other content is kept beside it."""
    renamed = []
    if file.exists() and file.read_bytes() != made.read_bytes():
        renamed = [unused_name(file)]
        file.rename(renamed[0])
    made.replace(file)
    return renamed
