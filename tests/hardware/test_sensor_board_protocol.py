"""Messages of the sensor board protocol (docs/reference/sensor-board.md)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.sensor_board_protocol import (
    MAX_NUMBER,
    SEQUENCES,
    BoardRequest,
    FromBoard,
    FromTable,
    Heartbeat,
    Identity,
    IdentityRequest,
    SensorFrame,
    from_board,
    from_table,
    to_line,
    to_payload,
)
from hardware.serial_line_framing_and_reader import decode_line

numbers = st.integers(0, MAX_NUMBER)
sequences = st.integers(0, SEQUENCES - 1)
START = "---------------------------OX------XO---------------------------"

KNOWN: list[tuple[str, FromBoard]] = [
    ("I 1 acme-2.3 8 8", Identity(1, "acme-2.3", 8, 8)),
    (f"F 0 - 1200 {START}", SensorFrame(0, None, 1200, START, 77)),
    (f"F 65535 42 0 {'?' * 64}", SensorFrame(65535, 42, 0, "?" * 64, 77)),
    ("H 17 60000", Heartbeat(17, 60000)),
]


@pytest.mark.parametrize(("payload", "message"), KNOWN)
def test_known_messages(payload: str, message: FromBoard) -> None:
    assert from_board(payload, 77) == message
    assert to_payload(message) == payload


def test_messages_of_a_table() -> None:
    assert from_table("W") == IdentityRequest()
    assert from_table("A 4294967295") == BoardRequest(4294967295)


@given(
    st.one_of(
        st.builds(
            SensorFrame, sequences, st.none() | numbers, numbers, st.text("-XO?", min_size=1, max_size=160), st.just(5)
        ),
        st.builds(Heartbeat, sequences, numbers),
        st.builds(Identity, numbers, st.from_regex(r"[a-zA-Z0-9.-]{1,32}", fullmatch=True), numbers, numbers),
    )
)
def test_every_message_of_a_board_round_trips(message: FromBoard) -> None:
    assert from_board(decode_line(to_line(message)[:-1]), 5) == message


@given(st.builds(BoardRequest, numbers) | st.just(IdentityRequest()))
def test_every_message_of_a_table_round_trips(message: FromTable) -> None:
    assert from_table(decode_line(to_line(message)[:-1])) == message


@pytest.mark.parametrize(
    "payload",
    [
        "",
        "Z",
        "F 0 - 1200",
        f"F 0 1200 {START}",
        f"F 00 - 1200 {START}",
        f"F +1 - 1200 {START}",
        f"F 65536 - 1200 {START}",
        f"F 0 - 4294967296 {START}",
        f"F 0  - 1200 {START}",
        f"F 0 - 1200 {START} ",
        f"F 0 - 1200 {START[:-1]}x",
        f"F 0 - 1200 {'-' * 161}",
        f"F ٣ - 1200 {START}",
        "H 1",
        "H 65536 1",
        "I 1 8 8",
        "I 1 a b 8 8",
        "I 1 a -8 8",
        "W",
        "A 1",
    ],
)
def test_inexact_messages_are_refused(payload: str) -> None:
    assert from_board(payload, 0) is None


@pytest.mark.parametrize("payload", ["", "A", "A x", "A 4294967296", "W ", "H 1 2"])
def test_other_messages_of_a_table_are_refused(payload: str) -> None:
    assert from_table(payload) is None


@given(st.text(max_size=90))
def test_arbitrary_text_is_a_message_or_none(payload: str) -> None:
    for message in (from_board(payload, 0), from_table(payload)):
        assert message is None or to_payload(message) == payload


def test_the_lines_in_the_document_are_valid() -> None:
    """Every example line of docs/reference/sensor-board.md is a message with its checksum."""
    document = (Path(__file__).parents[2] / "docs/reference/sensor-board.md").read_text(encoding="utf-8")
    lines = re.findall(r"^(.+\*[0-9A-F]{4})$", document, re.MULTILINE)
    assert len(lines) >= 6
    for line in lines:
        payload = decode_line(line.encode())
        assert payload == "123456789" or from_board(payload, 0) or from_table(payload)
