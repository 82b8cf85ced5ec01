"""The uvicorn servers of the head: signals are left to the program, and all ports close together."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Iterator, Sequence

import uvicorn
from starlette.applications import Starlette

from kiosk.head.program.connection_limits import HEAD, ConnectionLimiter
from kiosk.link.message_authentication import MAX_FRAME

#: how long connections may take to close when the head stops
GOODBYE_S = 3
#: connections that wait in the kernel, and those accepted before the event loop runs other tasks
BACKLOG, AT_ONCE = 1024, 4


class Server(uvicorn.Server):
    """A uvicorn server that handles no signals: uvicorn would raise SIGTERM and SIGINT again after a clean stop."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and set the backlog of the kernel: asyncio uses one number for it and for connections accepted at
        once."""
        await super().startup(sockets)
        for listener in sockets or []:
            listener.listen(BACKLOG)


def make_server(
    app: Starlette, limiter: ConnectionLimiter, proxies: Sequence[str], certificate: ssl.SSLContext | None = None
) -> Server:
    """Return a server of the head's pages and link; with a ``certificate`` the additional server that speaks TLS.

    ``limiter``: of its connections; ``proxies``: the addresses whose ``X-Forwarded-For`` and ``-Proto`` are trusted.
    """
    return Server(
        uvicorn.Config(
            app,
            log_config=None,
            log_level="warning",  # below this, each connection of a table logs a line or two
            access_log=False,
            **limiter.protocols(certificate),
            lifespan="off" if certificate else "on",
            backlog=AT_ONCE,
            h11_max_incomplete_event_size=HEAD,
            ws_max_size=MAX_FRAME,
            ws_ping_interval=None,
            ws_per_message_deflate=False,
            server_header=False,
            proxy_headers=bool(proxies),  # anybody can send headers with an address or https
            forwarded_allow_ips=list(proxies),
            timeout_graceful_shutdown=GOODBYE_S,
        )
    )


async def serve_all(servers: Sequence[tuple[Server, socket.socket]]) -> None:
    """Serve until every server is to exit."""
    await asyncio.gather(*(server.serve(sockets=[listener]) for server, listener in servers))
