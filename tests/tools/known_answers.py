"""Finds ``../shared`` beside the checkout, where the real records and known answers are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[3] / "shared"


def shared(relative: str) -> Path:
    """The path of a shared file; skips the test where ``../shared`` is not there (never on CI)."""
    path = SHARED / relative
    if not path.exists():
        if os.environ.get("CI"):
            pytest.fail(f"../shared/{relative} is missing; on CI it must lie beside the checkout")
        pytest.skip(f"../shared/{relative} is not beside this checkout")
    return path
