"""The web server's life in the head: it leaves the signals to the program, and all its ports go down together."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from asyncio import constants
from collections.abc import Iterator, Sequence
from typing import Any

import uvicorn
from starlette.applications import Starlette

from kiosk.head.program.door import Door
from kiosk.link.frames import MAX_FRAME

#: an open page or table may take so long to let go when the head stops
GOODBYE_S = 3
#: so many connections wait to be accepted; the event loop accepts as many in a row
BACKLOG = 256
#: a handshake of TLS, of which the door knows nothing, has so long
HANDSHAKE_S = 5.0


class Server(uvicorn.Server):
    """uvicorn would raise SIGTERM and SIGINT again after a clean stop."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def server_of(app: Starlette, door: Door, **more: Any) -> Server:
    """A server of the head's pages and of its link. ``door``: where its connections wait."""
    return Server(
        uvicorn.Config(
            app,
            log_config=None,
            log_level="warning",  # else each connection of a table is a line or two
            access_log=False,
            **door.protocols(),
            backlog=BACKLOG,
            ws_max_size=MAX_FRAME,
            ws_ping_interval=None,
            server_header=False,
            timeout_graceful_shutdown=GOODBYE_S,
            **more,
        )
    )


async def serve_all(servers: Sequence[tuple[Server, socket.socket]]) -> None:
    """Serves until every server is told to exit."""
    constants.SSL_HANDSHAKE_TIMEOUT = HANDSHAKE_S  # uvicorn passes none on, and asyncio's own is a minute
    await asyncio.gather(*(server.serve(sockets=[listener]) for server, listener in servers))
