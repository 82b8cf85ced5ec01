"""Tests of the head's garbage collection: surviving objects are frozen, and their garbage is collected when no clock
runs."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from kiosk.head.program.garbage_collection_schedule import ALL_S, LATEST_S, GcPolicy


@pytest.fixture(scope="module", autouse=True)
def _frozen_again() -> Iterator[None]:
    """What the tests have loaded is frozen, and a schedule that ends unfreezes it."""
    yield
    gc.freeze()


class _Ring:
    """A reference cycle, which only garbage collection frees."""

    def __init__(self) -> None:
        self.myself = self


class _Hall:
    def __init__(self) -> None:
        self.now_s, self.stands = 0.0, False
        self.garbage = GcPolicy(lambda: self.stands, lambda: self.now_s)


def test_survivors_of_a_full_collection_are_frozen() -> None:
    """A cycle that becomes garbage after it was frozen is not freed by further full collections."""
    with _Hall().garbage.frozen():
        ring = _Ring()
        gone = weakref.ref(ring)
        gc.collect()
        del ring
        gc.collect()
        assert gone() is not None
    gc.collect()
    assert gone() is None


def test_all_objects_are_collected_if_no_clock_runs_or_after_half_an_hour() -> None:
    hall = _Hall()

    def dies() -> weakref.ref[_Ring]:
        ring = _Ring()
        gc.collect()
        return weakref.ref(ring)

    with hall.garbage.frozen():
        gone = dies()
        hall.now_s = ALL_S
        hall.garbage.collect_if_due()
        assert gone() is not None, "a clock runs"
        hall.stands = True
        hall.garbage.collect_if_due()
        assert gone() is None
        gone, hall.stands = dies(), False
        hall.now_s += ALL_S
        hall.garbage.collect_if_due()
        assert gone() is not None
        hall.now_s += LATEST_S - ALL_S
        hall.garbage.collect_if_due()
        assert gone() is None


def test_afterwards_garbage_is_collected_as_before() -> None:
    before = gc.get_threshold(), len(gc.callbacks)
    with _Hall().garbage.frozen():
        assert gc.get_freeze_count() > 0
    assert (gc.get_threshold(), len(gc.callbacks)) == before
    assert gc.get_freeze_count() == 0
