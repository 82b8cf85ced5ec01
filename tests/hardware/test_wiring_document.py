"""Header pins named in docs/setup/wiring-and-hardware.md and its drawing."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

from hardware.real_and_simulated_time import ManualTime
from hardware.simulated_pins_and_buttons import SimulatedFactory
from kiosk.doctor.guided_button_check import ground_near

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "setup/wiring-and-hardware.md"
HEADER = SimulatedFactory(ManualTime()).board_info.headers["J8"].pins


def test_the_table_gives_each_gpio_its_header_pin() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\|.*\| (GPIO\d+) \| (\d+) \|", text, re.MULTILINE)
    assert len(rows) == 7
    assert all(HEADER[int(pin)].name == gpio for gpio, pin in rows)
    assert all(HEADER[int(pin)].name == "GND" for pin in re.findall(r"GND,? (?:to )?pin (\d+)", text))


def test_the_drawing_labels_every_pin_of_the_header_as_it_is() -> None:
    svg = ET.parse(DOCS / "pictures/wiring.svg").getroot()
    words = [text.text or "" for text in svg.iter("{http://www.w3.org/2000/svg}text")]
    labels = {int(number): label for number, label in pairwise(words) if number.isdecimal()}
    assert sorted(labels) == list(range(1, 41))
    for number, pin in HEADER.items():
        label = labels[number].replace("ID_SD", "GPIO0").replace("ID_SC", "GPIO1")
        assert label == pin.name, number


def test_kiosk_doctor_names_the_same_ground_for_each_button() -> None:
    text = PAGE.read_text(encoding="utf-8")
    buttons = re.findall(r"^\| \w+ button \|.*\| GPIO(\d+) \| \d+ \| GND, pin (\d+) \|", text, re.MULTILINE)
    assert len(buttons) == 3
    assert all(ground_near(int(gpio)) == int(ground) for gpio, ground in buttons)
