"""Client of an Othello engine in a separate process, which evaluates positions by the NBoard protocol, version 2.

An engine may hang, crash or send invalid output; only its answer is lost. After a timeout its process is ended, and
the next request after a pause starts another. Unknown lines are ignored.

Sent: ``nboard 2``, ``set depth D`` at the start; then for each position ``set game (;GM[Othello]…;)``, ``hint 1``
and, after the thinking time, ``ping N``. Read: ``search LINE EVAL …`` (or ``book …``) with the value in discs for the
side to move, the last one counts; ``pong N`` when it has stopped; ``set myname NAME``.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from engine.board.ggf import GgfGame, write_ggf
from engine.board.position import Position
from engine.board.variants import STANDARD
from kiosk.platform_compat import lower_priority

log = logging.getLogger(__name__)

#: seconds allowed for the answer to ``ping``, and the pause after a failure before another process is started
PONG_S, PAUSE_S = 10.0, 30.0


class NBoard:
    """One engine. Not thread-safe, except ``close``."""

    def __init__(
        self,
        command: Sequence[str],
        depth: int = 16,
        think_s: float = 2.0,
        pong_s: float = PONG_S,
        pause_s: float = PAUSE_S,
    ) -> None:
        """``think_s``: seconds after which the last value counts."""
        self._command, self._depth, self._think_s, self._pong_s = list(command), depth, think_s, pong_s
        self._pause_s = pause_s
        self._not_before = float("-inf")
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._pings = 0
        self._closed = False
        self.name = Path(self._command[0]).stem

    def value(self, position: Position) -> float | None:
        """Return the value in discs for the side to move; None: the engine has none, or did not answer."""
        if self._process is None and not self._start():
            return None
        try:
            return self._ask(position)
        except (OSError, ValueError) as error:  # a pipe that is broken, or was closed meanwhile
            self._fail(str(error))
            return None

    def close(self) -> None:
        self._closed = True
        self._end()

    def _start(self) -> bool:
        if self._closed or time.monotonic() < self._not_before:
            return False
        try:
            process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                encoding="utf-8", errors="replace", bufsize=1,
            )  # fmt: skip
        except OSError as error:
            self._fail(str(error))
            return False
        self._process, self._lines = process, queue.Queue()
        threading.Thread(target=_read, args=(process, self._lines), name="head-nboard", daemon=True).start()
        try:
            lower_priority(process.pid)  # the tables' records have priority
            self._send("nboard 2", f"set depth {self._depth}")
        except OSError as error:
            self._fail(str(error))
            return False
        return True

    def _ask(self, position: Position) -> float | None:
        self._send(f"set game {write_ggf([GgfGame(position, ())]).strip()}", "hint 1")
        found: list[float] = []
        if self._listen(self._think_s, lambda line: self._parse(line, found) or line.startswith("nodestats")) is None:
            raise BrokenPipeError("it has ended")
        self._pings += 1
        self._send(f"ping {self._pings}")
        answer = f"pong {self._pings}"
        if not self._listen(self._pong_s, lambda line: self._parse(line, found) or line == answer):
            self._fail("it does not answer")
            return None
        return found[-1] if found else None

    def _parse(self, line: str, found: list[float]) -> bool:
        words = line.split()
        if words[:2] == ["set", "myname"]:
            self.name = " ".join(words[2:])[:40]
        elif words[:1] in (["search"], ["book"]) and len(words) > 2:
            try:
                value = float(words[2])
            except ValueError:
                return False
            if abs(value) <= STANDARD.total:
                found.append(value)
        return False

    def _listen(self, seconds: float, done: Callable[[str], bool]) -> bool | None:
        """Read until ``done``, or for so many seconds; None: the process has ended."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                line = self._lines.get(timeout=left)
            except queue.Empty:
                return False
            if line is None:
                return None
            if done(line.strip()):
                return True
        return False

    def _send(self, *lines: str) -> None:
        process = self._process
        if process is None or process.stdin is None:
            raise BrokenPipeError("it was ended")
        process.stdin.write("".join(f"{line}\n" for line in lines))
        process.stdin.flush()

    def _fail(self, why: str) -> None:
        if self._closed:
            return
        log.warning("the Othello program %s gives no value: %s; tried again in %d s", self.name, why, self._pause_s)
        self._not_before = time.monotonic() + self._pause_s
        self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):  # unwritten data is dropped with the process
                    assert pipe is not None, "it was asked for"
                    pipe.close()


def _read(process: subprocess.Popen[str], lines: queue.Queue[str | None]) -> None:
    assert process.stdout is not None, "it was asked for"
    try:
        for line in process.stdout:
            lines.put(line)
    except (OSError, ValueError):
        pass  # it was closed
    lines.put(None)
