"""Notifications to systemd: ready, alive, stopping, and a status line (sd_notify(3)).

- Sending never blocks and never fails the program. A datagram that cannot be sent is lost; if many are lost, systemd
  considers the program dead.
- ``alive`` reports that the loop it is called from works; it is called from that loop and nowhere else.
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
    """Sender to the socket named in the environment; does nothing if none is named."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        address = environ.get(SOCKET_VARIABLE, "")
        self._ready = False
        self._status = ""
        self._socket: socket.socket | None = None
        self._address = ""
        if sys.platform != "win32" and address[:1] in ("/", "@"):
            # systemd writes an abstract socket name, whose first byte is zero, with a leading @.
            self._address = "\0" + address[1:] if address[0] == "@" else address
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self._socket.setblocking(False)

    def alive(self, status: str = "") -> None:
        """Report that the calling loop works. The first call also reports that the program is ready."""
        lines = ["WATCHDOG=1"]
        if not self._ready:
            self._ready = True
            lines.append("READY=1")
        if status and status != self._status:
            self._status = status
            lines.append("STATUS=" + " ".join(status.split()))
        self._send(lines)

    def stopping(self) -> None:
        """Report that the program is ending on its own."""
        self._send(["STOPPING=1"])

    def _send(self, lines: list[str]) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.sendto("\n".join(lines).encode(), self._address)
