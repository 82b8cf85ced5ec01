"""Search keys and collation of Japanese names.

Names are ordered by kana and found however they are written. A reading is never guessed: players without one follow
those who have one, ordered by name.
"""

from __future__ import annotations

import unicodedata

from engine.tournament.event_model import Player
from engine.tournament.player_entry_fields import INVISIBLE, VARIATION_SELECTORS, is_put_in_latin_letters
from kiosk.records.rating_list_numbers_and_names import latin_name

#: interchangeable characters; each pair: as written, as searched
VARIANTS = (
    "髙高﨑崎嵜崎碕崎邊辺邉辺齋斉齊斉斎斉澤沢濱浜濵浜嶋島嶌島冨富櫻桜廣広國国惠恵眞真淺浅瀨瀬德徳𠮷吉桒桑槇槙"
    "龍竜瀧滝條条萬万圓円豐豊寶宝榮栄壽寿藏蔵譽誉禮礼彌弥彥彦鷗鴎靜静黑黒內内"
    "’'‘'´'`'"  # phones type the first where a list has '
)
_VARIANTS = {ord(VARIANTS[at]): VARIANTS[at + 1] for at in range(0, len(VARIANTS), 2)}
#: katakana as hiragana
HIRAGANA = {code: code - 0x60 for code in range(ord("ァ"), ord("ヶ") + 1)}
_SMALL = str.maketrans("ぁぃぅぇぉっゃゅょゎゕゖ", "あいうえおつやゆよわかけ", "ー・ ")
#: the rows of an index by name; A: names in letters
INDEX = "あかさたなはまやらわA"


def search_key(text: str) -> str:
    """Return the search key of a name, which ignores width, case, blanks, kind of kana, character variants and
    invisible characters.
    """
    text = VARIATION_SELECTORS.sub("", INVISIBLE.sub("", text))
    folded = unicodedata.normalize("NFKC", text.translate(_VARIANTS)).casefold().translate(HIRAGANA)
    return "".join(folded.split())


def matches_search(player: Player, typed: str) -> bool:
    """Return whether the typed text is empty or part of the player's name or reading."""
    return search_key(typed) in search_keys(player)


def search_keys(player: Player) -> str:
    """Return all search keys of a player, also those of names in Latin letters without their accents."""
    known = [one for one in (player.name, player.kana, player.latin) if one]
    keys = [search_key(one) for one in (*known, *(latin_name(one, "", "ascii") for one in known))]
    return " ".join(dict.fromkeys(filter(None, keys))) or player.id


def collation_key(player: Player) -> tuple[int, str, str]:
    """Return the sort key in 五十音順: readings first, then names in letters, then names without a reading. A name
    shown in Latin letters is ordered by them."""
    reading = None if is_put_in_latin_letters(player) else player.kana
    key = search_key(reading or player.name or player.id)
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
