"""Listening sockets of the head, its TLS certificate, and its uvicorn servers."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import ssl
from collections.abc import Iterator, Sequence

import uvicorn
from starlette.applications import Starlette

from engine.i18n import raised_as, say
from kiosk.errors import InputError
from kiosk.head.head_config import Tls
from kiosk.head.program.connection_and_traffic_limits import HEAD, ConnectionLimiter
from kiosk.head.web.head_url_on_hall_network import reachable
from kiosk.link.message_macs_versions_handshake import MAX_FRAME


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that accepts connections; ``port`` 0: any free one.

    :raises InputError: the address is in use or not of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=1024)
        # asyncio sets this only on sockets that name their protocol; without it every small answer waits 40 ms for
        # the other side's delayed acknowledgement. Accepted connections inherit it.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except (OSError, OverflowError) as error:
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            raise InputError.saying(
                "a program already listens on port {port}, probably this head: open http://127.0.0.1:{port} in a "
                "browser; for a second head write another port into its head.toml, as in port = 8044",
                port=port,
            ) from error
        raise InputError.saying(
            "cannot listen on {host} port {port} ({why}); choose another host or port",
            host=host,
            port=port,
            why=error.strerror if isinstance(error, OSError) and error.strerror else error,
        ) from error


def addresses(host: str, port: int) -> list[str]:
    """Return the URLs that a browser can open, this machine's own first."""
    if host not in ("0.0.0.0", "::", ""):
        return [f"http://{f'[{host}]' if ':' in host else host}:{port}"]
    return [f"http://127.0.0.1:{port}", *(f"http://{address}:{port}" for address in reachable(host))]


def tls_context(tls: Tls) -> ssl.SSLContext:
    """Return the TLS context.

    :raises InputError: the certificate and the key are not a pair that can be used.
    """
    certificate = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    unusable = say("{certificate} with {key}: {why}; make them again (docs/setup/head.md)")
    with raised_as(InputError, unusable(certificate=tls.certificate, key=tls.key), OSError):
        certificate.load_cert_chain(tls.certificate, tls.key)
    return certificate


# The uvicorn servers of the head: signals are left to the program, and all ports close together.

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
