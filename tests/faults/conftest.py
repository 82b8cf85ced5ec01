"""Every fault test has a short form for the suite and a long form for ``make faults``."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

LONG = os.environ.get("FAULTS") == "long"


@pytest.fixture(scope="session")
def times() -> Callable[[int, int], int]:
    """``times(short, long)``: how often."""
    return lambda short, long: long if LONG else short
