"""Input from a window or touch display: keys that stand for the buttons, touches of the picture."""

from __future__ import annotations

from hardware.button_edges import ButtonEdge
from hardware.timebase import OffsetTime
from kiosk.table.loop.input_queue import Inbox, TouchEvent


class WindowInput:
    """Input of a window. A key's or finger's time is when it was polled. A key does not bounce: however late both its
    edges are polled, its press is made longer than noise (``rest_ns``).
    """

    def __init__(self, inbox: Inbox, time_base: OffsetTime, rest_ns: int) -> None:
        self._inbox, self._time, self._rest_ns = inbox, time_base, rest_ns
        self._down_ns = 0

    def key(self, line: str, pressed: bool) -> None:
        at_ns = self._time.now_ns() - self._time.offset_ns
        if pressed:
            self._down_ns = at_ns
        else:
            at_ns = max(at_ns, self._down_ns + self._rest_ns)
        self._inbox.put(ButtonEdge(line, pressed, at_ns))

    def touch(self, panel: str, action: str, down: bool) -> None:
        self._inbox.put(TouchEvent(panel, action, down, self._time.now_ns()))
