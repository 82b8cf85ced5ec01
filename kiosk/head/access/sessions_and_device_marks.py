"""Sessions of signed-in devices, and the marks of devices that were signed in before.

- A session is a random key in the device's cookie; the head keeps the key's hash. The CSRF token in every form is
  derived from the key, so no other site can know it.
- A session ends after a day (restarts of the head included), when it is ended, and when its account is closed or gets
  another password.
- At a start its age is taken from the wall clock; afterwards from monotonic time that goes on while the machine sleeps,
  so that correcting the clock ends no session and a closed laptop keeps none.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from kiosk.head.access.credential_file import SecretStore, StoredSession, fingerprint
from kiosk.head.access.login_rate_limits import NS_PER_S
from kiosk.head.store.store_rows import wall_clock

LASTS_S = 24 * 3600
#: seconds after giving a password during which it is not asked for again
GRACE_S = 5 * 60


@dataclass(slots=True)
class StoredDevice:
    """A session as it is listed. ``seen_ns``: time of its last request, counted from this start of the head."""

    id: str
    account: str
    since: str
    address: str
    device: str
    since_ns: int
    seen_ns: int | None = None
    password_ns: int | None = None


class Sessions:
    """All sessions. Not thread-safe: ``Authenticator`` serialises the calls."""

    def __init__(self, vault: SecretStore, now_ns: Callable[[], int]) -> None:
        self._vault = vault
        self._now_ns = now_ns
        self._by_print: dict[str, StoredDevice] = {
            key: StoredDevice(
                key[:8], kept.account, kept.since, kept.address, kept.device, now_ns() - _age_ns(kept.since)
            )
            for key, kept in vault.kept.sessions.items()
        }
        self.end(self._is_over)

    def begin(self, account: str, address: str, device: str) -> tuple[str, StoredDevice]:
        """Begin a session; return the key for the cookie. The caller saves the vault."""
        key, now = secrets.token_urlsafe(32), self._now_ns()
        self.end(self._is_over)
        name = fingerprint(key)
        begun = StoredDevice(name[:8], account, wall_clock(), address, device, now, now, now)
        self._by_print[name] = begun
        self._vault.kept.sessions[name] = StoredSession(account, begun.since, address, device)
        return key, begun

    def find(self, key: str | None) -> StoredDevice | None:
        found = self._by_print.get(fingerprint(key)) if key else None
        if found is None or self._is_over(found):
            return None
        found.seen_ns = self._now_ns()
        return found

    def listed(self) -> list[StoredDevice]:
        """Return the sessions, the last seen first."""
        there = [device for device in self._by_print.values() if not self._is_over(device)]
        return sorted(there, key=lambda device: device.seen_ns or 0, reverse=True)

    def _is_over(self, device: StoredDevice) -> bool:
        return self._now_ns() - device.since_ns >= LASTS_S * NS_PER_S

    def end(self, which: Callable[[StoredDevice], bool]) -> list[StoredDevice]:
        """End sessions; return those that ended. The caller saves the vault."""
        ended = {name: device for name, device in self._by_print.items() if which(device)}
        for name in ended:
            del self._by_print[name]
            self._vault.kept.sessions.pop(name, None)
        return list(ended.values())


def _age_ns(since: str) -> int:
    """Return the age of a session by the wall clock. One without a date, or one that began a day or more in the future,
    counts as expired, because its age is unknown.
    """
    try:
        age = datetime.fromisoformat(wall_clock()) - datetime.fromisoformat(since)
    except (ValueError, TypeError):
        return LASTS_S * NS_PER_S
    age_s = age.total_seconds()
    return LASTS_S * NS_PER_S if age_s <= -LASTS_S else int(max(age_s, 0) * NS_PER_S)


def csrf_token(key: str) -> str:
    """Return the token by which a form shows that it came from this head's page."""
    return hmac.digest(key.encode(), b"othello-kiosk form", "sha256").hex()[:32]


def new_device_mark(account: str, hash: str) -> str:
    """Return a mark for a device on which ``account`` has signed in. It is keyed with the password's hash, so another
    password makes it void.
    """
    once = secrets.token_urlsafe(16)
    return f"{once}.{_mark(once, account, hash)}"


def has_device_mark(mark: str, account: str, hash: str) -> bool:
    """Check whether a mark belongs to this account."""
    once, dot, shown = mark.partition(".")
    fits = bool(dot) and mark.isascii() and len(mark) < 100
    return fits and hmac.compare_digest(_mark(once, account, hash), shown)


def _mark(once: str, account: str, hash: str) -> str:
    return hmac.digest(hash.encode(), f"othello-kiosk device\n{once}\n{account}".encode(), "sha256").hex()


def kind_of_device(user_agent: str) -> str:
    """Return a readable kind of device for lists."""
    for mark, word in (
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "Chromebook"),
        ("Windows", "Windows"), ("Macintosh", "Mac"), ("Linux", "Linux"),
    ):  # fmt: skip
        if mark in user_agent:
            return word
    return "–"
