"""Backups of a head, made by hand or by the head itself (restored by ``kiosk.head.backup.restore``).

- A backup is one file from which a spare machine becomes this head: the store, the tables' keys, the event and the
  configuration. It is signed by the head and readable by its owner only.
- Passwords, sessions and the signing key are in no backup (docs/develop/security.md).
- An error in a backup is shown and never stops the head.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.i18n import reason_of, say, text_of
from kiosk.errors import InputError
from kiosk.head.backup.non_database_files_and_config_checks import collect_files, names_for_display
from kiosk.head.backup.signing_key_and_trusted_heads import own_signer
from kiosk.head.errors import StoreError
from kiosk.head.head_config import HeadConfig, load_config
from kiosk.head.store.high_water_mark import MissingRows, rows_missing_in
from kiosk.head.store.store_backup_check_and_restore import StoreExtent, write_snapshot
from kiosk.head.store.store_connections_and_locks import STORE_FILE, StoreLocation
from kiosk.platform_compat import as_owner_of

#: a backup's file name in its folder
BACKUP_FILE = "othello-head.backup"


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was written and read back. ``fingerprint``: of the head that signed it; ``missing``: what the
    store has lost, so that the backup lacks it.
    """

    file: Path
    extent: StoreExtent
    carried: tuple[str, ...]
    fingerprint: str
    missing: MissingRows


def back_up(source: Path | HeadConfig, target: Path) -> Backup:
    """Back up a head (its configuration) or a bare store (a data directory), which may be running.

    ``target``: a folder, or the name of the file to write.

    :raises InputError: the source cannot be read or the target not be written; the message says which.
    """
    if isinstance(source, Path):
        source = load_config(source) if source.is_file() and source.suffix == ".toml" else source
    try:
        files = {}
        if isinstance(source, HeadConfig):
            with as_owner_of(source.data):
                files = collect_files(source)
        store = store_of(source)
        if not (isinstance(store, StoreLocation) or store.is_file()):
            raise InputError.saying("{store} is not there; name a head's TOML file or its data directory", store=store)
        folder = store.directory if isinstance(store, StoreLocation) else store.parent
        with as_owner_of(folder):
            signer = own_signer(folder)
        file = _file_in(target)
        missing = rows_missing_in(store)
        written = write_snapshot(store, file, files, signer.sign)
    except StoreError as error:
        raise InputError(text_of(error)) from error
    except OSError as error:
        raise backup_io_error(error, target) from error
    return Backup(file, written, names_for_display(files), signer.fingerprint, missing)


def backup_io_error(error: OSError, place: Path) -> InputError:
    """Return the error for a file of ``place`` that could not be read or written."""
    text = say("{filename}: {why}; choose another place")
    return InputError(text(filename=error.filename or place, why=reason_of(error)))


def store_of(source: Path | HeadConfig) -> Path | StoreLocation:
    """Return the store of a head, a data directory, a folder with a backup, or the file itself."""
    if isinstance(source, HeadConfig):
        return StoreLocation(source.data, source.store) if source.store else source.data / STORE_FILE
    if source.is_dir():
        return next(
            (file for name in (STORE_FILE, BACKUP_FILE) if (file := source / name).exists()), source / STORE_FILE
        )
    return store_of(load_config(source)) if source.suffix == ".toml" else source


def _file_in(target: Path) -> Path:
    """Return the file that a backup is written to. The last folder is created; the one above must exist, because it is
    the memory stick.
    """
    if target.suffix and not target.is_dir():
        return target
    target.mkdir(mode=0o700, exist_ok=True)
    return target / BACKUP_FILE
