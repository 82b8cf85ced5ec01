"""The examples in the documents on game records run."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest


@pytest.mark.parametrize("name", ["records.md", "chouchou.md"])
def test_the_examples_of_a_document(name: str) -> None:
    path = Path(__file__).parents[3] / "docs/reference" / name
    failed, run = doctest.testfile(str(path), module_relative=False, encoding="utf-8")
    assert run
    assert not failed
