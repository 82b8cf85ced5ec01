"""Pytest settings and fixtures of all tests."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import process_cleanup
import pytest
import skipped_tests
from hypothesis import settings

# Several processes run at the same time and multiply small matrices, so a second BLAS thread only costs time. Set
# before numpy is imported, also for the programs that tests start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Tests connect to no public server, so one authority without a known key is trusted, also where the environment names
# a file of its own: reading the system's 140 authorities costs each of hundreds of clients 30 ms of processor time.
os.environ["SSL_CERT_FILE"] = str(Path(__file__).parent / "tools" / "nobody.pem")

# Temporary files are in memory where there is room and programs may run from it: no test needs a disk that outlives a
# power cut, and most wait for one. The variable also reaches the programs that tests start.
MEMORY = Path("/dev/shm")
if MEMORY.is_dir() and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC and shutil.disk_usage(MEMORY).free > 8 * 2**30:
    os.environ.setdefault("TMPDIR", str(MEMORY))

# A deadline would measure the load of the machine and not the code.
settings.register_profile("calm", deadline=None)
settings.load_profile("calm")


def pytest_configure() -> None:
    process_cleanup.watch()
    gc.disable()  # what collection makes, stays


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest file first: begun late, it would run alone at the end while the other processes wait."""
    items.sort(key=lambda item: not item.nodeid.startswith("tests/simulate/"))


def pytest_collection_finish() -> None:
    """Let no garbage collection examine the millions of objects of all test modules: they stay until the end."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    yield  # after all other summaries
    reasons = [report.longrepr[2] for report in terminalreporter.stats.get("skipped", ()) if report.longrepr]
    for line in skipped_tests.lines(reasons):
        terminalreporter.write_line(line)


@pytest.fixture(autouse=True)
def _restore_logging() -> Iterator[None]:
    """Restore the logging handlers and exception hooks that a program changed while it ran inside a test."""
    root = logging.getLogger()
    before, level, hooks = root.handlers[:], root.level, (sys.excepthook, threading.excepthook)
    yield
    root.handlers[:] = before
    root.setLevel(level)
    sys.excepthook, threading.excepthook = hooks
