"""A child process that reads one untrusted file within limits on memory, processor time and wall-clock time.

However the child ends, the caller gets a result or an error of one sentence. Where the system has no process limits
(Windows, partly macOS), only the deadline applies.

- ``run`` is for a program with many threads: the child is a new interpreter that gets the file on its standard input.
- ``in_child`` is for a command: the child is a copy of it, which may ask and write files.
"""

from __future__ import annotations

import logging
import mmap
import os
import pickle
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, TypeVar, cast

from engine.i18n import LocalizedError, Text, say
from kiosk.errors import InputError, missing_extra

if sys.platform != "win32":
    import resource

#: children running at the same time at most, and seconds that another waits for its turn
AT_ONCE, WAIT_S = 2, 20
#: the largest result, in bytes
MOST_ANSWER = 32 * 1024 * 1024

_ROOT = str(Path(__file__).parent.parent)
_START = "import sys; sys.path.append(sys.argv[1]); from kiosk.untrusted_file_sandbox import _serve; _serve()"
#: linear algebra in one thread: each thread takes address space and competes for a processor
_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
_TOO_MUCH = say(
    "the file cannot be read within the memory and time that such a file needs; save it again with another program"
)
_turns = threading.BoundedSemaphore(AT_ONCE)
_T = TypeVar("_T")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for reading one file. ``memory``: bytes of address space beyond those of an empty interpreter;
    ``processor_s``: seconds of processor time; ``deadline_s``: seconds of wall-clock time.
    """

    memory: int
    processor_s: int
    deadline_s: float


#: for the store of a federation of ten years
FOR_A_STORE = Limits(memory=2048 * 1024 * 1024, processor_s=3600, deadline_s=3600)


#: largest event file or script that a command reads, and largest file of games (a million), in bytes
MOST_TEXT, MOST_GAMES = 64 * 1024 * 1024, 1024 * 1024 * 1024
#: largest file of settings or keys, in bytes
MOST_SETTINGS = 1024 * 1024


class SandboxError(LocalizedError, ValueError):
    """Error for a file that the reading function rejected or that ended the child."""


def check_size(file: Path, most: int = MOST_TEXT) -> Path:
    """Return ``file``, which a command is about to read.

    :raises InputError: it is too large. :raises OSError: it is not there.
    """
    if file.stat().st_size > most:
        raise _too_large(file, most)
    return file


def read_limited(file: Path, most: int = MOST_TEXT) -> str:
    """Return the text of a UTF-8 file, without a byte order mark. A pipe or a device, which has no size, is read as far
    as ``most``.

    :raises InputError: it is too large. :raises OSError: it is not there. :raises UnicodeDecodeError: it is no text.
    """
    with check_size(file, most).open(encoding="utf-8-sig") as opened:
        text = opened.read(most + 1)
    if len(text) > most:
        raise _too_large(file, most)
    return text


def read_limited_bytes(file: Path, most: int) -> bytes:
    """Return the content of a file, as ``read_limited``."""
    with check_size(file, most).open("rb") as opened:
        content = opened.read(most + 1)
    if len(content) > most:
        raise _too_large(file, most)
    return content


def _too_large(file: Path, most: int) -> InputError:
    return InputError.saying("{path} is larger than {most} MB; name another file", path=file, most=most >> 20)


def run(read: Callable[[bytes], Any], content: bytes, limits: Limits) -> Any:
    """Return the result of ``read``, a module-level function, for a file; it runs in a child and its result must be
    encodable as MessagePack.

    :raises SandboxError: ``read`` raised an error with a sentence, or the child ended without a result.
    """
    if not _turns.acquire(timeout=WAIT_S):
        raise SandboxError.saying("too many files are being read at this moment; wait a minute and send it again")
    try:
        answer, status = _child(f"{read.__module__}:{read.__qualname__}", content, limits)
    except OSError as error:
        raise SandboxError.saying("the program that reads the file cannot be started ({why})", why=error) from error
    finally:
        _turns.release()
    import msgspec  # here, because every command imports this module

    try:
        kind, answer_value = msgspec.msgpack.decode(answer)
        if kind == "refused":
            template, fields = answer_value
            refusal = Text(template)(**fields)
            str(refusal)
    except (ValueError, TypeError, LookupError):
        kind, answer_value = "ended", f"status {status}, {len(answer)} bytes"
    if kind == "read":
        return answer_value
    if kind == "refused":
        raise SandboxError(refusal)
    _log.warning("a file of %d bytes ended what read it (%s): %s", len(content), read.__module__, answer_value)
    raise SandboxError(_TOO_MUCH)


def in_child(work: Callable[[], _T], limits: Limits, file: Path, quiet: bool = False) -> _T:
    """Return the result of ``work``, which reads ``file`` for a command; what it raises is raised here.

    The child is a copy of this process, which must have one thread, and has its terminal and its rights. The result
    must be picklable. Windows has no such children; ``work`` then runs here, without limits.

    :param quiet: what the child writes on stderr is dropped, as the reports of the libraries that decode pictures.
    :raises InputError: the child ended without a result.
    """
    if sys.platform == "win32":
        return work()
    sys.stdout.flush()
    receiving, sending = os.pipe()
    if not (child := os.fork()):
        _answer(work, limits, sending, quiet)
    os.close(sending)
    kill = partial(os.kill, child, signal.SIGKILL)
    try:
        with os.fdopen(receiving, "rb") as pipe, _deadline(limits, kill):
            answer = pipe.read()
    except BaseException:
        kill()
        raise
    finally:
        status = os.waitpid(child, 0)[1]
    raised, result = (True, MemoryError()) if status else pickle.loads(answer)
    if isinstance(result, MemoryError):
        raise InputError.saying("{path}: {why}", path=file, why=_TOO_MUCH)
    if raised:
        raise result
    return cast("_T", result)


def _answer(work: Callable[[], Any], limits: Limits, sending: int, quiet: bool) -> NoReturn:
    """Run as the copy of a command: set its limits, do the work, send the result."""
    try:
        if quiet:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        _limit(limits.memory, limits.processor_s)
        try:
            answer = False, work()
        except BaseException as error:  # noqa: BLE001 - raised by the command
            error.add_note(traceback.format_exc())
            answer = True, error
        packed = pickle.dumps(answer)
        with os.fdopen(sending, "wb") as pipe:
            pipe.write(packed)
        os._exit(0)
    finally:
        os._exit(1)


@contextmanager
def _deadline(limits: Limits, kill: Callable[[], None]) -> Iterator[None]:
    """Kill a child at its deadline."""
    timer = threading.Timer(limits.deadline_s, kill)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _child(read: str, content: bytes, limits: Limits) -> tuple[bytes, int]:
    """Return the child's result, empty if it is too long, and its exit status."""
    command = [sys.executable, "-I", "-c", _START, _ROOT, read, str(limits.memory), str(limits.processor_s)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | _ENVIRONMENT,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            with _deadline(limits, process.kill):
                with suppress(OSError), process.stdin:  # the child has ended; its exit status gives the reason
                    process.stdin.write(content)
                answer = bytearray()
                while len(answer) <= MOST_ANSWER and (more := process.stdout.read(1 << 20)):
                    answer += more
                if len(answer) > MOST_ANSWER:
                    process.kill()
                    answer.clear()
                return bytes(answer), process.wait()
        finally:
            process.kill()


def _serve() -> None:
    """Run as the child: set its limits, read the file, write the result."""
    import msgspec

    name, memory, processor_s = sys.argv[2:5]
    _limit(int(memory), int(processor_s))
    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    content = sys.stdin.buffer.read()
    module, _, function = name.partition(":")
    answer: tuple[str, Any]
    try:
        answer = "read", getattr(import_module(module), function)(content)
    except MemoryError:
        answer = "ended", "no memory"
    except Exception as error:  # noqa: BLE001 - whatever a reader raises ends the child, and is reported
        missing = missing_extra(error) if isinstance(error, ModuleNotFoundError) else None
        if (text := getattr(missing or error, "text", None)) is None:
            answer = "ended", repr(error)[:300]
        else:
            fields = {key: one if isinstance(one, str | int | float) else str(one) for key, one in text.fields}
            answer = "refused", (text.template, fields)
    sys.stdout.buffer.write(msgspec.msgpack.encode(answer))
    sys.stdout.buffer.flush()
    os._exit(0)  # skips the cleanup of the file's objects


def _address_space() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * mmap.PAGESIZE


def _limit(memory: int, processor_s: int) -> None:
    """Limit this process. If memory is short, the kernel kills it before its parent."""
    if sys.platform != "win32":
        for what, most in ((resource.RLIMIT_CPU, processor_s), (resource.RLIMIT_CORE, 0)):
            resource.setrlimit(what, (most, most))
        with suppress(OSError):
            os.nice(5)
        if sys.platform == "linux":
            used = _address_space()
            resource.setrlimit(resource.RLIMIT_AS, (used + memory, used + memory))
            with suppress(OSError):
                Path("/proc/self/oom_score_adj").write_text("500", encoding="ascii")
        else:
            with suppress(ValueError, OSError):  # macOS has the constant but not the limit
                resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
