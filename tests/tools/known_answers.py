"""Paths of the known answers in ``tests/data``; its README names their sources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[1] / "data"


def known(name: str) -> Path:
    """Return the path of a file of ``tests/data``. A missing file is an error: it belongs to the checkout."""
    return DATA / name


def known_json(name: str) -> Any:
    return json.loads(known(name).read_text(encoding="utf-8"))


def known_text(name: str) -> str:
    return known(name).read_text(encoding="utf-8")
