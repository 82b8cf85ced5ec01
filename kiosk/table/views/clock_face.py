"""What a clock reads, and when it reads something else.

The law: figures of time left are rounded up, so that 0:00 is shown exactly when the time is used up and not a moment
earlier; after that it goes on reading 0:00, and nothing else tells of it (K-02, K-03). Time used (up-count) is rounded
down. Times are nanoseconds.
"""

from __future__ import annotations

SECOND_NS = 1_000_000_000
TENTH_NS = 100_000_000
#: below this much time tenths are shown
TENTHS_BELOW_NS = 20 * SECOND_NS

TEMPLATE = "00:00"


def template(figures: str) -> str:
    """The widest figures that the same size must hold: those of a longer time are set smaller."""
    return "0" * (len(figures) - len(TEMPLATE)) + TEMPLATE


def face(left_ns: int) -> str:
    """``mm:ss``, below 20 seconds ``s.t``, and ``0:00`` from the flag on."""
    if left_ns <= 0:
        return "0:00"
    if left_ns <= TENTHS_BELOW_NS:
        tenths = -(-left_ns // TENTH_NS)
        return f"{tenths // 10}.{tenths % 10}"
    minutes, seconds = divmod(-(-left_ns // SECOND_NS), 60)
    return f"{minutes}:{seconds:02}"


def next_face_in_ns(left_ns: int) -> int | None:
    """How long a running clock that has ``left_ns`` still reads the same. None: for ever, it reads 0:00."""
    if left_ns <= 0:
        return None
    step = TENTH_NS if left_ns <= TENTHS_BELOW_NS else SECOND_NS
    return (left_ns - 1) % step + 1


def next_growth_in_ns(left_ns: int) -> int:
    """How long a clock whose time grows (the other side of an hourglass) still reads the same."""
    if left_ns <= 0:
        return 1 - left_ns
    step = TENTH_NS if left_ns < TENTHS_BELOW_NS else SECOND_NS
    return -left_ns % step + 1


def face_of_used(used_ns: int) -> str:
    """``m:ss`` of the time used."""
    minutes, seconds = divmod(used_ns // SECOND_NS, 60)
    return f"{minutes}:{seconds:02}"


def next_used_in_ns(used_ns: int) -> int:
    return SECOND_NS - used_ns % SECOND_NS


def whole_seconds(left_ns: int) -> int:
    """Seconds rounded up, for a delay that is shown as a figure."""
    return -(-max(0, left_ns) // SECOND_NS)
