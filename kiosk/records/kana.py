"""Names as people look for them: in the order of the kana, and alike however they are written.

The law: a reading is never guessed. Who has none stands after those who have, by his name.
"""

from __future__ import annotations

import unicodedata

from engine.tournament.model import Player

#: characters that people and their keyboards take for one another; each pair: what is written, what is looked for
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


def found_by(text: str) -> str:
    """What two ways of writing one name have in common: width, capitals, blanks, kana and variant characters aside."""
    folded = unicodedata.normalize("NFKC", text.translate(_VARIANTS)).casefold().translate(_HIRAGANA)
    return "".join(folded.split())


def is_found(player: Player, typed: str) -> bool:
    """Whether what was typed is a part of his name, of its reading, or is empty."""
    return found_by(typed) in keys_of(player)


def keys_of(player: Player) -> str:
    """All that he is found by."""
    return " ".join(found_by(known) for known in (player.name, player.kana, player.latin) if known) or player.id


def in_order(player: Player) -> tuple[int, str, str]:
    """五十音順: readings first, then names in letters, then names that have no reading."""
    said = found_by(player.kana or player.name or player.id)
    sounds = _sounds(said)
    group = 0 if sounds[:1] and "ぁ" <= sounds[0] <= "ゖ" else 1 if said[:1] < "ぁ" else 2
    return group, sounds if group == 0 else said, said


def initial(player: Player) -> str:
    """The row of the index that a player stands in: あ to わ, A for letters, empty without a reading."""
    group, sounds, _ = in_order(player)
    if group:
        return "A" if group == 1 else ""
    return next((row for row in reversed(INDEX[:-1]) if row <= sounds[0]), INDEX[0])


def _sounds(said: str) -> str:
    plain = (char for char in unicodedata.normalize("NFD", said) if char not in "\u3099\u309a")
    return "".join(plain).translate(_SMALL)
