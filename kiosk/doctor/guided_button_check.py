"""Guided test of the buttons, for the person who wires a table: press each one, and see what the table received.

The test uses the same pins and the same debouncing as the table, so its results apply to the table. Nothing is saved or
changed; the lamp of the requested button is lit, the buzzer sounds at the end.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any

from engine.i18n import Text, say
from hardware.button_edges_and_time_accuracy import ButtonEdge
from hardware.debounce_and_button_faults import DebouncedPress, Glitch, Release, Report
from hardware.power_failure_pin_and_supply_status import PowerEdge
from hardware.real_and_simulated_time import NS_PER_MS, NS_PER_S, TimeBase
from kiosk.doctor.check_result import CheckResult, ok, problem, warning
from kiosk.table.device.gpio_devices import Pins, debouncer_of, lines_of
from kiosk.table.table_config import TableConfig

PRESSES = 3
WAIT_S = 30.0
#: a bounce close to the lockout means a worn switch; a press seen later than this means a busy or slow machine
LONG_BOUNCE_SHARE = 0.5
LATE_NS = 20 * NS_PER_MS
_POLL_S = 0.02
#: largest delay of an edge; a contact is judged only when no earlier edge can still arrive
_MAX_EDGE_DELAY_NS = 200 * NS_PER_MS

NAMES = {"left": say("LEFT button"), "right": say("RIGHT button"), "arbiter": say("ARBITER's button")}

Tell = Callable[[Text], None]


@dataclass(slots=True)
class ButtonStats:
    """Measurements of one button. ``bounce_ns`` is the longest time a contact took to settle, ``late_ns`` the longest
    delay from an edge to the program; ``others`` counts events of other buttons instead.
    """

    presses: list[Release] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)
    spikes: int = 0
    edges: int = 0
    bounce_ns: int = 0
    late_ns: int = 0

    @property
    def swapped_with(self) -> str | None:
        """Return the button that reacted each time in this one's place."""
        if self.presses or not self.others:
            return None
        ((other, times),) = self.others.most_common(1)
        return other if times >= PRESSES else None


class ButtonTest:
    """The button test.

    :raises hardware.errors.GpioError: a line cannot be used, most often because the table runs.
    """

    def __init__(self, config: TableConfig, factory: Any, time_base: TimeBase, tell: Tell) -> None:
        self._config, self._time, self._tell_person = config, time_base, tell
        self._edges_seen: SimpleQueue[tuple[ButtonEdge, int]] = SimpleQueue()
        self._pins = Pins(config.buttons, config.power, factory, time_base, self._note)
        self._debouncer = debouncer_of(config.buttons)
        self._gpio = lines_of(config.buttons)
        self._edges: dict[str, list[int]] = {}

    def _note(self, edge: ButtonEdge | PowerEdge) -> None:
        """Record the time at which the program sees an edge. Called in the library's thread."""
        if isinstance(edge, ButtonEdge):
            self._edges_seen.put((edge, self._time.now_ns()))

    def close(self) -> None:
        self._pins.close()

    def run(self) -> Iterator[CheckResult]:
        """Test each button in turn."""
        assert self._pins.buttons is not None
        for line in self._pins.buttons.pressed_at_start:
            text = say(
                "The {button} reads pressed though nobody presses it: {wire} touches ground, or it is one that "
                "opens when pressed."
            )
            yield problem(f"button-{line}-closed", text(button=NAMES[line], wire=pin_label(self._gpio[line])))
        for line in self._gpio:
            yield self._verdict(line, self._ask(line))
        yield from self._outputs()

    # --- one button ------------------------------------------------------------------------------------------------

    def _ask(self, line: str) -> ButtonStats:
        if self._pins.lamps is not None:
            self._pins.lamps.show({line})
        self._tell_person(say("Press the {button} {n} times.", button=NAMES[line], n=PRESSES))
        seen, until = ButtonStats(), time.monotonic() + WAIT_S
        while len(seen.presses) < PRESSES and time.monotonic() < until and not seen.swapped_with:
            for report in self._listen(line, seen):
                self._report_press(line, report, seen)
        return seen

    def _listen(self, line: str, seen: ButtonStats) -> tuple[Report, ...]:
        """Return the reports of the next moment; those of ``line`` are counted."""
        try:
            edge, at_ns = self._edges_seen.get(timeout=_POLL_S)
        except Empty:
            return self._debouncer.poll(self._time.now_ns() - _MAX_EDGE_DELAY_NS) if self._edges_seen.empty() else ()
        if edge.line == line:
            seen.edges += 1
            seen.late_ns = max(seen.late_ns, at_ns - edge.at_ns)
        self._edges.setdefault(edge.line, []).append(edge.at_ns)
        return self._debouncer.feed(edge)

    def _report_press(self, line: str, report: Report, seen: ButtonStats) -> None:
        match report:
            case DebouncedPress(other, _) if other != line:
                self._tell_person(say("  That was the {button}.", button=NAMES[other]))
            case Release(other, _, _) if other != line:
                seen.others[other] += 1
            case Glitch(spiked, _) if spiked == line:
                seen.spikes += 1
                self._tell_person(say("  That was too short for a finger."))
            case Release(released, _, held_ns) if released == line:
                seen.presses.append(report)
                bounce_ns, edges = _bounce(self._edges.get(line, []), report)
                seen.bounce_ns = max(seen.bounce_ns, bounce_ns)
                self._tell_person(_press_text(len(seen.presses), edges, bounce_ns, held_ns, seen.late_ns))
            case _:
                pass

    def _verdict(self, line: str, seen: ButtonStats) -> CheckResult:
        check, gpio, button = f"button-{line}", self._gpio[line], NAMES[line]
        if (other := seen.swapped_with) is not None:
            text = say(
                "Where the {button} was asked for, the {other} came each time. If that is the one you pressed, the "
                "wires at {wire} and {other_wire} are swapped."
            )
            wires = {"wire": pin_label(gpio), "other_wire": pin_label(self._gpio[other])}
            return problem(check, text(button=button, other=NAMES[other], **wires))
        if not seen.presses and not seen.spikes:
            text = say(
                "The {button} was not detected: check its two wires, {wire} and GND (pin {ground}; "
                "docs/setup/wiring-and-hardware.md)."
            )
            return problem(check, text(button=button, wire=pin_label(gpio), ground=ground_near(gpio)))
        if not seen.presses or seen.spikes > 1:
            text = say("The {button} makes poor contact ({n} times): tighten its wires or change the switch.")
            return problem(check, text(button=button, n=seen.spikes))
        text = say("{edges} edges, bounce {bounce} ms, seen after {late} ms")
        figures = text(edges=seen.edges, bounce=_ms(seen.bounce_ns), late=_ms(seen.late_ns))
        if seen.bounce_ns > LONG_BOUNCE_SHARE * self._config.buttons.lockout_ms * NS_PER_MS:
            text = say("The {button} bounces long ({figures}): the switch is worn, change it before the event.")
            return warning(check, text(button=button, figures=figures))
        if seen.late_ns > LATE_NS:
            text = say("The {button} works, but the program saw it late ({figures}): is the machine busy?")
            return warning(check, text(button=button, figures=figures))
        if len(seen.presses) < PRESSES:
            text = say(
                "Of {n} presses of the {button}, {came} arrived ({figures}). If you pressed it {n} times, check its "
                "wires."
            )
            return warning(check, text(button=button, n=PRESSES, came=len(seen.presses), figures=figures))
        return ok(check, say("The {button} works ({figures}).", button=button, figures=figures))

    # --- lamps, buzzer, power --------------------------------------------------------------------------------------

    def _outputs(self) -> Iterator[CheckResult]:
        if self._pins.lamps is not None:
            self._pins.lamps.show(())
            text = say(
                "Each button's lamp should have been lit while it was asked for; if not, check its line and the LED."
            )
            yield ok("lamps", text)
        if self._pins.buzzer is not None:
            self._pins.buzzer.beep(times=2)
            time.sleep(self._time.real_s(NS_PER_S // 2))
            yield ok("buzzer", say("The buzzer should have sounded twice; if not, check its three wires."))
        if self._pins.power is not None and self._pins.power.failing:
            text = say("The power signal says that the power is off; check its line and low_is_failing.")
            yield problem("power-signal", text)
        elif self._pins.power is not None:
            yield ok("power-signal", say("The power signal says that the power is there."))


def _bounce(edges_ns: list[int], release: Release) -> tuple[int, int]:
    """Return how long the contacts of this press took to settle, and its number of edges: those of closing lie before
    the middle of the press, those of opening after it.
    """
    first_ns, middle_ns = release.at_ns - release.held_ns, release.at_ns - release.held_ns // 2
    closing = [at_ns for at_ns in edges_ns if first_ns <= at_ns <= middle_ns]
    opening = [at_ns for at_ns in edges_ns if middle_ns < at_ns <= release.at_ns]
    longest_ns = max(closing[-1] - first_ns if closing else 0, opening[-1] - opening[0] if opening else 0)
    return longest_ns, len(closing) + len(opening)


def _press_text(number: int, edges: int, bounce_ns: int, held_ns: int, late_ns: int) -> Text:
    text = say("  {n}: {edges} edges, bounce {bounce} ms, held {held} ms, seen after {late} ms")
    return text(n=number, edges=edges, bounce=_ms(bounce_ns), held=held_ns // NS_PER_MS, late=_ms(late_ns))


def _ms(ns: int) -> str:
    return f"{ns / NS_PER_MS:.1f}"


# Pin numbers of the 40-pin header of a Raspberry Pi.
#
# The header is the same on all models with 40 pins (from 2014). Messages name pins beside lines, because people count
# pins.

#: BCM number of a line -> number of its pin
PIN_OF = {
    2: 3, 3: 5, 4: 7, 14: 8, 15: 10, 17: 11, 18: 12, 27: 13, 22: 15, 23: 16, 24: 18, 10: 19, 9: 21, 25: 22, 11: 23,
    8: 24, 7: 26, 0: 27, 1: 28, 5: 29, 6: 31, 12: 32, 13: 33, 19: 35, 16: 36, 26: 37, 20: 38, 21: 40,
}  # fmt: skip
GROUNDS = (6, 9, 14, 20, 25, 30, 34, 39)


def pin_label(gpio: int) -> str:
    """Return the label for people: ``GPIO17 (pin 11)``."""
    return f"GPIO{gpio} (pin {PIN_OF[gpio]})" if gpio in PIN_OF else f"GPIO{gpio}"


def ground_near(gpio: int) -> int:
    """Return the nearest ground in the line's own row of the header: buttons that are wired as documented
    share one.
    """
    pin = PIN_OF.get(gpio, GROUNDS[0])
    return min((ground for ground in GROUNDS if (ground - pin) % 2 == 0), key=lambda ground: abs(ground - pin))
