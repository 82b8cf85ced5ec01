"""Tests that an interrupted test run leaves no process behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import until

TOOLS = Path(__file__).parent / "tools"
CONFTEST = "import process_cleanup\n\ndef pytest_configure():\n    process_cleanup.watch()\n"
#: a child, its own child that ignores SIGTERM, and a server that leaves the session
TEST = """
import os, pathlib, subprocess, time

def test_that_starts_programs():
    script = "(trap '' TERM; echo $$ > first; exec sleep 1000) & setsid sleep 1000 & echo $! > second; wait"
    subprocess.Popen(["sh", "-c", script], cwd=os.environ["HERE"])
    pathlib.Path(os.environ["HERE"], "tests").write_text(str(os.getpid()))
    time.sleep(1000)
"""


@pytest.mark.slow
@pytest.mark.parametrize("workers", [("-p", "no:xdist"), ("-n", "1")], ids=["one process", "xdist"])
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda how: how.name)
def test_all_child_processes_end(how: signal.Signals, workers: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_it.py").write_text(TEST)
    environment = {**os.environ, "PYTHONPATH": str(TOOLS), "HERE": str(tmp_path), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    plugins = ("-p", "xdist") if workers[0] == "-n" else ()
    # in a background job of a shell, SIGINT is ignored, also in all child processes
    heeds = ("env", "--default-signal=INT")
    command = [*heeds, sys.executable, "-m", "pytest", *plugins, *workers, "--rootdir", str(tmp_path), str(tmp_path)]
    with subprocess.Popen(command, env=environment, cwd=tmp_path, stdout=subprocess.DEVNULL) as run:
        files = [tmp_path / name for name in ("first", "second", "tests")]
        until(lambda: all(file.exists() and file.read_text().strip() for file in files))
        run.send_signal(how)
    started = [int(file.read_text()) for file in files]
    until(lambda: not [pid for pid in started if _is_running(pid)])


def _is_running(pid: int) -> bool:
    """Check that a process is running; a zombie that its new parent has not reaped yet is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
