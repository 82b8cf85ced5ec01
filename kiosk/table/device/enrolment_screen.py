"""Enrolment screen of a table that has no key: it shows what an arbiter needs to issue one, and waits
(docs/reference/link-and-journal.md, "Enrolment").

- Nothing else runs until there is a key; then the table starts normally.
- Its loop feeds the watchdog and waits for nothing.
- Only both buttons held together for half a second confirm that the codes are equal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.i18n import text_of
from kiosk.errors import InputError
from kiosk.link.endpoints.key_acquisition import EnrolmentView, KeyAcquisition, page_url
from kiosk.link.errors import AddressError
from kiosk.table.device.pre_start_screen import HELD_S, PreStartScreen
from kiosk.table.device.table_identity import become_table, own_epoch
from kiosk.table.table_config import TableConfig
from kiosk.table.views.enrolment_view import EnrolmentViewModel, enrolment_scene
from kiosk.table.views.qr_code import qr_modules


class EnrolmentScreen:
    """The enrolment screen. ``run`` ends when there is a key, or after ``stop``.

    :raises InputError: the head's address cannot be used.
    :raises hardware.errors.HardwareError: the pins cannot be used.
    """

    def __init__(self, config: TableConfig, *, factory: Any = None) -> None:
        assert config.head is not None
        self._table, self._head = config.table, config.head
        self._room = PreStartScreen(config, factory)
        try:
            self._waiter = KeyAcquisition(
                self._head.url,
                self._head.serial,
                self._head.baud,
                config.table,
                own_epoch(config.data),
                lambda given: become_table(config.data, self._head.key_file, given),
                self._room.changed.set,
            )
        except AddressError as error:
            raise InputError(text_of(error)) from error

    def run(self, on_beat: Callable[[], None]) -> bool:
        """Run the screen. Return whether there is a key."""
        self._waiter.start()
        try:
            self._room.run(on_beat, lambda size: enrolment_scene(self.view_model(), size), self._done)
        finally:
            self._waiter.stop()
        return self._waiter.waits.done

    def stop(self) -> None:
        self._room.stop()

    def _done(self) -> bool:
        if not (self._waiter.is_alive or self._waiter.waits.done):
            raise RuntimeError("the thread that waits for a key died; see the log above")
        if self._room.fingers.held_for(HELD_S):
            self._waiter.agree()
        return self._waiter.waits.done

    def view_model(self) -> EnrolmentViewModel:
        """Return the content of the screen."""
        waits: EnrolmentView = self._waiter.waits
        page = page_url(self._head.url, waits.offer) if waits.offer else ""
        return EnrolmentViewModel(
            self._table,
            self._head.url.split("//")[-1].split("/")[0] or self._head.serial,
            qr_modules(page) if page else (),
            waits.offer[:8],
            waits.code,
            waits.agreed,
            waits.problem,
            bool(self._head.serial),
            waits.cable,
        )
