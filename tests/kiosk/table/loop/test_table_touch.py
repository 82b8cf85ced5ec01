"""Tests of a club game by touch, on a real table with its window (SDL's dummy display)."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pygame
import pytest
from waiting import until

from engine.match.match_value_types import Phase, Seat
from hardware.real_and_simulated_time import ScaledTime
from kiosk.table.scene import Scene, Touch
from kiosk.table.screen.scene_item_renderer import on_screen
from kiosk.table.state import TableState
from kiosk.table.table_assembly import TableApp, build_table
from kiosk.table.table_config import ButtonsConfig, ScreenConfig, TableConfig
from kiosk.table.views import Layout, table_scene

SIZE = (800, 480)
#: how fast the table's time runs, so that a long press takes a third of a second
SPEED = 4


class Hands:
    """Operates the table: keys for the buttons, the mouse for a finger."""

    def __init__(self, table: TableApp) -> None:
        self.table = table

    @property
    def state(self) -> TableState:
        return self.table.program.state

    def key(self, *names: str, hold_s: float = 0.08) -> None:
        for name in names:
            pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.key.key_code(name)))
        time.sleep(hold_s / SPEED)
        for name in names:
            pygame.event.post(pygame.event.Event(pygame.KEYUP, key=pygame.key.key_code(name)))
        time.sleep(0.08)

    def touch(self, seat: Seat, action: str, hold_s: float = 0.05) -> None:
        x, y = self._place(seat, action)
        pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=(x, y), button=1, touch=False))
        time.sleep(hold_s / SPEED)
        pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONUP, pos=(x, y), button=1, touch=False))
        time.sleep(0.08)

    def _place(self, seat: Seat, action: str) -> tuple[int, int]:
        scene: Scene = table_scene(self.state, 0, Layout(*SIZE, touch=True))
        for panel in scene.panels:
            for item in panel.items:
                if panel.name == seat and isinstance(item, Touch) and item.action == action:
                    box = on_screen(panel, item.box)
                    return box.x + box.w // 2, box.y + box.h // 2
        raise AssertionError(f"nothing to touch for {action} at {seat}")

    def until(self, seen: Callable[[TableState], bool], what: str) -> None:
        until(lambda: seen(self.state), lambda: f"waiting for {what}: {self.state}")

    def phase(self, phase: Phase) -> None:
        self.until(lambda state: state.match is not None and state.match.phase is phase, phase)


def play(table: TableApp, steps: Callable[[Hands], None]) -> None:
    """Run the window in this thread and the operator in another one; when it ends or fails, the table stops."""
    with ThreadPoolExecutor(1) as hands:
        done = hands.submit(steps, Hands(table))
        done.add_done_callback(lambda _: table.stop())
        table.run()
        done.result(10)


def windowed(data: Path) -> TableApp:
    screen = ScreenConfig(window=True, size=SIZE, facing="opposite")
    config = TableConfig(table=1, data=data, rules="m43", buttons=ButtonsConfig(factory="none"), screen=screen)
    return build_table(config, time_base=ScaledTime(SPEED))


def started(hands: Hands) -> None:
    hands.until(lambda state: state.match is not None and pygame.display.get_init(), "the window")
    hands.key("f")
    hands.phase(Phase.READY)
    hands.key("j")
    hands.phase(Phase.TURN)
    hands.key("f")


@pytest.fixture(autouse=True)
def dummy_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def test_the_end_of_a_game_and_its_count_by_touch(tmp_path: Path) -> None:
    def steps(hands: Hands) -> None:
        started(hands)
        hands.key("f", "j", hold_s=1.2)
        hands.phase(Phase.HOLD)
        end = f"choice-{len(hands.state.hold_choices) - 1}"
        chooser = Seat.RIGHT
        hands.touch(chooser, end)
        assert hands.state.match is not None and hands.state.match.phase is Phase.HOLD, "a short touch only marks"
        hands.touch(chooser, end, hold_s=1.2)
        hands.until(lambda state: state.offered is not None, "the offer")
        hands.touch(chooser.other, "long", hold_s=1.2)
        hands.phase(Phase.ENDED)
        for action in ("count+10", "count-1"):
            hands.touch(Seat.RIGHT, action)
        hands.until(lambda state: state.black_count == 41, "the count")
        hands.touch(Seat.RIGHT, "done")
        hands.touch(Seat.RIGHT, "done", hold_s=1.2)
        hands.until(lambda state: state.match is not None and state.match.count == (41, 23), "the count to be done")

    play(windowed(tmp_path), steps)
