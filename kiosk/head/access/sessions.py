"""Signed-in devices.

The law: a session is a random key in the device's cookie; the head keeps the key's hash. The token that every form
carries (CSRF) is made from the key, so no other page can know it. A session ends after a day, also where the head was
started again meanwhile, when it is ended, and when its account is closed or gets another password. How old it is at a
start is told by the wall clock; from then on by the machine's own time, so that a clock that is put right ends none.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from kiosk.head.access.limits import NS_PER_S
from kiosk.head.access.rights import Role
from kiosk.head.access.vault import KeptSession, Vault, fingerprint
from kiosk.head.store.rows import wall_clock

LASTS_S = 24 * 3600
#: a password that was given so short a time ago is not asked for again
GRACE_S = 5 * 60


@dataclass(frozen=True, slots=True)
class Session:
    """A signed-in person at a device, as a page sees him."""

    id: str
    name: str
    role: Role
    token: str


@dataclass(slots=True)
class Device:
    """A session as it is listed. ``seen_ns``: when it last asked for something, since this start of the head."""

    id: str
    account: str
    since: str
    address: str
    device: str
    since_ns: int
    seen_ns: int | None = None
    password_ns: int | None = None


class Sessions:
    """Not for several threads at once: ``Access`` sees to it."""

    def __init__(self, vault: Vault, now_ns: Callable[[], int]) -> None:
        self._vault = vault
        self._now_ns = now_ns
        self._by_print: dict[str, Device] = {
            key: Device(key[:8], kept.account, kept.since, kept.address, kept.device, now_ns() - _age_ns(kept.since))
            for key, kept in vault.kept.sessions.items()
        }
        self.end(self._is_over)

    def begin(self, account: str, address: str, device: str) -> tuple[str, Device]:
        """Gives the key for the cookie. The vault is saved by the caller."""
        key, now = secrets.token_urlsafe(32), self._now_ns()
        self.end(self._is_over)
        name = fingerprint(key)
        begun = Device(name[:8], account, wall_clock(), address, device, now, now, now)
        self._by_print[name] = begun
        self._vault.kept.sessions[name] = KeptSession(account, begun.since, address, device)
        return key, begun

    def find(self, key: str | None) -> Device | None:
        found = self._by_print.get(fingerprint(key)) if key else None
        if found is None or self._is_over(found):
            return None
        found.seen_ns = self._now_ns()
        return found

    def listed(self) -> list[Device]:
        """The last one seen first."""
        there = [device for device in self._by_print.values() if not self._is_over(device)]
        return sorted(there, key=lambda device: device.seen_ns or 0, reverse=True)

    def _is_over(self, device: Device) -> bool:
        return self._now_ns() - device.since_ns >= LASTS_S * NS_PER_S

    def end(self, which: Callable[[Device], bool]) -> list[Device]:
        """Gives those that ended. The vault is saved by the caller."""
        ended = {name: device for name, device in self._by_print.items() if which(device)}
        for name in ended:
            del self._by_print[name]
            self._vault.kept.sessions.pop(name, None)
        return list(ended.values())


def _age_ns(since: str) -> int:
    """How old a session is by the wall clock. One without a date, and one that began a day or more in the future, is as
    old as any: nobody knows its age."""
    try:
        age = datetime.fromisoformat(wall_clock()) - datetime.fromisoformat(since)
    except (ValueError, TypeError):
        return LASTS_S * NS_PER_S
    age_s = age.total_seconds()
    return LASTS_S * NS_PER_S if age_s <= -LASTS_S else int(max(age_s, 0) * NS_PER_S)


def token_of(key: str) -> str:
    """What a form carries to show that it came from our page."""
    return hmac.digest(key.encode(), b"othello-kiosk form", "sha256").hex()[:32]


def new_mark(account: str, hash: str) -> str:
    """A mark for a device on which ``account`` has signed in. Another password makes it void: its hash is the key."""
    once = secrets.token_urlsafe(16)
    return f"{once}.{_mark(once, account, hash)}"


def is_marked(mark: str, account: str, hash: str) -> bool:
    """Whether a device shows a mark of this account."""
    once, dot, shown = mark.partition(".")
    fits = bool(dot) and mark.isascii() and len(mark) < 100
    return fits and hmac.compare_digest(_mark(once, account, hash), shown)


def _mark(once: str, account: str, hash: str) -> str:
    return hmac.digest(hash.encode(), f"othello-kiosk device\n{once}\n{account}".encode(), "sha256").hex()


def kind_of_device(user_agent: str) -> str:
    """A word by which a person knows his device in a list."""
    for mark, word in (
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "Chromebook"),
        ("Windows", "Windows"), ("Macintosh", "Mac"), ("Linux", "Linux"),
    ):  # fmt: skip
        if mark in user_agent:
            return word
    return "–"
