"""Fixtures of the fault tests, which have a short form for the suite and a long form for ``make faults``."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

LONG = os.environ.get("FAULTS") == "long"


@pytest.fixture(scope="session")
def times() -> Callable[[int, int], int]:
    """Return ``times(short, long)``, the number of repetitions."""
    return lambda short, long: long if LONG else short


@pytest.fixture
def progress(request: pytest.FixtureRequest) -> Callable[[int, int], None]:
    """Return ``progress(done, wanted)``, which prints a line during a long form."""
    capture = request.config.pluginmanager.getplugin("capturemanager")

    def print_progress(done: int, wanted: int) -> None:
        with capture.global_and_fixture_disabled():
            print(f"{done:,} of {wanted:,}", flush=True)  # noqa: T201

    return print_progress if LONG else lambda done, wanted: None
