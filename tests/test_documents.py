"""Tests that files named in the documents exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
#: folders that a path in a document begins with
ROOMS = ("benchmarks", "docs", "engine", "hardware", "kiosk", "systemd", "tests")
DOCUMENTS = ("CONTRIBUTING.md", "README.md", *(str(path.relative_to(ROOT)) for path in ROOT.glob("docs/*.md")))


def paths(document: str) -> set[str]:
    text = (ROOT / document).read_text(encoding="utf-8")
    named = re.findall(r"(?<![\w/.-])((?:" + "|".join(ROOMS) + r")/[\w./-]*\w/?)(?![\w<*{])", text)
    return {path for path in named if "<" not in path}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_paths_in_documents_are_there(document: str):
    assert {path for path in paths(document) if not (ROOT / path).exists()} == set()


def test_every_row_of_the_fault_table_has_a_test_and_every_marked_test_a_row() -> None:
    text = (ROOT / "docs/faults.md").read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| (\d+) \|", text, re.MULTILINE))
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    marked = {row for source in sources for row in re.findall(r"mark\.fault\(\s*(\d+)", source)}
    assert rows == marked
