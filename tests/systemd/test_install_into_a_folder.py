"""Tests of systemd/install.sh into DESTDIR: layout, update, rollback, uninstall. Nothing outside the folder changes.

Python itself is replaced by a stub that makes an empty environment at once; tests/systemd/prove_in_nspawn.sh installs
the real one under a real systemd.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from waiting import HANGS_S

from kiosk.head.head_config import HeadConfig
from kiosk.table.table_config import TableConfig
from kiosk.typed_toml_reader import read_toml

ROOT = Path(__file__).parents[2]
#: where the script copies the source to in every run: a thousand files, fastest in memory
SCRATCH = next(place for place in ("/dev/shm", "/tmp") if os.access(place, os.W_OK))
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
STAND_IN = f"""#!/bin/sh
case "$1 $2" in
    "-m venv")
        mkdir -p "$3/bin"; cp "$0" "$3/bin/python"
        printf '#!%s/bin/python\\n' "$3" > "$3/bin/kiosk"; printf 'command = %s\\n' "$3" > "$3/pyvenv.cfg";;
    "-m pip") exit 0;;
    "-m compileall") exit 0;;
    *) exec {sys.executable} "$@";;
esac
"""


class Installation:
    def __init__(self, directory: Path) -> None:
        self.root = directory / "root"
        self.root.mkdir()
        self.python = directory / "python3"
        self.python.write_text(STAND_IN)
        self.python.chmod(0o755)

    def run(self, *arguments: str, code: int = 0, **environ: str) -> str:
        settings = {**os.environ, "DESTDIR": str(self.root), "PYTHON": str(self.python), "TMPDIR": SCRATCH, **environ}
        command = [ROOT / "systemd/install.sh", *arguments]
        ended = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=HANGS_S)
        assert ended.returncode == code, ended.stdout + ended.stderr
        return ended.stdout + ended.stderr

    @property
    def current(self) -> str:
        return str((self.root / "opt/othello-kiosk/current").readlink())

    def files(self) -> set[str]:
        return {str(path.relative_to(self.root)) for path in self.root.rglob("*") if not path.is_dir()}


@pytest.fixture
def place(tmp_path: Path) -> Installation:
    return Installation(tmp_path)


def test_a_machine_gets_the_extras_that_it_needs(place: Installation) -> None:
    """The extras are those of its roles and configuration, those requested, and those of the version before."""

    def extras() -> list[str]:
        return (place.root / "opt/othello-kiosk/current/extras").read_text().strip().split(",")

    place.run("table")
    assert extras() == ["table"]
    config = place.root / "etc/othello-kiosk/table.toml"
    config.write_text(config.read_text().replace('source = "none" ', 'source = "camera" '))
    place.run("table")
    assert extras() == ["camera", "table"]
    config.write_text(config.read_text().replace('source = "camera" ', 'source = "none" '))
    place.run("table", EXTRAS="publish")
    place.run("use", place.run("stage").split()[-1])
    assert extras() == ["camera", "publish", "table"]
    place.run("head")
    assert extras() == ["camera", "head", "postgres", "publish", "table"]


def test_a_table_has_its_program_its_services_and_a_configuration_it_can_read(place: Installation) -> None:
    place.run("table", "192.168.10.1", TABLE="7")
    assert place.current == VERSION
    assert (place.root / "usr/local/bin/kiosk").readlink() == Path("/opt/othello-kiosk/current/bin/kiosk")
    wants = place.root / "etc/systemd/system/multi-user.target.wants"
    assert sorted(link.name for link in wants.iterdir()) == [
        "othello-card.service",
        "othello-table.service",
        "othello-update.path",
    ]
    assert all((wants / link).resolve().is_file() for link in wants.iterdir())
    config = read_toml(place.root / "etc/othello-kiosk/table.toml", TableConfig)
    assert config.table == 7
    assert config.head is not None and config.head.url == "ws://192.168.10.1:8043/link"
    assert "server 192.168.10.1 " in (place.root / "etc/chrony/conf.d/othello-table.conf").read_text()


def test_a_spare_is_installed_without_a_number(place: Installation) -> None:
    place.run("table", "192.168.10.1", TABLE="0")
    assert read_toml(place.root / "etc/othello-kiosk/table.toml", TableConfig).table == 0


def test_nobody_can_log_in_on_a_tables_display(place: Installation) -> None:
    place.run("table", "192.168.10.1")
    system = place.root / "etc/systemd/system"
    assert (system / "getty@tty1.service").readlink() == Path("/dev/null")
    assert (system / "ctrl-alt-del.target").readlink() == Path("/dev/null")


def test_a_head_serves_time_and_keeps_its_console(place: Installation) -> None:
    place.run("head")
    assert "allow 192.168.0.0/16" in (place.root / "etc/chrony/conf.d/othello-head.conf").read_text()
    assert not (place.root / "etc/systemd/system/getty@tty1.service").is_symlink()
    config = read_toml(place.root / "etc/othello-kiosk/head.toml", HeadConfig)
    assert config.data == Path("/var/lib/othello-head")
    assert not (place.root / "etc/systemd/system/othello-table.service").exists()


def test_a_table_without_a_head_is_a_free_clock(place: Installation) -> None:
    place.run("table", "")
    assert read_toml(place.root / "etc/othello-kiosk/table.toml", TableConfig).head is None


@pytest.mark.parametrize(
    ("head", "url"),
    [
        ("head.local", "ws://head.local:8043/link"),
        ("192.168.10.1:9000", "ws://192.168.10.1:9000/link"),
        ("[fd00::1]", "ws://[fd00::1]:8043/link"),
        ("wss://head.example:443/link", "wss://head.example:443/link"),
    ],
)
def test_the_heads_address_may_be_short(place: Installation, head: str, url: str) -> None:
    place.run("table", head)
    config = read_toml(place.root / "etc/othello-kiosk/table.toml", TableConfig)
    assert config.head is not None and config.head.url == url


@pytest.mark.parametrize("head", ["a b", 'x"', "$(id)", "a|b", "http://x", "a;b"])
def test_an_invalid_address_is_refused_before_anything_is_changed(place: Installation, head: str) -> None:
    assert "is no address" in place.run("table", head, code=2)
    assert place.files() == set()


def test_an_update_leaves_the_configuration_and_the_old_version(place: Installation) -> None:
    place.run("table", "192.168.10.1", TABLE="7")
    config = place.root / "etc/othello-kiosk/table.toml"
    config.write_text(config.read_text() + "# mine\n")
    before = config.read_bytes()
    place.run("table", "192.168.10.9", TABLE="8")
    assert config.read_bytes() == before
    assert place.current == f"{VERSION}-2"
    assert place.run("versions") == f"  {VERSION}\n* {VERSION}-2\n"


def test_rolling_back_brings_the_old_program_and_its_system_files(place: Installation) -> None:
    place.run("table", "192.168.10.1")
    old_unit = place.root / "opt/othello-kiosk" / VERSION / "systemd/othello-table.service"
    old_unit.write_text(old_unit.read_text() + "# old\n")
    place.run("table", "192.168.10.1")
    unit = place.root / "etc/systemd/system/othello-table.service"
    assert "# old" not in unit.read_text()
    place.run("use", VERSION)
    assert place.current == VERSION
    assert "# old" in unit.read_text()
    assert "is not installed" in place.run("use", "9.9", code=2)
    assert place.current == VERSION


def test_staging_a_version_changes_nothing_that_runs(place: Installation) -> None:
    """This is root's part of an update (docs/setup/updates.md)."""
    place.run("table", "192.168.10.1", UPDATE_KEY=str(ROOT / "LICENSE"))
    assert (place.root / "etc/othello-kiosk/update-key").read_bytes() == (ROOT / "LICENSE").read_bytes()
    before = {name: (place.root / name).lstat().st_mtime_ns for name in place.files()}
    assert place.run("stage").splitlines()[-1] == f"{VERSION}-2"
    assert place.current == VERSION
    assert {name: (place.root / name).lstat().st_mtime_ns for name in before} == before
    place.run("use", f"{VERSION}-2")
    trusted = place.root / "opt/othello-kiosk/trusted"
    assert (place.current, str(trusted.readlink())) == (f"{VERSION}-2", VERSION), "it is on trial"
    for _ in range(4):
        place.run("stage")
    assert {VERSION, f"{VERSION}-2"} <= {*place.run("versions").replace("*", " ").split()}


def test_an_update_that_fails_leaves_the_running_version(place: Installation) -> None:
    place.run("table", "192.168.10.1")
    place.python.write_text(STAND_IN.replace('"-m pip") exit 0', '"-m pip") exit 1'))
    place.run("table", "192.168.10.1", code=1)
    assert place.current == VERSION
    assert place.run("versions") == f"* {VERSION}\n"


def test_old_versions_are_removed_but_never_the_one_in_use(place: Installation) -> None:
    for _ in range(4):
        place.run("head")
    assert place.run("versions").split() == [f"{VERSION}-2", f"{VERSION}-3", "*", f"{VERSION}-4"]


def test_uninstalling_leaves_data_keys_and_configuration_only(place: Installation) -> None:
    place.run("table", "192.168.10.1")
    place.run("head")
    data = place.root / "var/lib/othello-kiosk/journal/segment"
    data.parent.mkdir(parents=True)
    data.write_text("games")
    place.run("uninstall")
    assert place.files() == {
        "etc/othello-kiosk/table.toml",
        "etc/othello-kiosk/head.toml",
        "var/lib/othello-kiosk/journal/segment",
    }


def test_an_environment_made_below_destdir_names_the_place_where_it_will_live(place: Installation) -> None:
    place.run("head")
    script = place.root / "opt/othello-kiosk" / VERSION / "bin/kiosk"
    assert script.read_text() == f"#!/opt/othello-kiosk/{VERSION}/bin/python\n"
