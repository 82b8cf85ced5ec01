"""Tests of the letter size of texts on a table's screen, and that no instruction is cut off."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tables.arbiter_states import arbiter_states
from tables.states import PLAYERS, all_states

from kiosk.locale import ENGLISH, Lang, players_languages
from kiosk.table.scene import SceneText
from kiosk.table.screen.scene_item_renderer import ItemRenderer
from kiosk.table.screen.text_layout_and_font_fallback import ELLIPSIS, TextLayout
from kiosk.table.views import Facing, Layout, table_scene

#: texts that need not be legible from a standing person's distance, with the reason
SMALLER = {
    "saved": "a state of the device; a fault is said in words, by 'trouble'",
    "link": "the same",
    "battery": "the same",
    "move": "nobody acts on the number of the move; the arbiter's screen has it larger",
    "player": "a name may be longer than its place",
    "side": "a name on the arbiter's screen",
    "title": "names of a division and its round, which an organiser chooses",
    "captured-title": "above the figures that it names",
    "captured-each": "the others' pieces; one's own are the large figure",
    "rim": "the diagram's discs are seen without the letters at its edge",
    "target": "the same number all through the game",
}
#: sentences with a name of 33 letters
LONG_NAME = PLAYERS[ENGLISH][0]
SIZE = (800, 480)
MM_PER_PIXEL = 7 * 25.4 / (SIZE[0] ** 2 + SIZE[1] ** 2) ** 0.5


def written(language: Lang, layout: Layout) -> Iterator[tuple[str, SceneText, TextLayout]]:
    """Return every text of every state of the screen, as it is laid out."""
    brush = ItemRenderer()
    faces = {False: brush._regular, True: brush._bold}
    states = [(name, state, 0) for name, state in all_states(language).items()]
    states += [(name, state, 200 * 10**9) for name, state in arbiter_states(language).items()]
    for name, state, now_ns in states:
        for panel in table_scene(state, now_ns, layout).panels:
            for item in panel.items:
                if isinstance(item, SceneText) and item.text:
                    setting = faces[item.bold].fit(item.text, item.box.w, item.box.h, item.lines, item.most)
                    yield name, item, setting


@pytest.mark.parametrize(("facing", "touch"), [(Facing.OPPOSITE, False), (Facing.OPPOSITE, True), (Facing.SAME, True)])
@pytest.mark.parametrize("language", players_languages())
def test_letters_for_a_standing_person_are_4_mm_high_on_a_7_inch_display(
    language: Lang, facing: Facing, touch: bool
) -> None:
    """By two buttons and by touch, where keys take some of the space; in every language and on every page."""
    small = [
        (name, item.name, item.text, round(em_mm, 2))
        for name, item, setting in written(language, Layout(*SIZE, facing, touch))
        if (em_mm := setting.size * MM_PER_PIXEL) < (3 if LONG_NAME in item.text else 3.99) and item.name not in SMALLER
    ]
    assert small == []


@pytest.mark.parametrize(
    ("size", "facing"), [((480, 320), Facing.SAME), ((480, 320), Facing.OPPOSITE), ((480, 800), Facing.SAME)], ids=str
)
@pytest.mark.parametrize("language", players_languages())
def test_on_the_smallest_display_only_names_and_marks_are_cut(
    language: Lang, size: tuple[int, int], facing: Facing
) -> None:
    """At 480x320 the rule sets and boards to choose from are complete. A name of 33 letters does not fit beside another
    one."""
    marks = ("saved", "link", "battery") if size == (480, 320) else ()
    cut = [
        (name, item.name, item.text)
        for name, item, setting in written(language, Layout(*size, facing))
        if setting.lines[-1].endswith(ELLIPSIS) and item.name not in ("player", "side", *marks)
    ]
    assert cut == []
