"""Text of a clock face, and when it changes next.

- Time left is rounded up, so that 0:00 appears exactly when the time is used up. After that it stays at 0:00, and
  nothing else shows the flag (K-02, K-03).
- Time used (up-count) is rounded down.
- Times are nanoseconds.
"""

from __future__ import annotations

SECOND_NS = 1_000_000_000
TENTH_NS = 100_000_000
#: below this time tenths are shown
TENTHS_BELOW_NS = 20 * SECOND_NS

TEMPLATE = "00:00"


def template(figures: str) -> str:
    """Return the widest text for which the font size must suffice; longer times are set smaller."""
    return "0" * (len(figures) - len(TEMPLATE)) + TEMPLATE


def face(left_ns: int) -> str:
    """Return ``mm:ss``, below 20 seconds ``s.t``, and ``0:00`` after the flag."""
    if left_ns <= 0:
        return "0:00"
    if left_ns <= TENTHS_BELOW_NS:
        tenths = -(-left_ns // TENTH_NS)
        return f"{tenths // 10}.{tenths % 10}"
    minutes, seconds = divmod(-(-left_ns // SECOND_NS), 60)
    return f"{minutes}:{seconds:02}"


def next_face_in_ns(left_ns: int) -> int | None:
    """Return how long the face of a running clock with ``left_ns`` stays the same. None: for ever, as it shows 0:00."""
    if left_ns <= 0:
        return None
    step = TENTH_NS if left_ns <= TENTHS_BELOW_NS else SECOND_NS
    return (left_ns - 1) % step + 1


def next_growth_in_ns(left_ns: int) -> int:
    """Return how long the face of a clock whose time grows (the other side of an hourglass) stays the same."""
    if left_ns <= 0:
        return 1 - left_ns
    step = TENTH_NS if left_ns < TENTHS_BELOW_NS else SECOND_NS
    return -left_ns % step + 1


def face_of_used(used_ns: int) -> str:
    """Return ``m:ss`` of the time used."""
    minutes, seconds = divmod(used_ns // SECOND_NS, 60)
    return f"{minutes}:{seconds:02}"


def next_used_in_ns(used_ns: int) -> int:
    return SECOND_NS - used_ns % SECOND_NS


def whole_seconds(left_ns: int) -> int:
    """Return seconds rounded up, for a delay that is shown as a figure."""
    return -(-max(0, left_ns) // SECOND_NS)
