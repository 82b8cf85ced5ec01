"""Tests of the summary of skipped tests at the end of a run."""

from __future__ import annotations

import re
from pathlib import Path

from skipped_tests import LIST, lines, programs

ROOT = Path(__file__).parents[1]


def test_skipped_tests_are_counted_by_missing_program(tmp_path: Path) -> None:
    reasons = [
        "Skipped: chromium and chromedriver are needed to look at the pages (apt install chromium chromium-driver)",
        "Skipped: strace is not installed (apt: strace)",
        "Skipped: strace is not installed; it injects the error",
        "Skipped: PostgreSQL is needed for these tests (apt install postgresql)",
        "Skipped: needs MicroPython's unix port (CONTRIBUTING.md)",
        "Skipped: a small disk can be mounted by root only",
    ]
    assert lines(reasons, path=str(tmp_path)) == [
        "left out 1: chromium is not installed",
        "left out 1: micropython is not installed",
        "left out 1: postgres is not installed",
        "left out 2: strace is not installed",
        "all of them are brought by: sudo .ci/packages",
    ]


def test_an_installed_program_is_not_listed(tmp_path: Path) -> None:
    (tmp_path / "strace").touch(mode=0o755)
    assert lines(["Skipped: strace may not trace here"], path=str(tmp_path)) == []


def test_every_package_of_a_reason_to_skip_is_on_the_list() -> None:
    """A test that is skipped for a missing program names ``apt install`` and its package, which must be on the list."""
    known = {package for packages in programs(LIST.read_text(encoding="utf-8")).values() for package in packages}
    named = {
        package
        for file in (ROOT / "tests/tools").rglob("*.py")
        for found in re.findall(r"\(apt install ([a-z0-9 -]+)\)", file.read_text(encoding="utf-8"))
        for package in found.split()
    }
    assert named and named <= known
