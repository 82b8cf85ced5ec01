"""Tests of ``kiosk doctor``: each missing part is reported in a sentence, in both languages."""

from __future__ import annotations

import json
import os
import re
import socket
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from devices.faulty_sensor_board import FaultySensorBoard

from hardware.real_and_simulated_time import SystemTime
from hardware.serial_byte_stream import BytePort
from kiosk.commands.doctor import doctor
from kiosk.doctor import system_checks
from kiosk.doctor.check_result import CheckResult, CheckStatus
from kiosk.doctor.table_checks import display, probe_renderer, sensor_board
from kiosk.errors import InputError
from kiosk.link.table_keys import new_keys, save_keys
from kiosk.table.journal.journal_and_link_outbox import Journal


def _table(directory: Path, text: str = "", screen: str = "enabled = false") -> Path:
    file = directory / "table.toml"
    buttons = "" if "[buttons]" in text else '[buttons]\nfactory = "none"\n'
    file.write_text(f'table = 7\ndata = "{directory}"\n{buttons}[screen]\n{screen}\n{text}')
    return file


def _examine(*files: Path) -> tuple[int, dict[str, dict[str, Any]]]:
    arguments = [part for file in files for part in ("--config", str(file))]
    result = CliRunner().invoke(doctor, [*arguments, "--json"], standalone_mode=False, catch_exceptions=False)
    report = json.loads(result.stdout)
    found = {finding["check"]: finding for part in report["reports"] for finding in part["findings"]}
    assert report["healthy"] is (result.return_value == 0)
    for finding in found.values():
        assert re.search("[a-z]{3}", finding["en"]) and re.search("[ぁ-ん]", finding["ja"]), (
            "a sentence in both languages"
        )
    return result.return_value, found


def _problems(found: dict[str, dict[str, Any]]) -> set[str]:
    return {name for name, finding in found.items() if finding["verdict"] == "problem"}


def test_a_complete_club_clock_is_healthy(tmp_path: Path) -> None:
    code, found = _examine(_table(tmp_path))
    assert code == 0 and not _problems(found)
    assert {"python", "config", "data", "space", "clock", "gpio", "head", "board"} <= found.keys()
    assert list(tmp_path.iterdir()) == [tmp_path / "table.toml"], "a doctor only looks"


def test_all_missing_parts_of_a_table_are_named_at_once(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    text = (
        f'[head]\nurl = "ws://127.0.0.1:{port}/link"\nkey_file = "{tmp_path}/key.json"\nserial = "/dev/none"\n'
        '[board]\nsource = "sensor"\ndevice = "/dev/no-board"\n'
    )
    code, found = _examine(_table(tmp_path, text))
    assert code == 1
    assert _problems(found) == {"key", "head", "head-line", "board"}
    assert str(port) in found["head"]["en"] and str(port) in found["head"]["ja"]


def test_a_key_of_another_table_is_a_problem(tmp_path: Path) -> None:
    save_keys(tmp_path / "key.json", new_keys([8]))
    text = f'[head]\nserial = "/dev/null"\nkey_file = "{tmp_path}/key.json"\n'
    _, found = _examine(_table(tmp_path, text))
    assert "key of table 8, but this is table 7" in found["key"]["en"]
    save_keys(tmp_path / "key.json", new_keys([7]))
    assert _examine(_table(tmp_path, text))[0] == 0


def test_a_key_file_out_of_reach_is_reported(tmp_path: Path) -> None:
    """Without sudo the folder of the key may not be searched; a name that is too long is such an error for root."""
    _, found = _examine(_table(tmp_path, f'[head]\nserial = "/dev/null"\nkey_file = "{"k" * 300}"\n'))
    assert _problems(found) == {"key"} and "cannot be used" in found["key"]["en"]
    (tmp_path / "head.toml").write_text(f'data = "."\nkeys = "{"k" * 300}"\n')
    _, found = _examine(tmp_path / "head.toml")
    assert _problems(found) == {"config"} and "cannot read" in found["config"]["en"]


def test_a_heads_file_needs_no_keys(tmp_path: Path) -> None:
    (tmp_path / "hall.toml").write_text('data = "."\nport = 0\n')
    assert _examine(tmp_path / "hall.toml")[1]["config"]["verdict"] == "ok"


class _Page(BaseHTTPRequestHandler):
    def do_HEAD(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_a_running_head_is_found_by_doctor_of_table_and_head(tmp_path: Path) -> None:
    save_keys(tmp_path / "keys.json", new_keys([7]))
    with HTTPServer(("127.0.0.1", 0), _Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        text = f'[head]\nurl = "ws://127.0.0.1:{port}/link"\nkey_file = "{tmp_path}/keys.json"\n'
        code, found = _examine(_table(tmp_path, text))
        assert (code, found["head"]["verdict"]) == (0, "ok")
        (tmp_path / "head.toml").write_text(f'data = "."\nkeys = "keys.json"\nhost = "127.0.0.1"\nport = {port}\n')
        code, found = _examine(tmp_path / "head.toml")
        assert (code, found["address"]["verdict"], found["keys"]["verdict"]) == (0, "ok", "ok")
        server.shutdown()
    code, found = _examine(tmp_path / "head.toml")
    assert (code, found["address"]["verdict"]) == (0, "warning"), "it does not run, but it could"


def test_a_heads_port_that_another_program_has_is_a_problem(tmp_path: Path) -> None:
    save_keys(tmp_path / "keys.json", new_keys([7]))
    with socket.create_server(("127.0.0.1", 0)) as mute:
        threading.Thread(target=lambda: mute.accept()[0].close(), daemon=True).start()
        port = mute.getsockname()[1]
        (tmp_path / "head.toml").write_text(f'data = "."\nkeys = "keys.json"\nhost = "127.0.0.1"\nport = {port}\n')
        code, found = _examine(tmp_path / "head.toml")
    assert code == 1 and _problems(found) == {"address"}


@pytest.mark.parametrize("name", ["table.toml", "head.toml"])
def test_a_configuration_that_cannot_be_read_is_the_finding(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("tabel = 7\n")
    code, found = _examine(tmp_path / name)
    assert code == 1 and _problems(found) == {"config"}
    assert "tabel" in found["config"]["en"] or "keys" in found["config"]["en"] or "data" in found["config"]["en"]


def test_a_missing_file_is_unusable_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nope"):
        CliRunner().invoke(
            doctor, ["--config", str(tmp_path / "nope.toml")], standalone_mode=False, catch_exceptions=False
        )


def test_the_report_is_in_both_languages_and_explains_its_marks(tmp_path: Path) -> None:
    result = CliRunner().invoke(doctor, ["--config", str(_table(tmp_path))], standalone_mode=False)
    assert "OK  config: " in result.stdout and "7番卓です" in result.stdout
    assert result.stdout.endswith("Nothing is missing. 問題はありません。\n")


def test_the_machines_limits() -> None:
    assert system_checks.python((3, 10, 9)).verdict is CheckStatus.PROBLEM
    assert system_checks.python((3, 11, 0)).verdict is CheckStatus.OK
    here = Path(__file__).parent
    assert system_checks.free_space(here, 49_000_000).verdict is CheckStatus.PROBLEM
    assert system_checks.free_space(here, 499_000_000).verdict is CheckStatus.WARNING
    assert system_checks.free_space(here, 501_000_000).verdict is CheckStatus.OK
    assert system_checks.wall_clock(True).verdict is CheckStatus.OK
    assert system_checks.wall_clock(False).verdict is CheckStatus.WARNING, "no game clock depends on it"
    assert system_checks.data_directory(here / "nowhere").verdict is CheckStatus.PROBLEM
    assert system_checks.data_directory(Path("/proc/self")).verdict is CheckStatus.PROBLEM


MOUNTS = """proc /proc proc rw 0 0
/dev/mmcblk0p2 / ext4 ro 0 0
overlayroot / overlay rw 0 0
tmpfs /run tmpfs rw 0 0
/dev/mmcblk0p3 /var/lib/othello\\040kiosk ext4 rw 0 0
"""


def test_data_on_volatile_storage_is_a_problem() -> None:
    """A journal on the overlay of a read-only system is a problem, because a power cut would lose it (promise 2)."""

    def verdict(place: str, command_line: str = "quiet overlayroot=tmpfs:recurse=0") -> CheckStatus:
        return system_checks.durable_storage(Path(place), MOUNTS, command_line).verdict

    assert verdict("/var/lib/othello") is CheckStatus.PROBLEM
    assert verdict("/var/lib/othello kiosk/journal") is CheckStatus.OK
    assert verdict("/run/x") is CheckStatus.WARNING
    assert verdict("/var/lib/othello", "quiet") is CheckStatus.OK, "a container's overlay lies on a disk"
    chroot = "proc /proc proc rw 0 0\n"
    assert system_checks.durable_storage(Path("/var/lib/othello"), chroot, "quiet").verdict is CheckStatus.WARNING, (
        "no root"
    )


def _plug(kernel: Path, name: str, status: str) -> None:
    (kernel / name).mkdir(parents=True, exist_ok=True)
    (kernel / name / "status").write_text(f"{status}\n")


def test_a_display_is_reported_with_its_connector_and_driver(tmp_path: Path) -> None:
    """On a Pi 4, the connectors belong to card1 and card0 only renders; both are named."""
    devices, kernel = tmp_path / "dri", tmp_path / "drm"
    asked: list[Path] = []

    def look(drawing: str = "libc.so.6", says: tuple[bool, str] = (True, "V3D 4.2")) -> CheckResult:
        return display(False, devices, kernel, [drawing], lambda card: asked.append(card) or says)

    assert display(True, devices, kernel).verdict is CheckStatus.OK, "a window of a desktop"
    assert look().verdict is CheckStatus.PROBLEM
    devices.mkdir()
    (devices / "card0").touch()
    (devices / "card1").touch()
    for plug in ("card1-HDMI-A-1", "card1-HDMI-A-2", "card1-Writeback-1"):
        _plug(kernel, plug, "disconnected")
    _plug(kernel, "card1-Writeback-1", "unknown")
    dark = look()
    assert dark.verdict is CheckStatus.PROBLEM and "HDMI-A-1, HDMI-A-2" in str(dark.text), "a cable that is out"
    assert not asked
    _plug(kernel, "card1-HDMI-A-2", "connected")
    well = look()
    assert well.verdict is CheckStatus.OK and well.as_dict()["en"] == "The display at HDMI-A-2 is drawn by V3D 4.2."
    assert asked == [devices / "card1"]
    assert look(says=(True, "llvmpipe (LLVM 15.0.6, 128 bits)")).verdict is CheckStatus.WARNING
    for black in (look("libNothingDraws.so.2"), look(says=(False, "libNothingDraws.so.2"))):
        assert black.verdict is CheckStatus.PROBLEM
        assert "libNothingDraws.so.2" in str(black.text)


def test_a_failing_graphics_probe_names_the_failed_step(tmp_path: Path) -> None:
    """The OpenGL probe fails on a file that is no graphics card and on a missing file, and names the step."""
    (tmp_path / "card0").touch()
    for card in ("card0", "card1"):
        draws, why = probe_renderer(tmp_path / card)
        assert not draws and why


def test_a_sensor_board_is_named_and_a_busy_serial_line_is_reported() -> None:
    board = FaultySensorBoard(SystemTime())
    try:
        assert sensor_board(board.device).verdict is CheckStatus.OK
        running_table = BytePort(board.device)
        assert sensor_board(board.device, 0.5).verdict is CheckStatus.WARNING
        running_table.close()
    finally:
        board.close()


def test_a_missing_pin_library_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The temporary folder for the library's FIFO is removed after the check and is named in no message."""
    monkeypatch.setitem(__import__("sys").modules, "lgpio", None)
    monkeypatch.delenv("LG_WD", raising=False)
    code, found = _examine(_table(tmp_path, '[buttons]\nfactory = "lgpio"\n'))
    assert code == 1 and _problems(found) == {"gpio"}
    assert "LG_WD" not in os.environ


def test_a_journal_that_lost_saved_records_is_a_problem(tmp_path: Path) -> None:
    """A journal whose only file is missing, or was cut between two records (which no checksum shows), is a problem."""
    journal = Journal(tmp_path / "journal").start()
    for number in range(3):
        journal.append("event", {"at_ns": number})
    assert journal.close()
    [segment] = (tmp_path / "journal").glob("*.journal")
    assert _examine(_table(tmp_path))[1]["journal"]["verdict"] == "ok"
    whole = segment.read_bytes()
    segment.write_bytes(whole[: whole.rindex(b"\x00\x00", 0, whole.rindex(b"event")) - 2])
    cut = _examine(_table(tmp_path))[1]["journal"]
    segment.unlink()
    gone = _examine(_table(tmp_path))[1]["journal"]
    assert (cut["verdict"], gone["verdict"]) == ("problem", "problem") and cut["en"] != gone["en"]
    segment.write_bytes(b"OTHELLO\n")
    assert _examine(_table(tmp_path))[1]["journal"]["verdict"] == "problem"
