"""Functions that tests run in a sandbox's child, in a module that a child imports quickly."""

from __future__ import annotations

import ctypes
import os
import signal
from pathlib import Path

from engine.i18n import say
from kiosk import untrusted_file_sandbox
from kiosk.errors import InputError

MIB = 1024 * 1024


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
    return bytes(untrusted_file_sandbox.MOST_ANSWER + 1)


def processor_limit(content: bytes) -> int:
    import resource  # Windows has none

    return resource.getrlimit(resource.RLIMIT_CPU)[1]


def stand_still(content: bytes) -> None:
    signal.pause()


def write_file(content: bytes) -> int:
    return Path(content.decode()).write_bytes(b"x")
