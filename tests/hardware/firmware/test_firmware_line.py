"""Protocol of the firmware compared with the table's: each reads what the other writes, and refuses the same noise."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.sensor_board_protocol import (
    BoardRequest,
    FromBoard,
    Heartbeat,
    Identity,
    IdentityRequest,
    SensorFrame,
    from_board,
    from_table,
    to_line,
)
from hardware.serial_line_framing_and_reader import LineSplitter, decode_line

FIRMWARE = Path(__file__).parents[3] / "firmware"
START = "---------------------------OX------XO---------------------------"
AFTER = "-------------------X-------XX------XO---------------------------"


def load_firmware(name: str) -> ModuleType:
    """Return a module of the firmware, whose files are in no package."""
    spec = importlib.util.spec_from_file_location(f"firmware_{name}", FIRMWARE / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


line_protocol = load_firmware("line_protocol")
sensors = load_firmware("sensors")


def decoded(data: bytes) -> list[FromBoard | None]:
    return [from_board(decode_line(line) or "", 0) for line in LineSplitter().feed(data)]


def test_power_up_sends_identity_and_frame() -> None:
    board = line_protocol.LineProtocol("acme-2.3", 8, 8, 5_000, START)
    assert decoded(board.step(5_000, START, b"")) == [Identity(1, "acme-2.3", 8, 8), SensorFrame(0, None, 0, START, 0)]
    assert board.step(5_100, START, b"") == b""


def test_changes_are_sent_at_once_but_at_most_every_20_ms() -> None:
    board = line_protocol.LineProtocol("a", 8, 8, 0, START)
    board.step(0, START, b"")
    assert decoded(board.step(100, AFTER, b"")) == [SensorFrame(1, None, 0, AFTER, 0)]
    assert board.step(110, START, b"") == b""
    assert decoded(board.step(121, START, b"")) == [SensorFrame(2, None, 11, START, 0)]
    assert decoded(board.step(371, START, b"")) == [SensorFrame(3, None, 261, START, 0)]


def test_a_request_is_answered_once_and_a_frame_is_sent_every_second() -> None:
    board = line_protocol.LineProtocol("a", 8, 8, 0, START)
    board.step(0, START, b"")
    line = to_line(BoardRequest(4_294_967_295)) + to_line(IdentityRequest())
    assert board.step(10, START, line[:7]) == b""
    assert decoded(board.step(20, START, line[7:])) == [
        Identity(1, "a", 8, 8),
        SensorFrame(1, 4_294_967_295, 20, START, 0),
    ]
    assert Heartbeat(2, 1_000) in decoded(board.step(1_000, START, b""))


def test_sequence_numbers_wrap_after_65535() -> None:
    board = line_protocol.LineProtocol("a", 8, 8, 0, START)
    frames = [decoded(board.step(250 * turn, START, b""))[-1] for turn in range(3)]
    board._sequence = 65_534
    frames += [
        m for turn in range(3, 6) for m in decoded(board.step(250 * turn, START, b"")) if isinstance(m, SensorFrame)
    ]
    assert [frame.sequence for frame in frames if isinstance(frame, SensorFrame)] == [0, 1, 2, 65_535, 0, 1]


def test_an_endless_line_is_dropped_and_the_next_one_read() -> None:
    board = line_protocol.LineProtocol("a", 8, 8, 0, START)
    board.step(0, START, b"")
    for turn in range(40):
        assert board.step(turn, START, b"x" * 100) == b""
    assert len(board._buffer) <= line_protocol.LONGEST_LINE
    assert board.step(50, START, b"A 1*C3A2\n" + to_line(IdentityRequest())) == line_protocol.to_line("I 1 a 8 8")


@given(st.one_of(st.binary(max_size=40), st.from_regex(rb"[AW] ?[0-9]{0,11}", fullmatch=True)))
def test_both_sides_parse_requests_alike(payload: bytes) -> None:
    """With a correct checksum both sides read every payload alike; without one it is noise to both."""
    if b"\n" in payload or b"*" in payload:
        return
    line = payload + b"*%04X" % line_protocol.crc16(payload)
    message = from_table(decode_line(line) or "")
    parsed = line_protocol.from_line(line)
    assert (
        parsed == "W"
        if message == IdentityRequest()
        else line_protocol.request_number(parsed) == (message.number if isinstance(message, BoardRequest) else -1)
    )
    assert line_protocol.from_line(payload) == ""


def test_the_checksum_is_the_documented_one() -> None:
    assert line_protocol.to_line("123456789") == b"123456789*29B1\n"


@pytest.mark.parametrize(
    ("value", "cell"),
    [(33_000, "-"), (12_000, "X"), (54_000, "O"), (27_000, "-"), (22_500, "?"), (0, "?"), (65_535, "?")],
)
def test_a_square_has_the_clearly_nearest_level(value: int, cell: str) -> None:
    levels = [[33_000], [12_000], [54_000]]
    assert sensors.read_cells([value], levels) == cell
    assert sensors.read_cells([value], levels[:2]) == "?"


def test_a_drifting_or_ambiguous_sensor_reads_unknown() -> None:
    calibration = sensors.Calibration(3)
    for face in (30_000, 10_000, 50_000):
        for turn in range(sensors.SAMPLES):
            measured = calibration.add_sample([face, 30_000 if face < 50_000 else 50_000, face + 900 * (turn % 2)])
        assert measured
    assert calibration.done
    for cell, value in (("-", 30_000), ("X", 10_000), ("O", 50_000)):
        assert sensors.read_cells([value] * 3, calibration.levels) == f"{cell}??"
