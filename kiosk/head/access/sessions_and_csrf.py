"""Sessions of signed-in devices.

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
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from kiosk.head.access.credential_file import SecretStore, StoredSession, fingerprint
from kiosk.head.access.roles import Role
from kiosk.head.store.store_schema import wall_clock

LASTS_S = 24 * 3600
#: seconds after giving a password during which it is not asked for again
GRACE_S = 5 * 60


@dataclass(frozen=True, slots=True)
class UserSession:
    """A signed-in person at a device, as pages see it."""

    id: str
    name: str
    role: Role
    token: str


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


# Rate limits for wrong passwords and codes.
#
# - Wrong passwords are counted by name and by address; each failure lengthens the wait. While somebody has to wait,
#   nothing is checked.
# - Guessing cannot lock an arbiter out: a device that was signed in before is counted separately, and the wait of a
#   name does not apply to an address with fewer than ``QUIET`` failures.
# - Concurrent guesses are counted as if they were wrong.
# - A count is forgotten after a quarter of an hour.

NS_PER_S = 1_000_000_000

FORGET_S = 15 * 60
#: most addresses remembered; the one quiet for longest is dropped first
_KEPT = 4096


@dataclass(frozen=True, slots=True)
class BackoffPolicy:
    """A backoff policy: ``free`` failures cost nothing; each later one doubles the wait, from ``first_s`` to
    ``longest_s``.
    """

    free: int
    first_s: int
    longest_s: int

    def wait_s(self, failures: int) -> int:
        over = failures - self.free
        return 0 if over <= 0 else min(self.longest_s, self.first_s << min(over - 1, 20))


PER_ACCOUNT = BackoffPolicy(free=10, first_s=5, longest_s=60)
PER_ADDRESS = BackoffPolicy(free=5, first_s=5, longest_s=300)
#: an address with fewer failures does not wait for failures of others on the same name
QUIET = 3


class FailureCounter:
    """Failure counts of one kind. May be used from any thread."""

    def __init__(self, limit: BackoffPolicy, now_ns: Callable[[], int]) -> None:
        self._limit = limit
        self._now_ns = now_ns
        self._counts: OrderedDict[str, tuple[int, int]] = OrderedDict()
        self._running: Counter[str] = Counter()
        self._lock = threading.Lock()

    def wait_s(self, who: str) -> int:
        """Return how long ``who`` still has to wait, in seconds."""
        with self._lock:
            count, at_ns = self._present(who)
            left_ns = self._limit.wait_s(count) * NS_PER_S - (self._now_ns() - at_ns)
            return max(0, -(-left_ns // NS_PER_S)) if count else 0

    def count(self, who: str) -> int:
        """Return the number of failures of ``who``."""
        with self._lock:
            return self._present(who)[0]

    @contextmanager
    def guess(self, who: str) -> Iterator[int]:
        """Count a guess as pending while it is checked. Yield the wait in seconds instead, if ``who`` would have to
        wait in case all pending guesses were wrong.
        """
        with self._lock:
            free = max(self._limit.free - self._present(who)[0], 0)
            wait_s = self._limit.first_s if self._running[who] > free else 0
            self._running[who] += 1
        try:
            yield wait_s
        finally:
            with self._lock:
                self._running[who] -= 1
                if not self._running[who]:
                    del self._running[who]

    def add(self, who: str) -> int:
        """Count a failure; return the wait that follows, in seconds."""
        with self._lock:
            count = self._present(who)[0] + 1
            self._counts[who] = count, self._now_ns()
            self._counts.move_to_end(who)
            if len(self._counts) > _KEPT:
                self._counts.popitem(last=False)
            return self._limit.wait_s(count)

    def forget(self, who: str) -> None:
        with self._lock:
            self._counts.pop(who, None)

    def _present(self, who: str) -> tuple[int, int]:
        count, at_ns = self._counts.get(who, (0, 0))
        return (count, at_ns) if self._now_ns() - at_ns < FORGET_S * NS_PER_S else (0, 0)
