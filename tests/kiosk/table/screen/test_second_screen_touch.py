"""Tests of touch on the real SDL surface: on the arbiter's page, and on a second display of the same program."""

from __future__ import annotations

import pygame
import pytest
from tables.arbiter_states import arbiter_states
from tables.states import SECOND
from tables.transcriber_states import transcriber_states

from kiosk.locale import ENGLISH
from kiosk.table.scene import Rect, Scene, Touch
from kiosk.table.screen import Output, PygameScreen, ScreenError
from kiosk.table.views import Layout, table_scene
from kiosk.table.views.transcriber_view import transcriber_scene

SIZE = (800, 480)


pytestmark = pytest.mark.usefixtures("dummy")


def middle(scene: Scene, action: str) -> tuple[int, int]:
    boxes: list[Rect] = [
        item.box for panel in scene.panels for item in panel.items if isinstance(item, Touch) and item.action == action
    ]
    return boxes[0].x + boxes[0].w // 2, boxes[0].y + boxes[0].h // 2


def mouse(kind: int, place: tuple[int, int], window: object = None) -> None:
    pygame.event.post(pygame.event.Event(kind, pos=place, button=1, touch=False, window=window))


def finger(kind: int, place: tuple[int, int], window: object = None) -> None:
    x, y = place[0] / SIZE[0], place[1] / SIZE[1]
    pygame.event.post(pygame.event.Event(kind, touch_id=1, finger_id=7, x=x, y=y, window=window))


def test_a_touch_on_the_arbiter_s_page_has_its_item() -> None:
    heard: list[tuple[str, str, bool]] = []
    screen = PygameScreen(SIZE, Output.WINDOW, on_touch=lambda *what: heard.append(what))
    scene = table_scene(arbiter_states(ENGLISH)["preview"], 201 * SECOND, Layout(*SIZE, touch=True))
    screen.draw(scene)
    finger(pygame.FINGERDOWN, middle(scene, "carry-out"))
    finger(pygame.FINGERUP, (0, 0))
    mouse(pygame.MOUSEBUTTONDOWN, middle(scene, "back"))
    mouse(pygame.MOUSEBUTTONUP, middle(scene, "back"))
    screen.pump()
    assert heard == [("arbiter", action, down) for action in ("carry-out", "back") for down in (True, False)]
    screen.close()


def test_touches_on_the_second_display_are_the_helper_s() -> None:
    players: list[tuple[str, str, bool]] = []
    helper: list[tuple[str, str, bool]] = []
    first = PygameScreen(SIZE, Output.WINDOW, on_touch=lambda *what: players.append(what))
    second = PygameScreen(SIZE, Output.WINDOW, on_touch=lambda *what: helper.append(what), display=1)
    page = table_scene(arbiter_states(ENGLISH)["home"], 201 * SECOND, Layout(*SIZE, touch=True))
    board = transcriber_scene(transcriber_states(ENGLISH)["start"], 0, SIZE, ENGLISH)
    first.draw(page)
    second.draw(board)
    mouse(pygame.MOUSEBUTTONDOWN, middle(board, "square-f5"), second._window)
    mouse(pygame.MOUSEBUTTONUP, middle(board, "square-f5"), second._window)
    mouse(pygame.MOUSEBUTTONDOWN, middle(page, "line-1"))
    mouse(pygame.MOUSEBUTTONUP, middle(page, "line-1"))
    first.pump(second)
    assert helper == [("transcriber", "square-f5", True), ("transcriber", "square-f5", False)]
    assert players == [("arbiter", "line-1", True), ("arbiter", "line-1", False)]
    second.close()
    first.close()


def test_the_second_windows_keys_are_the_tables_buttons() -> None:
    """A desktop gives the focus to the window that opens last."""
    players: list[tuple[str, bool]] = []
    first = PygameScreen(SIZE, Output.WINDOW, on_key=lambda *what: players.append(what))
    second = PygameScreen(SIZE, Output.WINDOW, display=1)
    for kind in (pygame.KEYDOWN, pygame.KEYUP):
        pygame.event.post(pygame.event.Event(kind, key=pygame.K_f, window=second._window))
    first.pump(second)
    assert players == [("left", True), ("left", False)]
    second.close()
    first.close()


def test_a_missing_second_display_is_named() -> None:
    first = PygameScreen(SIZE, Output.FULL_SCREEN)
    with pytest.raises(ScreenError, match="display 3 is not connected"):
        PygameScreen(SIZE, Output.FULL_SCREEN, display=3)
    first.close()
