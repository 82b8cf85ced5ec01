"""The address at which others in the hall reach this head, for QR codes, posters and slips.

It is the configured one, else one of this machine's own addresses. The ``Host`` header of a browser is untrusted: it
only chooses between this machine's addresses.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from engine.i18n import say
from kiosk.platform_compat import is_loopback, network_addresses

#: shown on paper, at the desk and at the start of the head if there is no such address
NO_ADDRESS = say(
    "This head has no network address yet, so no phone can open it: connect it to the hall's network, or write its "
    'address into head.toml: address = "http://10.42.0.1:8043"'
)


def reachable(host: str) -> list[str]:
    """Return the addresses of a head that listens at ``host`` which others can open, the most likely one first."""
    if host in ("0.0.0.0", "::", ""):
        return network_addresses()
    return [] if is_loopback(host) else [f"[{host}]" if ":" in host else host]


def hall_address(configured: str, host: str, port: int, asked: str) -> str:
    """Return the address for others; empty: there is none.

    :param configured: ``address`` of the configuration
    :param host: where the head listens
    :param port: where it listens without TLS
    :param asked: the address by which a browser asked
    """
    if configured:
        return configured
    known = reachable(host)
    try:
        parts = urlsplit(asked)
        by, here = parts.hostname, parts.port or 80
    except ValueError:
        by, here = None, port
    if asked.startswith("http:"):
        port = here
    return f"http://{by if by in known else known[0]}:{port}" if known else ""
