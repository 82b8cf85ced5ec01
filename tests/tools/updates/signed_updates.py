"""Small updates, made and signed as real ones, and a machine whose versions are folders."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from engine.i18n import Text, say
from kiosk.errors import InputError
from kiosk.update import PUBLIC_FILE, SECRET_FILE
from kiosk.update.archive_and_install_requests import create_maker_key, make, version_in
from kiosk.update.update_installer import ThisMachine


class Maker:
    """A maker of updates. ``ballast``: bytes of the one wheel in each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.public = create_maker_key(folder)
        self.key = folder / PUBLIC_FILE

    def archive(self, version: str, out: Path, ballast: int = 1000) -> Path:
        source, wheels = self.folder / f"source-{version}", self.folder / f"wheels-{version}"
        for name in ("docs/guide", "engine", "hardware", "kiosk", "systemd"):
            (source / name).mkdir(parents=True, exist_ok=True)
            (source / name / "__init__.py").write_text(f"VERSION = {version!r}\n")
        (source / "systemd/install.sh").write_text("#!/bin/bash\n")
        (source / "systemd/install.sh").chmod(0o755)
        for name in ("README.md", "LICENSE", "setup.py"):
            (source / name).write_text(name)
        (source / "pyproject.toml").write_text(f'[project]\nversion = "{version}"\n')
        wheels.mkdir(exist_ok=True)
        (wheels / "one-1.0-py3-none-any.whl").write_bytes(bytes(range(256)) * (ballast // 256 + 1))
        make(source, wheels, self.folder / SECRET_FILE, out)
        return out


@dataclass
class FolderMachine(ThisMachine):
    """The versions of one table as folders below ``place``; ``start`` is called when another one is used."""

    place: Path
    start: Callable[[str], None] = lambda version: None
    room: int = 10**12
    gone: Text | None = None
    broken: bool = False
    trusted: str = ""
    used: list[str] = field(default_factory=list)
    now: str = "1.0.0"

    def current(self) -> str:
        return self.now

    def build(self, source: Path) -> str:
        if self.broken:
            raise InputError(say("a package is missing"))
        version = plain = version_in(source)
        number = 1
        while (self.place / version).exists():
            number += 1
            version = f"{plain}-{number}"
        assert (source / "wheels/one-1.0-py3-none-any.whl").exists()
        shutil.copytree(source, self.place / version)
        return version

    def use(self, version: str) -> None:
        self.used.append(version)
        self.now = version
        self.start(version)

    def trust(self, version: str) -> None:
        self.trusted = version

    def free(self) -> int:
        return self.room

    def lasting(self) -> Text | None:
        return self.gone
