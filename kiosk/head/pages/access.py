"""Who may act at the desk.

The law: there is no password and no default. A code that works once, shown where the head was started, makes a
session; every action carries the session's token, so no other page can act in the operator's name.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass

from kiosk.head.errors import Forbidden, TooMany

COOKIE = "kiosk_session"

#: no letters or digits that look alike on a terminal
_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
_CODE_LENGTH = 12
_TRIES_A_MINUTE = 10
_MINUTE_NS = 60 * 1_000_000_000
_SESSION_NS = 24 * 60 * _MINUTE_NS


@dataclass(frozen=True, slots=True)
class Session:
    """One signed-in device. ``token`` goes into every form (CSRF)."""

    key: str
    token: str
    since_ns: int


class Access:
    """The open setup codes and the sessions, in memory: after a restart the new code has to be typed again."""

    def __init__(self, now_ns: Callable[[], int]) -> None:
        self._now_ns = now_ns
        self._codes: set[str] = set()
        self._sessions: dict[str, Session] = {}
        self._failures: list[int] = []
        self._lock = threading.Lock()

    def new_code(self) -> str:
        """A code of 60 random bits for one device, in groups for reading."""
        code = "".join(secrets.choice(_ALPHABET) for _ in range(_CODE_LENGTH))
        with self._lock:
            self._codes.add(code)
        return "-".join(code[at : at + 4] for at in range(0, _CODE_LENGTH, 4))

    def sign_in(self, typed: str) -> Session:
        """Uses up a code.

        :raises Forbidden: the code is wrong or used. :raises TooMany: too many wrong codes in the last minute.
        """
        plain = "".join(typed.upper().replace("-", " ").split())
        now = self._now_ns()
        with self._lock:
            self._failures = [at for at in self._failures if now - at < _MINUTE_NS]
            if len(self._failures) >= _TRIES_A_MINUTE:
                raise TooMany("too many wrong codes; wait a minute and try again")
            match = [code for code in self._codes if hmac.compare_digest(code.encode(), plain.encode())]
            if not match:
                self._failures.append(now)
                raise Forbidden("that code is wrong or was used before; read it again where the head was started")
            self._codes.discard(match[0])
            session = Session(secrets.token_urlsafe(32), secrets.token_urlsafe(32), now)
            self._sessions[session.key] = session
            return session

    def session(self, key: str | None) -> Session | None:
        """The session of a cookie, if it is one of ours and not a day old."""
        found = self._sessions.get(key or "")
        return found if found and self._now_ns() - found.since_ns < _SESSION_NS else None

    def require(self, key: str | None, token: str | None) -> Session:
        """The session of an action.

        :raises Forbidden: not signed in, or the form is not from our page.
        """
        session = self.session(key)
        if session is None:
            raise Forbidden("sign in at the desk page first, with the setup code")
        if not hmac.compare_digest(session.token.encode(), (token or "").encode()):
            raise Forbidden("the form is too old or did not come from this head; open the desk page again")
        return session

    def sign_out(self, session: Session) -> None:
        with self._lock:
            self._sessions.pop(session.key, None)
