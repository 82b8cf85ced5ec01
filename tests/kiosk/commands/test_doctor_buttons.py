"""Tests of ``kiosk doctor --buttons``: it asks for each button and reports on its contacts, in both languages."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from devices.faulty_pins import WORN_SWITCH_NS, FaultyButton, FaultyFactory
from devices.power import SimulatedFirmware, SimulatedSupply
from messages.bilingual import both
from waiting import HANGS_S

from engine.i18n import Text
from hardware.real_and_simulated_time import SystemTime
from kiosk.commands.doctor import doctor
from kiosk.doctor import guided_button_check as buttons_test
from kiosk.doctor import table_checks
from kiosk.doctor.check_result import CheckResult, CheckStatus
from kiosk.doctor.guided_button_check import PRESSES, ButtonTest
from kiosk.errors import InputError
from kiosk.locale import ENGLISH, JAPANESE, render
from kiosk.table.table_config import ButtonsConfig, PowerConfig, TableConfig

LINES = {"left": 17, "right": 27, "arbiter": 22}
Finger = Callable[[FaultyButton], None]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Accept any delay of a press; late presses have their own test."""
    monkeypatch.setattr(buttons_test, "LATE_NS", 10**12)


def good_press(button: FaultyButton) -> None:
    button.press(hold_ns=80_000_000, bounce_ns=WORN_SWITCH_NS)


def nobody(button: FaultyButton) -> None:
    pass


class Bench:
    """The buttons of a table under test: ``fingers`` press a button when the command asks for it."""

    def __init__(self, fingers: dict[str, Finger], **config: object) -> None:
        self.factory = FaultyFactory(SystemTime())
        fields: dict[str, object] = {"buttons": ButtonsConfig(arbiter=22), **config}
        self.config = TableConfig(table=1, data=Path("/nowhere"), **fields)  # type: ignore[arg-type]
        self.said: list[tuple[str, str]] = []
        self.lit: list[set[int]] = []
        self._fingers = fingers
        self._hands: list[threading.Thread] = []

    def show(self, text: Text) -> None:
        en, ja = render(text, ENGLISH), render(text, JAPANESE)
        self.said.append((en, ja))
        if en.startswith("Press"):
            line = next(name for name in LINES if name in en.lower())
            hand = threading.Thread(target=self._press, args=(self._fingers.get(line, good_press), LINES[line]))
            self._hands.append(hand)
            hand.start()

    def _press(self, finger: Finger, gpio: int) -> None:
        time.sleep(0.03)
        self.lit.append({lamp for lamp in (23, 24) if self.factory.is_high(lamp)})
        for _ in range(PRESSES):
            finger(self.factory.button(gpio))
            time.sleep(0.045)

    def run(self, wait_s: float = 10) -> dict[str, CheckResult]:
        test = ButtonTest(self.config, self.factory, SystemTime(), self.show)
        try:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(buttons_test, "WAIT_S", wait_s)
                return {finding.check: finding for finding in test.run()}
        finally:
            test.close()
            for hand in self._hands:
                hand.join(HANGS_S)


def test_three_good_buttons_with_lamps_buzzer_and_power() -> None:
    buttons = ButtonsConfig(arbiter=22, lamp_left=23, lamp_right=24, buzzer=18)
    bench = Bench({}, buttons=buttons, power=PowerConfig(signal=5))
    found = bench.run()
    assert {finding.verdict for finding in found.values()} == {CheckStatus.OK}
    assert list(found) == ["button-left", "button-right", "button-arbiter", "lamps", "buzzer", "power-signal"]
    edges = PRESSES * 2 * (1 + len(WORN_SWITCH_NS))
    assert f"{edges} edges, bounce {sum(WORN_SWITCH_NS) / 1e6:.1f} ms" in str(found["button-left"].text)
    assert bench.lit == [{23}, {24}, set()], "the lamp of the button that is asked for is lit"


def test_each_press_is_shown_in_both_languages_as_it_comes() -> None:
    bench = Bench({})
    bench.run()
    shown = [(en, ja) for en, ja in bench.said if "edges" in en]
    assert len(shown) == 3 * PRESSES
    assert all(f"エッジ {2 * (1 + len(WORN_SWITCH_NS))}" in ja and "held 8" in en for en, ja in shown)


def test_a_machine_that_reads_presses_late_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buttons_test, "LATE_NS", 0)
    found = Bench({}).run()
    assert {finding.verdict for finding in found.values()} == {CheckStatus.WARNING}
    shown = [both(finding.text) for finding in found.values()]
    assert all("saw it late" in one and "検出が遅れます" in one for one in shown)


def test_swapped_cables_are_reported_at_once_and_in_the_finding() -> None:
    bench = Bench({})
    for line, gpio in (("left", 27), ("right", 17)):
        bench._fingers[line] = lambda _, other=gpio: good_press(bench.factory.button(other))  # type: ignore[misc]
    found = bench.run(wait_s=200)
    for line in ("left", "right"):
        assert found[f"button-{line}"].verdict is CheckStatus.PROBLEM
        said = both(found[f"button-{line}"].text)
        assert "swapped" in said and "入れ替わ" in said and said.count("GPIO17") == said.count("GPIO27") == 2
    assert found["button-arbiter"].verdict is CheckStatus.OK
    assert ("  That was the RIGHT button.", "  いまのは右のボタンです。") in bench.said


def test_a_button_that_is_heard_only_once_is_not_called_good() -> None:
    presses: list[int] = []

    def loose_wire(button: FaultyButton) -> None:
        presses.append(1)
        if len(presses) == 1:
            good_press(button)

    found = Bench({"left": loose_wire}).run(wait_s=0.9)["button-left"]
    assert found.verdict is CheckStatus.WARNING and "Of 3 presses of the LEFT button, 1 arrived" in str(found.text)


def test_loose_contacts_and_worn_switches_are_reported() -> None:
    def loose(button: FaultyButton) -> None:
        button.spike(300_000)

    def worn_press(button: FaultyButton) -> None:
        button.press(hold_ns=80_000_000, bounce_ns=(1_000_000, 18_000_000))

    found = Bench({"left": loose, "right": worn_press}).run(wait_s=0.9)
    assert found["button-left"].verdict is CheckStatus.PROBLEM and "poor contact" in str(found["button-left"].text)
    assert found["button-right"].verdict is CheckStatus.WARNING and "bounce 19.0 ms" in str(found["button-right"].text)


def test_a_grounded_line_and_an_inactive_power_signal_are_reported() -> None:
    bench = Bench({"left": nobody}, power=PowerConfig(signal=5))
    bench.factory.button(17).stick()
    SimulatedSupply(bench.factory.pin(5), SystemTime()).fail()
    found = bench.run(wait_s=0.9)
    assert found["button-left-closed"].verdict is CheckStatus.PROBLEM and "GPIO17" in render(
        found["button-left-closed"].text, JAPANESE
    )
    assert found["power-signal"].verdict is CheckStatus.PROBLEM


def test_the_command_guides_and_prints_the_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Instructions go to stderr and only JSON to stdout; a table that is not healthy ends with exit status 1."""
    file = tmp_path / "table.toml"
    file.write_text(f'table = 7\ndata = "{tmp_path}"\n[screen]\nenabled = false\n')
    factory = FaultyFactory(SystemTime())
    factory.button(17).stick()
    monkeypatch.setattr(table_checks, "open_factory", lambda kind: factory)
    monkeypatch.setattr(buttons_test, "WAIT_S", 0.1)
    result = CliRunner().invoke(doctor, ["--buttons", "--json", "--config", str(file)], standalone_mode=False)
    report = json.loads(result.stdout)
    assert result.return_value == 1 and not report["healthy"]
    found = {finding["check"]: finding for finding in report["reports"][0]["findings"]}
    assert found["edges"]["verdict"] == "ok" and found["button-left-closed"]["verdict"] == "problem"
    assert "Press the LEFT button 3 times." in result.stderr and "左のボタンを3回" in result.stderr
    for finding in found.values():
        assert finding["en"].isascii() and any("ぁ" <= letter <= "ん" for letter in finding["ja"])


def test_a_table_without_buttons_has_none_to_test(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(f'table = 7\ndata = "{tmp_path}"\n[buttons]\nfactory = "none"\n')
    with pytest.raises(InputError, match="no buttons to test"):
        CliRunner().invoke(doctor, ["--buttons", "--config", str(file)], standalone_mode=False, catch_exceptions=False)


@pytest.mark.parametrize(
    ("throttled", "celsius", "silent", "verdict"),
    [(0, 48.0, False, "ok"), (0, 81.0, False, "warning"), (0x50000, 48.0, False, "warning"), (0, 0.0, True, "ok")],
)
def test_voltage_and_heat(throttled: int, celsius: float, silent: bool, verdict: str) -> None:
    firmware = SimulatedFirmware()
    firmware.throttled, firmware.celsius, firmware.silent = throttled, celsius, silent
    assert table_checks.power_supply(firmware, 75).verdict == verdict
