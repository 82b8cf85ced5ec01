"""Texts as rendered for readers of both languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from engine.i18n import Renderable
from kiosk.locale import ENGLISH, JAPANESE, render


def both(text: Renderable) -> str:
    """Return English, a stroke, and Japanese."""
    return f"{render(text, ENGLISH)} / {render(text, JAPANESE)}"


@contextmanager
def refused(kind: type[Exception], match: str) -> Iterator[pytest.ExceptionInfo[Any]]:
    """Check that an error is raised whose text, as ``both`` spells it, matches; used as ``pytest.raises``."""
    with pytest.raises(kind) as error:
        yield error
    message = both(error.value.text)  # type: ignore[attr-defined]
    assert re.search(match, message), message
