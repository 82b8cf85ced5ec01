"""Hat and printed parts (docs/setup/wiring-and-hardware.md): wired as documented, and accepted by their tools."""

import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from kiosk.table.table_config import ButtonsConfig

ROOT = Path(__file__).parents[2]
HAT = ROOT / "fabrication/hat"
PARTS = ROOT / "fabrication/parts"
NETS = {
    "left button": "LEFT",
    "right button": "RIGHT",
    "arbiter button": "ARBITER",
    "left lamp": "LEFT_LAMP",
    "right lamp": "RIGHT_LAMP",
    "buzzer, I/O": "BUZZER",
    "hold-up supply, signal": "SUPPLY",
}
BED = 220.0

kicad = shutil.which("kicad-cli")
openscad = shutil.which("openscad")


def wired() -> dict[str, tuple[int, int]]:
    """Return net -> GPIO and header pin, from the documentation."""
    page = (ROOT / "docs/setup/wiring-and-hardware.md").read_text()
    rows = re.findall(r"^\| ([^|]+?) \| [^|]+ \| GPIO(\d+) \| (\d+) \|", page, re.MULTILINE)
    return {NETS[name]: (int(gpio), int(pin)) for name, gpio, pin in rows}


def header() -> dict[int, str]:
    """Return the nets of J1's pads on the board."""
    text = (HAT / "hat.kicad_pcb").read_text()
    starts = [m.start() for m in re.finditer(r"\n\t\(footprint ", text)] + [len(text)]
    socket = next(text[a:b] for a, b in pairwise(starts) if '"Reference" "J1"' in text[a:b])
    pads = re.findall(r'\(pad "(\d+)" .*?\(net \d+ "([^"]*)"\)', socket, re.DOTALL)
    assert len(pads) == 40
    return {int(pin): net.removeprefix("/") for pin, net in pads if not net.startswith("unconnected")}


def test_the_hat_is_wired_as_documented() -> None:
    nets = header()
    assert set(wired()) == set(NETS.values())
    assert {net: pin for net, (_, pin) in wired().items()} == {n: p for p, n in nets.items() if n not in ("GND", "+5V")}
    assert {p for p, n in nets.items() if n == "GND"} == {6, 9, 14, 20, 25, 30, 34, 39}
    assert {p for p, n in nets.items() if n == "+5V"} == {2, 4}


def test_the_buttons_are_on_the_default_pins() -> None:
    defaults = ButtonsConfig()
    assert (wired()["LEFT"][0], wired()["RIGHT"][0]) == (defaults.left, defaults.right)
    example = (ROOT / "systemd/table.toml").read_text()
    lamps = {"lamp_left": "LEFT_LAMP", "lamp_right": "RIGHT_LAMP"}
    for key, net in ({"arbiter": "ARBITER", "buzzer": "BUZZER", "signal": "SUPPLY"} | lamps).items():
        written = re.search(rf"^#? ?{key} = (\d+)", example, re.MULTILINE)
        assert written is not None and int(written[1]) == wired()[net][0], key


@pytest.mark.skipif(kicad is None, reason="KiCad 9 is not installed (Debian 12 has none)")
@pytest.mark.parametrize("check", [("sch", "erc"), ("pcb", "drc", "--schematic-parity")], ids=["ERC", "DRC"])
def test_kicad_reports_no_error(check: tuple[str, ...], tmp_path: Path) -> None:
    shutil.copytree(HAT, tmp_path / "hat")
    drawing = tmp_path / "hat" / f"hat.kicad_{check[0]}"
    report = tmp_path / "report.txt"
    run = [kicad or "", *check, "--severity-all", "--exit-code-violations", "-o", str(report), str(drawing)]
    completed = subprocess.run(run, capture_output=True, text=True, check=False)
    assert completed.returncode == 0, report.read_text()


def parts() -> list[tuple[str, str]]:
    """Return the parts in a file, which its comment lists: `part = "box";  // box, lid`."""
    found = []
    for file in sorted(PARTS.glob("*.scad")):
        named = re.search(r'^part = "\w+";\s*// (.*)$', file.read_text(), re.MULTILINE)
        found += [(file.name, part) for part in (named[1].split(", ") if named else [])]
    return found


@pytest.mark.slow
@pytest.mark.skipif(openscad is None, reason="OpenSCAD is not installed")
@pytest.mark.parametrize(("file", "part"), parts())
def test_a_part_is_one_closed_solid_that_fits_the_print_bed(file: str, part: str, tmp_path: Path) -> None:
    file_of_part = tmp_path / "part.stl"
    run = [openscad or "", "-D", f'part="{part}"', "-o", str(file_of_part), str(PARTS / file)]
    completed = subprocess.run(run, capture_output=True, text=True, check=True)
    assert "WARNING" not in completed.stderr and "ERROR" not in completed.stderr, completed.stderr
    assert re.search(r"Simple:\s+yes", completed.stderr), completed.stderr
    assert re.search(r"Volumes:\s+2\b", completed.stderr), "one solid, and the space around it"
    corners = [tuple(map(float, v)) for v in re.findall(r"vertex (\S+) (\S+) (\S+)", file_of_part.read_text())]
    sizes = [max(axis) - min(axis) for axis in zip(*corners, strict=True)]
    assert max(sizes) <= BED, sizes
