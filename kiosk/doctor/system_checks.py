"""Checks shared by tables and heads: Python, disk, the machine's clock."""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path

from engine.i18n import say
from kiosk.doctor.check_result import CheckResult, ok, problem, warning
from kiosk.errors import MissingExtraError, require_extra

OLDEST_PYTHON = (3, 11)
#: an event of a weekend needs less than 50 MB; with less free space the journal may fill the disk
NEEDED_BYTES, GOOD_BYTES = 50_000_000, 500_000_000
_TIME_ERROR = 5  # adjtimex(2): the clock is not synchronised
_TIMEX_BYTES = 512  # larger than any struct timex


def python(version: tuple[int, ...] = sys.version_info[:3]) -> CheckResult:
    have, need = ".".join(map(str, version)), ".".join(map(str, OLDEST_PYTHON))
    if tuple(version[:2]) < OLDEST_PYTHON:
        text = say("Python {have} is too old; {need} or later is needed: update the operating system.")
        return problem("python", text(have=have, need=need))
    return ok("python", say("Python {have} on {machine}.", have=have, machine=platform.machine()))


def packages(*extras: str) -> CheckResult:
    """Check that the packages of these extras are installed."""
    try:
        for extra in extras:
            require_extra(extra)
    except MissingExtraError as error:
        return problem("packages", error.text)
    return ok("packages", say("Every package that is needed is installed."))


def data_directory(data: Path) -> CheckResult:
    """Check the data directory by writing, syncing and removing a file."""
    try:
        with tempfile.NamedTemporaryFile(dir=data, prefix=".doctor-") as file:
            file.write(b"doctor")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        why = error.strerror or str(error)
        text = say("{data} cannot be written to ({why}); create it, or give it to the program's user.")
        return problem("data", text(data=data, why=why))
    return ok("data", say("{data} can be written to.", data=data))


def free_space(data: Path, free: int | None = None) -> CheckResult:
    try:
        free = shutil.disk_usage(data).free if free is None else free
    except OSError as error:
        why = error.strerror or str(error)
        return problem("space", say("{data} is not there ({why}).", data=data, why=why))
    check, text = ok, say("{mega} MB are free at {data}.")
    if free < NEEDED_BYTES:
        check, text = problem, say("Only {mega} MB are free at {data}; make room, or games cannot be saved.")
    elif free < GOOD_BYTES:
        check, text = warning, say("{mega} MB are free at {data}: enough for an event, but make room before the next.")
    return check("space", text(mega=free // 1_000_000, data=data))


def durable_storage(data: Path, mounts: str | None = None, command_line: str | None = None) -> CheckResult:
    """Check whether synced data survives a power cut: a read-only system keeps writes in memory.

    ``mounts`` is the text of /proc/self/mounts, ``command_line`` that of /proc/cmdline.
    """
    mounts = Path("/proc/self/mounts").read_text("utf-8") if mounts is None else mounts
    command_line = Path("/proc/cmdline").read_text("utf-8") if command_line is None else command_line
    kind = _file_system(data.resolve(), mounts)
    if not kind:
        text = say(
            "The system does not say what kind of file system holds {data}: whether games outlive the power there "
            "is not known. Pull the plug once while nobody plays, and look."
        )
        return warning("lasting", text(data=data))
    in_memory = kind in ("tmpfs", "ramfs")
    under_overlay = kind == "overlay" and ("overlayroot=" in command_line or "boot=overlay" in command_line)
    if in_memory or under_overlay:
        text = say(
            "{data} is kept in memory ({kind}): games would be lost with the power. Give it a partition of its own "
            "(docs/setup/install.md)."
        )
        return (problem if under_overlay else warning)("lasting", text(data=data, kind=kind))
    return ok("lasting", say("{data} is on {kind}, which keeps its data without power.", data=data, kind=kind))


def _file_system(place: Path, mounts: str) -> str:
    """Return the type of the file system that holds ``place``: that of the longest mount point above it, the last if
    equal; empty if the mounts list none, as in a chroot.
    """
    kind, longest = "", -1
    for line in mounts.splitlines():
        _, point, found, *_ = line.split(" ")
        where = Path(point.replace("\\040", " "))
        if place.is_relative_to(where) and len(where.parts) >= longest:
            kind, longest = found, len(where.parts)
    return kind


def wall_clock(synchronised: bool | None = None) -> CheckResult:
    """Check the wall clock, which only records and logs need: game clocks are independent of it."""
    if synchronised is None:
        synchronised = _is_synchronised()
    if synchronised:
        return ok("clock", say("The machine's clock is synchronised."))
    text = say(
        "The machine's clock is not synchronised; game clocks are right all the same, but times in records may not be. "
        "See: chronyc sources"
    )
    return warning("clock", text)


def _is_synchronised() -> bool:
    """Return whether the kernel's clock is synchronised, as set by chrony or another time service."""
    try:
        state = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES))
    except (OSError, AttributeError):
        return False
    return bool(0 <= state < _TIME_ERROR)
