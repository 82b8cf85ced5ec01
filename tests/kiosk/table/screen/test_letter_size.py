"""Tests of the letter size of texts that must not be missed."""

from __future__ import annotations

import pytest
from tables.arbiter_states import arbiter_states
from tables.states import all_states

from kiosk.locale import Lang, players_languages
from kiosk.table.scene import SceneText
from kiosk.table.screen.scene_item_renderer import ItemRenderer
from kiosk.table.views import Facing, Layout, table_scene

#: claims and choices, byo-yomi and other periods, flags that may be shown, troubles; the arbiter's findings and calls
CRITICAL = {"choice", "control", "flag", "last-minute", "trouble", "warned", "finding"}
SIZE = (800, 480)
MM_PER_PIXEL = 7 * 25.4 / (SIZE[0] ** 2 + SIZE[1] ** 2) ** 0.5


@pytest.mark.parametrize("facing", Facing)
@pytest.mark.parametrize("language", players_languages())
def test_what_must_not_be_missed_is_4_mm_high_on_a_7_inch_display(language: Lang, facing: Facing) -> None:
    brush = ItemRenderer()
    faces = {False: brush._regular, True: brush._bold}
    states = [(name, state, 0) for name, state in all_states(language).items()]
    states += [(name, state, 200 * 10**9) for name, state in arbiter_states(language).items()]
    small = [
        (name, item.name, item.text, round(em_mm, 2))
        for name, state, now_ns in states
        for panel in table_scene(state, now_ns, Layout(*SIZE, facing)).panels
        for item in panel.items
        if isinstance(item, SceneText) and item.text and item.name in CRITICAL
        for setting in [faces[item.bold].fit(item.text, item.box.w, item.box.h, item.lines)]
        if (em_mm := setting.size * MM_PER_PIXEL) < 3.99
    ]
    assert small == []
