"""Tests of a head's icon: what its files contain, that they can be removed, and that it opens the desk of a head."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
import webbrowser
from pathlib import Path, PureWindowsPath

import msgspec
import pytest
from heads.world import running_head

from kiosk.head import desktop_icon_and_browser_launch
from kiosk.head.desktop_icon_and_browser_launch import UNIT, install, linux_files, open_desk, uninstall, windows_script
from kiosk.head.head_config import HeadConfig

#: a folder whose name has all characters with a special meaning in these files
ODD = Path('/home/青木/50% of $HOME "x" `y` \\z/head.toml')


def _parsed(text: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(text)
    return parser


def _words(line: str) -> list[str]:
    """Return the words of a quoted command line with backslash escapes."""
    return [re.sub(r"\\(.)", r"\1", word) for word in re.findall(r'"((?:[^"\\]|\\.)*)"', line)]


def test_systemd_starts_the_head_of_the_folder_and_starts_it_again() -> None:
    files = linux_files(Path("/home/青木"), "/opt/py thon", ODD, None)
    unit = _parsed(files[Path("/home/青木/.config/systemd/user") / UNIT])
    line = unit["Service"]["ExecStart"].replace("%%", "%").replace("$$", "$")
    assert _words(line) == [
        "/opt/py thon", "-m", "kiosk", "head", "--config", str(ODD), "%t/othello-head-setup-code",
    ]  # fmt: skip
    assert unit["Service"]["Restart"] == "always" and unit["Install"]["WantedBy"] == "default.target"
    assert unit["Unit"]["StartLimitIntervalSec"] == "0"  # restarts are unlimited


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    files = linux_files(tmp_path, shutil.which("true") or "/bin/true", tmp_path / "50% 青木/head.toml", None)
    unit = tmp_path / UNIT
    unit.write_text(next(text for path, text in files.items() if path.name == UNIT), encoding="utf-8")
    ended = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", str(unit)], capture_output=True, text=True, check=False
    )
    assert UNIT not in ended.stderr, ended.stderr


def test_the_icon_opens_the_desk_from_menu_desktop_and_sign_in() -> None:
    home = Path("/home/青木")
    files = linux_files(home, "/usr/bin/python3", ODD, home / "デスクトップ")
    entries = [files[path] for path in files if path.suffix == ".desktop"]
    assert {path.parent.name for path in files if path.suffix == ".desktop"} == {
        "applications", "autostart", "デスクトップ",
    }  # fmt: skip
    assert len(set(entries)) == 1
    entry = _parsed(entries[0])["Desktop Entry"]
    assert entry["Terminal"] == "false" and "オセロ" in entry["Name[ja]"] and "svg" in entry["Icon"]
    value = entry["Exec"].replace("\\\\", "\\").replace("%%", "%")  # the escapes of every value, and of field codes
    assert _words(value) == ["/usr/bin/python3", "-m", "kiosk", "head", "--config", str(ODD), "--open"]
    assert "<svg" in files[Path(entry["Icon"])]


def test_windows_gets_two_shortcuts() -> None:
    """One is on the desktop, and one in the folder of programs that start automatically."""
    config = PureWindowsPath(r"C:\Users\O'Neil 青木\春の大会\head.toml")
    lines = windows_script(r"C:\Python\python.exe", config).splitlines()
    links = [line for line in lines if "CreateShortcut" in line]
    assert [re.search(r"GetFolderPath\('(\w+)'\)", line)[1] for line in links] == ["Desktop", "Startup"]  # type: ignore[index]
    assert lines.count(r"$link.TargetPath = 'C:\Python\python.exe'") == 2
    quoted = str(config).replace("'", "''")
    assert lines.count(f"$link.Arguments = '-m kiosk head --config \"{quoted}\" --open'") == 2
    assert lines.count("$link.Save()") == 2 and lines.count("$link.WindowStyle = 7") == 2
    removal = desktop_icon_and_browser_launch.windows_removal()
    assert all(re.search(r"'([^']+\.lnk)'", line)[1] in removal for line in links)  # type: ignore[index]


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Records the commands instead of running them; the user's folder has only a desktop folder with another name."""
    run: list[list[str]] = []
    monkeypatch.setattr(desktop_icon_and_browser_launch, "_try", lambda command: run.append(list(command)) or True)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".config").mkdir()
    (tmp_path / "デスクトップ").mkdir()
    (tmp_path / ".config/user-dirs.dirs").write_text('XDG_DESKTOP_DIR="$HOME/デスクトップ"\n', encoding="utf-8")
    return run


def test_uninstalling_removes_every_installed_file(tmp_path: Path, commands: list[list[str]]) -> None:
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    (config := tmp_path / "spring/head.toml").parent.mkdir()
    config.write_text('data = "data"\n')
    here = HeadConfig(data=tmp_path, keys=None, host="127.0.0.1", port=1)  # nothing listens on this port
    install(config, here)
    made = {path for path in tmp_path.rglob("*") if path.is_file()} - before - {config}
    assert len(made) == 5 and tmp_path / "デスクトップ/othello-head.desktop" in made
    assert all(path.stat().st_mode & 0o100 for path in made if path.suffix == ".desktop")
    assert ["systemctl", "--user", "enable", "--now", UNIT] in commands
    install(config, here)  # a second call changes nothing
    uninstall()
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == before | {config}
    assert ["systemctl", "--user", "disable", "--now", UNIT] in commands


def test_the_icon_opens_the_desk_of_the_head_that_runs(
    tmp_path: Path, commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The setup code is filled in while there is no chief arbiter; without a running head, this process becomes it."""
    shown: list[str] = []
    monkeypatch.setattr(webbrowser, "open", shown.append)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with running_head(tmp_path) as (program, url):
        config = msgspec.structs.replace(program.config, port=int(url.rpartition(":")[2]))
        assert open_desk(config)
        (tmp_path / "othello-head-setup-code").write_text("ABCD-EFGH\n")
        assert open_desk(config)
        install(tmp_path / "head.toml", config)  # while it runs in a terminal, systemd must not start a second one
    assert ["systemctl", "--user", "enable", UNIT] in commands
    (tmp_path / ".config/systemd/user" / UNIT).unlink()
    commands.clear()
    assert shown == [f"{url}/desk", f"{url}/sign-in/code#ABCD-EFGH"] and commands == []
    assert not open_desk(config) and commands == []
    unit = tmp_path / ".config/systemd/user" / UNIT
    unit.touch()
    waited: list[float] = []
    with pytest.raises(desktop_icon_and_browser_launch.InputError, match="journalctl"):
        open_desk(config, waited.append)
    assert commands == [["systemctl", "--user", "start", "--no-block", UNIT]]
    assert len(waited) == desktop_icon_and_browser_launch.START_S
