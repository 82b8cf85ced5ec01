"""The authentication of a store, without pages, with a clock that the test sets."""

from __future__ import annotations

from pathlib import Path

from kiosk.head.access.authentication import Authenticator
from kiosk.head.access.login_rate_limits import NS_PER_S
from kiosk.head.store import Store


class Clock:
    now = 1

    def __call__(self) -> int:
        return self.now

    def go(self, seconds: float) -> None:
        self.now += int(seconds * NS_PER_S)


class AccessWorld:
    def __init__(self, directory: Path) -> None:
        self.directory, self.clock, self.store = directory, Clock(), Store(directory)
        self.access = Authenticator(self.store, self.clock)

    def again(self) -> None:
        """Restart the head."""
        self.store.close()
        self.store = Store(self.directory)
        self.access = Authenticator(self.store, self.clock)

    def kinds(self) -> list[str]:
        return [event.kind for event in self.store.operator_events()]
