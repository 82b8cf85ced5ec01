"""Search keys and collation of Japanese names.

Names are ordered by kana and found however they are written. A reading is never guessed: players without one follow
those who have one, ordered by name. A name in Latin letters is proposed from the reading, for a person to check.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from engine.tournament.event_model import Player
from engine.tournament.player_entry_fields import INVISIBLE, VARIATION_SELECTORS

#: interchangeable characters; each pair: as written, as searched
VARIANTS = (
    "髙高﨑崎嵜崎碕崎邊辺邉辺齋斉齊斉斎斉澤沢濱浜濵浜嶋島嶌島冨富櫻桜廣広國国惠恵眞真淺浅瀨瀬德徳𠮷吉桒桑槇槙"
    "龍竜瀧滝條条萬万圓円豐豊寶宝榮栄壽寿藏蔵譽誉禮礼彌弥彥彦鷗鴎靜静黑黒內内"
)
_VARIANTS = {ord(VARIANTS[at]): VARIANTS[at + 1] for at in range(0, len(VARIANTS), 2)}
#: katakana as hiragana
_HIRAGANA = {code: code - 0x60 for code in range(ord("ァ"), ord("ヶ") + 1)}
_SMALL = str.maketrans("ぁぃぅぇぉっゃゅょゎゕゖ", "あいうえおつやゆよわかけ", "ー・ ")
#: the rows of an index by name; A: names in letters
INDEX = "あかさたなはまやらわA"


def search_key(text: str) -> str:
    """Return the search key of a name, which ignores width, case, blanks, kind of kana, character variants and
    invisible characters.
    """
    text = VARIATION_SELECTORS.sub("", INVISIBLE.sub("", text))
    folded = unicodedata.normalize("NFKC", text.translate(_VARIANTS)).casefold().translate(_HIRAGANA)
    return "".join(folded.split())


def matches_search(player: Player, typed: str) -> bool:
    """Return whether the typed text is empty or part of the player's name or reading."""
    return search_key(typed) in search_keys(player)


def search_keys(player: Player) -> str:
    """Return all search keys of a player."""
    return " ".join(search_key(known) for known in (player.name, player.kana, player.latin) if known) or player.id


def collation_key(player: Player) -> tuple[int, str, str]:
    """Return the sort key in 五十音順: readings first, then names in letters, then names without a reading."""
    key = search_key(player.kana or player.name or player.id)
    sounds = _sounds(key)
    group = 0 if sounds[:1] and "ぁ" <= sounds[0] <= "ゖ" else 1 if key[:1] < "ぁ" else 2
    return group, sounds if group == 0 else key, key


def index_row(player: Player) -> str:
    """Return a player's index row: あ to わ, A for letters, empty without a reading."""
    group, sounds, _ = collation_key(player)
    if group:
        return "A" if group == 1 else ""
    return next((row for row in reversed(INDEX[:-1]) if row <= sounds[0]), INDEX[0])


def _sounds(name: str) -> str:
    plain = (char for char in unicodedata.normalize("NFD", name) if char not in "\u3099\u309a")
    return "".join(plain).translate(_SMALL)


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
    words = [_romaji_word(word) for word in folded.replace("・", " ").translate(_HIRAGANA).split()]
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


# Player numbers and names in the form required by rating list files.

#: letters that are no letter with an accent, and their usual spelling
_SPELLED = str.maketrans(
    {"ø": "o", "Ø": "O", "ß": "ss", "ẞ": "SS", "ł": "l", "Ł": "L", "þ": "th", "Þ": "Th", "ð": "d", "Ð": "D",
     "đ": "d", "Đ": "D", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ı": "i", "ħ": "h", "Ħ": "H", "’": "'"}
)  # fmt: skip
#: numbers of newcomers in our files: six digits as in the list, above all that it has assigned
FIRST_NEWCOMER = 990_001


def rating_list_numbers(players: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return id -> number on the rating list. A player without one (``wof``) is a newcomer and gets an unused number;
    the event's own ``id`` is never used, because it may be another person's number on the list.
    """
    known = {player["id"]: number for player in players if (number := list_number(player.get("wof")))}
    free = (number for number in count(FIRST_NEWCOMER) if number not in known.values())
    return {player["id"]: known.get(player["id"]) or next(free) for player in players}


def list_number(wof: object) -> int | None:
    """Return the number assigned by the rating list: ``5301`` or ``"5301"``; None if the value is not such a number."""
    text = str(wof or "")
    good = text.isascii() and text.isdecimal() and not text.startswith("0") and len(text) <= 6
    return int(text) if good else None


def split_name(player: Mapping[str, Any]) -> tuple[str, str]:
    """Return (family name, first name): words in capitals are the family name; without any, the first word is."""
    words = str(player.get("latin") or player.get("name") or player["id"]).replace(",", " ").split()
    family = next((index for index, word in enumerate(words) if word != word.upper()), len(words))
    family = max(1, family if family < len(words) or len(words) == 1 else len(words) - 1)
    return " ".join(words[:family]), " ".join(words[family:])


def latin_name(name: str, otherwise: str, encoding: str = "latin-1") -> str:
    """Return the name in a single-byte encoding: without accents and special letters if necessary, ``otherwise`` if it
    has other letters.
    """
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", name) if not unicodedata.combining(letter))
    plain = plain.translate(_SPELLED)
    for text in (name, plain):
        try:
            text.encode(encoding)
        except UnicodeEncodeError:
            continue
        return text
    return otherwise
