"""Localisation: templates from the code, translations from the catalogues beside this file.

- A language is one file, ``kiosk/locale/<language>.po``; English is the templates themselves.
- A sentence missing in a catalogue is shown in English, so no text is ever empty (``make lint`` finds missing entries).
- A variant such as ``ja-kana`` is only for the players at a table; what it lacks is shown in its language, ``ja``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import cache
from gettext import c2py
from pathlib import Path
from typing import Any

import engine.i18n
from engine.i18n import Renderable, Text, say_in, source_text

#: the code of a language, as in the names of the catalogues
Lang = str

ENGLISH: Lang = "en"
JAPANESE: Lang = "ja"
FOLDER = Path(__file__).parent
_OWN_NAME = say_in("the name of this language, in this language", "English")


def languages() -> tuple[Lang, ...]:
    """Return the languages a reader may choose: Japanese, English, then every other catalogue."""
    return tuple(code for code in players_languages() if language_of(code) == code)


def players_languages() -> tuple[Lang, ...]:
    """Return the languages and variants a player at a table may choose."""
    others = sorted(file.stem for file in FOLDER.glob("*.po") if file.stem != JAPANESE)
    return (JAPANESE, ENGLISH, *others)


def language_of(code: Lang) -> Lang:
    """Return the language of a variant: ``ja`` of ``ja-kana``."""
    return code.partition("-")[0]


def render(text: Renderable, lang: Lang, **more: object) -> str:
    """Return the sentence in a language; ``more``: values of fields still missing."""
    return engine.i18n.render(text, _catalogue(lang).find, more)


def render_both(text: Renderable) -> str:
    """Return the text in Japanese and English, because people of both languages read a command's reports together."""
    return f"{render(text, JAPANESE)} / {render(text, ENGLISH)}"


def terminal_language() -> Lang:
    """Return the language for a command's output: from the first of LC_ALL, LC_MESSAGES and LANG that is set, if there
    is a catalogue for it, else English.
    """
    wanted = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    code = re.split("[_.@]", wanted)[0]
    return code if code in languages() else ENGLISH


def own_name(lang: Lang) -> str:
    """Return the name of a language in that language."""
    return render(_OWN_NAME, lang)


def translator(lang: Lang) -> Callable[..., str]:
    """Return ``render`` bound to one language; text typed by people is left unchanged."""
    find = _catalogue(lang).find
    return lambda text, **more: text if isinstance(text, str) else engine.i18n.render(text, find, more)


def jinja_names(lang: Lang) -> dict[str, Callable[..., str]]:
    """Return the functions for a page template: ``_("…", n=3)``, ``ngettext("{n} game", "{n} games", n)`` and
    ``pgettext("context", "…")`` for literals of the template, ``say(text)`` for values passed to it; text typed by
    people is left unchanged.
    """
    find = _catalogue(lang).find

    def gettext(template: str, **fields: Any) -> str:
        return _on_page(Text(template), find, fields)

    def ngettext(one: str, many: str, n: int, **fields: Any) -> str:
        return _on_page(Text(one, many=many, count=n), find, {"n": n, **fields})

    def pgettext(context: str, template: str, **fields: Any) -> str:
        return _on_page(Text(template, context=context), find, fields)

    return {"_": gettext, "ngettext": ngettext, "pgettext": pgettext, "say": translator(lang)}


def _on_page(text: Text, find: Callable[[Renderable], str], fields: dict[str, Any]) -> str:
    """Return a sentence whose fields may be pieces of HTML (they have ``__html__``); if any is, all else in it is
    escaped.
    """
    if not any(hasattr(value, "__html__") for value in fields.values()):
        return engine.i18n.render(text, find, fields)
    from markupsafe import Markup, escape  # Jinja's: only the head has it

    safe = {name: escape(value) if isinstance(value, str) else value for name, value in fields.items()}
    return Markup(engine.i18n.render(text, lambda template: str(escape(find(template))), safe))


_ESCAPED = re.compile(r"\\(.)")


def _entries(text: str) -> Iterator[dict[str, str]]:
    """Yield the entries of a catalogue as Babel writes it, without those marked fuzzy: keyword -> text."""
    for block in text.split("\n\n"):
        fields: dict[str, str] = {}
        keyword = ""
        for line in block.splitlines():
            if line.startswith("#,") and "fuzzy" in line:
                break
            if not line.startswith("#"):
                word, _, quoted = line.partition('"')
                keyword = word.strip() or keyword
                fields[keyword] = fields.get(keyword, "") + quoted.rstrip()[:-1]
        else:
            yield {name: _ESCAPED.sub(_unescape, value) for name, value in fields.items()}


def _unescape(found: re.Match[str]) -> str:
    return {"n": "\n", "t": "\t", "r": "\r"}.get(found[1], found[1])


class Catalogue:
    """The translations of one language; without a file those into English, which needs none."""

    def __init__(self, file: Path | None) -> None:
        self._translations: dict[tuple[str, str], tuple[str, ...]] = {}
        if file is None:
            return
        header = ""
        for fields in _entries(file.read_text(encoding="utf-8")):
            template = fields.get("msgid", "")
            translations = tuple([value for name, value in fields.items() if name.startswith("msgstr")])
            if template and translations and all(translations):
                self._translations[fields.get("msgctxt", ""), template] = translations
            elif not template:
                header += "".join(translations)
        forms = re.search(r"plural=(.+);", header)
        self._plural = c2py(forms[1] if forms else "n != 1")

    def over(self, other: Catalogue) -> Catalogue:
        """Return a catalogue of a variant: entries missing here come from ``other``."""
        self._translations = {**other._translations, **self._translations}
        return self

    def find(self, text: Renderable) -> str:
        """Return the sentence's template in this language, or its English."""
        forms = self._translations.get((getattr(text, "context", ""), text.template))
        if forms is None:
            return source_text(text)
        count = getattr(text, "count", None)
        return forms[0] if count is None else forms[min(self._plural(count), len(forms) - 1)]


@cache
def _catalogue(lang: Lang) -> Catalogue:
    file = FOLDER / f"{lang}.po"
    catalogue = Catalogue(file if lang != ENGLISH and file.is_file() else None)
    return catalogue if language_of(lang) == lang else catalogue.over(_catalogue(language_of(lang)))


# Line breaking for Japanese and for languages with spaces.

NEVER_FIRST = "、。，．・：；！？」』）】〉》ー々),.:;!?＝ 　"
NEVER_LAST = "「『（【〈《("
BREAK_AFTER = "、。，．：；！？」』）】〉》"
#: characters from here on are full-width (Japanese)
WIDE = 0x2E80


def line_pieces(text: str) -> Iterator[str]:
    """Return the pieces between which a line may break: Latin words with their space, and Japanese phrases, which
    nearly always end in hiragana or a punctuation mark and begin with something else.
    """
    piece = ""
    for character in text:
        if piece and _may_break(piece, character):
            yield piece
            piece = ""
        piece += character
    if piece:
        yield piece


def _may_break(piece: str, after: str) -> bool:
    before = piece[-1]
    if before in " 　":
        return after not in " 　·"
    if ord(before) < WIDE and ord(after) < WIDE:
        return before == "-" and after.isalpha() and piece[-2:-1].isalnum()  # within a word; not of an --option
    if after in NEVER_FIRST or before in NEVER_LAST:
        return False
    return before in BREAK_AFTER or (_is_hiragana(before) and not _is_hiragana(after))


def _is_hiragana(character: str) -> bool:
    return "ぁ" <= character <= "ゖ"
