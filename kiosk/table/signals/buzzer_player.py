"""Buzzer player: sounds buzzer and loudspeaker as ``sounds`` says. It belongs to the main loop; a beep that would be
late is left out.
"""

from __future__ import annotations

from typing import Protocol

from hardware.timebase import NS_PER_MS
from kiosk.table.signals import sounds
from kiosk.table.signals.sounds import Beep
from kiosk.table.state import TableState

#: a beep later than this could be mistaken for another
LATE_NS = 300 * NS_PER_MS


class BuzzerPort(Protocol):
    def beep(self, on_ns: int, off_ns: int, times: int) -> None: ...


class BuzzerPlayer:
    def __init__(self, *buzzers: BuzzerPort) -> None:
        self._buzzers = buzzers
        self._heard_ns = 0
        self._of: TableState | None = None
        self._due: tuple[sounds.ScheduledBeep, ...] = ()

    def play_transition(self, before: TableState, after: TableState) -> None:
        """Sound the beep of a change of state."""
        beep = sounds.transition_beep(before, after)
        if beep is not None:
            self._sound(beep)

    def advance_time(self, state: TableState, now_ns: int) -> None:
        """Sound what is due by ``now_ns``; if there are several, only the last."""
        passed = [one for one in self._plan(state) if self._heard_ns < one.at_ns <= now_ns]
        self._heard_ns = max(self._heard_ns, now_ns)
        if passed and now_ns - passed[-1].at_ns <= LATE_NS:
            self._sound(passed[-1].beep)

    def next_deadline_ns(self, state: TableState) -> int | None:
        return next((one.at_ns for one in self._plan(state) if one.at_ns > self._heard_ns), None)

    def _plan(self, state: TableState) -> tuple[sounds.ScheduledBeep, ...]:
        if state is not self._of:
            self._of, self._due = state, sounds.scheduled_beeps(state)
        return self._due

    def _sound(self, beep: Beep) -> None:
        for buzzer in self._buzzers:
            buzzer.beep(beep.on_ns, beep.off_ns, beep.times)
