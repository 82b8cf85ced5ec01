"""The web server's life in the head: it leaves the signals to the program, and all its ports go down together."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Iterator, Sequence

import uvicorn
from starlette.applications import Starlette

from kiosk.head.program.door import Door
from kiosk.link.frames import MAX_FRAME

#: an open page or table may take so long to let go when the head stops
GOODBYE_S = 3
#: so many connections wait to be accepted, and so many the event loop accepts before it looks after others
BACKLOG, AT_ONCE = 1024, 32


class Server(uvicorn.Server):
    """uvicorn would raise SIGTERM and SIGINT again after a clean stop."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """asyncio has one number for both, and has told the kernel ours."""
        await super().startup(sockets)
        for listener in sockets or []:
            listener.listen(BACKLOG)


def server_of(app: Starlette, door: Door, certificate: ssl.SSLContext | None = None) -> Server:
    """A server of the head's pages and of its link; with a ``certificate`` of its pages a second time, by TLS.

    ``door``: where its connections wait.
    """
    return Server(
        uvicorn.Config(
            app,
            log_config=None,
            log_level="warning",  # else each connection of a table is a line or two
            access_log=False,
            **door.protocols(certificate),
            lifespan="off" if certificate else "on",
            backlog=AT_ONCE,
            ws_max_size=MAX_FRAME,
            ws_ping_interval=None,
            ws_per_message_deflate=False,
            server_header=False,
            proxy_headers=False,  # an address or https that a header tells of is anybody's word
            timeout_graceful_shutdown=GOODBYE_S,
        )
    )


async def serve_all(servers: Sequence[tuple[Server, socket.socket]]) -> None:
    """Serves until every server is told to exit."""
    await asyncio.gather(*(server.serve(sockets=[listener]) for server, listener in servers))
