"""Tests of log lines: one for every event, readable by a person and by a program."""

from __future__ import annotations

import json
import logging
import re
import shlex
import sys

import pytest

from kiosk.logs import MINUTE_S, OFTEN, LogfmtFormatter, RateLimitFilter, goes_to_journald


def _record(level: int, message: str, *args: object, **extra: object) -> logging.LogRecord:
    return logging.getLogger("kiosk.table.program").makeRecord(
        "kiosk.table.program", level, "program.py", 1, message, args, None, extra=extra
    )


def test_a_line_has_level_origin_message_and_the_callers_fields() -> None:
    line = LogfmtFormatter({"table": 7}, True).format(_record(logging.WARNING, "refused: %s", "not now", game="g-1"))
    assert line == '<4>level=warning from=table.program msg="refused: not now" table=7 game=g-1'


def test_without_journald_the_line_has_the_time() -> None:
    line = LogfmtFormatter({}, False).format(_record(logging.INFO, "x"))
    assert re.fullmatch(r"time=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00 level=info from=table\.program msg=x", line)


@pytest.mark.parametrize(
    "value", ["two\nlines", 'a "quote"', "a=b", "", "back\\slash", "石田 結衣", "\x1b[31mred\x07", "\u2028"]
)
def test_any_value_is_one_line_and_can_be_parsed(value: str) -> None:
    line = LogfmtFormatter({}, True).format(_record(logging.INFO, "m", name_of=value, last="end"))
    assert len(line.splitlines()) == 1
    assert "\x1b" not in line and "\n" not in line
    field = line.split("name_of=", 1)[1].rsplit(" last=", 1)[0]
    assert (json.loads(field) if field.startswith('"') else field) == value


def test_a_traceback_is_one_line_too() -> None:
    try:
        raise ValueError("no\nsuch thing")
    except ValueError:
        record = logging.getLogger("kiosk").makeRecord("kiosk", logging.ERROR, "f", 1, "died", (), sys.exc_info())
    line = LogfmtFormatter({}, True).format(record)
    assert "\n" not in line
    fields = dict(part.split("=", 1) for part in shlex.split(line[3:], posix=True))
    assert fields["error"].startswith("ValueError: no")
    assert "test_a_traceback_is_one_line_too" in fields["trace"]


def test_only_the_stream_that_systemd_connected_goes_to_journald(tmp_path) -> None:
    with (tmp_path / "log").open("w") as stream:
        status = (tmp_path / "log").stat()
        assert goes_to_journald(stream, {"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"})
        assert not goes_to_journald(stream, {"JOURNAL_STREAM": "8:1"})
        assert not goes_to_journald(stream, {})


def test_no_line_of_the_code_fills_the_log() -> None:
    """Log lines that any client can cause are limited per minute; the rest are counted in the next minute's first
    line."""
    now = [0.0]
    seldom = RateLimitFilter(lambda: now[0])

    def filtered(lineno: int, level: int = logging.WARNING) -> dict[str, object] | None:
        record = logging.LogRecord("kiosk.link", level, "x.py", lineno, "no %s", ("key",), None)
        return record.__dict__ if seldom.filter(record) else None

    assert sum(filtered(1) is not None for _ in range(100_000)) == OFTEN
    assert filtered(2) is not None, "another line"
    assert filtered(1, logging.CRITICAL) is not None, "the program's death is always told"
    now[0] = MINUTE_S
    first, second = filtered(1), filtered(1)
    assert first is not None and first["held_back"] == 100_001 - OFTEN
    assert second is not None and "held_back" not in second
