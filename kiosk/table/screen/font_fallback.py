"""Font fallback: the table's own font, or the first font of the machine or the kiosk that has a character.

- A name is never shown as empty boxes while any font on this machine has its characters.
- Other fonts are searched only when a character needs one, and each result is cached.
- A character that no font has is replaced by ``?``.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

import pygame.font
import pygame.image

#: fonts that come with the kiosk, made by tests/tools/fonts/subset.py
FONTS = Path(__file__).parent / "fonts"
#: searched recursively for other fonts; of two with one name the first is used, as it may have more characters
PLACES = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), FONTS)
#: order of preference: fonts that match the table's own, then the widest coverage, then any
PREFERRED = ("NotoSansCJK", "NotoSans", "Noto", "DejaVuSans", "FreeSans", "DroidSansFallback")
#: never used: they have a glyph for everything, or no letters
AVOIDED = ("LastResort", "Emoji", "Symbol", "Dingbats", "Mono", "Type1")
PROBE = 24
MISSING = "\U0010ffff"  # a character that no font has
UNKNOWN = "?"


class FontGlyphs:
    """The characters of one font file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._font = pygame.font.Font(path, PROBE)
        self._box: object = None
        self._box = self._bitmap(MISSING)
        self._known: dict[str, bool] = {}

    def has(self, character: str) -> bool:
        """Return whether the font has the character. An accented letter must exist as one glyph, because one composed
        of two looks broken.
        """
        if character not in self._known:
            pieced = unicodedata.decomposition(character) and self._metrics(character) == self._metrics(MISSING)
            self._known[character] = not pieced and self._bitmap(character) != self._box
        return self._known[character]

    def _metrics(self, character: str) -> object:
        return self._font.metrics(character)[0]

    def _bitmap(self, character: str) -> object:
        try:
            drawn = self._font.render(character, True, (255, 255, 255))
        except (pygame.error, UnicodeError):
            return self._box
        return drawn.get_size(), pygame.image.tobytes(drawn, "RGBA")


class FallbackFonts:
    """The other fonts in their order of preference. ``bold``: prefers bold ones."""

    def __init__(self, bold: bool = False, places: Sequence[Path] = PLACES) -> None:
        self._bold, self._places = bold, places
        self._files: list[Path] | None = None
        self._open: dict[Path, FontGlyphs] = {}
        self._found: dict[str, Path | None] = {}

    def find(self, character: str) -> Path | None:
        if character not in self._found:
            having = (path for path in self._candidates() if self._has(path, character))
            self._found[character] = next(having, None)
        return self._found[character]

    def _candidates(self) -> list[Path]:
        if self._files is None:
            found = [
                path for place in self._places for kind in ("ttf", "otf", "ttc") for path in place.rglob(f"*.{kind}")
            ]
            self._files = sorted(
                (path for path in found if not any(word in path.name for word in AVOIDED)), key=self._rank
            )
        return self._files

    def _rank(self, path: Path) -> tuple[bool, int, bool, str]:
        family = next((place for place, name in enumerate(PREFERRED) if path.name.startswith(name)), len(PREFERRED))
        slanted = "Italic" in path.name or "Oblique" in path.name
        return slanted, family, ("Bold" in path.name) is not self._bold, path.name

    def _has(self, path: Path, character: str) -> bool:
        if path not in self._open:
            try:
                self._open[path] = FontGlyphs(path)
            except (pygame.error, OSError):  # a damaged file is not opened again
                self._files = [file for file in self._candidates() if file != path]
                return False
        return self._open[path].has(character)


def font_runs(text: str, own: FontGlyphs, others: FallbackFonts) -> Iterator[tuple[Path, str]]:
    """Split ``text`` into parts of one font each; the font's path is ``own.path`` wherever that has the character.

    A combining mark stays with its letter, and a space between two words of another script with them.
    """
    font, part = own.path, ""
    for character in _drawable(text, own, others):
        wanted = _font_of(character, font if part else own.path, own, others)
        if wanted != font and part:
            yield from _split(font, part, own)
            part = ""
        font, part = wanted, part + character
    if part:
        yield from _split(font, part, own)


def _split(font: Path, part: str, own: FontGlyphs) -> Iterator[tuple[Path, str]]:
    """Move spaces at the end of a part in another font to the own font."""
    body = part.rstrip(" ") if font != own.path else part
    if body:
        yield font, body
    if len(body) < len(part):
        yield own.path, part[len(body) :]


def _drawable(text: str, own: FontGlyphs, others: FallbackFonts) -> str:
    """Return the text with composed letters where they exist, and ``?`` for a letter that no font has, without its
    marks.
    """
    shown = ""
    for character in unicodedata.normalize("NFC", text):
        known = own.has(character) or others.find(character) is not None
        if _goes_with_the_letter(character):
            shown += character if known and not shown.endswith(UNKNOWN) else ""
        else:
            shown += character if known or character.isspace() else UNKNOWN
    return shown


def _goes_with_the_letter(character: str) -> bool:
    return unicodedata.category(character) in ("Cf", "Mn", "Mc", "Me")


def _font_of(character: str, before: Path, own: FontGlyphs, others: FallbackFonts) -> Path:
    if character.isspace() or _goes_with_the_letter(character):
        return before
    return own.path if own.has(character) else others.find(character) or own.path


def is_right_to_left(part: str) -> bool:
    return any(unicodedata.bidirectional(character) in ("R", "AL") for character in part)
