"""Tests of ``kiosk doctor --guided``: each step on simulated hardware, correct and faulty, interrupted and resumed."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from devices.faulty_pins import FaultyFactory
from devices.power import SimulatedFirmware, SimulatedSupply
from drawn_tables.camera_over_drawn_table import SimulatedCamera
from drawn_tables.seeded_table_scene import TUNE, SceneRequest, table_of
from waiting import HANGS_S

from engine.i18n import Text
from hardware.camera.picture_decoding_overlays_and_quality import encode_jpeg
from hardware.real_and_simulated_time import SystemTime
from kiosk.commands.doctor import doctor
from kiosk.doctor import guided_button_check as buttons_test
from kiosk.doctor import guided_table_check, sd_card_speed_check
from kiosk.doctor import guided_table_check as steps_module
from kiosk.doctor.check_result import CheckResult, ok, problem
from kiosk.doctor.guided_table_check import (
    READABLE,
    REPORT,
    GuidedContext,
    GuidedReport,
    Prompter,
    StepSkipped,
    run_steps,
    steps,
)
from kiosk.locale import ENGLISH, render
from kiosk.table.table_config import BoardConfig, ButtonsConfig, HeadAddress, PowerConfig, ScreenConfig, TableConfig

LINES = {"left": 17, "right": 27, "arbiter": 22}
START = "-" * 27 + "OX------XO" + "-" * 27


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Accept any delay of a press and do not wait long for a missing one."""
    monkeypatch.setattr(buttons_test, "LATE_NS", 10**12)
    monkeypatch.setattr(buttons_test, "WAIT_S", 5)
    monkeypatch.setattr(buttons_test, "PRESSES", 1)
    monkeypatch.setattr(steps_module, "PLUG_S", 0.4)
    monkeypatch.setattr(steps_module, "SWITCHES", 20)
    monkeypatch.setattr(steps_module, "LATE_MS", 10**6)
    monkeypatch.setattr(sd_card_speed_check, "EVERY_S", 0.001)


class Hands(Prompter):
    """The person at a table, simulated: presses buttons, unplugs the supply and connects the jumper when asked.
    ``answers``: replies to questions that contain these words; all others are answered with yes, ready, or nothing."""

    def __init__(self, factory: FaultyFactory, **answers: Any) -> None:
        self.factory, self.answers = factory, {name.replace("_", " "): answer for name, answer in answers.items()}
        self.said: list[str] = []
        self.threads: list[threading.Thread] = []
        self.on: dict[str, Callable[[], None]] = {}

    def show(self, text: Text) -> None:
        said = render(text, ENGLISH)
        self.said.append(said)
        if said.startswith("Press the"):
            line = next(name for name in LINES if name in said.lower())
            if line != self.answers.get("dead"):
                self._later(lambda: self.factory.button(LINES[line]).press(hold_ns=80_000_000))
        for words, act in self.on.items():
            if words in said:
                self._later(act)

    def _later(self, act: Callable[[], None]) -> None:
        def soon() -> None:
            time.sleep(0.03)
            act()

        self.threads.append(threading.Thread(target=soon))
        self.threads[-1].start()

    def _answer(self, question: Text, usual: Any) -> Any:
        said = render(question, ENGLISH)
        self.said.append(said)
        answer = next((answer for words, answer in self.answers.items() if words in said), usual)
        if isinstance(answer, type) and issubclass(answer, BaseException):
            raise answer
        return answer() if callable(answer) else answer

    def says_yes(self, question: Text) -> bool:
        return bool(self._answer(question, True))

    def ready(self, what: Text) -> None:
        self._answer(what, None)

    def word(self, question: Text, keys: str = "") -> str:
        return str(self._answer(question, ""))


class Bench:
    """A table with everything connected, and a folder for its report."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.base = folder, SystemTime()
        self.factory = FaultyFactory(self.base)
        self.firmware = SimulatedFirmware()
        self.machine: list[CheckResult] = []
        self.config = TableConfig(
            table=7,
            data=folder,
            buttons=ButtonsConfig(arbiter=22, lamp_left=23, lamp_right=24, buzzer=18),
            power=PowerConfig(signal=6),
            board=BoardConfig(),
            screen=ScreenConfig(),
        )
        (folder / "rtc/rtc0").mkdir(parents=True)
        self.jumper = True
        self.seconds = 0.05

    def hands(self, **answers: Any) -> Hands:
        made = Hands(self.factory, **answers)
        supply = SimulatedSupply(self.factory.pin(6), self.base)
        made.on["Unplug the hold-up supply"] = lambda: (supply.fail(), time.sleep(0.05), supply.come_back())  # type: ignore[func-returns-value]
        made.answers.setdefault("jumper wire", self._wire)
        return made

    def _wire(self) -> None:
        """Connect the lamp's line with the button's line, as a jumper does."""
        if not self.jumper:
            return
        out, line, change = self.factory.pin(23), self.factory.pin(17), self.factory.pin(23)._change_state

        def joined(value: float) -> bool:
            changed: bool = change(value)
            line.drive(bool(value), self.base.now_ns())
            return changed

        out._change_state = joined

    def run(self, hands: Hands, *only: str) -> bool:
        """Run the command. ``only``: the steps that are made; all if none is named."""

        def looked(file: Path) -> Iterator[CheckResult]:
            yield from self.machine or [ok("python", Text("good"))]

        guide = GuidedContext(
            self.folder / "table.toml",
            self.config,
            hands,
            self.factory,
            self.base,
            self.firmware,
            self.seconds,
            looked,
            self.folder / "rtc",
        )
        wanted = [step for step in steps(self.config, self.factory) if not only or step.name in only]
        try:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(guided_table_check, "steps", lambda config, factory: wanted)
                return run_steps(guide, GuidedReport(self.folder, 7))
        finally:
            for thread in hands.threads:
                thread.join(HANGS_S)
            self.factory.pin(23).__dict__.pop("_change_state", None)

    def report(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / REPORT).read_text())
        return found

    def verdicts(self, step: str) -> dict[str, str]:
        return {one["check"]: one["verdict"] for one in self.report()["steps"][step]["findings"]}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_a_good_table_from_the_first_step_to_the_report(bench: Bench) -> None:
    cuts = bench.folder / "cuts.jsonl"
    cuts.write_text('{"number": 1, "after_s": 2.0, "saved": 5, "back": 6, "lost": 0}\n' * 3)
    assert bench.run(bench.hands(type_its_path=str(cuts), printed="Brand 32 GB"))
    found = bench.report()
    assert list(found["steps"]) == [step.name for step in steps(bench.config, bench.factory)]
    assert {one["verdict"] for step in found["steps"].values() for one in step["findings"]} <= {"ok"}
    assert found["steps"]["cuts"]["figures"]["cuts"] == {"tried": 3, "lost": 0, "did_not_come_back": 0}
    assert found["steps"]["jumper"]["figures"]["edge_ms"]["stamped"]["p50"] >= 0
    assert found["steps"]["card"]["figures"]["sync"]["syncs"] > 0
    assert found["steps"]["card"]["figures"]["card"]["model"] == "Brand 32 GB"
    assert found["steps"]["power"]["figures"]["power_out_ms"] >= 0
    text = (bench.folder / READABLE).read_text()
    assert "The hold-up supply" in text and "ボタン" in text and "NO" not in text


@pytest.mark.parametrize(
    ("answers", "step", "check"),
    [
        ({"dead": "left"}, "buttons", "button-left"),
        ({"Was_the_lamp": False}, "buttons", "lamps"),
        ({"buzzer_sound": False}, "buttons", "buzzer"),
        ({"Was_the_table's": False}, "display", "picture"),
    ],
)
def test_faults_that_the_person_reports_are_named(
    bench: Bench, answers: dict[str, Any], step: str, check: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "dead" in answers:  # this test alone waits for a press that never comes
        monkeypatch.setattr(buttons_test, "WAIT_S", 3.0)
    hands = bench.hands(**answers)
    assert not bench.run(hands, step)
    assert [one for one, verdict in bench.verdicts(step).items() if verdict == "problem"] == [check]
    assert any("GPIO17 (pin 11) and GND (pin 9" in said for said in hands.said) is ("dead" in answers)


def test_a_missing_jumper_supply_and_clock_are_reported(bench: Bench) -> None:
    bench.jumper = False
    (bench.folder / "rtc/rtc0").rmdir()
    hands = bench.hands()
    hands.on.clear()  # nobody unplugs the supply
    assert not bench.run(hands, "jumper", "power", "clock")
    assert bench.verdicts("jumper") == {"jumper": "problem"}
    assert bench.verdicts("power") == {"power-signal": "problem"}
    assert bench.verdicts("clock") == {"clock-battery": "warning"}


@pytest.mark.parametrize("line", ['{"lost": 2, "back": 1}', '{"lost": 3, "back": null}', "", "no JSON", '{"back": 1}'])
def test_power_cuts_that_lost_data_or_did_not_happen_are_reported(bench: Bench, line: str) -> None:
    (bench.folder / "cuts.jsonl").write_text(line)
    assert not bench.run(bench.hands(type_its_path=str(bench.folder / "cuts.jsonl")), "cuts")
    assert bench.verdicts("cuts") == {"power-cuts": "problem"}


def test_an_interrupted_run_continues_and_repeats_only_failed_steps(bench: Bench) -> None:
    bench.machine = [problem("space", Text("full"))]
    with pytest.raises(KeyboardInterrupt):
        bench.run(bench.hands(jumper_wire=KeyboardInterrupt))
    assert list(bench.report()["steps"]) == ["machine", "buttons", "power", "jumper"]
    assert not bench.report()["steps"]["jumper"]["ended"]
    bench.machine = []
    hands = bench.hands()
    bench.run(hands)
    assert not any(said.startswith(("Press the", "Unplug the hold-up supply")) for said in hands.said)
    assert bench.verdicts("machine") == {"python": "ok"} and bench.verdicts("jumper") == {"jumper": "ok"}


def test_a_skipped_step_is_asked_again(bench: Bench) -> None:
    bench.run(bench.hands(look_at_its_display=StepSkipped), "display")
    assert not bench.report()["steps"]["display"]["ended"] and bench.verdicts("display") == {}
    bench.run(bench.hands(), "display")
    assert bench.verdicts("display") == {"picture": "ok"}


def test_a_report_of_another_table_or_a_damaged_one_is_renamed(bench: Bench) -> None:
    for text in ("{", '{"schema": "othello-doctor/1", "table": 8, "steps": {}}', "[]"):
        (bench.folder / REPORT).write_text(text)
        bench.run(bench.hands(), "machine")
        assert (bench.folder / f"{REPORT}.old").read_text() == text
        assert bench.report()["table"] == 7


def test_a_head_that_does_not_answer_is_reported(bench: Bench) -> None:
    bench.config.head = HeadAddress(Path("key"), "ws://127.0.0.1:9/link")
    assert not bench.run(bench.hands(), "head")
    assert bench.verdicts("head") == {"head-answers": "problem"}


@pytest.fixture
def over_the_board(bench: Bench) -> SimulatedCamera:
    """A simulated camera over the bench's board, on which the simulated person places the discs; its file holds the
    last picture."""
    twin = SimulatedCamera(
        table_of(TUNE, 3, SceneRequest(size=(640, 480), stress=False, elevation=(60.0, 80.0))), "-" * 64
    )
    picture = bench.folder / "seen.jpg"
    picture.write_bytes(encode_jpeg(np.zeros((480, 640, 3), np.uint8)))  # the lens cap is on
    bench.config.board = BoardConfig(source="camera", device=str(picture))
    (bench.folder / "table.toml").write_text(
        f'table = 7\ndata = "{bench.folder}"\n[board]\nsource = "camera"\ndevice = "{picture}"\n'
    )
    return twin


def test_the_camera_is_read_after_the_board_is_set_up(bench: Bench, over_the_board: SimulatedCamera) -> None:
    """The person is asked to set up the board before the camera is read."""

    def lay() -> None:
        over_the_board.lay(START)
        frame = over_the_board.read()
        assert frame is not None
        (bench.folder / "seen.jpg").write_bytes(encode_jpeg(frame.image))

    bench.run(bench.hands(Lay_the_start=lay), "camera")
    found = bench.verdicts("camera")
    assert found["camera"] == found["camera-board"] == "ok", found
    assert {"camera-distance", "camera-angle", "camera-light", "camera-focus"} <= set(found)
    assert "problem" not in found.values()
    assert "盤" in (bench.folder / READABLE).read_text()


def test_a_camera_without_a_picture_is_reported_and_asked_again(bench: Bench, over_the_board: SimulatedCamera) -> None:
    assert not bench.run(bench.hands(), "camera")
    assert bench.verdicts("camera") == {"camera": "problem"}
    bench.config.board = BoardConfig(source="camera", device=str(bench.folder / "pulled.jpg"))
    file = bench.folder / "table.toml"
    file.write_text(file.read_text().replace("seen.jpg", "pulled.jpg"))
    assert not bench.run(hands := bench.hands(), "camera")
    assert bench.verdicts("camera") == {"camera": "problem"}
    assert any("Lay the start position" in said for said in hands.said), "what was wrong is made again"


def test_only_a_table_with_a_camera_is_asked_for_it(bench: Bench) -> None:
    assert "camera" not in [step.name for step in steps(bench.config, bench.factory)]
    bench.config.board = BoardConfig(source="camera", device="pi")
    assert "camera" in [step.name for step in steps(bench.config, bench.factory)]


@pytest.mark.parametrize(("volts", "verdict"), [("3.05", "ok"), ("0.40", "warning")])
def test_the_clocks_battery(bench: Bench, volts: str, verdict: str) -> None:
    class Pi5:
        def ask(self, *words: str) -> str | None:
            return f"BATT_V volt(24)={volts}V" if words[0] == "pmic_read_adc" else None

    bench.firmware = Pi5()  # type: ignore[assignment]
    bench.run(bench.hands(), "clock")
    assert bench.verdicts("clock") == {"clock-battery": verdict}


@pytest.mark.parametrize(
    ("took", "about", "sync", "wear"),
    [([1.0] * 500 + [2500.0], {}, "warning", "ok"), ([1.0], {"life_time": "0x02 0x0a"}, "ok", "warning")],
)
def test_a_slow_or_worn_memory_card(took: list[float], about: dict[str, str], sync: str, wear: str) -> None:
    found = {one.check: one.verdict for one in sd_card_speed_check.card_findings(took, about)}
    assert found == {"card-sync": sync, "card-wear": wear}


def test_the_command_asks_at_the_terminal_and_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "table.toml"
    file.write_text(f'table = 7\ndata = "{tmp_path}"\n[screen]\nenabled = false\n[buttons]\nfactory = "none"\n')
    monkeypatch.chdir(tmp_path)
    asked = ["--guided", "--minutes", "0.01", "--config", str(file)]
    first = CliRunner().invoke(doctor, asked, input="Brand\ns\n", standalone_mode=False)
    assert first.return_value in (0, 1), first.output
    assert "printed on the card" in first.output and (tmp_path / READABLE).exists()
    again = CliRunner().invoke(doctor, asked, input="s\n", standalone_mode=False)
    assert "done before" in again.output and "printed on the card" not in again.output
