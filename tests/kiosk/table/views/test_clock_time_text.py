"""Tests of the text of a clock's time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiosk.table.views.clock_time_text import SECOND_NS, face, next_face_in_ns


@pytest.mark.parametrize(
    ("left_s", "reads"),
    [
        (6000, "100:00"),
        (1200, "20:00"),
        (1199.999, "20:00"),
        (1199, "19:59"),
        (600, "10:00"),
        (599.5, "10:00"),
        (60, "1:00"),
        (59.2, "1:00"),
        (59, "0:59"),
        (20.1, "0:21"),
        (20, "20.0"),
        (19.93, "20.0"),
        (9.91, "10.0"),
        (9.9, "9.9"),
        (0.1, "0.1"),
        (0.000000001, "0.1"),
        (0, "0:00"),
        (-75, "0:00"),
    ],
)
def test_known_readings(left_s: float, reads: str) -> None:
    assert face(round(left_s * SECOND_NS)) == reads


@given(st.integers(min_value=1, max_value=7200 * SECOND_NS))
def test_zero_is_shown_only_when_the_time_is_used_up(left_ns: int) -> None:
    assert face(left_ns) not in ("0:00", "0.0")


@given(st.integers(min_value=1, max_value=7200 * SECOND_NS))
def test_a_reading_stays_until_the_announced_change(left_ns: int) -> None:
    wait = next_face_in_ns(left_ns)
    assert wait is not None and 0 < wait <= SECOND_NS
    assert face(left_ns) == face(left_ns - wait + 1)
    assert face(left_ns) != face(left_ns - wait)


def test_a_clock_at_zero_never_changes() -> None:
    assert next_face_in_ns(0) is None and next_face_in_ns(-SECOND_NS) is None
