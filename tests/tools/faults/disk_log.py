"""Log of a program's disk calls, and the possible disk states after a power cut at any moment.

A byte is durable only when a sync of its file has returned since it was written, and a name only when a sync of its
folder (or of more) has; all other 512-byte sectors may be old or new at random. The calls are those of the real
program, recorded by strace in the order in which they returned, together with its output on stdout, so it is known
exactly what was acknowledged before the cut.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

SECTOR = 512
_CALLS = "openat,write,pwrite64,fsync,fdatasync,ftruncate,unlink,rename"
_LINE = re.compile(r"^(\d+) +(.*)$")
_RESUMED = re.compile(r"^<\.\.\. \w+ resumed>(.*)$")
_CALL = re.compile(r"^(\w+)\((.*)\) += (-?\d+)")
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?')
_FILE = re.compile(r"^\d+<([^>]*)>")


@dataclass(frozen=True, slots=True)
class Call:
    """One call. ``data`` is what was written, or the second name of a rename."""

    name: str
    path: str
    data: bytes = b""
    at: int = 0
    creates: bool = False


def traced(command: Sequence[str | Path], folder: Path, log: Path) -> list[Call] | str:
    """Run the command and return its calls in ``folder`` and on stdout; or the reason why it cannot be traced here."""
    strace = shutil.which("strace")
    if strace is None:
        return "strace is not installed (apt: strace)"
    tracing = [strace, "-f", "--seccomp-bpf", "-y", "-xx", "-s", "1000000", "-e", f"trace={_CALLS}", "-o", str(log)]
    completed = subprocess.run([*tracing, *command], capture_output=True, check=False)
    if b"ptrace" in completed.stderr.lower():
        return "strace may not trace here"
    assert completed.returncode == 0, completed.stderr.decode()
    with log.open(encoding="ascii") as lines:
        return [call for line in _whole_lines(lines) if (call := _call(line, str(folder))) is not None]


def _whole_lines(lines: Iterator[str]) -> Iterator[str]:
    """Yield complete lines. A call that another thread interrupted is placed where it returned; output on stdout, where
    it began."""
    unfinished: dict[str, str] = {}
    for line in lines:
        found = _LINE.match(line)
        if found is None:
            continue
        thread, text = found.groups()
        if text.endswith("<unfinished ...>"):
            unfinished[thread] = text.removesuffix("<unfinished ...>")
        elif resumed := _RESUMED.match(text):
            yield unfinished.pop(thread, "") + resumed[1]
        else:
            yield text


def _call(line: str, folder: str) -> Call | None:
    found = _CALL.match(line)
    if found is None or int(found[3]) < 0:
        return None
    name, arguments, result = found[1], found[2], int(found[3])
    texts = [bytes.fromhex(text.replace("\\x", "")) for text, _ in _TEXT.findall(arguments)]
    if name == "write" and arguments.startswith("1<"):
        return Call("said", "", texts[0])
    if name in ("openat", "unlink", "rename"):
        path = texts[0].decode()
        data = texts[1] if name == "rename" else b""
        call = Call(name, path, data, creates="O_CREAT" in arguments)
    else:
        file = _FILE.match(arguments)
        path = _plain(file[1]) if file else ""
        last = arguments.rsplit(", ", 1)[-1]
        at = int(last) if name in ("pwrite64", "ftruncate") else -1
        call = Call(name, path, texts[0][:result] if texts else b"", at)
    return call if path.startswith(folder) else None


def _plain(path: str) -> str:
    """Return the path; strace writes the path behind a file descriptor in hexadecimal too."""
    return bytes.fromhex(path.replace("\\x", "")).decode() if path.startswith("\\x") else path


@dataclass
class _File:
    now: bytearray = field(default_factory=bytearray)
    durable: bytes = b""

    def write(self, at: int, data: bytes) -> None:
        at = len(self.now) if at < 0 else at
        self.now.extend(bytes(max(0, at + len(data) - len(self.now))))
        self.now[at : at + len(data)] = data

    def after_power_cut(self, random: Random) -> bytes:
        probability = random.choice((0.0, 0.5, 0.9, 1.0))  # probability that a sector that was not synced exists
        size = len(self.now) if random.random() < probability else len(self.durable)
        left = bytearray(self.durable[:size].ljust(size, b"\0"))
        for start in range(0, size, SECTOR):
            if random.random() < probability:
                end = min(start + SECTOR, size)
                left[start:end] = self.now[start:end].ljust(end - start, b"\0")
        return bytes(left)


class Disk:
    """The files of a folder during the replay of its calls; ``output``: written to stdout so far."""

    def __init__(self) -> None:
        self.output = b""
        self._names: dict[str, _File] = {}
        self._durable_names: dict[str, _File] = {}

    def happen(self, call: Call) -> None:
        match call.name:
            case "said":
                self.output += call.data
            case "openat":
                if call.creates:
                    self._names.setdefault(call.path, _File())
            case "write" | "pwrite64":
                self._names[call.path].write(call.at, call.data)
            case "ftruncate":
                file = self._names[call.path]
                file.now = bytearray(file.now[: call.at].ljust(call.at, b"\0"))
            case "unlink":
                self._names.pop(call.path, None)
            case "rename":
                self._names[call.data.decode()] = self._names.pop(call.path)
            case "fsync" | "fdatasync" if call.path in self._names:
                self._names[call.path].durable = bytes(self._names[call.path].now)
            case "fsync" | "fdatasync":  # a folder
                self._durable_names = dict(self._names)

    def power_cut(self, folder: Path, random: Random) -> None:
        """Write what is left into an empty folder."""
        for path, file in {**self._durable_names, **self._names}.items():
            if self._durable_names.get(path) is file or random.random() < 0.5:
                (folder / Path(path).name).write_bytes(file.after_power_cut(random))
