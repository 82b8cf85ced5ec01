"""Tests of a third language: one catalogue file translates every screen of a table. Only names, numbers, squares,
signs, units, and data from the head stay untranslated."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from messages.pseudo import PSEUDO, third_language, untranslated
from tables.arbiter_states import arbiter_states
from tables.states import PLAYERS, WHITE, all_states
from tables.transcriber_states import transcriber_states

from engine.match import screen_messages
from kiosk.locale import ENGLISH, render
from kiosk.table.scene import Scene, SceneText
from kiosk.table.state import TableState
from kiosk.table.views import Layout, table_scene
from kiosk.table.views.player_view_model import NOTICES
from kiosk.table.views.transcriber_view import transcriber_scene

#: players' names, the label of a game, an address, a device, the source of the buttons' times, names of languages, and
#: words that are the same in all languages
DATA = (*PLAYERS[ENGLISH], "Open division · Round 3", "192.168.10.5", "/dev/ttyACM0", "日本語", *"①②③④")
ALIKE = re.compile(r"\b([a-h][1-8]?|IM-\d+|lgpio|\d+[dk]|s|ms)\b")
KANJI = re.compile("[㐀-鿿]")
WORD = re.compile(r"[^\W\d_]+")
STATES = {"tables": all_states, "arbiter": arbiter_states, "transcriber": transcriber_states}


@pytest.fixture(scope="module", autouse=True)
def third(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with third_language(tmp_path_factory.mktemp("locale")):
        yield


def scene(kind: str, state: TableState) -> Scene:
    if kind == "transcriber":
        return transcriber_scene(state, 100 * 10**9, (1280, 800), PSEUDO)
    return table_scene(state, 0, Layout(1280, 800))


def left_out(text: str) -> list[str]:
    rest = untranslated(text)
    for known in DATA:
        rest = rest.replace(known, " ")
    return WORD.findall(ALIKE.sub(" ", rest))


@pytest.mark.parametrize("kind", STATES)
def test_every_word_on_a_screen_is_in_the_catalogues(kind: str) -> None:
    found = {
        (name, text): words
        for name, state in STATES[kind](PSEUDO).items()
        for text in scene(kind, state).texts()
        if (words := left_out(text))
    }
    assert found == {}


def test_children_read_every_screen_of_the_players_in_kana() -> None:
    """Only data stay in kanji: the label of the game, the name of a language, and faults that only an arbiter can
    repair."""
    seen = {
        (name, item.text)
        for name, state in all_states("ja-kana").items()
        for panel in scene("tables", state).panels
        for item in panel.items
        if isinstance(item, SceneText) and item.name != "trouble"
        if KANJI.search(item.text.replace("一般の部　第3回戦", "").replace("日本語", ""))
    }
    assert seen == set()
    notices = (
        screen_messages.passed(0, by=WHITE), screen_messages.confirmed("IM-4", ("e5",), 0),
        screen_messages.denied("IM-4", ("e5",), 0),
        screen_messages.not_upheld(0), screen_messages.agreed(0, offender=WHITE), screen_messages.recovery(0),
        screen_messages.disagreement(0),
        screen_messages.overtime(0, loser=WHITE), screen_messages.lost_on_time(0, loser=WHITE),
        screen_messages.play_out(0, mover=WHITE),
        screen_messages.free_challenge(0, winner=WHITE),
        screen_messages.count_again(0), screen_messages.out(0, n=1), screen_messages.penalty(0, n=1, pieces=4),
    )  # fmt: skip
    assert {notice.kind for notice in notices} == NOTICES
    assert [text for notice in notices if KANJI.search(text := render(notice.text, "ja-kana"))] == []


def test_an_untranslated_word_is_found() -> None:
    assert left_out("⟦The clock of ⟧Ann Lee⟦ runs⟧ 12:04 e5") == []
    assert left_out("⟦The clock of ⟧Black⟦ runs⟧") == ["Black"]
