"""The real head program in its own process, and its data on the disk."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from waiting import HANGS_S

from kiosk.cli import main

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


def free_port() -> int:
    """Return a port that a head can use again after it was killed."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


class HeadProcess:
    """A head that serves when the constructor returns. ``before``: a command that runs it, as ``ip netns exec head``;
    ``prelude``: Python that runs before it."""

    def __init__(self, config: Path, *, before: Sequence[str] = (), prelude: str = "") -> None:
        self._log = config.parent / "head.log"
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [*before, sys.executable, "-c", prelude + KIOSK, "head", "--config", str(config)],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
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
