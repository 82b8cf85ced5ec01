"""Tests that every benchmark runs to its end with its smallest input; the measured values are not judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks._programs import names, run, smallest


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", names())
def test_a_benchmark_runs_with_its_smallest_input(name: str, tmp_path: Path) -> None:
    """New programs of the folder are included automatically; each gives its smallest input in ``SMALLEST``."""
    arguments = [str(tmp_path) if argument == "FOLDER" else argument for argument in smallest(name)]
    try:
        figures = run(name, *arguments)
    except RuntimeError as error:
        if "Skipped: " in str(error):  # a tool of the tests says which program is missing here
            pytest.skip(str(error))
        raise
    assert figures or any(tmp_path.iterdir())
