"""Checks of a table: configuration, journal, power supply, display, pins, key, head and sensor board."""

from __future__ import annotations

import ctypes
import http.client
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from engine.i18n import say, say_n
from hardware.button_edges_and_time_accuracy import EdgeSource
from hardware.errors import HardwareError
from hardware.gpio_library_selection import open_factory
from hardware.power_failure_pin_and_supply_status import Firmware, read_supply
from hardware.real_and_simulated_time import SystemTime
from hardware.sensor_board_driver import SensorBoard
from kiosk.doctor import system_checks
from kiosk.doctor.check_result import CheckResult, ok, problem, warning
from kiosk.doctor.guided_button_check import ButtonTest, Tell
from kiosk.errors import InputError
from kiosk.link.errors import KeyFileError
from kiosk.link.table_keys import check_word, load_keys
from kiosk.table.device.power_monitor import LOW_VOLTAGE
from kiosk.table.device.update_and_diagnostics_client import http_connection
from kiosk.table.journal.journal_storage_and_sd_card_alarms import JOURNAL_GONE, RECORDS_LOST, JournalError
from kiosk.table.journal.segment_files_and_recovery import RecoveredJournal, recover
from kiosk.table.table_config import ButtonsConfig, HeadAddress, TableConfig
from kiosk.typed_toml_reader import read_toml

#: seconds to wait for a board, which sends a heartbeat every second
BOARD_S = 3.5
HEAD_S = 3.0
RENDERER_S = 30.0
LOOK = "kiosk doctor --camera"
#: edge timestamps less precise than this are reported
GOOD_EDGE_NS = 1_000_000


def table_findings(config_file: Path) -> Iterator[CheckResult]:
    """Check everything a table needs. If the configuration cannot be read, check what is possible without it."""
    yield system_checks.python()
    try:
        config = read_toml(config_file, TableConfig)
    except InputError as error:
        yield problem("config", say("The configuration cannot be used: {why}.", why=error))
        return
    yield ok("config", say("{config_file}: table {table}.", config_file=config_file, table=config.table))
    yield system_checks.packages("table", *(["camera"] if config.board.source == "camera" else []))
    if config.screen.enabled:
        yield display(config.screen.window)
    yield system_checks.data_directory(config.data)
    yield system_checks.durable_storage(config.data)
    yield system_checks.free_space(config.data)
    yield journal(config.data)
    yield system_checks.wall_clock()
    yield from pins(config.buttons)
    yield power_supply(Firmware(), config.power.hot_c)
    if config.head is not None:
        yield key_file(config.head, config.table)
        yield from head(config.head)
    else:
        yield ok("head", say("No head is configured: a free clock."))
    if config.board.source == "sensor":
        yield sensor_board(config.board.device)
    elif config.board.source == "camera":
        yield ok("board", say("The board is read by a camera; look through it with: {command}", command=LOOK))
    else:
        yield ok("board", say("No sensor board is configured."))


def button_findings(config_file: Path, tell: Tell) -> Iterator[CheckResult]:
    """Run the guided test of buttons, lamps and buzzer.

    :raises InputError: the configuration cannot be read, or nothing is wired.
    :raises hardware.errors.HardwareError: the pins cannot be used.
    """
    config = read_toml(config_file, TableConfig)
    if config.buttons.factory == "none":
        text = say("{config_file}: factory is none, so there are no buttons to test")
        raise InputError(text(config_file=config_file))
    base = SystemTime()
    pins = open_factory(config.buttons.factory)
    yield _edges(pins.edge_source)
    test = ButtonTest(config, pins, base, tell)
    try:
        yield from test.run()
    finally:
        test.close()


def journal(data: Path) -> CheckResult:
    """Check whether everything that the table saved still exists."""
    place = data / "journal"
    try:
        found = recover(place) if place.is_dir() else RecoveredJournal()
    except (OSError, JournalError) as error:
        return problem("journal", say("The journal in {place} cannot be read ({why}).", place=place, why=error))
    if found.damaged:
        return problem("journal", (JOURNAL_GONE if found.epoch is None else RECORDS_LOST).text)
    return ok("journal", say_n("{n} record is saved.", "{n} records are saved.", found.saved))


def power_supply(firmware: Firmware, hot_c: int) -> CheckResult:
    """Check voltage and temperature now, and whether the voltage has been too low since boot."""
    found = read_supply(firmware)
    if found is None:
        return ok("supply", say("This machine cannot measure its voltage (it has no vcgencmd of Raspberry Pi OS)."))
    if found.low_voltage:
        return warning("supply", LOW_VOLTAGE)
    if found.low_since_start:
        text = say("The voltage was too low since the start; take the maker's power supply and a short cable.")
        return warning("supply", text)
    degrees = "?" if found.celsius is None else f"{found.celsius:.0f}"
    if found.celsius is not None and found.celsius >= hot_c:
        return warning("supply", say("The machine is hot ({degrees} °C); give it air.", degrees=degrees))
    return ok("supply", say("Voltage good, {degrees} °C.", degrees=degrees))


#: libraries that SDL needs without a desktop (``kiosk/table/screen/pygame_screen.py``); it gives no error if one is
#: missing
DRAWING_LIBRARIES = ("libgbm.so.1", "libEGL.so.1", "libGLESv2.so.2")
#: names of software renderers
_SOFTWARE_RENDERERS = ("llvmpipe", "softpipe", "swrast")


def _loads(library: str) -> bool:
    with suppress(OSError):
        ctypes.CDLL(library)
        return True
    return False


def probe_renderer(card: Path) -> tuple[bool, str]:
    """Return whether a renderer works on this card, and its name; else the reason."""
    command = [sys.executable, "-m", "kiosk.doctor.opengl_probe", str(card)]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=RENDERER_S, check=False)
    except subprocess.TimeoutExpired:
        return False, f"{RENDERER_S:g} s"
    lines = (ended.stdout if ended.returncode == 0 else ended.stderr).strip().splitlines()
    return ended.returncode == 0 and bool(lines), lines[-1] if lines else f"exit {ended.returncode}"


def display(
    window: bool,
    devices: Path = Path("/dev/dri"),
    kernel: Path = Path("/sys/class/drm"),
    drawing: Sequence[str] = DRAWING_LIBRARIES,
    renderer: Callable[[Path], tuple[bool, str]] = probe_renderer,
) -> CheckResult:
    """Check whether a display is connected, this user may use it, and a renderer works: a table with a black screen
    runs without noticing it.
    """
    if window:
        return ok("display", say("There is a display to draw on."))
    cards = sorted(devices.glob("card*"))
    usable = [card for card in cards if os.access(card, os.R_OK | os.W_OK)]
    if cards and not usable:
        text = say("{cards} may not be used by this user; it belongs to the group video.", cards=cards[0])
        return problem("display", text)
    plugs = {plug: _read_text(plug / "status") for card in usable for plug in sorted(kernel.glob(f"{card.name}-*"))}
    there = [plug for plug, status in plugs.items() if status == "connected"]
    if not there:
        text = say("No display was found ({plugs}); check the display's cable, then start the machine again.")
        return problem("display", text(plugs=", ".join(plug.name.partition("-")[2] for plug in plugs) or "-"))
    card, _, plug = there[0].name.partition("-")
    missing = [name for name in drawing if not _loads(name)]
    draws, name = (False, missing[0]) if missing else renderer(devices / card)
    if not draws:
        text = say(
            "Nothing draws on the display at {plug} ({why}), so every picture would stay black without an error; "
            "install it: sudo apt install libegl1 libgles2 libgbm1 libgl1-mesa-dri"
        )
        return problem("display", text(plug=plug, why=name))
    if name.startswith(_SOFTWARE_RENDERERS):
        text = say(
            "The display at {plug} is drawn by {renderer}: the processor does it, slowly. On a Pi look for "
            "dtoverlay=vc4-kms-v3d in /boot/firmware/config.txt."
        )
        return warning("display", text(plug=plug, renderer=name))
    return ok("display", say("The display at {plug} is drawn by {renderer}.", plug=plug, renderer=name))


def _read_text(file: Path) -> str:
    try:
        return file.read_text("ascii").strip()
    except (OSError, ValueError):
        return ""


def pins(buttons: ButtonsConfig) -> Iterator[CheckResult]:
    """Check whether the pin library opens, and how precise its timestamps are. The lines themselves may be in use by
    the table.
    """
    if buttons.factory == "none":
        yield warning("gpio", say("No buttons are wired (factory none): keys of a window only."))
        return
    with _lgpio_folder():
        try:
            factory = open_factory(buttons.factory)
        except HardwareError as error:
            yield problem("gpio", say("{what}.", what=error.text))
            return
        source = factory.edge_source
        factory.close()
    yield ok("gpio", say("The pins open with {name}.", name=source.name))
    yield _edges(source)


@contextmanager
def _lgpio_folder() -> Iterator[None]:
    """Provide the place for the FIFO that importing lgpio makes: that of the table's unit, else a temporary folder."""
    if "LG_WD" in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory() as place:
        os.environ["LG_WD"] = place
        try:
            yield
        finally:
            del os.environ["LG_WD"]


def _edges(source: EdgeSource) -> CheckResult:
    good = source.accuracy_ns <= GOOD_EDGE_NS
    return (ok if good else warning)("edges", say("{what}.", what=source.text))


def key_file(address: HeadAddress, table: int) -> CheckResult:
    """Check whether the key exists and is usable. Without one the table waits for an arbiter."""
    try:
        keys = load_keys(address.key_file)
    except KeyFileError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            text = say(
                "There is no key yet: the table shows a QR code, and an arbiter gives it one (docs/setup/install.md)."
            )
            return problem("key", text)
        return problem("key", say("The keys cannot be used: {why}.", why=error))
    if table and table not in keys:
        others = ", ".join(map(str, sorted(keys)))
        text = say(
            "{key_file} holds the key of table {others}, but this is table {table}: correct table in the "
            "configuration, or have it forgotten with kiosk keys forget."
        )
        return problem("key", text(key_file=address.key_file, others=others, table=table))
    number = table or min(keys)
    text = say("The key of table {number} is there (check {check}; the head's list must say the same).")
    return ok("key", text(number=number, check=check_word(keys[number])))


def head(address: HeadAddress) -> Iterator[CheckResult]:
    """Check whether the head answers. No session is begun, because it would replace a running table's."""
    if address.url:
        yield head_answers(address.url)
    if address.serial:
        yield line("head-line", address.serial)


def head_answers(url: str) -> CheckResult:
    where = urlsplit(url).netloc
    try:
        connection = http_connection(url, HEAD_S)
        connection.request("HEAD", "/tables.json")
        connection.getresponse()
        connection.close()
    except (OSError, ValueError, http.client.HTTPException) as error:
        why = getattr(error, "strerror", None) or str(error) or type(error).__name__
        text = say(
            "The head at {where} does not answer ({why}); check the network cable and whether the head "
            "runs. Games go on without it."
        )
        return problem("head", text(where=where, why=why))
    return ok("head", say("The head at {where} answers.", where=where))


def line(check: str, device: str) -> CheckResult:
    if os.access(device, os.R_OK | os.W_OK):
        return ok(check, say("{device} is there.", device=device))
    text = say("{device} is not there; check its cable.")
    if Path(device).exists():
        text = say("{device} may not be used by this user (group dialout).")
    return problem(check, text(device=device))


def sensor_board(device: str, wait_s: float = BOARD_S) -> CheckResult:
    """Check whether the board sends data in our protocol."""
    board = SensorBoard(device, lambda frame: None, SystemTime()).start()
    try:
        deadline = time.monotonic() + wait_s
        while board.identity is None and time.monotonic() < deadline:
            time.sleep(0.05)
        port_reason, trouble = board.reader.reason, board.trouble()
    finally:
        board.close()
    if "lock" in port_reason:
        text = say(
            "{device} is in use: the table program is running and shows on its screen whether the board responds."
        )
        return warning("board", text(device=device))
    if trouble is not None:
        return problem("board", say("{what}.", what=trouble))
    if board.identity is None:
        text = say(
            "The board at {device} does not say what it is; check its firmware (docs/reference/sensor-board.md)."
        )
        return problem("board", text(device=device))
    return ok("board", say("The sensor board responds ({firmware}).", firmware=board.identity.firmware))
