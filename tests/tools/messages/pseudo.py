"""A pseudo-language for tests of translation: each sentence stands between ⟦ and ⟧, without its filled-in values.

Text shown outside the brackets is data, or is not translated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from babel.messages.catalog import Catalog
from messages import catalogues

from kiosk import locale
from kiosk.locale import Lang

PSEUDO: Lang = "xx"
_FIELD = re.compile(r"(\{\w+(?:!r)?(?::[^}]*)?\})")
_SAID = re.compile(r"⟦[^⟦⟧]*⟧")


def pseudo(template: str) -> str:
    """Return the translation of a template: "round {n}" -> "⟦round ⟧{n}"."""
    parts = _FIELD.split(template.replace(":ordinal}", "}"))
    return "".join(part if n % 2 else f"⟦{part}⟧" if part else "" for n, part in enumerate(parts)) or "⟦⟧"


def untranslated(text: str) -> str:
    """Return the part of a shown text outside the brackets."""
    return _SAID.sub(" ", text)


@contextmanager
def third_language(folder: Path) -> Iterator[Lang]:
    """Add the language while the context is open: one more file beside the other catalogues, all in ``folder``."""
    for file in locale.FOLDER.glob("*.po"):
        (folder / file.name).write_bytes(file.read_bytes())
    made = Catalog(fuzzy=False)
    for message in catalogues.read(locale.FOLDER / "ja.po"):  # has every sentence, as ``make lint`` checks
        if message.id:
            forms = message.id if isinstance(message.id, tuple) else (message.id,)
            translations = tuple(map(pseudo, forms))
            made.add(
                message.id, translations if len(translations) > 1 else translations[0], context=message.context
            )
    (folder / f"{PSEUDO}.po").write_bytes(catalogues.file_content(made))
    folder_before, locale.FOLDER = locale.FOLDER, folder
    locale._catalogue.cache_clear()
    try:
        yield PSEUDO
    finally:
        locale.FOLDER = folder_before
        locale._catalogue.cache_clear()
