"""``kiosk doctor --guided``: step-by-step test of a table's hardware, and of row 21 of the faults on a Pi, with one
report to send (docs/develop/testing.md).

Each step gives instructions, checks, and is saved before the next one begins. A restart continues an interrupted test
and repeats steps that failed, were skipped, or were not reached. What the person says is reported as such.
"""

from __future__ import annotations

import http.client
import json
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import click

from engine.i18n import Text, raised_as, reason_of, say
from hardware.button_edges_and_time_accuracy import ButtonEdge
from hardware.errors import HardwareError
from hardware.power_failure_pin_and_supply_status import Firmware, PowerEdge
from hardware.real_and_simulated_time import NS_PER_MS, TimeBase
from kiosk.doctor.check_result import CheckResult, all_well, ok, problem, warning
from kiosk.doctor.guided_button_check import NAMES, ButtonTest, ground_near, pin_label
from kiosk.doctor.sd_card_speed_check import card, card_findings, measure, percentile, summary
from kiosk.doctor.table_checks import table_findings
from kiosk.errors import InputError
from kiosk.locale import ENGLISH, JAPANESE, render
from kiosk.table.device.gpio_devices import Pins
from kiosk.table.device.update_and_diagnostics_client import http_connection
from kiosk.table.table_config import TableConfig

#: seconds for a person to pull a plug
PLUG_S = 60.0
#: jumper test: number of switches, and the largest accepted delay to the program
SWITCHES, LATE_MS = 200, 20.0
#: requests to the head, and the largest accepted delay of a response
ASKED, SLOW_HEAD_MS = 20, 250.0
#: a lithium cell below this voltage is empty
LOW_BATTERY_V = 2.5
CLOCKS = Path("/sys/class/rtc")

_SKIP = say("leave this out")

StepCheck = Callable[["GuidedContext"], Iterator[CheckResult]]


class StepSkipped(Exception):  # noqa: N818 - no error: the person chose it
    """Raised if the person skips this step."""


class Prompter:
    """The person at the table, addressed at the terminal in both languages."""

    def show(self, text: Text) -> None:
        click.echo(f"{render(text, ENGLISH)}\n{render(text, JAPANESE)}")

    def says_yes(self, question: Text) -> bool:
        """Return the answer to a yes-or-no question.

        :raises StepSkipped: the person does not know.
        """
        while True:
            answer = self.word(question, "y/n")[:1].lower()
            if answer in ("y", "n"):
                return answer == "y"

    def ready(self, what: Text) -> None:
        """Show an instruction, and return when it is done.

        :raises StepSkipped: it cannot be done here.
        """
        self.word(what, "Enter")

    def word(self, question: Text, keys: str = "…") -> str:
        """Return the typed text; empty: nothing. ``keys``: what can be typed.

        :raises StepSkipped: the person skips the step.
        """
        self.show(question)
        skip = ", ".join(render(_SKIP, language) for language in (ENGLISH, JAPANESE))
        answer: str = click.prompt(f"[{keys} / s: {skip}]", default="", show_default=False).strip()
        if answer.lower() == "s":
            raise StepSkipped
        return answer


@dataclass(frozen=True, slots=True)
class GuidedStep:
    name: str
    title: Text
    check: StepCheck


@dataclass
class GuidedContext:
    """Context of the steps: one table with its person. ``seconds``: duration of the card's measurement. ``machine``:
    the automatic checks. ``figures`` of a step go into the report.
    """

    file: Path
    config: TableConfig
    person: Prompter
    factory: Any
    time_base: TimeBase
    firmware: Firmware
    seconds: float = 60.0
    machine: Callable[[Path], Iterator[CheckResult]] = table_findings
    clocks: Path = CLOCKS
    figures: dict[str, Any] = field(default_factory=dict)


def _buttons(guide: GuidedContext) -> Iterator[CheckResult]:
    buttons = guide.config.buttons
    for line, gpio in (("left", buttons.left), ("right", buttons.right), ("arbiter", buttons.arbiter)):
        if gpio is not None:
            text = say("  {button}: one wire at {wire}, the other at GND (pin {ground})")
            guide.person.show(text(button=NAMES[line], wire=pin_label(gpio), ground=ground_near(gpio)))
    text = say(
        "  A pin holds one wire: where two buttons have the same GND, join their wires in a lever connector, and "
        "lead one wire from there to the pin."
    )
    guide.person.show(text)
    test = ButtonTest(guide.config, guide.factory, guide.time_base, guide.person.show)
    try:
        for finding in test.run():
            if finding.check not in ("lamps", "buzzer"):
                yield finding
    finally:
        test.close()
    yield from _lamps_and_buzzer(guide)


def _lamps_and_buzzer(guide: GuidedContext) -> Iterator[CheckResult]:
    buttons, person = guide.config.buttons, guide.person
    lamps = [gpio for gpio in (buttons.lamp_left, buttons.lamp_right) if gpio is not None]
    if lamps:
        good = say("The lamps light up, as confirmed by the tester.")
        bad = say("A lamp stays dark: turn its LED round, look at {wires}, 330 Ω and GND.")
        question = say("Was the lamp of each button lit while that button was asked for?")
        yield _confirmed(person, "lamps", question, good, bad(wires=", ".join(map(pin_label, lamps))))
    if buttons.buzzer is not None:
        good = say("The buzzer sounds, as confirmed by the tester.")
        bad = say("The buzzer is silent: its I/O at {wire}, VCC at pin 4, GND at pin 14; it must be an active one.")
        question = say("Did the buzzer sound twice?")
        yield _confirmed(person, "buzzer", question, good, bad(wire=pin_label(buttons.buzzer)))


def _confirmed(person: Prompter, check: str, question: Text, good: Text, bad: Text) -> CheckResult:
    """Return what the person says about the check."""
    return ok(check, good) if person.says_yes(question) else problem(check, bad)


def _power(guide: GuidedContext) -> Iterator[CheckResult]:
    signal = guide.config.power.signal
    assert signal is not None
    edges: SimpleQueue[PowerEdge] = SimpleQueue()

    def note(edge: ButtonEdge | PowerEdge) -> None:
        if isinstance(edge, PowerEdge):
            edges.put(edge)

    pins = Pins(guide.config.buttons, guide.config.power, guide.factory, guide.time_base, note)
    try:
        assert pins.power is not None
        if pins.power.failing:
            text = say("The signal at {wire} says that the power is off; look at its wire and at low_is_failing.")
            yield problem("power-signal", text(wire=pin_label(signal)))
            return
        guide.person.show(say("Unplug the hold-up supply now, and plug it in again after about five seconds."))
        failure_edge = _wait_for_power(edges, failing=True)
        back = None if failure_edge is None else _wait_for_power(edges, failing=False)
    finally:
        pins.close()
    if failure_edge is None or back is None:
        text = say("The signal at {wire} did not come back with the power.")
        if failure_edge is None:
            text = say(
                "No signal at {wire} when the plug was out: check its wire, and whether the supply reports a power "
                "failure."
            )
        yield problem("power-signal", text(wire=pin_label(signal)))
    else:
        guide.figures["power_out_ms"] = (back.at_ns - failure_edge.at_ns) // NS_PER_MS
        yield ok("power-signal", say("The hold-up supply reports when its power fails and returns."))


def _wait_for_power(edges: SimpleQueue[PowerEdge], *, failing: bool) -> PowerEdge | None:
    until = time.monotonic() + PLUG_S
    with suppress(Empty):
        while (left := until - time.monotonic()) > 0:
            if (edge := edges.get(timeout=left)).failing is failing:
                return edge
    return None


def _jumper(guide: GuidedContext) -> Iterator[CheckResult]:
    """Measure the delay of an edge from the lamp's line that makes it to the program (row 21)."""
    buttons = guide.config.buttons
    out = buttons.lamp_left
    assert out is not None
    text = say("Take the wires of the left button and its lamp off, and put one jumper wire from {out} to {line}.")
    guide.person.ready(text(out=pin_label(out), line=pin_label(buttons.left)))
    edges: SimpleQueue[tuple[ButtonEdge, int]] = SimpleQueue()

    def note(edge: ButtonEdge | PowerEdge) -> None:
        if isinstance(edge, ButtonEdge) and edge.line == "left":
            edges.put((edge, guide.time_base.now_ns()))

    stamped, seen, missing = [], [], 0
    pins = Pins(guide.config.buttons, guide.config.power, guide.factory, guide.time_base, note)
    try:
        assert pins.lamps is not None
        pins.lamps.show({"left"})
        time.sleep(0.05)
        while not edges.empty():
            edges.get()
        for number in range(SWITCHES):
            made_ns = guide.time_base.now_ns()
            pins.lamps.show(() if number % 2 == 0 else {"left"})
            try:
                edge, at_ns = edges.get(timeout=0.5)
            except Empty:
                missing += 1
                if missing > 3:
                    break
                continue
            stamped.append((edge.at_ns - made_ns) / NS_PER_MS)
            seen.append((at_ns - edge.at_ns) / NS_PER_MS)
            time.sleep(0.002)
    finally:
        pins.close()
    if missing or not seen:
        text = say("{n} of the edges did not arrive: is the jumper at {out} and {line}?")
        yield problem("jumper", text(n=missing, out=pin_label(out), line=pin_label(buttons.left)))
        return
    guide.figures["edge_ms"] = {"stamped": _percentiles(stamped), "seen": _percentiles(seen)}
    late = percentile(sorted(seen), 0.99)
    text = say("{n} edges: 99 of 100 seen by the program within {ms} ms of the kernel's time.", n=len(seen), ms=late)
    yield ok("jumper", text) if late <= LATE_MS else warning("jumper", text)
    guide.person.show(say("Take the jumper off, and put the wires back."))


def _percentiles(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {"p50": percentile(ordered, 0.5), "p99": percentile(ordered, 0.99), "longest": round(ordered[-1], 3)}


def _display(guide: GuidedContext) -> Iterator[CheckResult]:
    text = say(
        "Start the table in another terminal (sudo systemctl start othello-table), look at its display, "
        "and stop it again."
    )
    guide.person.ready(text)
    question = say("Was the table's picture there, whole, sharp, the right way up?")
    good = say("The display shows the table, as confirmed by the tester.")
    bad = say(
        "The display shows no good picture: look at its cable and power, and at size and rotate under [screen] "
        "(docs/reference/configuration.md)."
    )
    yield _confirmed(guide.person, "picture", question, good, bad)


def _clock(guide: GuidedContext) -> Iterator[CheckResult]:
    """Check whether the wall clock continues without power. Only records and logs need it."""
    clocks = sorted(guide.clocks.glob("rtc*"))
    if not clocks:
        text = say(
            "This machine has no battery-backed clock: its wall clock is wrong until it reaches the head. "
            "Games are not affected."
        )
        yield warning("clock-battery", text)
        return
    voltage = (guide.firmware.ask("pmic_read_adc", "BATT_V") or "").rpartition("=")[2].rstrip("V ")
    try:
        volts = float(voltage)
    except ValueError:
        yield ok("clock-battery", say("There is a battery-backed clock; it does not report its battery's voltage."))
        return
    guide.figures["battery_v"] = volts
    check, text = ok, say("The battery of the machine's clock has {volts} V.")
    if volts < LOW_BATTERY_V:
        check, text = warning, say("The battery of the machine's clock has {volts} V: it is empty or not connected.")
    yield check("clock-battery", text(volts=f"{volts:.2f}"))


def _card(guide: GuidedContext) -> Iterator[CheckResult]:
    guide.person.show(say("The card is measured for {n} s; nothing is to be done.", n=round(guide.seconds)))
    about = card()
    try:
        took = measure(guide.config.data, guide.seconds)
    except OSError as error:
        yield problem("card-sync", say("{data}: {why}", data=guide.config.data, why=error.strerror or error))
        return
    model = guide.person.word(say("What is printed on the card (maker, model, size)?"))
    guide.figures["card"] = about | {"model": model}
    guide.figures["sync"] = summary(took)
    yield from card_findings(took, about)


def _head(guide: GuidedContext) -> Iterator[CheckResult]:
    head = guide.config.head
    assert head is not None
    took = []
    try:
        for _ in range(ASKED):
            begun = time.monotonic()
            connection = http_connection(head.url, 3)
            connection.request("HEAD", "/tables.json")
            connection.getresponse().read()
            connection.close()
            took.append((time.monotonic() - begun) * 1000)
    except (OSError, http.client.HTTPException) as error:
        sentence = say(
            "After {n} answers the head stopped answering ({why}): check the network cable, the switch and the Wi-Fi."
        )
        yield problem("head-answers", sentence(n=len(took), why=error))
        return
    spread = guide.figures["head_ms"] = _percentiles(took)
    text = say("{n} answers of the head: half within {p50} ms, the longest {longest} ms.")
    text = text(n=len(took), p50=spread["p50"], longest=spread["longest"])
    yield ok("head-answers", text) if spread["p50"] <= SLOW_HEAD_MS else warning("head-answers", text)


def _camera(guide: GuidedContext) -> Iterator[CheckResult]:
    from kiosk.doctor.camera_checks import camera_findings

    guide.person.ready(say("Lay the start position on the board, and take your hands away."))
    yield from camera_findings(guide.file)


def _cuts(guide: GuidedContext) -> Iterator[CheckResult]:
    """Report the power cuts of row 21, which another computer makes and counts, because it stays on."""
    text = say(
        "Power cuts by a relay need another computer (docs/develop/testing.md). Copy the file that "
        "cut_power.py wrote there to this machine and type its path; nothing: not now."
    )
    if not (path := guide.person.word(text)):
        raise StepSkipped
    try:
        cuts = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
        lost = sum(int(cut["lost"]) > 0 for cut in cuts)
        not_restarted = sum(cut["back"] is None for cut in cuts)
    except (OSError, ValueError, KeyError, TypeError) as error:
        text = say("{path} is not a file of cut_power.py ({why}).")
        yield problem("power-cuts", text(path=path, why=reason_of(error)))
        return
    guide.figures["cuts"] = {"tried": len(cuts), "lost": lost, "did_not_come_back": not_restarted}
    sentence = say("{n} power cuts: {lost} lost something that was saved, {gone} did not come back.")
    text = sentence(n=len(cuts), lost=lost, gone=not_restarted)
    yield problem("power-cuts", text) if lost or not cuts else ok("power-cuts", text)


def steps(config: TableConfig, factory: Any) -> list[GuidedStep]:
    """Return the steps for this table's equipment."""
    found = [GuidedStep("machine", say("The machine and its programs"), lambda guide: guide.machine(guide.file))]
    if factory is not None:
        found.append(GuidedStep("buttons", say("Buttons, lamps, buzzer"), _buttons))
        if config.power.signal is not None:
            found.append(GuidedStep("power", say("The hold-up supply"), _power))
        if config.buttons.lamp_left is not None:
            found.append(GuidedStep("jumper", say("How late an edge is (one jumper wire)"), _jumper))
    if config.screen.enabled:
        found.append(GuidedStep("display", say("The display"), _display))
    found.append(GuidedStep("clock", say("The clock's battery"), _clock))
    if config.head is not None and config.head.url:
        found.append(GuidedStep("head", say("Connection to the head"), _head))
    if config.board.source == "camera":
        found.append(GuidedStep("camera", say("The camera over the board"), _camera))
    found += [GuidedStep("card", say("The card"), _card), GuidedStep("cuts", say("Power cuts"), _cuts)]
    return found


REPORT, READABLE = "othello-report.json", "othello-report.txt"
SCHEMA = "othello-doctor/1"


class GuidedReport:
    """The results so far, in a folder; an unreadable report is renamed, never lost."""

    def __init__(self, folder: Path, table: int) -> None:
        self._folder = folder
        self._found: dict[str, Any] = {"schema": SCHEMA, "table": table, "machine": _machine_facts(), "steps": {}}
        path = folder / REPORT
        if not path.exists():
            return
        try:
            known = json.loads(path.read_text(encoding="utf-8"))
            is_ours = known["schema"] == SCHEMA and known["table"] == table and isinstance(known["steps"], dict)
        except (ValueError, KeyError, TypeError):
            is_ours = False
        if is_ours:
            self._found["steps"] = known["steps"]
        else:
            path.rename(folder / f"{REPORT}.old")

    def is_done(self, step: str) -> bool:
        """Return whether a step need not be repeated."""
        known = self._found["steps"].get(step)
        return known is not None and known["ended"] and all_well(known["findings"])

    @property
    def healthy(self) -> bool:
        return all(all_well(step["findings"]) for step in self._found["steps"].values())

    def save(self, step: GuidedStep, findings: list[CheckResult], figures: dict[str, Any], *, ended: bool) -> None:
        """Save a step, and the report in readable form.

        :raises InputError: the folder cannot be written.
        """
        self._found["steps"][step.name] = {
            "title": {lang: render(step.title, lang) for lang in (ENGLISH, JAPANESE)},
            "at": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
            "ended": ended,
            "findings": [one.as_dict() for one in findings],
            "figures": figures,
        }
        with raised_as(InputError, say("{path}: {why}", path=self._folder), OSError):
            report = json.dumps(self._found, ensure_ascii=False, indent=1) + "\n"
            for name, text in ((REPORT, report), (READABLE, self._readable())):
                draft = self._folder / f".{name}.new"
                draft.write_text(text, encoding="utf-8")
                draft.replace(self._folder / name)

    def _readable(self) -> str:
        machine = json.dumps(self._found["machine"], ensure_ascii=False)
        lines = [f"Othello kiosk, table {self._found['table']}: {machine}"]
        for name, step in self._found["steps"].items():
            lines += ["", f"{step['title']['en']} / {step['title']['ja']}  [{name}, {step['at']}]"]
            if not step["ended"]:
                lines.append(f"    -- {render(_NOT_DONE, ENGLISH)} / {render(_NOT_DONE, JAPANESE)}")
            for one in step["findings"]:
                lines += [f"    {_MARKS[one['verdict']]} {one['en']}", f"       {one['ja']}"]
            lines += [f"    {key}: {json.dumps(value, ensure_ascii=False)}" for key, value in step["figures"].items()]
        return "\n".join(lines) + "\n"


_NOT_DONE = say("not made")
_MARKS = {"ok": "OK", "warning": "??", "problem": "NO"}


def _machine_facts() -> dict[str, str]:
    try:
        model = Path("/proc/device-tree/model").read_text(encoding="ascii", errors="replace").rstrip("\0")
    except OSError:
        model = platform.machine()
    return {"model": model, "kernel": platform.release(), "python": platform.python_version()}


def run_steps(guide: GuidedContext, report: GuidedReport) -> bool:
    """Run every step that is not done; return whether nothing is wrong.

    :raises InputError: the report cannot be written.
    """
    wanted = steps(guide.config, guide.factory)
    for number, step in enumerate(wanted, start=1):
        if report.is_done(step.name):
            guide.person.show(say("{n}/{of} {title}: done before.", n=number, of=len(wanted), title=step.title))
            continue
        guide.person.show(say("{n}/{of} {title}", n=number, of=len(wanted), title=step.title))
        guide.figures = {}
        findings: list[CheckResult] = []
        ended = True
        try:
            for finding in step.check(guide):
                findings.append(finding)
                guide.person.show(say("  {mark} {text}", mark=_MARKS[finding.verdict], text=finding.text))
        except StepSkipped:
            ended = False
            guide.person.show(say("  left out"))
        except (HardwareError, InputError) as error:
            findings.append(problem(step.name, say("{what}", what=error)))
            guide.person.show(findings[-1].text)
        except KeyboardInterrupt:
            report.save(step, findings, guide.figures, ended=False)
            raise
        report.save(step, findings, guide.figures, ended=ended)
    return report.healthy
