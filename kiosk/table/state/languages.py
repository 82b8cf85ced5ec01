"""Which language each half speaks: the table's own, the player's by his country, or the one asked for at the button.

The law: who has asked at the button gets what he asked for, until the game is over.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.match.model import Seat
from kiosk.table.state import Language, LinkState, TableState

JAPAN = "JPN"


def of_players(state: TableState, at: Mapping[Seat, int]) -> dict[Seat, Language]:
    """The languages once it is known who sits where: seat -> index into the assignment's players."""
    languages = dict(state.languages)
    for seat, index in at.items():
        country = None if state.assignment is None else state.assignment.players[index].country
        if country and languages[seat] is state.home_languages[seat]:
            languages[seat] = Language.JAPANESE if country == JAPAN else Language.ENGLISH
    return languages


def between_games(state: TableState) -> dict[Seat, Language]:
    """Other players come; a free clock at a club has the same ones."""
    return state.languages if state.link is LinkState.NONE else dict(state.home_languages)
