"""Base of the screens shown before the table program starts: one screen, two buttons, a heartbeat for the watchdog;
and the screen of a table without a key.

The table starts normally afterwards, whatever is decided here. Only both buttons held together confirm.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from engine.i18n import text_of
from hardware.gpio_buttons import ButtonInput
from hardware.gpio_library_selection import open_factory
from kiosk.errors import InputError
from kiosk.link.endpoints.table_key_acquisition import KeyAcquisition, page_url
from kiosk.link.errors import AddressError
from kiosk.table.device.table_identity_and_takeover import become_table, own_epoch
from kiosk.table.scene import Scene, Theme
from kiosk.table.table_config import TableConfig
from kiosk.table.views.enrolment_view import EnrolmentViewModel, enrolment_scene
from kiosk.table.views.qr_code import qr_modules

HELD_S = 0.5
LOOK_S = 0.05
BEAT_S = 1.0
SIDES = {"left", "right"}


@dataclass(slots=True)
class BothButtonsHold:
    """Button state: since when both buttons have been held, and which were pressed alone, one after the other."""

    down: set[str] = field(default_factory=set)
    since_s: float | None = None
    alone: list[str] = field(default_factory=list)
    _together: bool = False

    def feed(self, line: str, pressed: bool) -> None:
        if not pressed and self.down == {line}:
            if not self._together:
                self.alone.append(line)
            self._together = False
        (self.down.add if pressed else self.down.discard)(line)
        if self.down >= SIDES:
            self.since_s = self.since_s or time.monotonic()
            self._together = True
        else:
            self.since_s = None

    def held_for(self, seconds: float) -> bool:
        return self.since_s is not None and time.monotonic() - self.since_s >= seconds


class PreStartScreen:
    """A screen before the table program starts.

    :raises hardware.errors.HardwareError: the pins cannot be used.
    """

    def __init__(self, config: TableConfig, factory: Any = None) -> None:
        self._config = config
        self.changed = threading.Event()
        self.fingers = BothButtonsHold()
        self.stopped = False
        kind = config.buttons.factory
        if factory is None and kind != "none":
            factory = open_factory(kind)
        lines = {"left": config.buttons.left, "right": config.buttons.right}
        self._buttons = (
            None if factory is None else ButtonInput(lines, factory, lambda edge: self._key(edge.line, edge.pressed))
        )

    def run(
        self, on_beat: Callable[[], None], scene: Callable[[tuple[int, int]], Scene], done: Callable[[], bool]
    ) -> None:
        """Run until ``done``, which is polled often, or ``stop`` was called."""
        screen = self._open_screen() if self._config.screen.enabled else None
        beat_due_s = 0.0
        try:
            while not (self.stopped or done()):
                if time.monotonic() >= beat_due_s:
                    beat_due_s = time.monotonic() + BEAT_S
                    on_beat()
                if screen is not None:
                    screen.pump()
                    screen.draw(scene(screen.size))
                self.changed.wait(LOOK_S)
                self.changed.clear()
        finally:
            if self._buttons is not None:
                self._buttons.close()
            if screen is not None:
                screen.close()

    def stop(self) -> None:
        self.stopped = True
        self.changed.set()

    def _key(self, line: str, pressed: bool) -> None:
        self.fingers.feed(line, pressed)
        self.changed.set()

    def _open_screen(self) -> Any:
        from kiosk.table.screen import Output, PygameScreen

        screen = self._config.screen
        output = Output.WINDOW if screen.window else Output.FULL_SCREEN
        # Only this theme has dark ink on a light ground, which the QR code needs, and the digits as well.
        return PygameScreen(screen.size, output, on_key=self._key, on_close=self.stop, theme=Theme.DARK)


class EnrolmentScreen:
    """Screen of a table without a key, which shows what an arbiter needs to issue one
    (docs/reference/link-and-journal.md, "Enrolment"). ``run`` ends when there is a key, or after ``stop``.

    :raises InputError: the head's address cannot be used.
    :raises hardware.errors.HardwareError: the pins cannot be used.
    """

    def __init__(self, config: TableConfig, *, factory: Any = None) -> None:
        assert config.head is not None
        self._table, self._head = config.table, config.head
        self._screen = PreStartScreen(config, factory)
        try:
            self._acquisition = KeyAcquisition(
                self._head.url,
                self._head.serial,
                self._head.baud,
                config.table,
                own_epoch(config.data),
                lambda given: become_table(config.data, self._head.key_file, given),
                self._screen.changed.set,
            )
        except AddressError as error:
            raise InputError(text_of(error)) from error

    def run(self, on_beat: Callable[[], None]) -> bool:
        """Run the screen. Return whether there is a key."""
        self._acquisition.start()
        try:
            self._screen.run(on_beat, lambda size: enrolment_scene(self.view_model(), size), self._is_done)
        finally:
            self._acquisition.stop()
        return self._acquisition.view.done

    def stop(self) -> None:
        self._screen.stop()

    def _is_done(self) -> bool:
        if not (self._acquisition.is_alive or self._acquisition.view.done):
            raise RuntimeError("the thread that waits for a key died; see the log above")
        if self._screen.fingers.held_for(HELD_S):
            self._acquisition.agree()
        return self._acquisition.view.done

    def view_model(self) -> EnrolmentViewModel:
        """Return the content of the screen."""
        view, head = self._acquisition.view, self._head
        page = page_url(head.url, view.offer) if view.offer else ""
        modules = qr_modules(page) if page else ()
        offer = view.offer[:8], view.code, view.agreed, view.problem
        return EnrolmentViewModel(self._table, head.name, modules, *offer, bool(head.serial), view.cable)
