"""Tests of the language of each half: the table's, the player's, or the one chosen with the button."""

from __future__ import annotations

from dataclasses import replace

import msgspec
from tables.states import LEFT, RIGHT, match, table

from engine.match.match_value_types import Phase
from kiosk.locale import ENGLISH, JAPANESE
from kiosk.table.input.gesture_recognition import LongPress
from kiosk.table.input.gesture_responses import respond
from kiosk.table.state import LinkState, SetupStep, TableState
from kiosk.table.state.display_languages import languages_between_games, languages_of_players

JA, EN = JAPANESE, ENGLISH
HOME = {LEFT: JA, RIGHT: JA}


def setting_up(*countries: str | None) -> TableState:
    game = match(Phase.SETUP, black_seat=None)
    state = table(game, JA, designated=False, seated=False, step=SetupStep.ASK_PLAYER_A)
    assert state.assignment is not None
    pairs = zip(state.assignment.players, countries, strict=True)
    players = [msgspec.structs.replace(player, country=country) for player, country in pairs]
    return replace(state, assignment=msgspec.structs.replace(state.assignment, players=players))


def test_a_foreign_player_s_half_is_english() -> None:
    state = setting_up("FRA", "JPN")
    assert languages_of_players(state, {RIGHT: 0, LEFT: 1}) == {RIGHT: EN, LEFT: JA}


def test_without_a_country_the_configured_language_is_used() -> None:
    assert languages_of_players(setting_up(None, None), {LEFT: 0, RIGHT: 1}) == HOME


def test_japanese_children_keep_children_s_japanese() -> None:
    state = setting_up("JPN", "FRA")
    kana = {LEFT: "ja-kana", RIGHT: "ja-kana"}
    state = replace(state, languages=kana, home_languages=kana)
    assert languages_of_players(state, {LEFT: 0, RIGHT: 1}) == {LEFT: "ja-kana", RIGHT: EN}


def test_a_long_press_at_setup_changes_the_half_s_language() -> None:
    state = respond(setting_up("FRA", "JPN"), LongPress(LEFT, 0)).state
    assert state.languages == {LEFT: EN, RIGHT: JA}
    assert languages_of_players(state, {LEFT: 1, RIGHT: 0}) == {LEFT: EN, RIGHT: EN}
    for at in (1, 2):  # by children's Japanese
        state = respond(state, LongPress(LEFT, at)).state
    assert state.languages == HOME


def test_languages_are_reset_for_the_next_players_except_at_a_club() -> None:
    state = respond(setting_up(None, None), LongPress(LEFT, 0)).state
    assert languages_between_games(state) == HOME
    assert languages_between_games(replace(state, link=LinkState.NONE)) == {LEFT: EN, RIGHT: JA}
