"""Names in Latin letters, proposed from the kana for a person to check."""

from __future__ import annotations

import unicodedata

from engine.tournament.player_entry_fields import INVISIBLE, VARIATION_SELECTORS
from kiosk.records.japanese_name_search_and_order import HIRAGANA

_SYLLABLES = {
    **dict(zip("あいうえおぁぃぅぇぉ", "aiueo" * 2, strict=True)),
    **{
        row[at]: consonant + "aiueo"[at]
        for row, consonant in (
            ("かきくけこ", "k"), ("がぎぐげご", "g"), ("さしすせそ", "s"), ("ざじずぜぞ", "z"), ("たちつてと", "t"),
            ("だぢづでど", "d"), ("なにぬねの", "n"), ("はひふへほ", "h"), ("ばびぶべぼ", "b"), ("ぱぴぷぺぽ", "p"),
            ("まみむめも", "m"), ("らりるれろ", "r"),
        )
        for at in range(5)
    },
    "や": "ya", "ゆ": "yu", "よ": "yo", "わ": "wa", "ゐ": "i", "ゑ": "e", "を": "o", "ゔ": "vu", "ん": "n",
    "し": "shi", "じ": "ji", "ち": "chi", "ぢ": "ji", "つ": "tsu", "づ": "zu", "ふ": "fu", "ゎ": "wa",
}  # fmt: skip
_SMALL_Y = {"ゃ": "a", "ゅ": "u", "ょ": "o"}
_SMALL_VOWELS = dict(zip("ぁぃぅぇぉ", "aiueo", strict=True))


def romaji_of(kana: str) -> str:
    """Return a proposal for a name in Latin letters: Hepburn without macrons as in passports (おおの こういち: Ono
    Koichi), in the order of the reading. Empty if it is not all kana.
    """
    folded = unicodedata.normalize("NFKC", VARIATION_SELECTORS.sub("", INVISIBLE.sub("", kana)))
    words = [_romaji_word(word) for word in folded.replace("・", " ").translate(HIRAGANA).split()]
    return " ".join(word.capitalize() for word in words) if all(words) else ""


def _romaji_word(word: str) -> str:
    parts: list[str] = []  # one for each syllable
    for at, sign in enumerate(word):
        if sign in _SMALL_Y and parts and parts[-1][-1:] == "i":
            start = parts[-1][:-1]
            parts[-1] = start + ("" if start in ("sh", "ch", "j") else "y") + _SMALL_Y[sign]
        elif sign in _SMALL_VOWELS and parts and parts[-1] not in ("", *"aiueo"):
            parts[-1] = parts[-1][:-1] + _SMALL_VOWELS[sign]  # ふぁ, てぃ
        elif sign == "っ" and at + 1 < len(word):
            parts.append("っ")
        elif (sign == "ー" and parts) or (sign in "うお" and _is_long(word, at, parts)):
            parts.append("")
        elif sign in _SYLLABLES:
            parts.append(_SYLLABLES[sign])
        else:
            return ""
    for at in range(len(parts) - 2, -1, -1):
        after = parts[at + 1]
        if parts[at] == "っ":
            parts[at] = "t" if after.startswith("ch") else after[:1]
        elif parts[at] == "n" and after[:1] in ("b", "m", "p"):
            parts[at] = "m"
    return "".join(parts)


#: beginnings of the second part of a family name, which do not make a vowel longer: 井上, 松浦, 奥内
_SECOND_PART = ("うえ", "うら", "うち")


def _is_long(word: str, at: int, parts: list[str]) -> bool:
    """Check whether う or お only makes the vowel before it longer."""
    before = parts[-1][-1:] if parts else ""
    if word[at] == "お":
        return before == "o"
    second = word.startswith(_SECOND_PART, at)
    return (before == "o" and not (second and word[at - 1] == "の")) or (before == "u" and not second)
