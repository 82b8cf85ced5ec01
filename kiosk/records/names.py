"""Numbers and names of players as the files of rating lists want them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any


def numbers_of(players: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Id -> number: the id itself if it is one, else the next free number from 1 in the order of entry."""
    taken = {int(player["id"]) for player in players if _is_number(player["id"])}
    numbers: dict[str, int] = {}
    following = 0
    for player in players:
        if _is_number(player["id"]):
            numbers[player["id"]] = int(player["id"])
            continue
        following += 1
        while following in taken:
            following += 1
        numbers[player["id"]] = following
    return numbers


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and not text.startswith("0")


def split_name(player: Mapping[str, Any]) -> tuple[str, str]:
    """(family name, first name): the words in capitals come first; without any, the first word is the family name."""
    words = str(player.get("name") or player["id"]).replace(",", " ").split()
    count = next((index for index, word in enumerate(words) if word != word.upper()), len(words))
    count = max(1, count if count < len(words) or len(words) == 1 else len(words) - 1)
    return " ".join(words[:count]), " ".join(words[count:])


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
