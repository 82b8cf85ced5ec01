"""Text layout in a box: size and line breaks; and the font of each character, from other fonts where one lacks it.

Any text stays inside its box and readable; one too long is first set smaller, then cut with an ellipsis. Sizes are
pixels per em.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path

import pygame
import pygame.font
import pygame.image

from kiosk.locale import line_pieces

# Font fallback: the table's own font, or the first font of the machine or the kiosk that has a character.
#
# - A name is never shown as empty boxes while any font on this machine has its characters.
# - Other fonts are searched only when a character needs one, and each result is cached.
# - A character that no font has is replaced by ``?``.

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
            is_composed = unicodedata.decomposition(character) and self._metrics(character) == self._metrics(MISSING)
            self._known[character] = not is_composed and self._bitmap(character) != self._box
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
            fonts = (path for path in self._candidates() if self._has(path, character))
            self._found[character] = next(fonts, None)
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
        is_italic = "Italic" in path.name or "Oblique" in path.name
        return is_italic, family, ("Bold" in path.name) is not self._bold, path.name

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


REGULAR, BOLD = FONTS / "NotoSansCJKjp-Regular.otf", FONTS / "NotoSansCJKjp-Bold.otf"

#: height of a line, from above a kanji to below a descender, and the part of it above the baseline, per em
LINE, ABOVE = 1.17, 0.90
#: smallest share of the size that its box allows before a line is cut; text of several lines shrinks to TINY pixels
SMALLEST, TINY = 0.42, 9
#: size in which a text is measured first, to leave out the sizes in which it cannot fit
MEASURED = 64
ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class TextLayout:
    """A text as laid out for its box."""

    size: int
    lines: tuple[str, ...]


def can_draw(character: str, own: Path = BOLD, places: Sequence[Path] = PLACES) -> bool:
    """Return whether any font has the character."""
    pygame.font.init()
    known = own.is_file() and FontGlyphs(own).has(character)
    return known or FallbackFonts(places=places).find(character) is not None


class Typeface:
    """One weight of the font. A file is opened once, when first needed; sizes are switched on the open font."""

    def __init__(self, path: Path, fallbacks: FallbackFonts | None = None) -> None:
        pygame_s_own = Path(pygame.font.__file__).with_name(pygame.font.get_default_font())
        self._path = path if path.is_file() else pygame_s_own
        self._fonts: dict[Path, pygame.font.Font] = {}
        self._others = fallbacks or FallbackFonts(bold="Bold" in path.name)
        self._own: FontGlyphs | None = None
        self.fit = lru_cache(maxsize=512)(self._fit)
        # a text is measured in many sizes, but always split into fonts in the same way
        self._parts = lru_cache(maxsize=4096)(self._runs)
        self._ink_em = lru_cache(maxsize=512)(self._measure_ink)

    def font(self, size: int) -> pygame.font.Font:
        """Return the own font, in which all digits are set."""
        return self._open_font(self._path, size)

    def _open_font(self, path: Path, size: int) -> pygame.font.Font:
        size = max(4, size)
        font = self._fonts.get(path)
        if font is None:
            pygame.font.init()
            font = self._fonts[path] = pygame.font.Font(path, size)
        elif font.point_size != size:
            font.set_point_size(size)
        return font

    def _runs(self, text: str) -> tuple[tuple[Path, str], ...]:
        if self._own is None:
            pygame.font.init()
            self._own = FontGlyphs(self._path)
        return tuple(font_runs(text, self._own, self._others))

    def width(self, text: str, size: int) -> int:
        return sum(self._open_font(path, size).size(part)[0] for path, part in self._parts(text))

    def render(self, line: str, size: int, ink: tuple[int, int, int], above: int, height: int) -> pygame.Surface:
        """Return one rendered line, ``height`` pixels high, with its baseline ``above`` pixels below the top."""
        picture = pygame.Surface((max(1, self.width(line, size)), height), pygame.SRCALPHA, 32)
        x = 0
        for path, part in self._parts(line):
            font = self._open_font(path, size)
            if path != self._path:  # the direction stays with the font until it is set again
                font.set_direction(pygame.DIRECTION_RTL if is_right_to_left(part) else pygame.DIRECTION_LTR)
            words = font.render(part, True, ink)
            picture.blit(words, (x, above - font.get_ascent()))
            x += words.get_width()
        return picture

    def _fit(self, text: str, width: int, height: int, lines: int, most: int = 0) -> TextLayout:
        """Return the largest layout of ``text`` in ``width`` × ``height`` with at most ``lines`` lines; ``most``: the
        largest size, if it is limited.
        """
        largest = int(height / LINE)
        smallest = max(TINY, int(largest * SMALLEST)) if lines == 1 else TINY
        size = min(largest, most or largest)
        while size > smallest:
            room = min(lines, int(height / (size * LINE)))
            if self._least_width(text, size) <= room * width:
                broken = self._break_lines(text, size, width, room)
                if len(broken) <= room and self._widest(broken, size) <= width:
                    return TextLayout(size, self._balance_lines(text, size, broken))
            size = min(size - 1, int(size * 0.97))
        broken = self._break_lines(text, smallest, width)
        room = max(1, min(lines, int(height / (smallest * LINE))))
        kept = broken[:room]
        if len(broken) > room or self._widest(kept, smallest) > width:
            rest = text if room == 1 else " ".join(broken[room - 1 :])
            kept = (*kept[:-1], self._cut(rest, smallest, width))
        return TextLayout(smallest, kept)

    def _least_width(self, text: str, size: int) -> float:
        """Return a width that the lines of a text exceed together, without measuring it in this size."""
        return self._ink_em(text) * size - len(text)  # an advance is rounded to pixels

    def _measure_ink(self, text: str) -> float:
        """Return the width of a text without its spaces, in em."""
        return self.width("".join(text.split()), MEASURED) / MEASURED

    def _widest(self, lines: Sequence[str], size: int) -> int:
        return max((self.width(line, size) for line in lines), default=0)

    def _balance_lines(self, text: str, size: int, broken: tuple[str, ...]) -> tuple[str, ...]:
        """Return the text in the same number of lines, of lengths as equal as possible."""
        best, width = broken, self._widest(broken, size)
        while len(best) > 1:
            width = int(width * 0.95)
            narrower = self._break_lines(text, size, width, len(broken))
            if len(narrower) > len(broken) or self._widest(narrower, size) > width:
                break
            best = narrower
        return best

    def _cut(self, text: str, size: int, width: int) -> str:
        while text and self.width(text + ELLIPSIS, size) > width:
            text = text[:-1]
        return text.rstrip() + ELLIPSIS

    def _break_lines(self, text: str, size: int, width: int, most: int | None = None) -> tuple[str, ...]:
        """Return all lines, but at most the first ``most + 1``, since measuring is slow."""
        return tuple(islice(self._lines(text, size, width), None if most is None else most + 1))

    def _lines(self, text: str, size: int, width: int) -> Iterator[str]:
        for paragraph in text.split("\n"):
            line = ""
            for piece in line_pieces(paragraph):
                if line and self.width((line + piece).rstrip(), size) > width:
                    yield line.rstrip()
                    line = piece.lstrip()
                else:
                    line += piece
            yield line.rstrip()
