"""Language of each half: the table's default, the player's by country, or the one chosen at the button.

A choice at the button holds until the game is over.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.match.match_value_types import Seat
from kiosk.locale import ENGLISH, JAPANESE, Lang, language_of, players_languages
from kiosk.table.state import TableState

JAPAN = "JPN"


def languages_of_players(state: TableState, at: Mapping[Seat, int]) -> dict[Seat, Lang]:
    """Return the languages once it is known who sits where: seat -> index into the assignment's players."""
    languages = dict(state.languages)
    for seat, index in at.items():
        country = None if state.assignment is None else state.assignment.players[index].country
        if country and languages[seat] == state.home_languages[seat]:
            if country != JAPAN:
                languages[seat] = ENGLISH
            elif language_of(languages[seat]) != JAPANESE:  # a children's club has set simple Japanese for its tables
                languages[seat] = JAPANESE
    return languages


def languages_between_games(state: TableState) -> dict[Seat, Lang]:
    """Return the languages for the next game: other players come, but a free clock at a club keeps its players."""
    return state.languages if not state.has_head else dict(state.home_languages)


def next_language(language: Lang) -> Lang:
    """Return the language that the button changes to: all available ones in turn."""
    every = players_languages()
    return every[(every.index(language) + 1) % len(every)] if language in every else every[0]
