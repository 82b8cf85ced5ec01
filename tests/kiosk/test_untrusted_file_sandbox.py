"""Tests of the process that reads untrusted files: every file gives a result or an error message."""

from __future__ import annotations

import os
import signal
import sys
import threading
import zipfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import click
import pytest
import sandboxed_functions
from heads.process import kiosk
from sandboxed_functions import MIB

from engine.i18n import say
from kiosk import untrusted_file_sandbox
from kiosk.errors import InputError
from kiosk.untrusted_file_sandbox import Limits, SandboxError, in_child, run

ORDINARY = Limits(memory=128 * MIB, processor_s=10, deadline_s=30)


@pytest.fixture(autouse=True)
def children_find_the_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A child gets one folder beside its interpreter's own: that of ``sandboxed_functions``."""
    folder = str(Path(sandboxed_functions.__file__).parent)
    monkeypatch.setattr(
        untrusted_file_sandbox, "_START", f"import sys; sys.path.append({folder!r}); {untrusted_file_sandbox._START}"
    )


def test_a_file_of_any_length_is_read_by_the_child() -> None:
    assert run(sandboxed_functions.length_of, b"", ORDINARY) == 0
    assert run(sandboxed_functions.length_of, bytes(12 * MIB), ORDINARY) == 12 * MIB


@pytest.mark.parametrize("name", ["memory_of", "crash", "abort", "fault", "long_answer"])
def test_a_child_that_ends_without_an_answer_is_an_error(name: str) -> None:
    with pytest.raises(SandboxError, match="within the memory and time"):
        run(getattr(sandboxed_functions, name), b"x" * MIB, ORDINARY)


@pytest.mark.skipif(sys.platform != "linux", reason="limits of a process are Linux's")
def test_a_child_has_limited_processor_time_and_may_write_no_file(tmp_path: Path) -> None:
    assert run(sandboxed_functions.processor_limit, b"", ORDINARY) == ORDINARY.processor_s
    with pytest.raises(SandboxError):
        run(sandboxed_functions.write_file, str(tmp_path / "left").encode(), ORDINARY)
    assert not (tmp_path / "left").exists() or not (tmp_path / "left").stat().st_size


def test_a_hanging_child_ends_at_its_deadline() -> None:
    """Also a child that has read nothing of a file longer than a pipe's buffer."""
    with pytest.raises(SandboxError, match="within the memory and time"):
        run(sandboxed_functions.stand_still, b"", Limits(memory=128 * MIB, processor_s=10, deadline_s=0.5))
    with pytest.raises(SandboxError, match="within the memory and time"):
        run(sandboxed_functions.length_of, bytes(12 * MIB), Limits(memory=128 * MIB, processor_s=10, deadline_s=0))


def test_the_child_s_error_message_is_passed_on() -> None:
    with pytest.raises(SandboxError) as refused:
        run(sandboxed_functions.refuse, b"a.xlsx", ORDINARY)
    assert refused.value.text == say("the file {file} is no list", file="a.xlsx")


def test_the_number_of_children_is_limited_and_waiting_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(untrusted_file_sandbox, "WAIT_S", 0)
    for _ in range(untrusted_file_sandbox.AT_ONCE):
        assert untrusted_file_sandbox._turns.acquire(timeout=60)
    try:
        with pytest.raises(SandboxError, match="too many files"):
            run(sandboxed_functions.length_of, b"", ORDINARY)
    finally:
        for _ in range(untrusted_file_sandbox.AT_ONCE):
            untrusted_file_sandbox._turns.release()
    assert run(sandboxed_functions.length_of, b"x", ORDINARY) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="read from /proc")
def test_no_child_is_left_behind() -> None:
    children = Path(f"/proc/self/task/{threading.get_native_id()}/children")
    before = children.read_text(encoding="ascii")
    for read in (sandboxed_functions.length_of, sandboxed_functions.abort):
        with suppress(SandboxError):
            run(read, b"x", ORDINARY)
    assert children.read_text(encoding="ascii") == before


@pytest.mark.skipif(sys.platform != "linux", reason="limits of a process are Linux's")
@pytest.mark.parametrize(
    "work", [lambda: sum(range(10**15)), lambda: bytearray(256 * MIB), lambda: os.kill(os.getpid(), signal.SIGKILL)]
)
def test_a_command_that_needs_too_much_is_an_error(work: Callable[[], object]) -> None:
    """Also within one call of a C library, which no signal handler of Python interrupts."""
    with pytest.raises(InputError, match=r"^a\.elo: .* within the memory and time"):
        in_child(work, Limits(memory=128 * MIB, processor_s=1, deadline_s=600), Path("a.elo"))
    assert len(bytearray(256 * MIB)) == 256 * MIB  # the command itself is not limited


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no copies of a process")
def test_a_commands_work_ends_at_its_deadline() -> None:
    with pytest.raises(InputError, match="within the memory and time"):
        in_child(signal.pause, Limits(memory=128 * MIB, processor_s=10, deadline_s=0.5), Path("a.elo"))


def test_a_commands_work_returns_its_result_and_raises_its_errors(tmp_path: Path) -> None:
    """Its files may be written; an error of the command, an interruption, or an unexpected error with its place is
    raised."""
    written = tmp_path / "a"
    assert in_child(lambda: (written.write_bytes(b"x"), written), ORDINARY, tmp_path) == (1, written)
    assert written.read_bytes() == b"x"
    with pytest.raises(InputError, match="the file a is no list"):
        in_child(lambda: sandboxed_functions.refuse(b"a"), ORDINARY, tmp_path)
    for error in (KeyboardInterrupt, click.Abort, SystemExit):
        with pytest.raises(error):
            in_child(partial(_throw, error()), ORDINARY, tmp_path)
    with pytest.raises(ZeroDivisionError) as raised:
        in_child(lambda: sandboxed_functions.fault(b""), ORDINARY, tmp_path)
    assert "in fault" in raised.value.__notes__[0]


def _throw(error: BaseException) -> None:
    raise error


def test_a_compressed_file_of_gigabytes_is_an_error_of_every_command(tmp_path: Path) -> None:
    """128 MB of zeros in an archive of 130 kB are given as every kind of input file."""
    bomb = tmp_path / "bomb"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0", bytes(128 * MIB))
    packed = bomb.read_bytes()
    (tmp_path / "key").write_text("0" * 64, encoding="ascii")
    for name, command, *more in (
        ("a.backup", "restore", tmp_path / "spare", "--foreign"),
        ("a.update", "update check", "--key", tmp_path / "key"),
        ("a.update", "update give", "--key", tmp_path / "key", "--head", tmp_path),
        ("a.backup", "audit verify"),
        ("a.jpg", "read-board"),
        ("a.mp4", "read-board", "--film"),
        ("a.json", "convert", tmp_path / "a.ELO"),
        ("a.wtb", "convert", tmp_path / "a.csv"),
        ("a.pgn", "convert", tmp_path / "a.csv"),
        ("a.json", "standings"),
    ):
        (tmp_path / name).write_bytes(packed)
        ended = kiosk(*command.split(), tmp_path / name, *more)
        assert (ended.returncode, ended.stdout) == (2, ""), (command, ended)
        assert ended.stderr.startswith("kiosk: ") and ended.stderr.count("\n") == 1, (command, ended)


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("games.wtb", "convert {} a.csv"),
        ("list.elo", "convert {} a.csv"),
        ("games.pgn", "convert {} a.csv"),
        ("event.json", "convert {} a.csv"),
        ("event.json", "standings {}"),
        ("event.json", "draw {}"),
        ("games.wtb", "replay {}"),
        ("games.ggf", "replay {}"),
        ("game.chouchou", "replay {}"),
        ("game.chouchou", "check {} 1A --variant chouchou-3x3"),
        ("script.txt", "play {}"),
        ("games.wtb", "demo --games {}"),
        ("00000001.journal", "journal show {folder}"),
        ("picture.jpg", "read-board {}"),
        ("film.mp4", "read-board {} --film"),
        ("a.backup", "restore {} spare"),
        ("a.backup", "audit verify {}"),
    ],
)
def test_a_file_larger_than_the_memory_is_an_error(tmp_path: Path, name: str, command: str) -> None:
    """It is a sparse file, so its sender needs no space for it."""
    with (tmp_path / name).open("wb") as file:
        file.truncate(100 << 30)
    ended = kiosk(*command.format(tmp_path / name, folder=tmp_path).split())
    assert ended.returncode == 2 and ended.stderr.startswith("kiosk: ") and ended.stderr.count("\n") == 1
