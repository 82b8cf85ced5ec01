"""Tests of the arbiter's screen: every page, in both languages, with and without touch."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tables.arbiter_states import after_acts, arbiter_states, flipped_wrong, on, opened
from tables.panel_layout import check_layout
from tables.states import BLACK, SECOND, match, table

from engine.match import Phase, screen_messages
from engine.match.match_events_and_effects import Action, ArbiterOrder
from kiosk.locale import ENGLISH, Lang, languages, render
from kiosk.table.arbiter.arbiter_input_handler import handle_input
from kiosk.table.arbiter.two_button_form_input import ArbiterInput
from kiosk.table.scene import ColorRole, Panel, SceneText, Touch
from kiosk.table.state import TableState
from kiosk.table.state.arbiter_screen_state import ArbiterPage, ArbiterSession, Countdown, Task
from kiosk.table.views import Facing, Layout, next_change_ns, table_scene
from kiosk.table.views.arbiter_view import HIGHLIGHTED

NOW = 201 * SECOND
STATES = {(language, name): state for language in languages() for name, state in arbiter_states(language).items()}
LAYOUTS = [Layout(*size, touch=touch) for size in ((800, 480), (1280, 800), (480, 800)) for touch in (True, False)]


def page(state: TableState, layout: Layout | None = None) -> Panel:
    (panel,) = table_scene(state, NOW, layout or Layout(touch=True)).panels
    return panel


def words(panel: Panel) -> str:
    return " ".join(panel.texts())


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_all_items_are_on_the_display_without_overlap(layout: Layout) -> None:
    for key, state in STATES.items():
        check_layout(page(state, layout), key)


def test_the_footer_names_each_button_s_function() -> None:
    for key, state in STATES.items():
        panel = page(state)
        hints = panel.texts("button")
        assert hints and all(hints), key
        actions = {item.action for item in panel.items if isinstance(item, Touch)}
        takes = not key[1].startswith(("pin-locked", "pin-unset"))  # no digit can be entered there
        assert "back" in actions and ("take" in actions) is takes, key


def test_touch_items_are_large_enough() -> None:
    """On a 7-inch display of 800 by 480 a key is nearly 8 mm or more in each direction, a square 7 mm."""
    for key, state in STATES.items():
        for item in page(state).items:
            if isinstance(item, Touch) and not item.action.startswith("pick"):
                least = 36 if item.action.startswith("square") else 40
                assert item.box.w >= least and item.box.h >= least, (key, item)


@pytest.mark.parametrize("name", [name for name in arbiter_states(ENGLISH) if name.startswith("pin")])
def test_nothing_of_the_game_is_shown_before_the_pin(name: str) -> None:
    state = STATES[(ENGLISH, name)]
    other = replace(state, match=match(Phase.TURN, side=BLACK), player_at={})
    assert page(state) == page(other)
    assert "2580" not in words(page(state))


def test_a_line_of_the_home_page_is_there_only_if_the_rules_allow_it() -> None:
    seen = words(page(STATES[(ENGLISH, "home")]))
    assert "Resume" in seen and "Rule on the challenge" in seen
    assert "late player" not in seen and "Call the flag" not in seen
    without = words(page(STATES[(ENGLISH, "home-no-game")]))
    assert "Resume" not in without and "This table" in without


@pytest.mark.parametrize("language", languages())
def test_messages_that_need_an_arbiter_are_highlighted(language: Lang) -> None:
    """The engine's kinds that wait for an arbiter are highlighted; findings are on pages of their own."""
    made = (
        screen_messages.flag(1, color=BLACK), screen_messages.both_flags(2), screen_messages.both_flags_unread(3),
        screen_messages.moves_again(4),
        screen_messages.no_right_holder(5), screen_messages.board_adopted(6),
        screen_messages.late_never_came(7, squares=64),
    )  # fmt: skip
    assert {message.kind for message in made} == HIGHLIGHTED
    for message in made:
        state = replace(match(Phase.HOLD, side=BLACK, resume_phase=Phase.TURN), shown_to_arbiter=(message,))
        panel = page(opened(state, language))
        text = render(message.text, language)
        assert text in panel.texts("warned"), message.kind


def test_findings_are_on_their_own_pages_only() -> None:
    assert "IM-5" not in words(page(STATES[(ENGLISH, "home")]))
    for name in ("challenge", "notes", "replay"):
        panel = page(STATES[(ENGLISH, name)])
        assert "IM-5" in words(panel) and "e4" in words(panel)
        assert "返しすぎ" not in words(panel), "one language at a time"
    assert "IM-5" not in words(page(STATES[(ENGLISH, "replay-first")]))


def test_the_preview_shows_the_state_before_and_after() -> None:
    panel = page(STATES[(ENGLISH, "preview")])
    changed = [
        item
        for item in panel.items
        if isinstance(item, SceneText) and item.name == "then" and item.ink is ColorRole.ON_DAY
    ]
    assert [item.text for item in changed] == ["28:04", "White to move"]
    assert "18:44" in panel.texts("now")
    assert any("mistake" in text for text in panel.texts("reason"))


@pytest.mark.parametrize("language", languages())
def test_the_preview_shows_a_corrected_move_number_and_a_flag_that_falls(language: Lang) -> None:
    """K-05; M43-21: a deduction of the whole remaining time drops the flag."""
    state = STATES[(language, "preview")]
    assert state.arbiter is not None and state.arbiter.ruling is not None and state.match is not None
    number = state.match.move_number
    ruling = replace(state.arbiter.ruling, turn=None, move=number + 6)
    panel = page(replace(state, arbiter=replace(state.arbiter, ruling=ruling)))
    assert str(number) in panel.texts("now") and str(number + 6) in panel.texts("then")
    left_ns = state.match.remaining_ns(BLACK, NOW)
    deduct = ArbiterOrder(NOW, Action.DEDUCT, "late", side=BLACK, amount_ns=left_ns + 12 * SECOND)
    panel = page(replace(state, arbiter=replace(state.arbiter, task=Action.DEDUCT, ruling=deduct)))
    fallen = "flag fallen" if language == ENGLISH else "時間切れ"
    assert any("−0:12" in text and fallen in text for text in panel.texts("then"))
    assert not any(fallen in text for text in panel.texts("now"))


def test_the_preview_names_a_ruling_that_is_not_possible() -> None:
    state = STATES[(ENGLISH, "preview-result")]
    ruling = state.arbiter.ruling if state.arbiter else None
    assert ruling is not None
    impossible = replace(
        state, arbiter=replace(state.arbiter or ArbiterSession(0), ruling=replace(ruling, black_discs=60))
    )
    panel = page(impossible)
    assert any("Not possible now" in text for text in panel.texts("warned"))
    assert not panel.named("carry-out")


def test_the_screen_can_be_turned_for_the_other_side_of_the_table() -> None:
    state = STATES[(ENGLISH, "home")]
    assert not page(state).turned and page(after_acts(state, "turn")).turned
    assert page(after_acts(state, "turn")).items == page(state).items


def test_the_replay_steps_through_the_boards_as_they_were() -> None:
    state = on(opened(flipped_wrong(), ENGLISH), Task.REPLAY)
    shown = []
    for name in ((), ("next",), ("next", "next"), ("next", "next", "next")):
        panel = page(after_acts(state, *name))
        shown.append(sum(item.name == "square" for item in panel.items))
    assert shown == [6, 5, 4, 4]


# --- the countdown --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("facing", Facing)
def test_both_players_see_the_countdown_and_whose_time_will_run(facing: Facing) -> None:
    state = on(opened(flipped_wrong(), ENGLISH), Action.RESUME)
    answer = handle_input(state, ArbiterInput("done", False, NOW))
    assert answer.countdown is not None and answer.session is None
    assert answer.countdown == Countdown(NOW + 5 * SECOND, answer.countdown.ruling)
    counting = replace(state, arbiter=None, countdown=answer.countdown)
    for passed, figure in ((0, "5"), (1, "5"), (SECOND, "4"), (5 * SECOND - 1, "1")):
        seen = table_scene(counting, NOW + passed, Layout(facing=facing))
        halves = [panel for panel in seen.panels if panel.name in ("left", "right")]
        assert [panel.texts("countdown") for panel in halves] == [(figure,), (figure,)]
        assert all("White" in words(panel) for panel in halves)
    assert next_change_ns(counting, NOW) == NOW + SECOND
    assert next_change_ns(counting, NOW + SECOND) == NOW + 2 * SECOND


@pytest.mark.parametrize("name", ["pin-locked", "pin-unset"])
def test_a_page_that_takes_no_digits_names_only_the_way_back(name: str) -> None:
    assert list(page(STATES[(ENGLISH, name)]).texts("button")) == ["Arbiter button: Close"]


def test_a_locked_screen_shows_the_countdown() -> None:
    state = STATES[(ENGLISH, "pin-locked")]
    due = next_change_ns(state, NOW)
    assert due is not None and page(state) != table_scene(state, due, Layout(touch=True)).panels[0]


def test_an_open_page_is_never_a_players_half() -> None:
    state = table(
        match(Phase.HOLD, side=BLACK, resume_phase=Phase.TURN), arbiter=ArbiterSession(0, "g1", ArbiterPage.HOME)
    )
    assert [panel.name for panel in table_scene(state, NOW, Layout()).panels] == ["arbiter"]
