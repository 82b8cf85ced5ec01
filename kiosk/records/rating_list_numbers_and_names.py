"""Numbers and names of players in the form required by rating list files."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import count

from engine.tournament.event_model import Player

#: letters that are no letter with an accent, and their usual spelling
_SPELLED = str.maketrans(
    {"ø": "o", "Ø": "O", "ß": "ss", "ẞ": "SS", "ł": "l", "Ł": "L", "þ": "th", "Þ": "Th", "ð": "d", "Ð": "D",
     "đ": "d", "Đ": "D", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ı": "i", "ħ": "h", "Ħ": "H", "’": "'"}
)  # fmt: skip
#: numbers of newcomers in our files: six digits as in the list, above all that it has assigned
FIRST_NEWCOMER = 990_001


def rating_list_numbers(players: Sequence[Player]) -> dict[str, int]:
    """Return id -> number on the rating list. A player without one (``wof``) is a newcomer and gets an unused number;
    the event's own ``id`` is never used, because it may be another person's number on the list.
    """
    known = {player.id: number for player in players if (number := list_number(player.wof))}
    free = (number for number in count(FIRST_NEWCOMER) if number not in known.values())
    return {player.id: known.get(player.id) or next(free) for player in players}


def list_number(wof: object) -> int | None:
    """Return the number assigned by the rating list: ``5301`` or ``"5301"``; None if the value is not such a number."""
    text = str(wof or "")
    good = text.isascii() and text.isdecimal() and not text.startswith("0") and len(text) <= 6
    return int(text) if good else None


def split_name(player: Player) -> tuple[str, str]:
    """Return (family name, first name): a comma divides them; without one, words in capitals are the family name, or
    else the first word with the small ones before it, as in ``van der Berg Pieter``."""
    name = player.latin or player.name or player.id
    before, comma, after = (part.strip() for part in name.partition(","))
    if comma and before and after:
        return before, after.replace(",", " ")
    words = name.replace(",", " ").split()
    small = next((index for index, word in enumerate(words[:-1]) if not word[0].islower()), 0)
    family = next((index for index in range(small, len(words)) if words[index] != words[index].upper()), len(words))
    family = max(small + 1, family if family < len(words) or len(words) == 1 else len(words) - 1)
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
