"""Which language each half speaks: the table's own, the player's by his country, or the one asked for at the button.

The law: who has asked at the button gets what he asked for, until the game is over.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.match.model import Seat
from kiosk.locale import ENGLISH, JAPANESE, Lang, language_of, players_languages
from kiosk.table.state import LinkState, TableState

JAPAN = "JPN"


def of_players(state: TableState, at: Mapping[Seat, int]) -> dict[Seat, Lang]:
    """The languages once it is known who sits where: seat -> index into the assignment's players."""
    spoken = dict(state.languages)
    for seat, index in at.items():
        country = None if state.assignment is None else state.assignment.players[index].country
        if country and spoken[seat] == state.home_languages[seat]:
            if country != JAPAN:
                spoken[seat] = ENGLISH
            elif language_of(spoken[seat]) != JAPANESE:  # a club of children has set their Japanese for its tables
                spoken[seat] = JAPANESE
    return spoken


def between_games(state: TableState) -> dict[Seat, Lang]:
    """Other players come; a free clock at a club has the same ones."""
    return state.languages if state.link is LinkState.NONE else dict(state.home_languages)


def next_language(language: Lang) -> Lang:
    """What the button changes to: all languages that there are, one after the other."""
    every = players_languages()
    return every[(every.index(language) + 1) % len(every)] if language in every else every[0]
