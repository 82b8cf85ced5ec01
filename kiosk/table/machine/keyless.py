"""A table that has no key yet: it shows what an arbiter needs to give it one, and waits (docs/link.md, "Enrolment").

The law: it is the whole program until there is a key; then the table starts as always. Its loop feeds the watchdog and
waits for nobody. Both buttons held together for half a second say that the codes are equal, and nothing else does.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import segno

from engine.text import text_of
from hardware.buttons import Buttons
from hardware.edges import ButtonEdge
from hardware.factory import open_factory
from hardware.timebase import SystemTime
from kiosk.errors import UnusableInput
from kiosk.link.ends.key_waiter import KeyWaiter, Waits, page_url
from kiosk.link.errors import AddressError
from kiosk.table.config import TableConfig
from kiosk.table.machine.identity import own_epoch, take_over
from kiosk.table.views.enrolment import Keyless, Modules, enrolment_scene

HELD_S = 0.5
LOOK_S = 0.05
BEAT_S = 1.0
SIDES = {"left", "right"}


@dataclass(slots=True)
class _Fingers:
    """Whether both buttons have been down together for long enough."""

    down: set[str] = field(default_factory=set)
    since_s: float | None = None

    def feed(self, line: str, pressed: bool) -> None:
        (self.down.add if pressed else self.down.discard)(line)
        self.since_s = (self.since_s or time.monotonic()) if self.down >= SIDES else None

    @property
    def agree(self) -> bool:
        return self.since_s is not None and time.monotonic() - self.since_s >= HELD_S


class KeylessTable:
    """``run`` until there is a key or ``stop`` was called.

    :raises UnusableInput: the head's address cannot be used.
    :raises hardware.errors.HardwareError: the pins cannot be used.
    """

    def __init__(self, config: TableConfig, *, factory: Any = None) -> None:
        assert config.head is not None
        self._config, self._head = config, config.head
        self._changed = threading.Event()
        self._stopped = False
        self._fingers = _Fingers()
        try:
            self._waiter = KeyWaiter(
                self._head.url,
                self._head.serial,
                self._head.baud,
                config.table,
                own_epoch(config.data),
                lambda given: take_over(config.data, self._head.key_file, given),
                self._changed.set,
            )
        except AddressError as error:
            raise UnusableInput(text_of(error)) from error
        kind = config.buttons.factory
        if factory is None and kind != "none":
            factory = open_factory(kind, SystemTime())
        lines = {"left": config.buttons.left, "right": config.buttons.right}
        self._buttons = None if factory is None else Buttons(lines, factory, self._edge)

    def run(self, on_beat: Callable[[], None]) -> bool:
        """Whether there is a key now."""
        screen = self._open_screen() if self._config.screen.enabled else None
        self._waiter.start()
        beat_due_s = 0.0
        try:
            while not (self._stopped or self._waiter.waits.done):
                if time.monotonic() >= beat_due_s:
                    beat_due_s = time.monotonic() + BEAT_S
                    on_beat()
                if not (self._waiter.is_alive or self._waiter.waits.done):
                    raise RuntimeError("the thread that waits for a key died; see the log above")
                if screen is not None:
                    screen.pump()
                    screen.draw(enrolment_scene(self.shown(), screen.size))
                if self._fingers.agree:
                    self._waiter.agree()
                self._changed.wait(LOOK_S)
                self._changed.clear()
        finally:
            if self._buttons is not None:
                self._buttons.close()
            self._waiter.stop()
            if screen is not None:
                screen.close()
        return self._waiter.waits.done

    def stop(self) -> None:
        self._stopped = True
        self._changed.set()

    def shown(self) -> Keyless:
        """What is on the screen."""
        waits: Waits = self._waiter.waits
        return Keyless(
            self._config.table,
            self._head.url.split("//")[-1].split("/")[0] or self._head.serial,
            qr_modules(page_url(self._head.url, waits.offer)) if waits.offer else (),
            waits.offer[:8],
            waits.code,
            waits.agreed,
            waits.problem,
            bool(self._head.serial),
        )

    def _edge(self, edge: ButtonEdge) -> None:
        self._key(edge.line, edge.pressed)

    def _key(self, line: str, pressed: bool) -> None:
        self._fingers.feed(line, pressed)
        self._changed.set()

    def _open_screen(self) -> Any:
        from kiosk.table.scene import Theme
        from kiosk.table.screen import Output, Screen

        screen = self._config.screen
        output = Output.WINDOW if screen.window else Output.FULL_SCREEN
        # Of the themes only this one has a dark ink on a light ground where a QR code needs them, as do its digits.
        return Screen(screen.size, output, on_key=self._key, on_close=self.stop, theme=Theme.DARK)


@lru_cache(maxsize=2)
def qr_modules(text: str) -> Modules:
    return tuple(tuple(bool(module) for module in row) for row in segno.make_qr(text, error="m").matrix)
