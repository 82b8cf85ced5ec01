"""Camera pipeline and settler on rendered video: the readings a table receives during play."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from drawn_tables import camera_over_drawn_table as camera_module
from drawn_tables.camera_over_drawn_table import SimulatedCamera
from drawn_tables.seeded_table_scene import TUNE, SceneRequest, table_of
from drawn_tables.table_renderer import RadianceImage, lit

from hardware.camera import camera_pipeline as watcher_module
from hardware.camera import square_classifier
from hardware.camera.board_finder import Reason
from hardware.camera.board_tracker import BoardTracker
from hardware.camera.camera_pipeline import VOTES, CameraPipeline
from hardware.camera.square_features import RectifiedBoard
from hardware.camera.square_memory_and_calibration import BoardMemory, CameraCalibration
from hardware.reading_stability_filter import StabilityFilter, StableReading
from hardware.real_and_simulated_time import NS_PER_S

START = "-" * 27 + "OX------XO" + "-" * 27
CLEAR = SceneRequest(size=(640, 480), stress=False, elevation=(60.0, 80.0))
MOVED = START[:19] + "X" + START[20:27] + "X" + START[28:]


class Film:
    """A camera, a watcher and a settler; ``readings`` are the results."""

    def __init__(self) -> None:
        table = table_of(TUNE, 3, CLEAR)
        self.camera = SimulatedCamera(table, START)
        self.watcher, self.settler = CameraPipeline(), StabilityFilter()
        self.readings: list[StableReading] = []
        self.run(6)
        self.turn = self._turn()

    def run(self, frames: int) -> None:
        for _ in range(frames):
            frame = self.camera.read()
            assert frame is not None
            seen = self.watcher.feed(frame)
            if seen is not None:
                self.readings += [item for item in self.settler.feed(seen) if isinstance(item, StableReading)]

    def _turn(self) -> int:
        """Return the rotation of the picture's first row relative to the board's."""
        corner = self.camera.corners[0]
        assert self.watcher.board.corners is not None
        return int(np.argmin(np.abs(self.watcher.board.corners - corner).max(axis=1)))

    def last(self) -> str:
        """Return the last reading in the board's orientation."""
        return "".join(np.rot90(np.array(list(self.readings[-1].cells)).reshape(8, 8), self.turn).ravel())


def read_by(watcher: CameraPipeline, camera: SimulatedCamera) -> str:
    """Return the watcher's first reading of what the camera shows."""
    seen = None
    while seen is None:
        frame = camera.read()
        assert frame is not None
        seen = watcher.feed(frame)
    return seen.cells


@pytest.fixture(scope="module")
def found() -> Film:
    """Yield a newly found board, shared because finding it is expensive."""
    return Film()


@pytest.fixture
def film(found: Film) -> Film:
    return copy.deepcopy(found)


def test_unchanged_board_is_reported_once(film: Film) -> None:
    """The start position is read once, and not reported again while nothing changes."""
    assert film.last() == START
    before = len(film.readings)
    film.run(5)
    assert len(film.readings) == before


def test_press_is_answered_by_the_first_reading_without_the_hand(film: Film) -> None:
    """Nothing is reported while the arm is over the board; then one reading answers the press, with the new disc."""
    before = len(film.readings)
    film.camera.reach(19)
    film.run(3)
    film.watcher.ask(5, film.camera.at_ns)
    film.camera.lay(MOVED)
    film.run(3)
    assert len(film.readings) == before
    film.camera.reach(None)
    gone_ns = film.camera.at_ns
    film.run(8)
    answers = [reading for reading in film.readings if reading.answers == 5]
    assert len(answers) == 1
    assert gone_ns < answers[0].at_ns <= gone_ns + 1_000_000_000
    assert film.last() == MOVED


def test_sleeve_of_the_cloth_colour_is_not_read_as_a_cleared_board(film: Film) -> None:
    """A resting sleeve that looks like empty squares is neither reported nor stored; a cleared board is reported."""
    before = len(film.readings)
    film.camera.lay("-" * 64)
    film.watcher.ask(6, film.camera.at_ns)
    film.run(10)
    assert len(film.readings) == before
    film.camera.lay(MOVED)
    film.run(8)
    assert [reading.answers for reading in film.readings[before:]] == [6] and film.last() == MOVED
    film.camera.lay("-" * 64)
    film.run(16)
    assert film.last() == MOVED
    film.run(16)
    assert film.last() == "-" * 64


def test_doubted_answer_drops_later_readings_and_needs_more_confidence(
    film: Film, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A doubted square is read anew, without its stored appearance, and is ``?`` at a confidence of 0.95."""
    monkeypatch.setattr(watcher_module, "FOREIGN_NS", 300_000_000)
    watcher = film.watcher
    watcher.ask(51, film.camera.at_ns)
    assert watcher._memory.last is not None
    wrong = "O" + watcher._memory.last.cells[1:]
    watcher._memory = replace(watcher._memory, last=replace(watcher._memory.last, cells=wrong))
    film.run(2)
    assert film.readings[-1].answers == 51 and film.readings[-1].cells[0] in "?O"
    watcher.ask(51, film.camera.at_ns, again=True)
    film.run(6)
    assert film.readings[-1].answers == 51 and film.last() == START
    empty = np.tile(np.array([0.95, 0.02, 0.02, 0.01], np.float32), (64, 1))
    memory, before = watcher._memory, len(film.readings)
    for number, again, cells in ((52, False, "-" * 64), (53, True, "?" * 64)):
        watcher._memory, watcher._votes = BoardMemory(), []
        watcher.ask(number, film.camera.at_ns)
        if again:
            watcher.ask(number, film.camera.at_ns, again=True)
        with monkeypatch.context() as seen:
            seen.setattr(watcher_module, "kind_probabilities", lambda *_: empty)
            film.run(9)
        assert [one.cells for one in film.readings[before:] if one.answers == number] == [cells]
    watcher._memory, watcher._votes = memory, []
    watcher.ask(54, film.camera.at_ns)
    film.run(7)
    assert film.readings[-1].answers == 54 and film.last() == START


def test_noise_is_estimated_from_the_pictures_of_one_still_period() -> None:
    """The difference of two means of three pictures gives the noise; fewer pictures give no estimate."""
    random = np.random.default_rng(2)
    watcher = CameraPipeline()
    for _ in range(VOTES):
        assert not watcher._noise().any()
        noise = random.normal(0, 0.1, (64, 40, 3)).astype(np.float32)
        watcher._votes.append((np.zeros((64, 4), np.float32), noise))
    assert np.allclose(watcher._noise(), 0.01 * 2 / 3, rtol=0.35)


def test_overexposed_picture_is_not_read(film: Film) -> None:
    film.camera.brighten(film.watcher.stops())
    film.run(4)
    film.camera.light(40.0)
    film.watcher.ask(53, film.camera.at_ns)
    film.run(6)
    assert film.readings[-1].answers != 53
    assert film.watcher.is_overexposed
    film.camera.light(1.0)
    film.run(8)
    assert film.readings[-1].answers == 53 and film.last() == START


def test_board_that_becomes_overexposed_is_read_at_a_lower_exposure(film: Film) -> None:
    """An overexposed board is read once the exposure was lowered, one step a second."""
    film.camera.brighten(film.watcher.stops())
    film.run(4)
    film.camera.light(40.0)
    for _ in range(5):
        film.camera.brighten(film.watcher.stops())
        film.run(11)
    film.watcher.ask(54, film.camera.at_ns)
    film.run(4)
    assert film.readings[-1].answers == 54 and film.last() == START
    assert not film.watcher.is_overexposed and film.watcher.stops() == 0


def test_bright_sleeve_does_not_lower_the_exposure(film: Film, monkeypatch: pytest.MonkeyPatch) -> None:
    film.camera.brighten(film.watcher.stops())
    film.camera.reach(27)
    film.run(2)
    monkeypatch.setattr(RectifiedBoard, "brightest_channel", 0.77)
    film.watcher.ask(55, film.camera.at_ns)
    film.run(6)
    assert film.watcher.has_still_reading and film.watcher.stops() == 0
    film.camera.reach(None)
    film.run(6)
    assert film.watcher.stops() < 0


def test_board_overexposed_from_the_start_is_found_and_read() -> None:
    camera, watcher, seen = SimulatedCamera(table_of(TUNE, 3, CLEAR), START), CameraPipeline(), None
    camera.light(40.0)
    while seen is None:
        frame = camera.read()
        assert frame is not None and frame.at_ns < 20 * NS_PER_S
        seen = watcher.feed(frame)
        camera.brighten(watcher.stops())
    assert sorted(seen.cells) == sorted(START)


def test_request_is_not_answered_by_an_earlier_picture(film: Film) -> None:
    film.watcher.ask(6, film.camera.at_ns + 400_000_000)
    before = len(film.readings)
    film.run(4)
    assert len(film.readings) == before
    film.run(2)
    assert film.readings[-1].answers == 6


def test_bumped_board_is_read_at_its_new_place(film: Film) -> None:
    film.camera.bump(0.25, -0.15, 0.02)
    film.watcher.ask(7, film.camera.at_ns)
    film.run(7)
    assert film.readings[-1].answers == 7
    assert film.last() == START
    assert film.watcher.board.corners is not None
    side = float(np.linalg.norm(film.camera.corners[1] - film.camera.corners[0])) / 8
    away = np.roll(film.watcher.board.corners, -film.turn, axis=0) - film.camera.corners
    assert np.abs(away).max() < 0.2 * side


def test_board_is_found_again_after_a_resting_hand(film: Film, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found by an earlier picture; a new search starts only after a second without the board."""
    sought: list[int] = []

    def look_for(*_: Any) -> Reason:
        sought.append(film.camera.at_ns)
        return Reason.NO_BOARD

    monkeypatch.setattr(watcher_module, "find_board_near", lambda *_: None)
    monkeypatch.setattr(watcher_module, "find_board", look_for)
    frame = film.camera.read()
    assert frame is not None and film.watcher._corners is not None
    noise = np.random.default_rng(1).integers(0, 255, frame.image.shape, np.uint8)
    hand = BoardTracker.of(noise, film.watcher._corners)
    assert hand is not None
    film.watcher._landmarks, seen = (hand, *film.watcher._landmarks), film.watcher._landmarks
    film.watcher.ask(8, film.camera.at_ns)
    film.camera.reach(19)
    film.run(1)
    film.camera.reach(None)
    film.run(6)
    assert film.readings[-1].answers == 8 and film.last() == START
    film.watcher._landmarks, film.watcher._checked, lost_ns = (hand,), False, film.camera.at_ns
    film.run(10)
    assert not sought
    film.run(3)
    assert sought == [lost_ns + 1_100_000_000]
    film.watcher._landmarks = seen


def test_uniform_change_of_light_does_not_count_as_motion(film: Film) -> None:
    before = len(film.readings)
    for number, gain in enumerate((1.08, 0.94, 1.05, 1.0)):
        film.camera.light(gain)
        film.watcher.ask(10 + number, film.camera.at_ns)
        film.run(1)
    assert len(film.readings) >= before + 3
    assert film.last() == START


def test_pictures_of_different_exposure_do_not_vote_together(film: Film) -> None:
    """Pictures of different exposure are not combined, because their difference is not noise."""
    film.run(3)
    assert film.watcher.has_still_reading
    film.camera.brighten(-1.0)
    film.run(1)
    assert not film.watcher.has_still_reading
    film.run(3)
    assert film.watcher.has_still_reading and film.last() == START


def test_confirmed_start_position_is_used_by_a_later_pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    """It reads unchanged squares even with an untrained network; without the calibration it reads none."""
    camera = SimulatedCamera(table_of(TUNE, 3, CLEAR), START)
    camera.read()
    teacher = CameraPipeline(corners=camera.corners)
    assert read_by(teacher, camera) == START
    lesson = CameraCalibration.unpack(teacher.learn(START).pack(), "camera.npz")
    nothing = np.tile(np.array([0, 0, 0, 1], np.float32), (64, 1))
    monkeypatch.setattr(square_classifier, "classify", lambda boards: np.stack([nothing for _ in boards]))
    assert read_by(CameraPipeline(corners=camera.corners, lesson=lesson), camera) == START
    assert read_by(CameraPipeline(corners=camera.corners), camera) == "?" * 64


def test_board_with_marked_corners_is_read_without_visible_lines() -> None:
    table = table_of(TUNE, 3, CLEAR)
    table = replace(table, material=replace(table.material, line_strength=0.0, dots=False))
    camera = SimulatedCamera(table, START)
    camera.read()
    assert read_by(CameraPipeline(corners=camera.corners), camera) == START


def test_unchanged_scene_is_rendered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """An unchanged scene is rendered once and gets new noise; a hand that comes or goes is rendered again."""
    drawings = []

    def counted(*what: Any) -> RadianceImage:
        drawings.append(lit(*what))
        return drawings[-1]

    monkeypatch.setattr(camera_module, "lit", counted)
    camera = SimulatedCamera(table_of(TUNE, 3, CLEAR), START, scale=1.0)
    shown = []
    for at in (None, None, 19, None):
        camera.reach(at)
        frame = camera.read()
        assert frame is not None
        shown.append((len(drawings), frame.image))
    assert [count for count, _ in shown] == [1, 1, 2, 3]
    away = [np.abs(image.astype(int) - shown[0][1]).max(axis=2) for _, image in shown]
    assert 0 < away[1].mean() < 4
    assert (away[2] > 40).sum() > 500
    assert 0 < away[3].mean() < 4
