"""Setting a table's camera up: what the screen shows, and that nothing but a confirmed start position is learnt."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.match.boards import START_BOARD
from hardware.camera.simulated.camera import SimulatedCamera
from hardware.camera.simulated.scene import Wish, table_of
from hardware.camera.simulated.settings import TUNE
from hardware.simulated import SimulatedFactory
from hardware.timebase import SystemTime
from kiosk.table.config import Board, Screen, TableConfig
from kiosk.table.machine.anteroom import BothHeld
from kiosk.table.machine.camera_setup import NAME, CameraSetup, lesson_of
from kiosk.table.scene import Picture
from kiosk.table.views.camera import CameraView, camera_scene

SIZES = [(800, 480), (480, 800), (1024, 600)]
VIEWS = [
    CameraView(),
    CameraView((4, 3), bytes(36), START_BOARD),
    CameraView((4, 3), bytes(36), START_BOARD.replace("-", "?", 3)),
    CameraView((4, 3), bytes(36), "X" + START_BOARD[1:]),
    CameraView((4, 3), bytes(36), "?" * 64),
]


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("view", VIEWS, ids=range(len(VIEWS)))
def test_nothing_leaves_the_screen_and_both_languages_are_there(view: CameraView, size: tuple[int, int]) -> None:
    [panel] = camera_scene(view, size).panels
    assert all(panel.local.contains(item.box) for item in panel.items)
    words = [item.box for name in ("message", "keys") for item in panel.named(name)]
    assert len(words) == 4
    others = [item.box for item in panel.items if isinstance(item, Picture) or item.name == "board"]
    assert not any(one.overlaps(other) for at, one in enumerate(words) for other in [*words[at + 1 :], *others])


def test_only_a_board_that_does_not_contradict_the_start_position_can_be_learnt() -> None:
    """Squares that are not read contradict nothing, but a few only."""
    assert [view.can_be_learnt for view in VIEWS] == [False, True, True, False, False]
    assert VIEWS[3].contradicted == ("a1",)


def test_one_button_alone_is_counted_and_both_together_are_not() -> None:
    fingers = BothHeld()
    for line, pressed in [("left", True), ("left", False), ("left", True), ("right", True)]:
        fingers.feed(line, pressed)
    assert fingers.alone == 1
    assert fingers.held_for(0)
    for line in ("right", "left"):
        fingers.feed(line, False)
    assert fingers.alone == 1
    assert not fingers.held_for(0)


@pytest.mark.slow
def test_both_buttons_confirm_the_start_position_and_it_is_kept(tmp_path: Path) -> None:
    """A drawn camera, mock pins: what is learnt is there at the next start; a spoilt file is as none."""
    table = table_of(TUNE, 3, Wish(size=(640, 480), stress=False, elevation=(60.0, 80.0)))
    board = Board(source="camera", device="/dev/video0", quarter=2)  # one off: the colours are crossed
    config = TableConfig(1, tmp_path, board=board, screen=Screen(enabled=False))
    factory = SimulatedFactory(SystemTime())
    setup = CameraSetup(config, factory=factory, open_reader=lambda: SimulatedCamera(table, START_BOARD))
    buttons = [factory.button(number) for number in (config.buttons.left, config.buttons.right)]
    done = threading.Event()

    def hands() -> None:
        wait_for(lambda: bool(setup.shown().contradicted))
        buttons[0].press()
        wait_for(lambda: setup.shown().can_be_learnt)
        for button in buttons:
            button.press(release=False)

    def wait_for(seen: Callable[[], bool]) -> None:
        while not seen() and not done.wait(0.02):
            pass

    person = threading.Thread(target=hands)
    person.start()
    try:
        assert setup.run(lambda: None)
    finally:
        done.set()
        person.join()
    learnt = lesson_of(tmp_path)
    assert learnt is not None
    assert learnt.board.cells == START_BOARD
    assert learnt.quarter == 3
    (tmp_path / NAME).write_bytes(b"PK\x03\x04 spoilt")
    assert lesson_of(tmp_path) is None
