"""Evaluation of positions for spectators.

- It uses a spectator's card, so it never concerns a position that may not be seen yet, and is shown only where the
  division delays its games, so that it cannot help a player (promise 3).
- With few empty squares it is exact, by the project's own solver; before that it is the value of the organiser's
  engine, if there is one.
- Both run in separate processes; nobody waits for them.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path

from engine.board.color import Color
from engine.board.errors import BoardError
from engine.board.ggf import GgfGame, write_ggf
from engine.board.position import Position
from engine.board.variants import STANDARD
from kiosk.head.head_config import Analysis
from kiosk.head.tables.live_game_json import PositionEvaluation
from kiosk.head.tables.table_cards_for_pages import TableCard
from kiosk.platform_compat import lower_priority

#: empty squares from which the solver is used; it takes a second or two, and is stopped after ``SOLVE_S``
EXACT, SOLVE_S = 12, 15.0
#: the project's solver as an NBoard engine
OWN = (sys.executable, "-m", "kiosk", "engine")
#: positions that are cached
_KEPT = 4096

_Key = tuple[str, Color]


class Evaluator:
    """Evaluator of cards. Call it with a card; an unknown value is computed in the background, and then ``changed`` is
    called. Close it at the end.
    """

    def __init__(
        self, analysis: Analysis | None, changed: Callable[[], None] = lambda: None, own: Sequence[str] = OWN
    ) -> None:
        self._changed = changed
        self._solver = NBoard(own, EXACT, SOLVE_S, pong_s=2.0)
        self._engine = None if analysis is None else NBoard(analysis.engine, analysis.depth, analysis.think_s)
        self._known: OrderedDict[_Key, PositionEvaluation | None] = OrderedDict()
        self._queue: OrderedDict[int, _Key] = OrderedDict()
        self._condition = threading.Condition()
        self._stopping = False
        # started by the first request, because most heads have none
        self._thread = threading.Thread(target=self._run, name="head-worth", daemon=True)

    def close(self) -> None:
        with self._condition:
            self._stopping = True
            self._condition.notify()
        self._solver.close()
        if self._engine is not None:
            self._engine.close()
        if self._thread.is_alive():
            self._thread.join(5.0)

    def __call__(self, card: TableCard) -> PositionEvaluation | None:
        """Return the known value of the position on a spectator's card, if it may be shown."""
        key = _position(card)
        if key is None or not card.rule.shows_evaluation:
            return None
        with self._condition:
            if key in self._known:
                return self._known[key]
            self._queue[card.number] = key  # only a table's latest position is computed
            if self._thread.ident is None and not self._stopping:
                self._thread.start()
            self._condition.notify()
        return None

    def _run(self) -> None:
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._queue or self._stopping)
                if self._stopping:
                    return
                _, key = self._queue.popitem(last=False)
                if key in self._known:
                    continue
            found = self._worth(key)
            with self._condition:
                self._known[key] = found
                while len(self._known) > _KEPT:
                    self._known.popitem(last=False)
            if found is not None:
                self._changed()

    def _worth(self, key: _Key) -> PositionEvaluation | None:
        cells, color = key
        try:
            position = Position.from_cells(cells, color)
        except BoardError:
            return None  # of another size
        if position.is_over:
            return None
        exact = position.empty.bit_count() <= EXACT
        asked = self._solver if exact else self._engine
        value = None if asked is None else asked.value(position)
        if asked is None or value is None:
            return None
        black = value if color is Color.BLACK else -value
        return PositionEvaluation(round(black) if exact else round(black, 1), exact, asked.name)


def _position(card: TableCard) -> _Key | None:
    """Return the shown position of a game in progress, and who is to move."""
    view, game = card.view, card.game
    if game is None or game.outcome is not None or view.board is None or not view.turns:
        return None
    return view.board, view.turns[-1].by.opponent


# Client of an Othello engine in a separate process, which evaluates positions by the NBoard protocol, version 2.
#
# An engine may hang, crash or send invalid output; only its answer is lost. After a timeout its process is ended, and
# the next request after a pause starts another. Unknown lines are ignored.
#
# Sent: ``nboard 2``, ``set depth D`` at the start; then for each position ``set game (;GM[Othello]…;)``, ``hint 1``
# and, after the thinking time, ``ping N``. Read: ``search LINE EVAL …`` (or ``book …``) with the value in discs for the
# side to move, the last one counts; ``pong N`` when it has stopped; ``set myname NAME``.

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
