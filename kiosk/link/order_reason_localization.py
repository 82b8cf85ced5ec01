"""Reasons of arbiter orders as shown at the table and at the head.

A reason is stored as its English template. Older journals and stores hold "English / 日本語".
"""

from __future__ import annotations

from engine.i18n import Text


def localize_reason(reason: str) -> Text:
    """Return a stored reason as a sentence: a predefined one is translated, a typed one is shown unchanged."""
    return Text(reason.partition(" / ")[0])
