"""A temporary PostgreSQL server for the tests: Debian's, on a private socket, started once.

PostgreSQL refuses to run as root, so root starts it as Debian's user ``postgres``. fsync stays on, so that tests of
commits apply to a server in normal use.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
import pytest
from process_cleanup import marked

_MISSING = "PostgreSQL is needed for these tests (apt install postgresql)"


class Server:
    """A running server. ``new()`` returns the address of an empty database."""

    def __init__(self, folder: Path, programs: Path, user: str | None) -> None:
        self._folder, self._programs, self._user = folder, programs, user
        self._data = folder / "data"
        self._count = 0

    def _run(self, program: str, *arguments: object, stdin: str | None = None) -> None:
        command = [str(self._programs / program), *map(str, arguments)]
        with (self._folder / "log").open("a") as log:
            subprocess.run(
                command, check=True, user=self._user, cwd=self._folder, stdout=log, stderr=log, timeout=100,
                env={"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"], **marked()},
            )  # fmt: skip

    def create(self, *settings: str) -> None:
        """Start the server; create it first if it does not exist."""
        if self._data.exists():
            self.start(*settings)
            return
        self._run("initdb", "-D", self._data, "-U", "kiosk", "-A", "trust", "-E", "UTF8", "--no-sync", "--no-locale")
        self.start(*settings)

    def start(self, *settings: str) -> None:
        options = ["listen_addresses=''", f"unix_socket_directories='{self._folder}'", "max_connections=60"]
        # After a crash a server syncs every file it has, one by one; on a busy machine that takes minutes.
        options += ["recovery_init_sync_method=syncfs", *settings]
        self._run(
            "pg_ctl", "-D", self._data, "-w", "-t", "90", "-o", " ".join(f"-c {line}" for line in options), "start"
        )

    def stop(self, mode: str = "immediate") -> None:
        """Stop the server. ``immediate``: as by a power cut; what was committed must be there afterwards."""
        self._run("pg_ctl", "-D", self._data, "-w", "-m", mode, "stop")

    def new(self) -> str:
        self._count += 1
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE test{self._count} TEMPLATE template0")
        return self.url(f"test{self._count}")

    def url(self, database: str) -> str:
        return f"postgresql://kiosk@/{database}?host={self._folder}"


@contextmanager
def running_server(kept: Path | None = None, *settings: str) -> Iterator[Server]:
    """Yield a server. ``kept``: the folder of one to reuse with all its data; else it is deleted.

    :raises pytest.skip.Exception: no server is installed here; in CI that is a failure.
    """
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if not found and not (on_path := shutil.which("postgres")):
        pytest.fail(_MISSING) if os.environ.get("CI") else pytest.skip(_MISSING)
    programs = found[-1].parent if found else Path(str(on_path)).parent
    user = "postgres" if os.geteuid() == 0 else None
    with ExitStack() as undo:
        if kept is None:  # a short path: that of a socket has at most 107 characters
            folder = Path(undo.enter_context(tempfile.TemporaryDirectory(prefix="pg", dir="/tmp")))
        else:
            (folder := kept).mkdir(parents=True, exist_ok=True)
        if user is not None:
            account = pwd.getpwnam(user)
            os.chown(folder, account.pw_uid, account.pw_gid)
            folder.chmod(0o755)
        server = Server(folder, programs, user)
        server.create(*settings)
        try:
            yield server
        finally:
            server.stop("immediate" if kept is None else "fast")
