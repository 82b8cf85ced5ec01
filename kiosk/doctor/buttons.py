"""The self-test of the buttons, for the person who wires a table: press each one, and see what the table saw.

The law: it listens through the same pins and the same debouncing as the table itself, so what is heard here will be
heard there. Nothing is saved or changed; the lamp of the button that is asked for is lit, the buzzer sounds at the end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any

from hardware.debounce import Debouncer, Press, Release, Report, Spike
from hardware.edges import ButtonEdge
from hardware.power import PowerEdge
from hardware.timebase import NS_PER_MS, NS_PER_S, TimeBase
from kiosk.doctor.finding import Finding, ok, problem, warning
from kiosk.table.config import TableConfig
from kiosk.table.machine.pins import Pins

PRESSES = 3
WAIT_S = 30.0
#: a bounce that comes near the lockout is a worn switch; a press seen later than this means a busy or slow machine
LONG_BOUNCE_SHARE = 0.5
LATE_NS = 20 * NS_PER_MS
_LOOK_S = 0.02
#: an edge may be seen so much later than it happened: what a contact did is told when nothing can be on its way
_ON_ITS_WAY_NS = 200 * NS_PER_MS

NAMES = {
    "left": ("LEFT button", "左のボタン"),
    "right": ("RIGHT button", "右のボタン"),
    "arbiter": ("ARBITER's button", "審判のボタン"),
}

Say = Callable[[str, str], None]  # a sentence in English and in Japanese


@dataclass(slots=True)
class Seen:
    """What one button did. ``bounce_ns`` is the longest time a contact took to rest, ``late_ns`` the longest time from
    an edge to the program's seeing it."""

    presses: list[Release] = field(default_factory=list)
    spikes: int = 0
    edges: int = 0
    bounce_ns: int = 0
    late_ns: int = 0


class ButtonTest:
    """:raises hardware.errors.PinError: a line cannot be taken, most often because the table runs."""

    def __init__(self, config: TableConfig, factory: Any, time_base: TimeBase, say: Say) -> None:
        self._config, self._time, self._say = config, time_base, say
        self._heard: SimpleQueue[tuple[ButtonEdge, int]] = SimpleQueue()
        self._pins = Pins(config.buttons, config.power, factory, time_base, self._note)
        lines = config.buttons
        self._debouncer = Debouncer(lines.lockout_ms * NS_PER_MS, lines.glitch_ms * NS_PER_MS)
        self._gpio = {"left": lines.left, "right": lines.right, "arbiter": lines.arbiter}
        self._edges: dict[str, list[int]] = {}

    def _note(self, edge: ButtonEdge | PowerEdge) -> None:
        """In the library's thread: the time at which the program sees the edge."""
        if isinstance(edge, ButtonEdge):
            self._heard.put((edge, self._time.now_ns()))

    def close(self) -> None:
        self._pins.close()

    def run(self, wait_s: float | None = None) -> Iterator[Finding]:
        """Asks for each button in turn."""
        assert self._pins.buttons is not None
        wait_s = WAIT_S if wait_s is None else wait_s
        for line in self._pins.buttons.pressed_at_start:
            en, ja = NAMES[line]
            yield problem(
                f"button-{line}-closed",
                f"The {en} reads pressed though nobody presses it: GPIO{self._gpio[line]} touches ground, or it is one "
                "that opens when pressed.",
                f"{ja}が押されたままに見えます。GPIO{self._gpio[line]} が GND に触れているか、逆に動くボタンです。",
            )
        for line in self._gpio:
            yield self._verdict(line, self._ask(line, wait_s))
        yield from self._outputs()

    # --- one button ------------------------------------------------------------------------------------------------

    def _ask(self, line: str, wait_s: float) -> Seen:
        en, ja = NAMES[line]
        if self._pins.lamps is not None:
            self._pins.lamps.show({line})
        self._say(f"Press the {en} {PRESSES} times.", f"{ja}を{PRESSES}回押してください。")
        seen, until = Seen(), time.monotonic() + wait_s
        while len(seen.presses) < PRESSES and time.monotonic() < until:
            for report in self._listen(line, seen):
                self._tell(line, report, seen)
        return seen

    def _listen(self, line: str, seen: Seen) -> tuple[Report, ...]:
        """The reports of the next moment; what belongs to ``line`` is counted."""
        try:
            edge, at_ns = self._heard.get(timeout=_LOOK_S)
        except Empty:
            return self._debouncer.poll(self._time.now_ns() - _ON_ITS_WAY_NS) if self._heard.empty() else ()
        if edge.line == line:
            seen.edges += 1
            seen.late_ns = max(seen.late_ns, at_ns - edge.at_ns)
        self._edges.setdefault(edge.line, []).append(edge.at_ns)
        return self._debouncer.feed(edge)

    def _tell(self, line: str, report: Report, seen: Seen) -> None:
        match report:
            case Press(other, _) if other != line:
                en, ja = NAMES[other]
                self._say(f"  That was the {en}.", f"  いまのは{ja}です。")
            case Spike(spiked, _) if spiked == line:
                seen.spikes += 1
                self._say("  That was too short for a finger.", "  指にしては短すぎます（接触不良か雑音）。")
            case Release(released, _, held_ns) if released == line:
                seen.presses.append(report)
                bounce_ns, edges = _bounce(self._edges.get(line, []), report)
                seen.bounce_ns = max(seen.bounce_ns, bounce_ns)
                self._say(*_heard(len(seen.presses), edges, bounce_ns, held_ns, seen.late_ns))
            case _:
                pass

    def _verdict(self, line: str, seen: Seen) -> Finding:
        en, ja = NAMES[line]
        check, gpio = f"button-{line}", self._gpio[line]
        if not seen.presses and not seen.spikes:
            return problem(
                check,
                f"The {en} was not heard: check its two wires, GPIO{gpio} and GND (docs/wiring.md).",
                f"{ja}の反応がありません。GPIO{gpio} と GND の2本の配線を確かめてください（docs/wiring.md）。",
            )
        if not seen.presses or seen.spikes > 1:
            return problem(
                check,
                f"The {en} makes poor contact ({seen.spikes} times): tighten its wires or change the switch.",
                f"{ja}の接触不良です（{seen.spikes}回）。配線を締め直すか、スイッチを替えてください。",
            )
        figures = f"{seen.edges} edges, bounce {_ms(seen.bounce_ns)} ms, seen after {_ms(seen.late_ns)} ms"
        figures_ja = f"エッジ {seen.edges}、バウンス {_ms(seen.bounce_ns)} ms、検出まで {_ms(seen.late_ns)} ms"
        if seen.bounce_ns > LONG_BOUNCE_SHARE * self._config.buttons.lockout_ms * NS_PER_MS:
            return warning(
                check,
                f"The {en} bounces long ({figures}): the switch is worn, change it before the event.",
                f"{ja}のバウンスが長すぎます（{figures_ja}）。スイッチが傷んでいます。大会前に替えてください。",
            )
        if seen.late_ns > LATE_NS:
            return warning(
                check,
                f"The {en} works, but the program saw it late ({figures}): is the machine busy?",
                f"{ja}は動きますが、検出が遅れます（{figures_ja}）。ほかのプログラムが動いていませんか。",
            )
        return ok(check, f"The {en} works ({figures}).", f"{ja}は正常です（{figures_ja}）。")

    # --- lamps, buzzer, power --------------------------------------------------------------------------------------

    def _outputs(self) -> Iterator[Finding]:
        if self._pins.lamps is not None:
            self._pins.lamps.show(())
            yield ok(
                "lamps",
                "Each button's lamp should have been lit while it was asked for; if not, check its line and the LED.",
                "押す番のボタンのランプが点いていたはずです。違えば配線と lamp_left・lamp_right を確かめてください。",
            )
        if self._pins.buzzer is not None:
            self._pins.buzzer.beep(times=2)
            time.sleep(self._time.real_s(NS_PER_S // 2))
            yield ok(
                "buzzer",
                "The buzzer should have sounded twice; if not, check its three wires.",
                "ブザーが2回鳴ったはずです。鳴らなければ3本の配線を確かめてください。",
            )
        if self._pins.power is not None:
            yield self._power(self._pins.power.failing)

    def _power(self, failing: bool) -> Finding:
        if failing:
            return problem(
                "power-signal",
                "The power signal says that the power is off; check its line and low_is_failing.",
                "電源信号が「電源断」になっています。配線と low_is_failing を確かめてください。",
            )
        return ok("power-signal", "The power signal says that the power is there.", "電源信号は正常です。")


def _bounce(edges_ns: list[int], release: Release) -> tuple[int, int]:
    """How long the contacts of this press took to rest, and its edges: those of closing lie before the middle of the
    press, those of opening after it."""
    first_ns, middle_ns = release.at_ns - release.held_ns, release.at_ns - release.held_ns // 2
    closing = [at_ns for at_ns in edges_ns if first_ns <= at_ns <= middle_ns]
    opening = [at_ns for at_ns in edges_ns if middle_ns < at_ns <= release.at_ns]
    longest_ns = max(closing[-1] - first_ns if closing else 0, opening[-1] - opening[0] if opening else 0)
    return longest_ns, len(closing) + len(opening)


def _heard(number: int, edges: int, bounce_ns: int, held_ns: int, late_ns: int) -> tuple[str, str]:
    held = f"{held_ns // NS_PER_MS}"
    return (
        f"  {number}: {edges} edges, bounce {_ms(bounce_ns)} ms, held {held} ms, seen after {_ms(late_ns)} ms",
        f"  {number}回目：エッジ {edges}、バウンス {_ms(bounce_ns)} ms、押下 {held} ms、検出まで {_ms(late_ns)} ms",
    )


def _ms(ns: int) -> str:
    return f"{ns / NS_PER_MS:.1f}"
