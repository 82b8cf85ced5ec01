"""Numbers and names of players as the files of rating lists want them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

#: numbers of newcomers in a file of ours: six digits as the list's, beyond all that it has given
FIRST_NEWCOMER = 990_001


def numbers_of(players: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Id -> number of the rating list. Who has none (``wof``) is a newcomer with a number that nobody else can have;
    the ``id``, the event's own key, is never one, because it may be another person's."""
    known = {player["id"]: number for player in players if (number := listed(player.get("wof")))}
    free = (number for number in count(FIRST_NEWCOMER) if number not in known.values())
    return {player["id"]: known.get(player["id"]) or next(free) for player in players}


def listed(wof: object) -> int | None:
    """The number that the rating list has given: ``5301`` or ``"5301"``; None if that is no number of it."""
    text = str(wof or "")
    good = text.isascii() and text.isdecimal() and not text.startswith("0") and len(text) <= 6
    return int(text) if good else None


def split_name(player: Mapping[str, Any]) -> tuple[str, str]:
    """(family name, first name): the words in capitals come first; without any, the first word is the family name."""
    words = str(player.get("latin") or player.get("name") or player["id"]).replace(",", " ").split()
    family = next((index for index, word in enumerate(words) if word != word.upper()), len(words))
    family = max(1, family if family < len(words) or len(words) == 1 else len(words) - 1)
    return " ".join(words[:family]), " ".join(words[family:])


def latin_name(name: str, otherwise: str, encoding: str = "latin-1") -> str:
    """The name in an alphabet of one byte a letter: without accents if need be, ``otherwise`` if it has others."""
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", name) if not unicodedata.combining(letter))
    for text in (name, plain):
        try:
            text.encode(encoding)
        except UnicodeEncodeError:
            continue
        return text
    return otherwise
