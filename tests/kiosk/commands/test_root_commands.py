"""Tests of commands that root runs on the data folder of a head, which belongs to the head's user.

Whoever controls the head's user may put links into that folder, before a command or while it runs. No file outside
the folder changes its content, owner or mode, and no content of a file that only root can read gets into the
folder.
"""

from __future__ import annotations

import os
import pwd
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from heads.process import kiosk
from heads.staff import CHIEF, first_chief
from heads.world import running_head
from updates.signed_updates import Maker

from kiosk.head.federation.database.connection_and_tables import open_database
from kiosk.head.federation.venue_keys import save_venues
from kiosk.link.table_keys import new_keys, save_keys

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can do this")
NOBODY = pwd.getpwnam("nobody")


@dataclass(frozen=True)
class Machine:
    """A machine with a head. ``data``: folder of the head's user; ``victim``: a file that only root can read."""

    folder: Path
    data: Path
    victim: Path

    @property
    def config(self) -> Path:
        return self.folder / "head.toml"

    def unharmed(self) -> bool:
        found = self.victim.lstat()
        return (
            self.victim.read_text() == "root's secret"
            and (found.st_uid, found.st_mode & 0o777) == (0, 0o600)
            and [one.name for one in self.victim.parent.iterdir()] == ["victim"]
            and self.victim.parent.lstat().st_uid == 0
        )

    def foreign_files(self) -> list[str]:
        """Return the files in the data folder that do not belong to its owner."""
        files = (one for one in self.data.rglob("*") if not one.is_symlink())
        return [str(one) for one in files if one.stat().st_uid != NOBODY.pw_uid]


@pytest.fixture
def machine() -> Iterator[Machine]:
    """A machine as ``systemd/install.sh head`` leaves it: root owns the configuration, the head's user the data."""
    with tempfile.TemporaryDirectory(prefix="root", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with running_head(folder, tables=2) as (program, url), httpx.Client(base_url=url) as web:
            first_chief(web, program.access.setup_code)
        save_keys(folder / "data/keys.json", new_keys([1, 2]))
        (folder / "head.toml").write_text(f'data = "{folder / "data"}"\nkeys = "{folder / "data/keys.json"}"\n')
        (root := folder / "root").mkdir(mode=0o700)
        (victim := root / "victim").write_text("root's secret")
        victim.chmod(0o600)
        for one in (folder / "data", *(folder / "data").rglob("*")):
            os.chown(one, NOBODY.pw_uid, NOBODY.pw_gid)
        yield Machine(folder, folder / "data", victim)


@pytest.fixture
def swap(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Replace every file that a command syncs in the data folder by a link, at once."""

    def begin() -> None:
        sync = os.fsync

        def synced(descriptor: int) -> None:
            sync(descriptor)
            for one in machine.data.iterdir():
                if one.is_file() and os.path.samestat(one.stat(), os.fstat(descriptor)):
                    one.unlink()
                    one.symlink_to(machine.victim)

        monkeypatch.setattr(os, "fsync", synced)

    return begin


def test_an_update_is_given_as_the_owner(machine: Machine, tmp_path: Path) -> None:
    maker, version = Maker(tmp_path), "1.2.0"
    update = maker.archive(version, tmp_path / "given.update")
    given = kiosk("update", "give", update, "--head", machine.data, "--key", maker.key)
    assert given.returncode == 0, given.stderr
    assert machine.unharmed() and not machine.foreign_files()
    assert [one.name for one in (machine.data / "updates").iterdir()] == [f"othello-{version}.update"]


@pytest.mark.parametrize("link", ["folder", "draft"])
def test_an_update_is_not_written_through_a_link(machine: Machine, tmp_path: Path, link: str) -> None:
    maker, version = Maker(tmp_path), "1.2.0"
    update = maker.archive(version, tmp_path / "given.update")
    if link == "folder":
        (machine.data / "updates").symlink_to(machine.victim.parent)
    else:
        (machine.data / "updates").mkdir()
        (machine.data / f"updates/.{version}.new").symlink_to(machine.victim)
        os.chown(machine.data / "updates", NOBODY.pw_uid, NOBODY.pw_gid)
    kiosk("update", "give", update, "--head", machine.data, "--key", maker.key)
    assert machine.unharmed()


def test_a_code_is_not_written_through_a_link(machine: Machine, swap: Callable[[], None]) -> None:
    with closing(sqlite3.connect(machine.data / "head.sqlite")) as store:
        store.execute("PRAGMA journal_mode=DELETE")
    swap()
    kiosk("head", "--config", machine.config, "--code", CHIEF)
    assert machine.unharmed() and not machine.foreign_files()


def test_a_signing_key_is_not_written_through_a_link(
    machine: Machine, swap: Callable[[], None], tmp_path: Path
) -> None:
    (machine.data / "signing.json").unlink(missing_ok=True)
    swap()
    kiosk("backup", machine.config, tmp_path / "stick")
    assert machine.unharmed() and not machine.foreign_files()


def test_a_backup_goes_where_only_root_can_write(machine: Machine) -> None:
    (stick := machine.folder / "stick").mkdir(mode=0o700)
    made = kiosk("backup", machine.config, stick)
    assert made.returncode == 0, made.stderr
    assert (stick / "othello-head.backup").stat().st_uid == 0 and not machine.foreign_files()
    assert {one.name for one in stick.iterdir()} == {"othello-head.backup"}
    assert kiosk("restore", stick, machine.folder / "spare", "--foreign").returncode == 0


@pytest.mark.parametrize("name", ["keys.json", "roster.json"])
def test_a_backup_holds_nothing_that_only_root_can_read(machine: Machine, name: str) -> None:
    (stick := machine.folder / "stick").mkdir(mode=0o700)
    (machine.data / name).unlink(missing_ok=True)
    (machine.data / name).symlink_to(machine.victim)
    kiosk("backup", machine.config, stick)
    assert b"root's secret" not in b"".join(one.read_bytes() for one in stick.iterdir())


def test_a_record_is_set_aside_as_the_owner(machine: Machine) -> None:
    (machine.data / "head.sqlite-stranger").symlink_to(machine.victim)
    machine.victim.chmod(0o640)
    kiosk("audit", "set-aside", machine.config, "1", "epoch", "1", "--reason", "test")
    assert machine.victim.stat().st_mode & 0o777 == 0o640
    assert not machine.foreign_files()


def test_keys_are_changed_as_the_owner(machine: Machine) -> None:
    assert kiosk("keys", "revoke", "2", "--keys", machine.data / "keys.json").returncode == 0
    assert kiosk("keys", "new", "--tables", "3", "--out", machine.data).returncode == 0
    assert not machine.foreign_files()


@pytest.mark.parametrize("command", [("rebuild",), ("keep-moves", "--years", "3")])
def test_a_federations_database_is_made_as_the_owner(machine: Machine, command: tuple[str, ...]) -> None:
    save_venues(machine.data / "venues.json", {})
    open_database(machine.data, "").dispose()  # the server programs may be in a folder that only root can read
    for one in machine.data.iterdir():
        os.chown(one, NOBODY.pw_uid, NOBODY.pw_gid)
    with machine.config.open("a") as config:
        config.write(f'venues = "{machine.data / "venues.json"}"\n')
    done = kiosk("federation", command[0], machine.config, *command[1:])
    assert done.returncode == 0 and not machine.foreign_files(), done


@pytest.mark.parametrize("command", [("audit", "verify"), ("doctor", "--config")])
def test_reading_commands_leave_no_file_of_root(machine: Machine, command: tuple[str, ...]) -> None:
    kiosk(*command, machine.config)
    assert machine.unharmed() and not machine.foreign_files()


def test_files_restored_into_a_head_s_folder_belong_to_its_owner(machine: Machine) -> None:
    (stick := machine.folder / "stick").mkdir(mode=0o700)
    assert kiosk("backup", machine.config, stick).returncode == 0
    restored = kiosk("restore", stick, machine.data, "--foreign", "--force")
    assert restored.returncode == 0, restored.stderr
    assert not machine.foreign_files()
