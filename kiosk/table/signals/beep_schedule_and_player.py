"""Sounds of a table by buzzer and loudspeaker, and their times.

- K-02: where the rule set allows no sound, a fallen flag is silent, and so is everything that would reveal it.
- A player whose clock is audible (K-17, M43-19) hears whose turn it is, and full minutes down to the last.
- If an arbiter has silenced the table, nothing sounds. A beep that would be late is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from engine.match.game_clock import Clock
from engine.match.match_state import MatchState
from engine.match.match_value_types import NS_PER_S, Seat
from engine.match.time_controls import ControlKind
from hardware.real_and_simulated_time import NS_PER_MS
from kiosk.table.state import TableState

#: a beep later than this could be mistaken for another
LATE_NS = 300 * NS_PER_MS


class BuzzerPort(Protocol):
    def beep(self, on_ns: int, off_ns: int, times: int) -> None: ...


class BuzzerPlayer:
    """Player of the beeps, which belongs to the main loop."""

    def __init__(self, *buzzers: BuzzerPort) -> None:
        self._buzzers = buzzers
        self._played_until_ns = 0
        self._planned_for: TableState | None = None
        self._due: tuple[ScheduledBeep, ...] = ()

    def play_transition(self, before: TableState, after: TableState) -> None:
        """Sound the beep of a change of state."""
        beep = transition_beep(before, after)
        if beep is not None:
            self._sound(beep)

    def advance_time(self, state: TableState, now_ns: int) -> None:
        """Sound what is due by ``now_ns``; if there are several, only the last."""
        passed = [one for one in self._plan(state) if self._played_until_ns < one.at_ns <= now_ns]
        self._played_until_ns = max(self._played_until_ns, now_ns)
        if passed and now_ns - passed[-1].at_ns <= LATE_NS:
            self._sound(passed[-1].beep)

    def next_deadline_ns(self, state: TableState) -> int | None:
        return next((one.at_ns for one in self._plan(state) if one.at_ns > self._played_until_ns), None)

    def _plan(self, state: TableState) -> tuple[ScheduledBeep, ...]:
        if state is not self._planned_for:
            self._planned_for, self._due = state, scheduled_beeps(state) if self._buzzers else ()
        return self._due

    def _sound(self, beep: Beep) -> None:
        for buzzer in self._buzzers:
            on_ms, off_ms, times = beep.value
            buzzer.beep(on_ms * NS_PER_MS, off_ms * NS_PER_MS, times)


#: full minutes of a player's own time that sound where the clock is audible
MINUTES = (10, 5, 3, 2, 1)
#: last seconds that sound where the rule set allows sounds
TICKS = 10


class Beep(Enum):
    """A beep: how long it sounds, how long it is silent, in milliseconds, and how often."""

    TAKEN = (60, 60, 1)  # the player's press was accepted
    TURN = (60, 90, 2)  # the player's time starts
    MARK = (200, 100, 1)  # a full minute
    PERIOD = (150, 120, 2)  # a period begins
    TICK = (40, 60, 1)  # one of the last seconds
    TIME_UP = (1000, 100, 1)  # the time has run out


@dataclass(frozen=True, slots=True)
class ScheduledBeep:
    """A beep at an instant."""

    at_ns: int
    beep: Beep


def transition_beep(before: TableState, after: TableState) -> Beep | None:
    """Return the sound of a change of state, for players whose clock is audible; None if there is none."""
    if after.is_silent or before.match is None or after.match is None:
        return None
    was, now = before.match.clock.running, after.match.clock.running
    if was is now:
        return None
    if now in after.audible:
        return Beep.TURN
    return Beep.TAKEN if was in after.audible else None


def scheduled_beeps(state: TableState) -> tuple[ScheduledBeep, ...]:
    """Return the sounds that time alone will cause from the last switch of the clock on, in order."""
    match = state.match
    if match is None or match.clock.running is None or state.is_silent:
        return ()
    running = match.clock.running
    found = [*_minute_beeps(match.clock, running)] if running in state.audible else []
    if match.rules.audible:
        found += _end_beeps(match, running)
    return tuple(sorted(found, key=lambda one: one.at_ns))


def _minute_beeps(clock: Clock, seat: Seat) -> Iterator[ScheduledBeep]:
    """Return the beeps of the full minutes of the main time; not of its end."""
    side = clock.side(seat)
    if side.in_period or clock.control.kind in (ControlKind.UP_COUNT, ControlKind.PER_MOVE):
        return
    for minutes in MINUTES:
        at_ns = _start_ns(clock) + side.left_ns - minutes * 60 * NS_PER_S
        if at_ns > clock.since_ns:
            yield ScheduledBeep(at_ns, Beep.MARK)


def _end_beeps(match: MatchState, seat: Seat) -> Iterator[ScheduledBeep]:
    """Return the beeps of the last seconds, each new period, and the end of the time."""
    clock, side = match.clock, match.clock.side(seat)
    zero_ns = clock.zero_due_ns(seat)
    if zero_ns is None:
        return
    for number in range(side.periods_not_begun):
        yield ScheduledBeep(_start_ns(clock) + side.left_ns + number * clock.control.step_ns, Beep.PERIOD)
    for seconds in range(1, TICKS + 1):
        if zero_ns - seconds * NS_PER_S > clock.since_ns:
            yield ScheduledBeep(zero_ns - seconds * NS_PER_S, Beep.TICK)
    yield ScheduledBeep(zero_ns, Beep.TIME_UP)


def _start_ns(clock: Clock) -> int:
    return clock.since_ns + clock.free_ns
