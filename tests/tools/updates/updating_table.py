"""Tables under update: the real maintenance client, root's real installer, versions that are folders; only the program
that a version starts is a stand-in, which replaces the one before.

A table here downloads, checks, requests installation and switches over as a real one does. ``works`` says whether the
program of a version starts there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from updates.signed_updates import FolderMachine

from kiosk.table.device.update_and_diagnostics_client import Ask, MaintenanceClient, MaintenanceSettings
from kiosk.table.state import TableState
from kiosk.update.archive_and_install_requests import FOLDER, InstallResult
from kiosk.update.table_update_and_diagnostics_messages import What
from kiosk.update.update_installer import Folders, Installer


class UpdatedTable:
    """One table. ``step`` is one request of the running program to the head, followed by the installation it asks for.
    ``now_s`` is the table's own time; the wait of a trial passes at once."""

    def __init__(
        self,
        number: int,
        key: bytes,
        place: Path,
        maker: Path,
        ask: Ask,
        works: Callable[[str], bool] = lambda version: True,
        look: Callable[[What], str] = lambda what: f"the {what} of this table",
    ) -> None:
        self.number, self.key, self.place, self.maker, self.ask, self.works = number, key, place, maker, ask, works
        self.look = look
        self.state = TableState(number)
        self.now_s, self.room = 0.0, 10**12
        self.said: list[str] = []
        (place / "versions").mkdir(parents=True)
        self.folders = Folders(place / "data" / FOLDER, place / "ours", place / "work", maker)
        self.machine = FolderMachine(place / "versions", self._start)
        self._start(self.machine.now)

    def _start(self, version: str) -> None:
        self.program: MaintenanceClient | None = None
        if self.works(version):
            self.program = MaintenanceClient(
                self.number,
                self.key,
                self.place / "data",
                self.ask,
                lambda: self.state,
                lambda: True,
                MaintenanceSettings(
                    maker=self.maker,
                    roots=self.folders.ours,
                    look=self.look,
                    version=lambda: version,
                    free=lambda folder: self.room,
                    monotonic_s=lambda: self.now_s,
                ),
            )

    def step(self) -> float:
        """Return the seconds until the next request."""
        assert self.program is not None
        wait_s = self.program.step()
        self.root()
        return wait_s

    def root(self) -> InstallResult | None:
        return Installer(self.folders, self.machine, lambda: self.now_s, self._sleep).run()

    def _sleep(self, seconds: float) -> None:
        """Let the version on trial make its requests while the installer waits for it."""
        self.now_s += seconds
        if self.program is not None:
            self.program.step()

    @property
    def stage(self) -> str:
        return "" if self.program is None else self.program.kept.stage.value

    def until(self, *stages: str, most: int = 400) -> str:
        """Repeat requests until the update is in one of these stages."""
        for _ in range(most):
            if self.stage in stages:
                return self.stage
            self.step()
        raise AssertionError(f"table {self.number} stays {self.stage}: {self.program and self.program.kept}")
