"""What a program tells systemd: ready, alive, stopping, and one line of status (sd_notify(3)).

The law: telling never waits and never fails the program. A datagram that cannot be sent is lost; if many are lost
systemd takes the program for dead, which is what it then is to the hall. Whoever calls ``alive`` says that the loop it
is called from works: it is called from that loop and nowhere else.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from collections.abc import Mapping
from typing import Final

SOCKET_VARIABLE: Final = "NOTIFY_SOCKET"


class Notifier:
    """Speaks to the socket that the environment names; says nothing where it names none."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        address = environ.get(SOCKET_VARIABLE, "")
        self._ready = False
        self._status = ""
        self._socket: socket.socket | None = None
        self._address = ""
        if sys.platform != "win32" and address[:1] in ("/", "@"):
            # A leading @ is systemd's way of writing an abstract name, whose first byte is zero.
            self._address = "\0" + address[1:] if address[0] == "@" else address
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self._socket.setblocking(False)

    def alive(self, status: str = "") -> None:
        """The calling loop works. The first call also says that the program is ready."""
        lines = ["WATCHDOG=1"]
        if not self._ready:
            self._ready = True
            lines.append("READY=1")
        if status and status != self._status:
            self._status = status
            lines.append("STATUS=" + " ".join(status.split()))
        self._send(lines)

    def stopping(self) -> None:
        """The program ends of its own will."""
        self._send(["STOPPING=1"])

    def _send(self, lines: list[str]) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.sendto("\n".join(lines).encode(), self._address)
