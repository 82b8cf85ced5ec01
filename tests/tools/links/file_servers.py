"""Real file servers, each a process on loopback that a test may kill and restart; and a connection to one that breaks
during a transfer.
"""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Self

import pytest
from heads.process import free_port
from waiting import until

from kiosk.head.head_config import Relaying

PASSWORD = "green discs"

_WEBDAV = """
import sys
from cheroot.wsgi import Server
from wsgidav.wsgidav_app import WsgiDAVApp

folder, port, password = sys.argv[1:]
Server(("127.0.0.1", int(port)), WsgiDAVApp({
    "provider_mapping": {"/": folder}, "verbose": 0,
    "simple_dc": {"user_mapping": {"*": {"club": {"password": password}}}},
})).safe_start()
"""


class FileServer:
    """A file server. It answers when ``start`` returns; ``kill`` simulates a power failure."""

    def __init__(self, folder: Path, keys: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder, self.keys, self.port = folder, keys, free_port()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        with (self.keys / "server.log").open("ab") as log:
            self.process = subprocess.Popen(self.command(), stdout=log, stderr=log)
        until(self._answers)

    def kill(self) -> None:
        for process in self._process_tree(self.process.pid):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.process.wait()

    def _process_tree(self, process: int) -> list[int]:
        """Return the process and all its descendants: sshd has a process in its own session for each connection."""
        try:
            children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
        except FileNotFoundError:
            children = []
        return [process, *(one for child in children for one in self._process_tree(int(child)))]

    def command(self) -> list[str]:
        raise NotImplementedError

    def config(self, port: int = 0) -> Relaying:
        """Return the settings for the folder ``live`` on the server; ``port``: of a proxy to it."""
        raise NotImplementedError

    def _answers(self) -> bool:
        assert self.process.poll() is None, (self.keys / "server.log").read_text()
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True
        return False


class WebDav(FileServer):
    """A wsgidav server; the user ``club`` has the password."""

    def command(self) -> list[str]:
        return [sys.executable, "-c", _WEBDAV, str(self.folder), str(self.port), PASSWORD]

    def config(self, port: int = 0) -> Relaying:
        password_file = self.keys / "password.txt"
        password_file.write_text(PASSWORD)
        return Relaying(f"http://club@127.0.0.1:{port or self.port}/live", password=password_file)


class OpenSsh(FileServer):
    """Debian's sshd with its own SFTP server; the user who runs the tests signs in with the key ``in``."""

    def __init__(self, folder: Path, keys: Path) -> None:
        """:raises pytest.skip.Exception: it is not installed here; in CI that is a failure."""
        super().__init__(folder, keys)
        found = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
        if found is None:
            missing = "OpenSSH's server is not installed (apt install openssh-server)"
            pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
        self._sshd, self.user = str(found), getpass.getuser()
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(exist_ok=True)  # where root's sshd separates its privileges
        for name in ("host", "in"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", keys / name], check=True)
        (keys / "authorized").write_bytes((keys / "in.pub").read_bytes())

    def command(self) -> list[str]:
        settings = {
            "ListenAddress": f"127.0.0.1:{self.port}",
            "HostKey": self.keys / "host",
            "AuthorizedKeysFile": self.keys / "authorized",
            "PidFile": "none",
            "StrictModes": "no",
            "UsePAM": "no",
            "PasswordAuthentication": "no",
            "PermitRootLogin": "prohibit-password",
            "Subsystem": "sftp internal-sftp",
        }
        options = [part for name, value in settings.items() for part in ("-o", f"{name}={value}")]
        return [self._sshd, "-D", "-e", "-f", "/dev/null", *options]

    def config(self, port: int = 0) -> Relaying:
        port = port or self.port
        known, key = self.keys / "known_hosts", self.keys / "in"
        known.write_text(f"[127.0.0.1]:{port} {(self.keys / 'host.pub').read_text()}")
        to = f"sftp://{self.user}@127.0.0.1:{port}{self.folder}/live"
        return Relaying(to, key=key, known_hosts=known)


class BreakableConnection:
    """A proxy to a server that breaks after ``left`` further bytes to it; None: it does not break."""

    def __init__(self, to: int, left: int | None = None) -> None:
        self._to, self.left = to, left
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()
        self._shut_down(self._open)

    def _shut_down(self, sockets: list[socket.socket]) -> None:
        for one in sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                here = self._listener.accept()[0]
                there = socket.create_connection(("127.0.0.1", self._to))
                self._open += [here, there]
                threading.Thread(target=self._pump, args=(here, there, True), daemon=True).start()
                threading.Thread(target=self._pump, args=(there, here, False), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket, counts: bool) -> None:
        with suppress(OSError), source, target:
            while data := source.recv(1 << 16):
                if counts and self.left is not None:
                    data, self.left = data[: self.left], self.left - min(self.left, len(data))
                target.sendall(data)
                if counts and self.left == 0:
                    # not those of a later connection: the client may have opened one already
                    self._shut_down([source, target])
                    return
