"""Tests of the camera set-up: its screen, and that only a confirmed start position calibrates."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Literal
from unittest.mock import create_autospec

import numpy as np
import pytest
from devices.faulty_pins import FaultyFactory
from drawn_tables.camera_over_drawn_table import SimulatedCamera
from drawn_tables.seeded_table_scene import TUNE, SceneRequest, table_of
from waiting import until

from engine.board.variants import STANDARD
from hardware.camera import camera_pipeline as watcher_module
from hardware.camera.board_finder import Reason, find_board
from hardware.camera.camera_pipeline import CameraPipeline
from hardware.camera.camera_projection import corner_distance_any_order
from hardware.camera.frames_and_camera_faults import Frame, FrameReader
from hardware.camera.square_memory_and_calibration import CameraCalibration
from hardware.errors import ErrorText, HardwareError
from hardware.real_and_simulated_time import SystemTime
from kiosk.table.device import camera_calibration_screen
from kiosk.table.device.camera_calibration_screen import HOLD_BEGINS_S, SPEED, STEP, CameraSetup, Marking
from kiosk.table.device.pre_start_and_enrolment_screens import BothButtonsHold
from kiosk.table.scene import Picture
from kiosk.table.table_config import BoardConfig, ScreenConfig, TableConfig
from kiosk.table.views.camera_calibration_view import CameraView, camera_scene

Wait = Callable[[Callable[[], bool]], None]
SIZES = [(800, 480), (480, 800), (1024, 600)]
VIEWS = [
    CameraView(),
    CameraView((4, 3), bytes(36), STANDARD.start),
    CameraView((4, 3), bytes(36), STANDARD.start.replace("-", "?", 3)),
    CameraView((4, 3), bytes(36), "X" + STANDARD.start[1:]),
    CameraView((4, 3), bytes(36), "?" * 64),
    CameraView((4, 3), bytes(36), marking=0),
    CameraView((4, 3), bytes(36), marking=7),
    CameraView((4, 3), bytes(36), STANDARD.start.replace("X", "?")),
    CameraView((4, 3), bytes(36), STANDARD.start.replace("O", "?")),
    CameraView((4, 3), bytes(36), STANDARD.start.replace("X", "?", 1)),
]


def config_of(data: Path, quarter: Literal[0, 2] = 0) -> TableConfig:
    board = BoardConfig(source="camera", device="/dev/video0", quarter=quarter)
    return TableConfig(1, data, board=board, screen=ScreenConfig(enabled=False))


class ScreenEndedError(Exception):
    """The person has nothing more to do."""


def calibration_by(setup: CameraSetup, person: Callable[[Wait], None]) -> CameraCalibration:
    """Return the calibration stored after ``person``, given a function that waits, has used the screen."""
    done = threading.Event()

    def wait_for(seen: Callable[[], bool]) -> None:
        until(lambda: done.is_set() or seen(), lambda: setup.view().trouble)
        if done.is_set():
            raise ScreenEndedError

    def use_screen() -> None:
        try:
            person(wait_for)
        except ScreenEndedError:
            pass
        except AssertionError:
            setup.stop()
            raise

    hands = threading.Thread(target=use_screen)
    hands.start()
    try:
        assert setup.run(lambda: None)
    finally:
        done.set()
        hands.join()
    stored = camera_calibration_screen.load_calibration(setup._data)
    assert stored is not None
    return stored


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("view", VIEWS, ids=range(len(VIEWS)))
def test_all_items_are_on_the_screen_in_both_languages(view: CameraView, size: tuple[int, int]) -> None:
    [panel] = camera_scene(view, size).panels
    assert all(panel.local.contains(item.box) for item in panel.items)
    words = [item.box for name in ("message", "keys") for item in panel.named(name)]
    assert len(words) == 4
    others = [item.box for item in panel.items if isinstance(item, Picture) or item.name == "board"]
    assert not any(one.overlaps(other) for at, one in enumerate(words) for other in [*words[at + 1 :], *others])


def test_only_a_board_that_does_not_contradict_the_start_position_can_be_learnt() -> None:
    """A few squares may be unread, but of each colour a disc must be read, because an unread colour would be unread
    in a game too."""
    assert [view.can_be_learnt for view in VIEWS] == [False, True, True, *6 * [False], True]
    assert [view.unread for view in VIEWS[-3:]] == ["X", "O", ""]
    assert VIEWS[3].contradicted == ("a1",)


def test_a_start_position_turned_by_a_quarter_names_the_button_that_turns_it() -> None:
    """Half of all boards are found so; nobody then searches for discs that lie wrongly."""
    crossed = STANDARD.start.translate(str.maketrans("XO", "OX"))

    def message(cells: str) -> str:
        [panel] = camera_scene(CameraView((4, 3), bytes(36), cells), SIZES[0]).panels
        return " ".join(item.text for item in panel.named("message"))

    for cells in (crossed, crossed.replace("X", "?", 1)):
        assert "press the left button to move a1" in message(cells) and "左ボタン" in message(cells)
    for cells in ("X" + crossed[1:], crossed.replace("X", "-", 1)):
        assert "not the start position" in message(cells)


def test_without_a_picture_nothing_can_be_turned_or_marked(tmp_path: Path) -> None:
    """The screen offers only to go on without the camera."""

    def lost() -> FrameReader:
        raise HardwareError(ErrorText("no camera"))

    setup = CameraSetup(config_of(tmp_path), factory=FaultyFactory(SystemTime()), open_reader=lost)
    running = threading.Thread(target=setup.run, args=(lambda: None,))
    running.start()
    until(lambda: setup.view().trouble is not None)
    for pressed in (True, False):
        setup._screen._key("right", pressed)
    until(lambda: setup._handled == 1)
    setup.stop()
    running.join()
    assert setup._marking is None
    [panel] = camera_scene(CameraView(trouble=ErrorText("no camera")), SIZES[0]).panels
    assert [item.text for item in panel.named("keys")][1] == "Hold both buttons for 5 s: go on without the camera"


def test_one_button_alone_is_counted_and_both_together_are_not() -> None:
    fingers = BothButtonsHold()
    for line, pressed in [("left", True), ("left", False), ("left", True), ("right", True)]:
        fingers.feed(line, pressed)
    assert fingers.alone == ["left"]
    assert fingers.held_for(0)
    for line in ("right", "left"):
        fingers.feed(line, False)
    assert fingers.alone == ["left"]
    assert not fingers.held_for(0)


def test_corners_are_moved_with_two_buttons() -> None:
    """A press is a step and holding moves far after a delay; no corner leaves the picture."""
    marking = Marking()
    assert marking.across
    marking = marking.pressed("right").pressed("right").pressed("left")
    assert marking.corners[0] == pytest.approx((0.25 + STEP, 0.25))
    for now_s in (0.0, HOLD_BEGINS_S / 2, HOLD_BEGINS_S):
        marking = marking.holding({"left"}, now_s)
    assert marking.corners[0][0] == pytest.approx(0.25 + STEP)
    assert marking.holding({"left"}, HOLD_BEGINS_S + 1.0).corners[0][0] == pytest.approx(0.25 + STEP - SPEED)
    assert marking.holding({"left"}, HOLD_BEGINS_S + 9.0).corners[0][0] == 0.0
    assert marking.holding(set(), 5.0).holding({"left"}, 9.0).corners == marking.corners, "a new hold begins anew"
    marking = marking.next_step()
    assert (marking.corner, marking.across) == (0, False)
    assert marking.pressed("left").corners[0][1] == pytest.approx(0.25 - STEP)
    for _ in range(6):
        marking = marking.next_step()
    assert marking.corner == 3 and not marking.done
    assert marking.next_step().done


@pytest.mark.parametrize(
    ("every_ms", "light", "says"), [(900, 200, "gives too few pictures."), (40, 4, "sees only darkness.")]
)
def test_a_dark_or_delayed_picture_is_shown_with_the_fault(
    tmp_path: Path, every_ms: int, light: int, says: str
) -> None:
    """The person who corrects the light or the cable needs to see the picture."""
    noise = np.random.default_rng(1)
    pictures = [noise.integers(0, light, (48, 64, 3), dtype=np.uint8) for _ in range(8)]
    frames = iter([Frame(picture, number * every_ms * 1_000_000) for number, picture in enumerate(pictures, start=1)])

    class Few:
        def read(self) -> Frame | None:
            frame = next(frames, None)
            if frame is None:
                ended.wait()
            return frame

        def brighten(self, stops: float) -> bool:
            raise AssertionError("neither darkness nor a dim picture without a board is made brighter")

        def close(self) -> None: ...

    ended = threading.Event()
    setup = CameraSetup(config_of(tmp_path), factory=FaultyFactory(SystemTime()), open_reader=Few)

    def trouble_is_shown() -> bool:
        shown = setup.view()
        return bool(shown.trouble and says in str(shown.trouble) and shown.pixels)

    running = threading.Thread(target=setup.run, args=(lambda: None,))
    running.start()
    until(trouble_is_shown, lambda: setup.view().trouble)
    ended.set()
    setup.stop()
    running.join()


@pytest.mark.slow
def test_corners_of_an_unrecognised_board_are_marked_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight steps with the two buttons mark the corners, then the start position is confirmed; the table's pipeline
    begins with these corners."""
    monkeypatch.setattr(watcher_module, "find_board", create_autospec(find_board, return_value=Reason.NO_BOARD))
    table = table_of(TUNE, 3, SceneRequest(size=(640, 480), stress=False, elevation=(60.0, 80.0)))
    camera = SimulatedCamera(table, STANDARD.start)
    frame = camera.read()
    assert frame is not None
    shares = camera.corners / [640, 480]
    first = int(np.argmin(shares.sum(axis=1)))
    places = np.roll(shares, -first, axis=0)
    setup = CameraSetup(config_of(tmp_path), factory=FaultyFactory(SystemTime()), open_reader=lambda: camera)
    room = setup._screen

    def press(line: str) -> None:
        for pressed in (True, False):
            room._key(line, pressed)

    def person(wait_for: Wait) -> None:
        def press_both(until: Callable[[], bool]) -> None:
            for pressed in (True, False):
                for line in ("left", "right"):
                    room._key(line, pressed)
                if pressed:
                    wait_for(until)

        wait_for(lambda: bool(setup.view().pixels))
        press("right")
        for step in range(8):
            wait_for(lambda step=step: setup.view().marking == step)  # type: ignore[misc]
            away = float(places[step // 2][step % 2]) - (0.25, 0.75)[step in (2, 4, 5, 7)]
            for _ in range(round(abs(away) / STEP)):
                press("right" if away > 0 else "left")
            press_both(lambda step=step: setup.view().marking != step)  # type: ignore[misc]
        wait_for(lambda: bool(setup.view().cells) and setup._pipeline.has_still_reading)
        while setup.view().contradicted:
            press("left")
            wait_for(lambda: not setup.view().cells)
            wait_for(lambda: bool(setup.view().cells))
        press_both(lambda: setup._calibration is not None)

    lesson = calibration_by(setup, person)
    assert lesson.corners is not None
    assert corner_distance_any_order(lesson.corners, camera.corners) < 0.1
    camera, again, seen = SimulatedCamera(table, STANDARD.start), CameraPipeline(lesson=lesson), None
    while seen is None:
        frame = camera.read()
        assert frame is not None
        seen = again.feed(frame)
    assert seen.cells == STANDARD.start


@pytest.mark.slow
def test_both_buttons_confirm_the_start_position_and_it_is_kept(tmp_path: Path) -> None:
    """With a simulated camera and mock pins, the calibration is present at the next start; a damaged file counts as
    none."""
    table = table_of(TUNE, 3, SceneRequest(size=(640, 480), stress=False, elevation=(60.0, 80.0)))
    config = config_of(tmp_path, quarter=2)  # one square off: the colours are crossed
    factory = FaultyFactory(SystemTime())
    setup = CameraSetup(config, factory=factory, open_reader=lambda: SimulatedCamera(table, STANDARD.start))
    buttons = [factory.button(number) for number in (config.buttons.left, config.buttons.right)]

    def person(wait_for: Wait) -> None:
        wait_for(lambda: bool(setup.view().contradicted))
        buttons[0].press()
        wait_for(lambda: setup.view().can_be_learnt)
        for button in buttons:
            button.press(release=False)

    learnt = calibration_by(setup, person)
    assert (learnt.board.cells, learnt.quarter) == (STANDARD.start, 3)
    (tmp_path / camera_calibration_screen.NAME).write_bytes(b"PK\x03\x04 spoilt")
    assert camera_calibration_screen.load_calibration(tmp_path) is None
