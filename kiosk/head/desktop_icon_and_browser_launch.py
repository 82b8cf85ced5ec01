"""Icon of a head on the desktop of its computer, and the start of the desk in its browser, so that nobody needs a
terminal, not even after a power cut.

- On Linux a systemd user unit runs the head and restarts it; entries in the menu, on the desktop and among the programs
  that start at sign-in open the desk.
- On Windows shortcuts on the desktop and among the programs that start at sign-in run the head and open the desk.

The files of the installation are returned as texts; ``install`` and ``uninstall`` write and remove them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
import webbrowser
from collections.abc import Callable, Sequence
from importlib.resources import files as resources
from pathlib import Path, PureWindowsPath

from engine.i18n import Text, say
from kiosk.errors import InputError
from kiosk.head.head_config import HeadConfig
from kiosk.locale import ENGLISH, JAPANESE, render

UNIT = "othello-head.service"
_ENTRY = "othello-head.desktop"
_SHORTCUT = "Othello head.lnk"
_NAME = say("Othello tournament head")
#: how long a start may take: an event of many games is computed anew
START_S = 300
_ASK_S, _COMMAND_S = 2.0, 60


def linux_files(home: Path, python: str, config: Path, desktop: Path | None) -> dict[Path, str]:
    """Return the files of the installation. ``desktop``: the folder that the desktop shows; None: there is none."""
    command = [python, "-m", "kiosk", "head", "--config", str(config)]
    unit = f"""\
[Unit]
Description={render(_NAME, ENGLISH)} ({_percent(str(config.parent))})
StartLimitIntervalSec=0

[Service]
Type=notify
ExecStart={_unit_words(command)} --setup-code "%t/{_CODE}"
WorkingDirectory={_percent(str(config.parent))}
Environment=PYTHONUNBUFFERED=1
StandardOutput=null
UMask=0077
Restart=always
RestartSec=1
TimeoutStartSec=300
TimeoutStopSec=20
WatchdogSec=180

[Install]
WantedBy=default.target
"""
    entry = f"""\
[Desktop Entry]
Type=Application
Version=1.0
Name={render(_NAME, ENGLISH)}
Name[ja]={render(_NAME, JAPANESE)}
Exec={_entry_words([*command, "--open"])}
Icon={home / ".local/share/icons/othello-head.svg"}
Terminal=false
Categories=Office;
"""
    icon = resources("kiosk.head.web").joinpath("static/icon.svg").read_text(encoding="utf-8")
    found = {
        home / ".config/systemd/user" / UNIT: unit,
        home / ".local/share/icons/othello-head.svg": icon,
        home / ".local/share/applications" / _ENTRY: entry,
        home / ".config/autostart" / _ENTRY: entry,
    }
    return found if desktop is None else found | {desktop / _ENTRY: entry}


#: the file with the setup code, in the folder of the user's running programs
_CODE = "othello-head-setup-code"


def _percent(text: str) -> str:
    return text.replace("%", "%%")


def _unit_words(words: Sequence[str]) -> str:
    """Return a command line for ``ExecStart`` (systemd.service(5))."""
    plain = str.maketrans({"\\": "\\\\", '"': '\\"', "%": "%%", "$": "$$"})
    return " ".join(f'"{word.translate(plain)}"' for word in words)


def _entry_words(words: Sequence[str]) -> str:
    """Return a command line for ``Exec``: quoted, and escaped once more as every value of a desktop entry."""
    quoted = str.maketrans({"\\": "\\\\", '"': '\\"', "`": "\\`", "$": "\\$", "%": "%%"})
    return " ".join(f'"{word.translate(quoted)}"' for word in words).replace("\\", "\\\\")


def windows_script(python: str, config: PureWindowsPath) -> str:
    """Return the PowerShell script that makes the shortcuts. The head runs in a minimised window."""
    arguments = f'-m kiosk head --config "{config}" --open'
    lines = [
        "$shell = New-Object -ComObject WScript.Shell",
        *(line for place in _PLACES for line in (
            f"$link = $shell.CreateShortcut((Join-Path ([Environment]::GetFolderPath('{place}')) '{_SHORTCUT}'))",
            f"$link.TargetPath = {_power_word(python)}",
            f"$link.Arguments = {_power_word(arguments)}",
            f"$link.WorkingDirectory = {_power_word(str(config.parent))}",
            f"$link.Description = {_power_word(render(_NAME, ENGLISH))}",
            "$link.WindowStyle = 7",
            "$link.Save()",
        )),
    ]  # fmt: skip
    return "\n".join(lines)


_PLACES = ("Desktop", "Startup")


def windows_removal() -> str:
    """Return the PowerShell script that removes the shortcuts."""
    return "\n".join(
        f"Remove-Item -ErrorAction SilentlyContinue (Join-Path ([Environment]::GetFolderPath('{place}')) '{_SHORTCUT}')"
        for place in _PLACES
    )


def _power_word(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def install(config_file: Path, config: HeadConfig) -> list[Text]:
    """Install the icon of the head with this configuration; return what to tell the operator.

    :raises InputError: the system has no such icons, or refuses.
    """
    config_file = config_file.resolve()
    if sys.platform == "win32":
        _run(["powershell", "-NoProfile", "-Command", windows_script(sys.executable, PureWindowsPath(config_file))])
        return [say("The icon is on the desktop; the head starts by itself when you sign in.")]
    home = _home()
    for path, text in linux_files(home, sys.executable, config_file, _desktop(home)).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if path.suffix == ".desktop":
            path.chmod(0o755)
            _try(["gio", "set", str(path), "metadata::trusted", "true"])
    messages = [say("The icon is in the menu and on the desktop; it opens the desk.")]
    runs = _answers(config)  # in a terminal: it goes on there
    start = [] if runs else ["--now"]
    if _try(["systemctl", "--user", "daemon-reload"]) and _try(["systemctl", "--user", "enable", *start, UNIT]):
        if runs:
            return [*messages, say("This head goes on where it runs; from the next sign-in on it starts by itself.")]
        return [*messages, say("The head runs now, and starts by itself when you sign in.")]
    return [*messages, say("systemd could not start the head here; the icon starts it.")]


def uninstall() -> list[Text]:
    """Stop the head of the icon and remove what ``install`` wrote. The head's folder stays as it is.

    :raises InputError: as ``install``.
    """
    if sys.platform == "win32":
        _run(["powershell", "-NoProfile", "-Command", windows_removal()])
    else:
        home = _home()
        _try(["systemctl", "--user", "disable", "--now", UNIT])
        for path in linux_files(home, "", Path("/"), _desktop(home)):
            path.unlink(missing_ok=True)
        _try(["systemctl", "--user", "daemon-reload"])
    return [say("The icon is removed; the event's folder is as it was.")]


def _home() -> Path:
    if sys.platform != "linux":
        raise InputError.saying("icons are made on Linux and Windows only; start the head with: kiosk head")
    return Path.home()


def _desktop(home: Path) -> Path | None:
    """Return the folder that the desktop shows, which has another name in other languages (xdg-user-dirs)."""
    named = home / ".config/user-dirs.dirs"
    lines = named.read_text(encoding="utf-8", errors="replace").splitlines() if named.is_file() else []
    found = (line.partition("=")[2].strip('"') for line in lines if line.startswith("XDG_DESKTOP_DIR="))
    folder = Path(next(found, "$HOME/Desktop").replace("$HOME", str(home)))
    return folder if folder.is_dir() and folder != home else None


def _try(command: Sequence[str]) -> bool:
    try:
        ended = subprocess.run(command, capture_output=True, timeout=_COMMAND_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return ended.returncode == 0


def _run(command: Sequence[str]) -> None:
    if not _try(command):
        raise InputError.saying("the shortcut could not be made; start the head with: kiosk head")


# opening the desk


def open_desk(config: HeadConfig, sleep: Callable[[float], None] = time.sleep) -> bool:
    """Open the desk of a head that runs, or that systemd starts, in the browser. Return False if this process has to
    be the head."""
    home = Path.home()
    if not _answers(config) and not (
        (home / ".config/systemd/user" / UNIT).exists() and _try(["systemctl", "--user", "start", "--no-block", UNIT])
    ):
        return False
    for _ in range(START_S):
        if _answers(config):
            code = Path(os.environ.get("XDG_RUNTIME_DIR", "/nowhere")) / _CODE
            show_desk(address(config), code.read_text(encoding="ascii").strip() if code.is_file() else "")
            return True
        sleep(1)
    raise InputError.saying("the head does not start; its log says why: journalctl --user -u {unit}", unit=UNIT)


def address(config: HeadConfig) -> str:
    """Return the head's address for a browser on this computer."""
    host = "127.0.0.1" if config.host in ("0.0.0.0", "::", "") else config.host
    return f"http://{f'[{host}]' if ':' in host else host}:{config.port}"


def show_desk(url: str, code: str) -> None:
    """Open the desk in the browser; with a setup code, the page that takes it."""
    webbrowser.open(f"{url}/sign-in/code#{code}" if code else f"{url}/desk")


def _answers(config: HeadConfig) -> bool:
    """Check whether a head answers at the address."""
    try:
        with urllib.request.urlopen(f"{address(config)}/hall.json", timeout=_ASK_S) as answer:
            return "divisions" in json.loads(answer.read(1_000_000))
    except (OSError, ValueError, urllib.error.URLError):
        return False
