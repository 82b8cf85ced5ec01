"""Tests of the process that reads untrusted files: it ends with an answer or a sentence for every file."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from engine.i18n import say
from kiosk import sandbox
from kiosk.errors import InputError
from kiosk.sandbox import Limits, SandboxError, limited, run

if sys.platform != "win32":
    import resource

MIB = 1024 * 1024
ORDINARY = Limits(memory=128 * MIB, processor_s=10, deadline_s=30)
HERE = str(Path(__file__).parent)


def length_of(content: bytes) -> int:
    return len(content)


def memory_of(content: bytes) -> int:
    return len([bytes(MIB) for _ in range(1000)])


def crash(content: bytes) -> None:
    ctypes.string_at(0)


def abort(content: bytes) -> None:
    os.abort()


def refuse(content: bytes) -> None:
    raise InputError(say("the file {file} is no list", file=content.decode()))


def fault(content: bytes) -> None:
    raise ZeroDivisionError


def long_answer(content: bytes) -> bytes:
    return bytes(sandbox.MOST_ANSWER + 1)


def compute(content: bytes) -> None:
    while True:
        pass


def stand_still(content: bytes) -> None:
    signal.pause()


def write_file(content: bytes) -> int:
    return Path(content.decode()).write_bytes(b"x")


@pytest.fixture(autouse=True)
def children_find_this_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """A child gets one folder beside its interpreter's own: this one, in which this module is found by its name."""
    monkeypatch.setattr(sandbox, "_START", f"import sys; sys.path.append({HERE!r}); {sandbox._START}")
    for function in (length_of, memory_of, crash, abort, refuse, fault, long_answer, compute, stand_still, write_file):
        monkeypatch.setattr(function, "__module__", "test_sandbox")


def test_a_file_of_any_length_goes_to_the_child_and_its_answer_comes_back() -> None:
    assert run(length_of, b"", ORDINARY) == 0
    assert run(length_of, bytes(12 * MIB), ORDINARY) == 12 * MIB


@pytest.mark.parametrize("read", [memory_of, crash, abort, fault, long_answer])
def test_a_child_that_ends_without_an_answer_is_one_sentence(read: Callable[[bytes], object]) -> None:
    with pytest.raises(SandboxError, match="within the memory and time"):
        run(read, b"x" * MIB, ORDINARY)


@pytest.mark.skipif(sys.platform != "linux", reason="limits of a process are Linux's")
def test_a_child_has_its_processor_time_and_may_write_no_file(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="within the memory and time"):
        run(compute, b"", Limits(memory=128 * MIB, processor_s=1, deadline_s=600))
    with pytest.raises(SandboxError):
        run(write_file, str(tmp_path / "left").encode(), ORDINARY)
    assert not (tmp_path / "left").exists() or not (tmp_path / "left").stat().st_size


def test_a_child_that_stands_still_ends_at_its_deadline() -> None:
    """Also one that has read nothing of a file that is longer than a pipe holds."""
    with pytest.raises(SandboxError, match="within the memory and time"):
        run(stand_still, b"", Limits(memory=128 * MIB, processor_s=10, deadline_s=0.5))
    with pytest.raises(SandboxError, match="within the memory and time"):
        run(length_of, bytes(12 * MIB), Limits(memory=128 * MIB, processor_s=10, deadline_s=0))


def test_what_the_child_refuses_is_said_as_it_said_it() -> None:
    with pytest.raises(SandboxError) as refused:
        run(refuse, b"a.xlsx", ORDINARY)
    assert refused.value.text == say("the file {file} is no list", file="a.xlsx")


def test_so_many_children_at_once_and_whoever_waits_too_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "WAIT_S", 0)
    for _ in range(sandbox.AT_ONCE):
        assert sandbox._turns.acquire(timeout=60)
    try:
        with pytest.raises(SandboxError, match="too many files"):
            run(length_of, b"", ORDINARY)
    finally:
        for _ in range(sandbox.AT_ONCE):
            sandbox._turns.release()
    assert run(length_of, b"x", ORDINARY) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="read from /proc")
def test_no_child_is_left_behind() -> None:
    children = Path(f"/proc/self/task/{threading.get_native_id()}/children")
    before = children.read_text(encoding="ascii")
    for read in (length_of, abort):
        with suppress(SandboxError):
            run(read, b"x", ORDINARY)
    assert children.read_text(encoding="ascii") == before


@pytest.mark.skipif(sys.platform != "linux", reason="only there a process can limit itself")
def test_a_command_limits_itself_and_is_free_again() -> None:
    before = resource.getrlimit(resource.RLIMIT_AS), resource.getrlimit(resource.RLIMIT_CPU)
    with pytest.raises(SandboxError, match="within the memory and time"), limited(Limits(64 << 20, 5, 5)):
        bytearray(256 << 20)
    with pytest.raises(SandboxError, match="within the memory and time"), limited(Limits(64 << 20, 1, 5)):
        while True:
            pass
    assert (resource.getrlimit(resource.RLIMIT_AS), resource.getrlimit(resource.RLIMIT_CPU)) == before
    assert len(bytearray(256 << 20))


@pytest.mark.parametrize("name", ["games.wtb", "list.elo", "games.pgn", "event.json"])
def test_a_file_larger_than_the_memory_is_one_sentence(tmp_path: Path, name: str) -> None:
    """Its bytes are holes of the disk, so whoever sends it needs no room for it."""
    from heads.process import kiosk  # the children that import this module do not have it

    with (tmp_path / name).open("wb") as file:
        file.truncate(100 << 30)
    ended = kiosk("convert", tmp_path / name, tmp_path / ("to.csv"))
    assert ended.returncode == 2 and name in ended.stderr and ended.stderr.count("\n") == 1
