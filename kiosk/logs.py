"""Logging in logfmt: one line per log record, as ``level=info from=table.program …``.

- A record is always one line, tracebacks included; a value with a space, a quote or a line break is quoted as JSON.
- Under systemd a line begins with its priority and journald adds the time; elsewhere the line begins with the time.
- Callers add fields with ``extra``: ``log.info("refused", extra={"game": game})``.
- Each logging statement writes at most ``OFTEN`` lines a minute, so that no client can fill the log; the first line of
  the next minute reports how many were suppressed.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import Final, TextIO

#: attributes of every standard log record; all others came with ``extra``
_STANDARD: Final = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}
#: level -> syslog priority (sd-daemon(3))
_PRIORITIES: Final = {logging.CRITICAL: 2, logging.ERROR: 3, logging.WARNING: 4, logging.INFO: 6, logging.DEBUG: 7}
_FRAMES = 12
#: the most lines of one logging statement per minute
OFTEN, MINUTE_S = 20, 60.0


class LogfmtFormatter(logging.Formatter):
    """Formatter for logfmt lines. ``fields`` are added to every line. ``for_journald``: priority first, no time."""

    def __init__(self, fields: Mapping[str, object], for_journald: bool) -> None:
        super().__init__()
        self._fields = dict(fields)
        self._for_journald = for_journald

    def format(self, record: logging.LogRecord) -> str:
        own = {name: value for name, value in record.__dict__.items() if name not in _STANDARD}
        fields: dict[str, object] = {
            "level": record.levelname.lower(),
            "from": record.name.removeprefix("kiosk."),
            "msg": record.getMessage(),
            **self._fields,
            **own,
        }
        if record.exc_info is not None and record.exc_info[1] is not None:
            error = record.exc_info[1]
            fields["error"] = f"{type(error).__name__}: {error}"
            fields["trace"] = _trace(record.exc_info[2])
        line = " ".join(f"{name}={_value(value)}" for name, value in fields.items())
        if self._for_journald:
            return f"<{_PRIORITIES.get(record.levelno, 6)}>{line}"
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        return f"time={when} {line}"


class RateLimitFilter(logging.Filter):
    """Filter that limits the rate of log records per logging statement."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now_s = now_s
        self._begun_s = 0.0
        self._counts: Counter[tuple[str, int]] = Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        now_s = self._now_s()
        kind = record.pathname, record.lineno
        if now_s - self._begun_s >= MINUTE_S:
            held_back = sum(max(0, count - OFTEN) for count in self._counts.values())
            self._begun_s, self._counts = now_s, Counter()
            if held_back:
                record.__dict__["held_back"] = held_back
        self._counts[kind] += 1
        return self._counts[kind] <= OFTEN or record.levelno >= logging.CRITICAL


def _value(value: object) -> str:
    text = str(value)
    plain = bool(text) and text.isprintable() and not any(mark in text for mark in ' "=\\')
    return text if plain else json.dumps(text, ensure_ascii=not text.isprintable())


def _trace(trace: TracebackType | None) -> str:
    """Return the innermost calls of a traceback, outermost first."""
    frames = traceback.extract_tb(trace)[-_FRAMES:]
    return " > ".join(f"{os.path.basename(frame.filename)}:{frame.lineno}:{frame.name}" for frame in frames)  # noqa: PTH119


def goes_to_journald(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Return whether systemd connected this stream to its journal (it names the stream's device and inode)."""
    try:
        status = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return False
    return environ.get("JOURNAL_STREAM") == f"{status.st_dev}:{status.st_ino}"


def start_logging(**fields: object) -> None:
    """Send the program's log to stderr, including uncaught exceptions of the program and its threads."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LogfmtFormatter(fields, goes_to_journald(sys.stderr, os.environ)))
    handler.addFilter(RateLimitFilter())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    sys.excepthook = _program_died
    threading.excepthook = _thread_died


def _program_died(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    logging.getLogger("kiosk").critical("the program died", exc_info=(kind, error, trace))


def _thread_died(args: threading.ExceptHookArgs) -> None:
    error = args.exc_value or args.exc_type()
    name = args.thread.name if args.thread else "?"
    logging.getLogger("kiosk").critical("thread %s died", name, exc_info=(args.exc_type, error, args.exc_traceback))
