"""Tests of the privileged part of an update: what it refuses, what it changes, and how it rolls back."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from updates.signed_updates import FolderMachine, Maker

from engine.i18n import say
from kiosk.update import archive_and_install_requests
from kiosk.update.archive_and_install_requests import ARCHIVE, REQUEST, RESULT, ROOTS, TRIAL, WELL, InstallResult
from kiosk.update.update_installer import ETC, OPT, TRIAL_S, Folders, Installer, ThisMachine


@dataclass
class Place:
    """One table's folders, with a simulated clock. ``new_version``: the behaviour of a started version, given the
    nonce of its trial."""

    root: Path
    maker: Maker
    now_s: float = 0.0
    new_version: Callable[[str], None] = lambda nonce: None
    machine: FolderMachine = field(init=False)

    def __post_init__(self) -> None:
        self.folders = Folders(self.root / "theirs", self.root / "ours", self.root / "work", self.maker.key)
        self.folders.theirs.mkdir()
        (self.root / "versions").mkdir()
        self.machine = FolderMachine(self.root / "versions", self._started)

    def _started(self, version: str) -> None:
        if version == self.result.version and self.result.stage == "trial":
            self.new_version(self.result.nonce)

    def confirm_trial(self, nonce: str) -> None:
        confirmed = archive_and_install_requests.TrialConfirmed(nonce)
        archive_and_install_requests.write(self.folders.theirs, WELL, confirmed)

    @property
    def result(self) -> InstallResult:
        found = archive_and_install_requests.read(self.folders.ours, RESULT, InstallResult)
        assert found is not None
        return found

    def give(self, version: str = "1.1.0") -> str:
        """Store an update as the table's program does after fetching it."""
        made = self.maker.archive(version, self.folders.theirs / ARCHIVE)
        with made.open("rb") as file:
            return archive_and_install_requests.hash_of(file)

    def ask(self, do: str, sha256: str, id: str = "one") -> InstallResult | None:
        request = archive_and_install_requests.Request(id, do, sha256)  # type: ignore[arg-type]
        archive_and_install_requests.write(self.folders.theirs, REQUEST, request)
        return self.run()

    def run(self) -> InstallResult | None:
        return Installer(self.folders, self.machine, lambda: self.now_s, self._sleep).run()

    def _sleep(self, seconds: float) -> None:
        self.now_s += seconds


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "place").mkdir()
    return Place(tmp_path / "place", Maker(tmp_path / "maker"))


def ends(place: Place, do: str, sha256: str, id: str = "one") -> str:
    result = place.ask(do, sha256, id)
    assert result is not None
    return f"{result.stage}: {result.why or result.version}"


def test_an_update_is_built_tried_and_confirmed(place: Place) -> None:
    place.new_version = place.confirm_trial
    sha256 = place.give()
    assert ends(place, "stage", sha256) == "staged: 1.1.0"
    assert place.machine.now == "1.0.0" and not place.machine.used
    assert ends(place, "switch", sha256) == "in-use: 1.1.0"
    assert (place.machine.now, place.machine.trusted) == ("1.1.0", "1.1.0")
    assert not (place.folders.ours / TRIAL).exists() and not place.folders.work.exists()
    assert place.run() is None  # the same request again has no effect


@pytest.mark.parametrize("confirmed", [(), ("0" * 32, "f" * 32)])
def test_a_version_without_confirmation_is_rolled_back(place: Place, confirmed: tuple[str, ...]) -> None:
    """A confirmation of another trial, or one left by an earlier version, does not count."""
    for nonce in confirmed[:1]:
        place.confirm_trial(nonce)
        place.new_version = lambda _: place.confirm_trial(confirmed[1])
    sha256 = place.give()
    place.ask("stage", sha256)
    assert ends(place, "switch", sha256).startswith("returned: the new version did not open its journal")
    assert place.machine.used == ["1.1.0", "1.0.0"] and place.machine.trusted == ""
    assert TRIAL_S <= place.now_s < TRIAL_S + 2


@pytest.mark.parametrize("comes_up", [True, False])
def test_a_power_cut_during_the_trial_changes_nothing(place: Place, comes_up: bool) -> None:
    """The machine starts with the new version; root's helper finds the trial and waits for the rest of it."""
    sha256 = place.give()
    place.ask("stage", sha256)

    def cut(nonce: str) -> None:
        raise KeyboardInterrupt

    place.new_version = cut
    with pytest.raises(KeyboardInterrupt):
        place.ask("switch", sha256)
    assert place.machine.now == "1.1.0" and (place.folders.ours / TRIAL).exists()
    if comes_up:
        place.confirm_trial(place.result.nonce)
    result = place.run()
    assert result is not None and result.stage == ("in-use" if comes_up else "returned")
    assert place.machine.now == ("1.1.0" if comes_up else "1.0.0")
    assert not (place.folders.ours / TRIAL).exists()


def test_a_refused_update_is_never_built(place: Place, tmp_path: Path) -> None:
    sha256 = place.give("1.0.0")
    assert ends(place, "stage", sha256, "same") == "failed: version 1.0.0 is not newer than 1.0.0, which runs here"
    sha256 = place.give("0.9.0")  # an old archive that an attacker kept
    assert "not newer" in ends(place, "stage", sha256, "older")
    other = Maker(tmp_path / "other")
    made = other.archive("2.0.0", place.folders.theirs / ARCHIVE)
    with made.open("rb") as file:
        assert "somebody else" in ends(place, "stage", archive_and_install_requests.hash_of(file), "forged")
    place.give("2.0.0")
    assert "not the one that was offered" in ends(place, "stage", "0" * 64, "other")
    (place.folders.theirs / ARCHIVE).unlink()
    assert ends(place, "stage", sha256, "gone").startswith("failed")
    assert list(place.machine.place.iterdir()) == [] and place.machine.used == []


def test_a_link_or_a_pipe_in_the_tables_folder_is_not_followed(place: Place) -> None:
    sha256 = place.give()
    kept = place.root / "elsewhere"
    (place.folders.theirs / ARCHIVE).rename(kept)
    (place.folders.theirs / ARCHIVE).symlink_to(kept)
    assert ends(place, "stage", sha256, "link").startswith("failed")
    (place.folders.theirs / ARCHIVE).unlink()
    os.mkfifo(place.folders.theirs / ARCHIVE)
    assert "no plain file" in ends(place, "stage", sha256, "pipe")
    (place.folders.theirs / ARCHIVE).unlink()
    kept.rename(place.folders.theirs / ARCHIVE)
    assert ends(place, "stage", sha256, "plain").startswith("staged")


def test_full_disk_volatile_system_and_failed_build_keep_the_old_version(place: Place) -> None:
    sha256 = place.give()
    place.machine.room = 100_000_000
    assert "not enough room" in ends(place, "stage", sha256, "full")
    place.machine.room, place.machine.gone = 10**12, say("it is kept in memory")
    assert ends(place, "stage", sha256, "overlay") == "failed: it is kept in memory"
    place.machine.gone, place.machine.broken = None, True
    assert ends(place, "stage", sha256, "broken") == "failed: a package is missing"
    assert place.machine.used == [] and not place.folders.work.exists()


@pytest.mark.parametrize("folder", [OPT, ETC, ROOTS])
def test_every_folder_of_an_installation_must_keep_its_files_without_power(folder: Path) -> None:
    gone = say("it is kept in memory")
    assert ThisMachine(lambda asked: gone if asked == folder else None).lasting() == gone


def test_only_the_build_of_the_same_request_is_used(place: Place) -> None:
    sha256 = place.give()
    assert "not ready" in ends(place, "switch", sha256)
    place.ask("stage", sha256, "two")
    assert "not ready" in ends(place, "switch", sha256, "three")
    assert place.machine.used == []


def test_an_invalid_request_is_ignored(place: Place) -> None:
    for text in ("", "{", '{"id": 1}', '{"id": "a", "do": "rm", "sha256": ""}', "x" * 20_000):
        (place.folders.theirs / REQUEST).write_text(text)
        assert place.run() is None
