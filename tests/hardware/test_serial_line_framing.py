"""Line framing: accepted and refused lines, and rejection of noise."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.sensor_board_protocol import SensorFrame, from_board, to_line
from hardware.serial_line_framing_and_reader import MAX_PAYLOAD, LineSplitter, crc16, decode_line, encode_line

payloads = st.text(st.sampled_from([chr(c) for c in range(32, 127) if chr(c) != "*"]), min_size=1, max_size=MAX_PAYLOAD)


def test_the_checksum_is_crc_16_ibm_3740() -> None:
    assert crc16(b"123456789") == 0x29B1
    assert encode_line("123456789") == b"123456789*29B1\n"


@given(payloads)
def test_encode_and_decode_round_trip(payload: str) -> None:
    line = encode_line(payload)
    assert decode_line(line[:-1]) == payload
    assert decode_line(line[:-1] + b"\r") == payload


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"123456789",
        b"123456789*",
        b"123456789*29b1",
        b"123456789*29B",
        b"123456789*29B1 ",
        b"123456789*29B1\r\r",
        b" 123456789*29B1",
        b"12345678*29B1",
        b"*FFFF",
        b"123456789*29B2",
        b"\xff23456789*29B1",
    ],
)
def test_an_inexact_line_is_refused(line: bytes) -> None:
    assert decode_line(line) is None


@given(payloads, st.data())
def test_any_single_wrong_byte_is_detected(payload: str, data: st.DataObject) -> None:
    line = encode_line(payload)[:-1]
    at = data.draw(st.integers(0, len(line) - 1))
    wrong = data.draw(st.integers(0, 255).filter(lambda byte: byte not in (line[at], 10)))
    assert decode_line(line[:at] + bytes([wrong]) + line[at + 1 :]) is None


@given(st.lists(payloads, max_size=6), st.data())
def test_lines_do_not_depend_on_how_the_bytes_arrive(sent: list[str], data: st.DataObject) -> None:
    stream = b"".join(encode_line(payload) for payload in sent)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    splitter = LineSplitter()
    pieces = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert [decode_line(line) for piece in pieces for line in splitter.feed(piece)] == sent


@given(st.lists(st.binary(max_size=600), max_size=20))
def test_the_splitter_never_holds_more_than_a_line(pieces: list[bytes]) -> None:
    splitter = LineSplitter()
    for piece in pieces:
        assert all(len(line) <= MAX_PAYLOAD + 6 for line in splitter.feed(piece))
        assert len(splitter._rest) <= MAX_PAYLOAD + 6


def test_an_endless_line_is_dropped() -> None:
    splitter = LineSplitter()
    for _ in range(1_000):
        assert splitter.feed(b"x" * 1_000) == []
    assert splitter.feed(b"\n" + encode_line("ok")) == [encode_line("ok")[:-1]]


def test_no_wrong_frame_among_ten_thousand_noisy_lines() -> None:
    """With 1 % of the bytes wrong and some lost or added, every accepted frame was sent.

    The run of 10⁶ is in `make faults`.
    """
    noise = Random(43)
    sent: set[tuple[int, int, str]] = set()
    splitter = LineSplitter()
    accepted: list[tuple[int, int, str]] = []
    disturbed = 0
    for number in range(10_000):
        cells = "".join(noise.choices("-XO?", k=64))
        frame = SensorFrame(number, None, noise.randrange(5_000), cells, 0)
        sent.add((frame.sequence, frame.stable_ms, cells))
        line = bytearray()
        for byte in to_line(frame):
            if (fate := noise.random()) < 0.008:
                line.append(noise.randrange(256))
            elif fate < 0.009:
                line += bytes([byte, noise.randrange(256)])
            elif fate > 0.001 + 0.009:
                line.append(byte)
        disturbed += bytes(line) != to_line(frame)
        for piece in splitter.feed(bytes(line)):
            if (payload := decode_line(piece)) is not None:
                got = from_board(payload, 0)
                assert isinstance(got, SensorFrame)
                accepted.append((got.sequence, got.stable_ms, got.cells))
    assert disturbed > 4_000
    assert len(accepted) > 3_000
    assert set(accepted) <= sent
