"""Tests of preparing memory cards: the bundle, the next number, and what a table imports at every start."""

from __future__ import annotations

import os
import subprocess
import tarfile
from pathlib import Path

import pytest
from waiting import HANGS_S

from kiosk.link.table_keys import load_key, new_keys, save_keys
from kiosk.table.table_config import TableConfig
from kiosk.typed_toml_reader import read_toml

SYSTEMD = Path(__file__).parents[2] / "systemd"
KEYS = new_keys([1, 2, 10])


def _run(script: str, *arguments: object, code: int = 0, **environ: str) -> str:
    command = [SYSTEMD / script, *map(str, arguments)]
    ended = subprocess.run(command, env={**os.environ, **environ}, capture_output=True, text=True, timeout=HANGS_S)
    assert ended.returncode == code, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundle")
    _run("imager/bundle.sh", folder, "192.168.10.1")
    return folder


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    folder = tmp_path / "keys"
    folder.mkdir()
    for number, key in KEYS.items():
        save_keys(folder / f"table-{number}.json", {number: key})
    return folder


def _boot(tmp_path: Path, name: str) -> Path:
    boot = tmp_path / name
    boot.mkdir()
    (boot / "cmdline.txt").write_text("console=tty1 root=PARTUUID=1-02 rootwait\n")
    return boot


def test_the_bundle_holds_all_that_an_installation_needs(bundle: Path) -> None:
    with tarfile.open(bundle / "othello/othello-kiosk.tar.gz") as archive:
        names = set(archive.getnames())
    assert {
        "pyproject.toml",
        "systemd/install.sh",
        "systemd/othello-table.service",
        "kiosk/cli.py",
        "README.md",
    } <= names
    assert not any("__pycache__" in name for name in names)
    assert (bundle / "user-data").read_text().startswith("#cloud-config\n")


def test_each_card_is_the_next_table_and_has_its_key(bundle: Path, keys: Path, tmp_path: Path) -> None:
    (bundle / "cards").unlink(missing_ok=True)
    for number in KEYS:
        boot = _boot(tmp_path, f"card-{number}")
        assert _run("imager/card-for.sh", bundle, keys, boot) == f"this card is table {number}\n"
        assert (boot / "othello/table").read_text() == f"{number}\n"
        assert (boot / "othello/key.json").read_bytes() == (keys / f"table-{number}.json").read_bytes()
        cmdline = (boot / "cmdline.txt").read_text()
        assert cmdline.startswith("console=tty1 ") and cmdline.count("\n") == 1, "the kernel reads one line"
        assert "systemd.run=/boot/firmware/firstrun.sh" in cmdline and (boot / "firstrun.sh").is_file()
    assert "every key" in _run("imager/card-for.sh", bundle, keys, _boot(tmp_path, "more"), code=1)
    assert "table 2" in _run("imager/card-for.sh", bundle, keys, tmp_path / "card-2", NUMBER="2")
    assert (tmp_path / "card-2/cmdline.txt").read_text().count("systemd.run=") == 1
    spare = _boot(tmp_path, "spare")
    assert _run("imager/card-for.sh", bundle, keys, spare, NUMBER="0") == "this card is a spare\n"
    assert (spare / "othello/table").read_text() == "0\n"
    assert not (spare / "othello/key.json").exists()
    assert "\n0\n" not in (bundle / "cards").read_text()


def test_a_folder_that_is_no_card_is_refused(bundle: Path, keys: Path, tmp_path: Path) -> None:
    assert "not the boot partition" in _run("imager/card-for.sh", bundle, keys, tmp_path, code=2)
    assert not (tmp_path / "othello").exists()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Return an installed table 1 with a boot partition."""
    root = tmp_path / "root"
    (root / "boot/firmware/othello").mkdir(parents=True)
    (root / "etc/othello-kiosk").mkdir(parents=True)
    text = (SYSTEMD / "table.toml").read_text().replace("@TABLE@", "1").replace("@HEAD_URL@", "ws://10.0.0.1:8043/link")
    (root / "etc/othello-kiosk/table.toml").write_text(text)
    return root


def _config(root: Path) -> TableConfig:
    return read_toml(root / "etc/othello-kiosk/table.toml", TableConfig)


def test_a_spare_becomes_another_table_by_its_card(table: Path, keys: Path) -> None:
    card = table / "boot/firmware/othello"
    (card / "table").write_bytes(b"\xef\xbb\xbf10\r\n")  # written on another computer
    (card / "head").write_text("192.168.10.1\n")
    (card / "key.json").write_bytes((keys / "table-10.json").read_bytes())
    _run("card.sh", DESTDIR=str(table))
    config = _config(table)
    assert config.table == 10
    assert config.head is not None and config.head.url == "ws://192.168.10.1:8043/link"
    assert load_key(table / "var/lib/othello-kiosk/key.json", 10) == KEYS[10]
    assert not (card / "key.json").exists(), "everybody who holds the card can read the boot partition"
    before = (table / "etc/othello-kiosk/table.toml").stat().st_ino
    _run("card.sh", DESTDIR=str(table))
    assert (table / "etc/othello-kiosk/table.toml").stat().st_ino == before, "nothing is written when nothing is new"


def test_a_card_can_delete_key_and_number_of_a_table(table: Path, keys: Path) -> None:
    """The table then requests another one (docs/reference/link-and-journal.md, "Enrolment")."""
    card = table / "boot/firmware/othello"
    (card / "key.json").write_bytes((keys / "table-10.json").read_bytes())
    _run("card.sh", DESTDIR=str(table))
    assert (table / "var/lib/othello-kiosk/key.json").exists()
    (card / "new-key").touch()
    (card / "table").write_text("0\n")
    _run("card.sh", DESTDIR=str(table))
    assert not (table / "var/lib/othello-kiosk/key.json").exists()
    assert not (card / "new-key").exists(), "only once"
    assert _config(table).table == 0


@pytest.mark.parametrize("number", ["00", "-1", "7a", "99999", '1"', "|", "$(id)", ""])
def test_an_invalid_number_changes_nothing(table: Path, number: str) -> None:
    (table / "boot/firmware/othello/table").write_text(number)
    before = (table / "etc/othello-kiosk/table.toml").read_bytes()
    output = _run("card.sh", DESTDIR=str(table))
    assert (table / "etc/othello-kiosk/table.toml").read_bytes() == before
    assert not number or "not a table number" in output


def test_a_card_without_the_folder_is_no_error(tmp_path: Path) -> None:
    assert _run("card.sh", DESTDIR=str(tmp_path)) == ""


def test_a_file_with_an_extension_is_read(table: Path) -> None:
    """Windows opens table.txt by a double click; a file without .txt takes precedence."""
    card = table / "boot/firmware/othello"
    (card / "table.txt").write_bytes(b"7\r\n")
    (card / "head.txt").write_bytes(b"head.local\r\n")
    chrony = table / "etc/chrony/conf.d/othello-table.conf"
    chrony.parent.mkdir(parents=True)
    chrony.write_text("server 10.0.0.1 iburst\n")
    _run("card.sh", DESTDIR=str(table))
    config = _config(table)
    assert config.head is not None
    assert (config.table, config.head.url) == (7, "ws://head.local:8043/link")
    assert "\nserver head.local iburst" in chrony.read_text(), "the time comes from the same head"
    (card / "table").write_text("3\n")
    _run("card.sh", DESTDIR=str(table))
    assert _config(table).table == 3


def test_the_whole_configuration_may_be_on_the_card(table: Path) -> None:
    card = table / "boot/firmware/othello"
    text = '# 会場\r\ntable = 9\r\ndata = "/var/lib/othello-kiosk"\r\n[screen]\r\nfacing = "same"\r\n'
    (card / "table.toml").write_bytes(b"\xef\xbb\xbf" + text.encode())
    (card / "table.txt").write_text("0\n")
    _run("card.sh", DESTDIR=str(table))
    config = _config(table)
    assert (config.table, config.head, config.screen.facing) == (9, None, "same")
    assert (table / "etc/othello-kiosk/table.toml").read_text().startswith("# 会場\n")
    before = (table / "etc/othello-kiosk/table.toml").stat().st_ino
    _run("card.sh", DESTDIR=str(table))
    assert (table / "etc/othello-kiosk/table.toml").stat().st_ino == before


def test_a_card_with_the_ready_image_gets_its_number_key_and_head_and_nothing_else(
    bundle: Path, keys: Path, tmp_path: Path
) -> None:
    boot = _boot(tmp_path, "ready")
    (boot / "othello").mkdir()
    for name in ("README.txt", "table", "head"):
        (boot / "othello" / name).touch()
    before = (boot / "cmdline.txt").read_text()
    assert _run("imager/card-for.sh", bundle, keys, boot, NUMBER="2") == "this card is table 2\n"
    assert (boot / "cmdline.txt").read_text() == before, "nothing is to be installed"
    assert sorted(path.name for path in (boot / "othello").iterdir()) == [
        *("README.txt", "head.txt", "key.json", "table.txt")
    ], "README.txt names table.txt and head.txt, which others would overrule"
    assert (boot / "othello/table.txt").read_bytes() == b"2\r\n"
    assert (boot / "othello/head.txt").read_bytes() == b"192.168.10.1\r\n"
