"""HTTP security headers of every answer: content only from this head, no framing, no content sniffing.

An answer over TLS also tells the browser to use only TLS for as long as an event may last. Browsers keep that for a
host name, never for a bare IP address.
"""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
#: a week
TLS_ONLY_S = 7 * 24 * 3600


class SafeHeaders:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = _POLICY
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "same-origin"  # with "no-referrer" browsers send no origin with a form
                headers.setdefault("Cache-Control", "no-cache")
                if scope["scheme"] == "https":
                    headers["Strict-Transport-Security"] = f"max-age={TLS_ONLY_S}"
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)
