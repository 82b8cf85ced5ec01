"""The real head program in its own process, and its data on the disk."""

from __future__ import annotations

import contextlib
import ctypes
import io
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import IO, Any, ClassVar

from waiting import HANGS_S

from kiosk.cli import main
from kiosk.link.table_keys import new_keys, save_keys

#: run by `python -c` and not as the installed script, so that the tests need no installed command
KIOSK = "from kiosk.cli import main; main()"


def kiosk(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the command in this process and return its output and exit code."""
    code, out, err = 0, io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main([*map(str, arguments)])
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def configured(folder: Path, tables: Iterable[int], event: dict[str, Any] | None = None, /, **fields: object) -> Path:
    """Write the files of a head that serves this machine on a free port; return its configuration."""
    save_keys(folder / "keys.json", new_keys(tables))
    values: dict[str, object] = {"data": "data", "keys": "keys.json", "host": "127.0.0.1", "port": 0}
    if event is not None:
        (folder / "event.json").write_text(json.dumps(event, ensure_ascii=False), encoding="utf-8")
        values["event"] = "event.json"
    lines = [f"{name} = {json.dumps(value)}" for name, value in (values | fields).items()]
    (folder / "head.toml").write_text("\n".join(lines), encoding="utf-8")
    return folder / "head.toml"


def free_port() -> int:
    """Return a port that a head can use again after it was killed."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


class Adopted(subprocess.Popen[str]):
    """A head that is a copy of the preloaded program, and a child of this process."""

    _preloaded: ClassVar[list[tuple[socket.socket, subprocess.Popen[bytes]]]] = []
    _turn: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, arguments: Sequence[str], log: IO[bytes]) -> None:
        super().__init__(["true"], stdout=subprocess.DEVNULL)  # sets the attributes of a running process
        self.wait()
        request = {"arguments": arguments, "directory": str(Path.cwd()), "environment": dict(os.environ)}
        reading, writing = os.pipe()
        with self._turn:
            if not self._preloaded:
                self._preloaded.append(self._load())
            control, _ = self._preloaded[0]
            _adopt(True)
            try:
                socket.send_fds(control, [json.dumps(request).encode()], [writing, log.fileno()])
                self.pid = int(control.recv(32))
                assert control.recv(32) == b"adopted"
            finally:
                _adopt(False)
        os.close(writing)
        self.args, self.returncode, self.stdout = arguments, None, os.fdopen(reading)

    @staticmethod
    def _load() -> tuple[socket.socket, subprocess.Popen[bytes]]:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        program = Path(__file__).with_name("preloaded_head.py").read_text(encoding="utf-8")
        with theirs:
            command = [sys.executable, "-c", program, str(theirs.fileno())]
            return ours, subprocess.Popen(command, pass_fds=[theirs.fileno()])


def _adopt(orphans: bool) -> None:
    """Let this process become the parent of its descendants whose parent ends, or not (Linux)."""
    ctypes.CDLL(None).prctl(36, int(orphans), 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


class HeadProcess:
    """A head that serves when the constructor returns. ``before``: a command that runs it, as ``ip netns exec head``;
    ``prelude``: Python that runs before it; ``fresh``: an interpreter of its own, to measure it."""

    def __init__(self, config: Path, *, before: Sequence[str] = (), prelude: str = "", fresh: bool = False) -> None:
        self._log = config.parent / "head.log"
        arguments = ["head", "--config", str(config)]
        with self._log.open("ab") as log:
            if before or prelude or fresh or sys.platform != "linux":
                command = [*before, sys.executable, "-c", prelude + KIOSK, *arguments]
                self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
            else:
                self.process = Adopted(arguments, log)
        assert self.process.stdout is not None
        lines = []
        while not lines or not lines[-1].startswith(("setup code ", "sign in at ")):
            lines.append(self.process.stdout.readline())
            assert lines[-1], self._log.read_text(encoding="utf-8")
        self.url, self.code = lines[0].split()[1], lines[-1].split()[-1]

    def lives(self) -> bool:
        """Return True; else fail the test with the log of the head."""
        assert self.process.poll() is None, self._log.read_text(encoding="utf-8")
        return True

    def rss_mb(self) -> float:
        """Return the resident memory of the process."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024

    def processor_s(self) -> float:
        """Return the processor time of the process so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self._end()

    def stop(self) -> None:
        self.process.terminate()
        self._end()

    def _end(self) -> None:
        self.process.wait(HANGS_S)
        if self.process.stdout is not None:
            self.process.stdout.close()


def rows_of(data: Path) -> dict[tuple[int, str], list[tuple[int, str, object]]]:
    """Return every committed record in a head's store, by table and epoch: seq, type, body."""
    found: dict[tuple[int, str], list[tuple[int, str, object]]] = {}
    with closing(sqlite3.connect(data / "head.sqlite")) as connection:
        rows = connection.execute("SELECT table_no, epoch, seq, type, body FROM records ORDER BY table_no, epoch, seq")
        for table, epoch, seq, type, body in rows:
            found.setdefault((table, epoch), []).append((seq, type, json.loads(body)))
    return found
