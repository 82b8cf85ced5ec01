"""Generator of the fonts of the table's screen: the letters needed for names, cut out of Noto Sans CJK JP and DejaVu
Sans.

    pip install --group fonts
    apt install fonts-noto-cjk fonts-dejavu-core
    python tests/tools/fonts/subset.py

From Noto Sans CJK: the kana and kanji of JIS X 0208 (levels 1 and 2), those of JIS X 0213's level 3, the extensions of
NEC and IBM (髙, 﨑), and a few more used in family names. From DejaVu Sans: the letters of the scripts that Noto Sans
CJK lacks.
"""

import unicodedata
from collections.abc import Iterator
from pathlib import Path

from fontTools import subset

FONTS = Path(__file__).parents[3] / "kiosk/table/screen/fonts"
NOTO = Path("/usr/share/fonts/opentype/noto")
DEJAVU = Path("/usr/share/fonts/truetype/dejavu")
#: of JIS X 0213's level 4, or of no level
NAMES = "𠮷桒栁濵邉邊﨟嶌槗曻凜﨑髙塚德"


def decoded(encoding: str, leads: range, trails: range) -> Iterator[str]:
    for lead in leads:
        for trail in trails:
            try:
                character = bytes((lead, trail)).decode(encoding)
            except UnicodeDecodeError:
                continue
            if len(character) == 1 and unicodedata.category(character) != "Co":
                yield character


def japanese() -> set[str]:
    ranges = ((0x20, 0x1100), (0x1E00, 0x2E80), (0x3000, 0x3100), (0x31F0, 0x3400), (0xFE30, 0xFE50), (0xFF00, 0xFFA0))
    return {
        *(chr(code) for first, end in ranges for code in range(first, end)),
        *decoded("euc_jis_2004", range(0xA1, 0xFF), range(0xA1, 0xFF)),
        *decoded("cp932", range(0xED, 0xFD), range(0x40, 0xFD)),
        *NAMES,
    }


def letters() -> set[str]:
    """Return letters, marks, digits and punctuation, with the presentation forms by which Arabic letters are drawn."""
    low = {chr(code) for code in range(0x20, 0x2100) if unicodedata.category(chr(code))[0] in "LMNPSZ"}
    return low | {chr(code) for code in range(0xFB00, 0xFF00)}


def make(source: Path, target: Path, characters: set[str], features: list[str]) -> None:
    options = subset.Options(font_number=0, layout_features=features, notdef_outline=True)
    options.drop_tables += ["vhea", "vmtx", "VORG", "BASE", "DSIG", "FFTM"]
    font = subset.load_font(str(source), options)
    # One table of all characters is enough; the other format cannot hold so many.
    font["cmap"].tables = [table for table in font["cmap"].tables if table.format == 12]
    subsetter = subset.Subsetter(options)
    subsetter.populate(text="".join(characters))
    subsetter.subset(font)
    subset.save_font(font, str(target), options)


if __name__ == "__main__":
    for weight in ("Regular", "Bold"):
        features = ["ccmp", "kern", "liga", "mark", "mkmk"]
        make(NOTO / f"NotoSansCJK-{weight}.ttc", FONTS / f"NotoSansCJKjp-{weight}.otf", japanese(), features)
    for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"):
        features = ["ccmp", "kern", "liga", "mark", "mkmk", "init", "medi", "fina", "isol", "rlig", "calt"]
        make(DEJAVU / name, FONTS / name, letters(), features)
