"""``kiosk update``: builds and checks updates of tables, publishes them at the head, and installs them as root on a
table.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.i18n import Text, reason_of, say
from kiosk.commands.command_helpers import PATH, as_json_option, print_answer, print_result
from kiosk.errors import InputError, unreadable
from kiosk.untrusted_file_sandbox import Limits, in_child
from kiosk.update import INSTALLED_KEY, PUBLIC_FILE, SECRET_FILE

if TYPE_CHECKING:
    from kiosk.update.archive_and_install_requests import Manifest

_maker = click.option(
    "--key", "maker", type=PATH, default=INSTALLED_KEY, show_default=True, help="The public key of the maker."
)
#: for the list of the files of the largest archive
_LIMITS = Limits(memory=256 * 1024 * 1024, processor_s=300, deadline_s=600)


@click.group()
def update() -> None:
    """Update tables from the head (docs/setup/updates.md)."""


@update.command()
@click.option("--out", "folder", type=PATH, default=Path(), help="Folder for the two files.")
def key(folder: Path) -> None:
    """Make the key pair that signs updates, once. Keep the secret file; tables get the public one."""
    from kiosk.update.archive_and_install_requests import create_maker_key

    create_maker_key(folder)
    text = say(
        "{secret} signs updates: keep it away from heads and tables. {public} goes onto every table: "
        "UPDATE_KEY={public} at its installation"
    )
    print_answer(text(secret=folder / SECRET_FILE, public=folder / PUBLIC_FILE))


@update.command()
@click.argument("source", type=PATH)
@click.option("--wheels", type=PATH, help="All Python packages for the tables' machines: make wheels, on a Pi.")
@click.option("--key", "secret", type=PATH, default=Path(SECRET_FILE), show_default=True, help="The maker's secret.")
@click.option("--out", type=PATH, help="Default: othello-VERSION.update.")
@as_json_option
def make(source: Path, wheels: Path | None, secret: Path, out: Path | None, as_json: bool) -> None:
    """Make and sign an update of SOURCE, a copy of this repository."""
    from kiosk.update import archive_and_install_requests

    made = out or Path(f"othello-{archive_and_install_requests.version_in(source)}.update")
    manifest = archive_and_install_requests.make(source, wheels, secret, made)
    _print_update(made, manifest, as_json)


@update.command()
@click.argument("file", type=PATH)
@_maker
@as_json_option
def check(file: Path, maker: Path, as_json: bool) -> None:
    """Check that an update is complete and signed by its maker."""
    _print_update(file, _verify_archive(file, maker), as_json)


@update.command()
@click.argument("file", type=PATH)
@click.option("--head", "data", type=PATH, default=Path("/var/lib/othello-head"), help="The head's data folder.")
@_maker
def give(file: Path, data: Path, maker: Path) -> None:
    """Copy an update to the head on this machine, which then offers it at /devices. An unsigned one is refused."""
    from kiosk.head.devices.table_software_updates_and_logs import FOLDER, SUFFIX
    from kiosk.platform_compat import NO_LINK, as_owner_of

    folder, version = data / FOLDER, _verify_archive(file, maker).version
    with _named_file(data), file.open("rb") as given:
        draft, place = folder / f".{version}.new", folder / f"othello-{version}{SUFFIX}"
        with as_owner_of(data):
            folder.mkdir(mode=0o700, exist_ok=True)
            draft.unlink(missing_ok=True)
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK, 0o600), "wb") as copy:
                shutil.copyfileobj(given, copy)
            draft.replace(place)
    print_answer(say("{path} is at the head; offer it to the tables at /devices", path=place))


@update.command()
@click.argument("data", type=PATH)
def install(data: Path) -> int:
    """Install the update that the table's program requested, as root. DATA is the table's data directory."""
    import logging

    from kiosk.logs import start_logging
    from kiosk.update.archive_and_install_requests import FOLDER
    from kiosk.update.update_installer import Folders, Installer, ThisMachine

    start_logging()
    os.umask(0o022)
    with _named_file(data):
        result = Installer(Folders(data / FOLDER), ThisMachine(_volatile_storage)).run()
    logging.getLogger("kiosk.update").info("%s", "nothing to do" if result is None else result)
    return 0


@contextmanager
def _named_file(data: Path) -> Iterator[None]:
    """Raise an ``OSError`` of the block as ``InputError`` that names the file; ``data`` if the error does not."""
    try:
        yield
    except OSError as error:
        raise InputError.saying("{path}: {why}", path=error.filename or data, why=reason_of(error)) from error


def _volatile_storage(folder: Path) -> Text | None:
    from kiosk.doctor.check_result import CheckStatus
    from kiosk.doctor.system_checks import durable_storage

    found = durable_storage(folder)
    return None if found.verdict is CheckStatus.OK else found.text


def _verify_archive(file: Path, maker: Path) -> Manifest:
    from kiosk.update import archive_and_install_requests

    def check() -> Manifest:
        with file.open("rb") as opened:
            return archive_and_install_requests.check(opened, archive_and_install_requests.maker_key(maker))

    with unreadable(file):
        return in_child(check, _LIMITS, file)


def _print_update(file: Path, manifest: Manifest, as_json: bool) -> None:
    version, files = manifest.version, len(manifest.files)
    size = file.stat().st_size
    text = say("{path}: version {version}, {files} files, {mb} MB, signed")
    done = text(path=file, version=version, files=files, mb=size // 10**6)
    print_result({"file": str(file), "version": version, "files": files, "bytes": size}, done, as_json)
