"""The reason of an arbiter's order as people read it, at the table and at the head.

The law: a reason is filed as its English template. Journals and stores of before hold "English / 日本語".
"""

from __future__ import annotations

from engine.text import Text


def shown(reason: str) -> Text:
    """A filed reason as a sentence: one that was chosen is in the catalogues, one that was typed stands as it is."""
    return Text(reason.partition(" / ")[0])
