"""Installation of an update by root: verify the archive, build the version beside the one in use, switch over or back.

- Root trusts no statement of the table's program about an archive. It copies the archive where nobody else can write,
  and runs nothing of it before the maker's signature and every hash are verified.
- The version in use changes by one rename, and the new one is on trial: unless it confirms in time, also across a
  restart of the machine, the old version is restored automatically.
- This module runs from the last confirmed version (``trusted``), never from the one on trial.
"""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.i18n import Text, raised_as, say
from kiosk.errors import InputError
from kiosk.update import INSTALLED_KEY
from kiosk.update.archive_and_install_requests import (
    ARCHIVE,
    MAX_BYTES,
    REQUEST,
    RESULT,
    ROOTS,
    TRIAL,
    WELL,
    WHEELS,
    ArchiveError,
    InstallResult,
    Request,
    TrialConfirmed,
    check_newer,
    error_reason,
    hash_of,
    maker_key,
    manifest_of,
    open_regular_file,
    read,
    unpack,
    write,
)

log = logging.getLogger(__name__)

OPT, ETC = Path("/opt/othello-kiosk"), Path("/etc")
#: seconds for a started table to open its journal and to reach the head
TRIAL_S = 120.0
LOOK_S = 0.5
#: an unpacked and built version takes this multiple of the archive's bytes, and this many bytes stay free
TIMES, SPARE_BYTES = 5, 200_000_000
_BUILD_S = 1800
_CHUNK = 1 << 20


class ThisMachine:
    """The machine this runs on, through the ``install.sh`` of the version concerned. ``lasting``: why files written to
    a folder would be lost without power, None if they would not.
    """

    def __init__(self, lasting: Callable[[Path], Text | None]) -> None:
        self._lasting = lasting

    def current(self) -> str:
        """Return the version in use."""
        return str((OPT / "current").readlink())

    def build(self, source: Path) -> str:
        """Build a version of the unpacked ``source`` beside the one in use; return its name.

        :raises InputError: it cannot be built.
        """
        environ = {"WHEELS": str(source / WHEELS), "APT": "no"}
        return self._run(source / "systemd/install.sh", "stage", environ).splitlines()[-1]

    def use(self, version: str) -> None:
        """Switch to a version and start it.

        :raises InputError: it is missing, or cannot be used.
        """
        self._run(OPT / version / "systemd/install.sh", "use", {}, version)

    def trust(self, version: str) -> None:
        """Make this version the one that installs updates."""
        link = OPT / ".trusted"
        link.unlink(missing_ok=True)
        link.symlink_to(version)
        link.replace(OPT / "trusted")

    def free(self) -> int:
        """Return the free bytes where versions are installed."""
        return shutil.disk_usage(OPT).free

    def lasting(self) -> Text | None:
        """Return why files of an installation would be lost without power; None: they would not."""
        return next((why for folder in (OPT, ETC, ROOTS) if (why := self._lasting(folder)) is not None), None)

    def _run(self, script: Path, verb: str, environ: dict[str, str], *arguments: str) -> str:
        with raised_as(InputError, say("{path}: {why}", path=script), OSError, subprocess.TimeoutExpired):
            ended = subprocess.run(
                ["/bin/bash", str(script), verb, *arguments],
                env={**os.environ, **environ},
                capture_output=True,
                text=True,
                timeout=_BUILD_S,
                check=False,
            )
        log.info("%s %s: %s", script, verb, (ended.stdout + ended.stderr)[-2000:])
        if ended.returncode:
            text = (ended.stderr or ended.stdout).strip().splitlines()
            raise InputError.saying(
                "{path}: {why}", path=script.name, why=" ".join(text[-2:])[-300:] or ended.returncode
            )
        return ended.stdout.strip()


@dataclass(frozen=True, slots=True)
class Folders:
    """Folders of an update. ``theirs``: the table program's; ``ours``: root's, readable by others; ``work``: where root
    unpacks.
    """

    theirs: Path
    ours: Path = ROOTS
    work: Path = OPT / ".incoming"
    key: Path = INSTALLED_KEY


class Installer:
    """Executor of update requests, each once. ``run`` may be called after any change."""

    def __init__(
        self,
        folders: Folders,
        machine: ThisMachine,
        monotonic_s: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._folders, self._machine = folders, machine
        self._monotonic_s, self._sleep = monotonic_s, sleep

    def run(self) -> InstallResult | None:
        """Process the request and return the result; None: there was nothing to do.

        :raises OSError: root's own folder cannot be written.
        """
        last = read(self._folders.ours, RESULT, InstallResult)
        if last is not None and last.stage == "trial":
            return self._end_of_trial(last)  # the machine was switched off during the switch
        request = read(self._folders.theirs, REQUEST, Request)
        if request is None or _was_answered(request, last):
            return None
        try:
            if request.do == "stage":
                return self._write_result(self._stage(request))
            if last is None or last.stage != "staged" or last.id != request.id:
                raise ArchiveError.saying("that update is not ready to be used")
            return self._switch(last)
        except (InputError, OSError) as error:
            return self._write_result(InstallResult(request.id, "failed", why=error_reason(error)))

    # --- beside the version in use ---------------------------------------------------------------------------------

    def _stage(self, request: Request) -> InstallResult:
        if (problem := self._machine.lasting()) is not None:
            raise InputError(problem)
        maker = maker_key(self._folders.key)
        work = self._folders.work
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(mode=0o700, parents=True)
        try:
            with self._copy_archive(request, work / ARCHIVE).open("rb") as file:
                check_newer(manifest_of(file, maker).version, self._machine.current())
                file.seek(0)
                (source := work / "source").mkdir()
                manifest = unpack(file, maker, source)
            version = self._machine.build(source)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        log.info("version %s of update %s is ready as %s", manifest.version, request.id, version)
        return InstallResult(request.id, "staged", version, self._machine.current())

    def _copy_archive(self, request: Request, copy: Path) -> Path:
        """Return a copy of the archive that nobody else can change."""
        with open_regular_file(self._folders.theirs, ARCHIVE) as file:
            size = os.fstat(file.fileno()).st_size
            if size > MAX_BYTES:
                raise ArchiveError.saying("the update is too large")
            if self._machine.free() < size * TIMES + SPARE_BYTES:
                text = say("there is not enough room on the card: {n} MB are needed")
                raise ArchiveError(text(n=(size * TIMES + SPARE_BYTES) // 10**6))
            with copy.open("xb") as out:
                while data := file.read(_CHUNK):
                    out.write(data)
        with copy.open("rb") as file:
            if hash_of(file) != request.sha256:
                raise ArchiveError.saying("the archive is not the one that was offered")
        return copy

    # --- the change ------------------------------------------------------------------------------------------------

    def _switch(self, staged: InstallResult) -> InstallResult:
        check_newer(staged.version, before := self._machine.current())
        trial = InstallResult(staged.id, "trial", staged.version, before, secrets.token_hex(16))
        self._write_result(trial)
        write(self._folders.ours, TRIAL, staged.version, 0o644)  # systemd checks this file when the machine starts
        try:
            self._machine.use(staged.version)
        except InputError as error:
            return self._return(trial, error.text)
        return self._end_of_trial(trial)

    def _end_of_trial(self, trial: InstallResult) -> InstallResult:
        until_s = self._monotonic_s() + TRIAL_S
        while self._monotonic_s() < until_s:
            well = read(self._folders.theirs, WELL, TrialConfirmed)
            if well is not None and secrets.compare_digest(well.nonce, trial.nonce):
                self._machine.trust(trial.version)
                return self._finish_trial(InstallResult(trial.id, "in-use", trial.version, trial.before))
            self._sleep(LOOK_S)
        return self._return(
            trial, say("the new version did not open its journal and reach the head within {n} s", n=round(TRIAL_S))
        )

    def _return(self, trial: InstallResult, why: Text) -> InstallResult:
        log.warning("version %s was not well, %s returns: %s", trial.version, trial.before, why)
        self._machine.use(trial.before)
        return self._finish_trial(InstallResult(trial.id, "returned", trial.version, trial.before, why=why))

    def _finish_trial(self, result: InstallResult) -> InstallResult:
        self._write_result(result)
        (self._folders.ours / TRIAL).unlink(missing_ok=True)
        return result

    def _write_result(self, result: InstallResult) -> InstallResult:
        write(self._folders.ours, RESULT, result, 0o644)
        return result


def _was_answered(request: Request, last: InstallResult | None) -> bool:
    """Return whether the request was answered already: rewriting the same file is not a new request."""
    if last is None or last.id != request.id:
        return False
    return last.stage != "staged" or request.do == "stage"
