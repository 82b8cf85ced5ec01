"""The words of the pages, in Japanese and English: one module for each area of pages.

The law: every key has both languages and stands in one module only, and a page never shows a key. A sentence that
only one template says stands there, as ``w("日本語", "English")``.
"""

from __future__ import annotations

from typing import Literal

from kiosk.head.web.texts import accounts, audit, common, desk, devices, floor, published, venues, wall

Lang = Literal["ja", "en"]
LANGUAGES: tuple[Lang, ...] = ("ja", "en")

AREAS = (common, desk, devices, floor, wall, published, accounts, audit, venues)
TEXTS: dict[str, tuple[str, str]] = {}
for _area in AREAS:
    if _twice := TEXTS.keys() & _area.TEXTS.keys():
        raise KeyError(f"{_area.__name__} has {sorted(_twice)} again; a key stands in one area only")
    TEXTS |= _area.TEXTS


def text(key: str, lang: Lang) -> str:
    """The words for ``key``; a key of outside origin that has none is shown as it is."""
    pair = TEXTS.get(key)
    return key.rpartition(".")[2] if pair is None else pair[LANGUAGES.index(lang)]
