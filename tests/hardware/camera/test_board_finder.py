"""Board detection: boards that hide their own lines, and refusal of patterns that only resemble a board."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest
from boards.drawn_boards import TRAIN, UNSEEN, WILD, other_game, random_cells
from boards.solid_obstacles import box
from drawn_tables.camera_over_drawn_table import SimulatedCamera
from drawn_tables.seeded_table_scene import TUNE, DatasetSplit, Obstacle, SceneRequest, moment_of, table_of
from drawn_tables.table_renderer import RenderedImage, draw

from benchmarks.board_reader import stressed
from engine.board.variants import STANDARD
from hardware.camera.board_candidate_and_refinement_networks import Heatmaps, refine_candidate
from hardware.camera.board_finder import DetectedBoard, Reason, find_board
from hardware.camera.camera_pipeline import CameraPipeline
from hardware.camera.camera_projection import FIELD, Array, apply, corner_distance_any_order, homography
from hardware.camera.square_features import RectifiedBoard
from hardware.real_and_simulated_time import NS_PER_S

SIZE = (640, 480)
#: a field seen from a little to one side
CORNERS = np.array([[170.0, 120], [470, 110], [530, 400], [120, 410]])


@cache
def full_board(seed: int = 46) -> RenderedImage:
    """Return a rendered board of fifty discs of the stress set; table 46 has a brown frame."""
    discs = np.random.default_rng(seed).permutation(64) < 50
    cells = "".join("-" if not disc else "XO"[index % 2] for index, disc in enumerate(discs))
    table = table_of(TUNE, 10_000_000 + 100 * seed, SceneRequest(size=SIZE))
    return draw(table, moment_of(table, cells, seed), 1.4)


def corner_error(corners: Array, truth: Array) -> float:
    """Return the distance of the corners in squares, whichever corner is first."""
    return corner_distance_any_order(corners, truth)


@pytest.mark.slow
def test_a_board_full_of_discs_in_a_broad_frame_is_found() -> None:
    found = find_board(full_board().image)
    assert isinstance(found, DetectedBoard)
    assert corner_error(found.corners, full_board().corners) < 0.2


def test_board_without_clear_lines_is_accepted_by_its_readable_squares() -> None:
    drawn = full_board(5428)
    found = find_board(drawn.image)
    assert isinstance(found, DetectedBoard)
    assert corner_error(found.corners, drawn.corners) < 0.35


def drawn_from(split: DatasetSplit, seed: int, wish: SceneRequest) -> RenderedImage:
    table = table_of(split, seed, wish)
    return draw(table, moment_of(table, random_cells(np.random.default_rng([seed, 5])), seed), 1.2)


def test_board_full_of_discs_seen_from_low_is_not_found_half_a_square_off() -> None:
    """From 20° its squares look alike half a square beside."""
    drawn = stressed(TUNE, 16)
    found = find_board(drawn.image)
    assert isinstance(found, DetectedBoard) and corner_error(found.corners, drawn.corners) < 0.25


@pytest.mark.parametrize("part", [(4, 8), (8, 4), (4, 4)], ids=["half", "the other half", "a quarter"])
def test_part_of_a_board_is_not_found_as_a_board(part: tuple[int, int]) -> None:
    """A part has lines where a whole board has them, and as many, but no squares of the right size."""
    drawn = full_board(5428)
    place = refine_candidate(drawn.image, apply(homography(FIELD, drawn.corners), FIELD * np.array(part) / 8))
    assert place is None or place.phase < 0.2


def test_board_that_fills_a_tenth_of_the_picture_is_found() -> None:
    far = drawn_from(WILD, 14_000_004, SceneRequest(size=(1280, 960), elevation=(30, 80), square_pixels=(15, 22)))
    found = find_board(far.image)
    assert isinstance(found, DetectedBoard) and corner_error(found.corners, far.corners) < 0.2


def test_covered_outer_row_does_not_shift_the_grid() -> None:
    """Beyond the opposite row there is no field, so that the grid is not shifted."""
    table = table_of(TUNE, 61_000_001, SceneRequest(size=(800, 600), elevation=(19.0, 45.0)))
    tray = box(np.array([4.0, 8.1, 0.0]), 0.0, (8.0, 1.0, 0.5), (0.05, 0.05, 0.06))
    drawn = draw(table, moment_of(table, "-" * 64, 1, (Obstacle("tray", (), (), solids=(tray,)),)), 1.2)
    assert (drawn.covered[56:] > 0.5).all() and (drawn.covered[:56] < 0.5).all()
    found = find_board(drawn.image)
    assert isinstance(found, DetectedBoard) and corner_error(found.corners, drawn.corners) < 0.1


def test_best_candidate_lies_near_the_field() -> None:
    """The guess is made from the whole picture, 128 pixels wide."""
    drawn = full_board()
    assert corner_error(next(Heatmaps.of(drawn.image).fields(SIZE))[1], drawn.corners) < 1


@pytest.mark.parametrize(
    "off", [(0.3, -0.2), (1.0, 0.0), (0.0, -1.0)], ids=["a third of a square", "a column", "a row"]
)
def test_candidate_is_refined_to_the_squares(off: tuple[float, float]) -> None:
    """A guess one row beside the field is corrected by the frame and the cloth."""
    drawn = full_board()
    place = refine_candidate(drawn.image, apply(homography(FIELD, drawn.corners), FIELD + np.array(off)))
    place = place and refine_candidate(drawn.image, place.corners)
    assert place is not None
    assert corner_error(place.corners, drawn.corners) < 0.35  # as exactly as discs over the lines let it


@pytest.mark.slow
def test_tray_without_lines_is_refused() -> None:
    """A plain cloth in a frame, without lines or discs, is refused."""
    image = np.full((480, 640, 3), 150, np.uint8)
    outer = apply(homography(FIELD, CORNERS), FIELD + np.sign(FIELD - 4) * 0.8)
    cv2.fillConvexPoly(image, np.round(outer).astype(np.int32), (20, 20, 20))
    cv2.fillConvexPoly(image, np.round(CORNERS).astype(np.int32), (60, 110, 30))
    assert find_board(np.asarray(cv2.GaussianBlur(image, (0, 0), 0.8), np.uint8)) is Reason.NO_BOARD


@pytest.mark.parametrize("seed", [0, 2, 5], ids=["draughts", "empty", "chess"])
def test_a_board_of_another_game_is_refused(seed: int) -> None:
    """Squares of two alternating colours are refused, whatever is on them."""
    drawn = other_game(TUNE, 700 + seed)
    assert RectifiedBoard.of(drawn.image, drawn.corners).chequered
    assert isinstance(find_board(drawn.image), Reason)
    own = full_board()
    assert not RectifiedBoard.of(own.image, own.corners).chequered


@pytest.mark.parametrize(
    "seed",
    [87169, 89493, 88454, 88460, 89898],
    ids=["draughts", "draughts under glare", "chess from low", "tall pieces", "tall pieces from low"],
)
def test_another_game_whose_squares_do_not_look_alternating_is_refused(seed: int) -> None:
    """Too few squares are clear."""
    assert isinstance(find_board(other_game(UNSEEN, seed).image), Reason)


@pytest.mark.parametrize("seed", [97025, 97164])
def test_squares_that_alternate_between_tall_pieces_are_recognised_as_a_chessboard(seed: int) -> None:
    drawn = other_game(TRAIN, seed)
    assert RectifiedBoard.of(drawn.image, drawn.corners).chequered


def test_squares_of_alternating_hue_are_recognised_as_a_chessboard() -> None:
    """From low, men hide most crossings, and only a weak hue alternates at every one."""
    image = np.full((480, 640, 3), (40, 40, 40), np.uint8)
    for square in range(64):
        place = np.array([square % 8, square // 8]) + np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
        colour = ((60, 110, 40), (66, 107, 40))[(square % 8 + square // 8) % 2]
        outline = np.round(apply(homography(FIELD, CORNERS), place)).astype(np.int32)
        cv2.fillConvexPoly(image, outline, colour)
    assert RectifiedBoard.of(image, CORNERS).chequered


def test_a_floor_without_a_board_is_refused() -> None:
    """The lines between planks make no board."""
    table = table_of(TUNE, 7_700_000, SceneRequest(size=SIZE))
    table = replace(table, material=replace(table.material, floor_kind="planks"))
    bare = draw(table, replace(moment_of(table, "-" * 64, 0), bump=(70.0, 40.0, 0.0)), 1.0).image
    assert refine_candidate(bare, CORNERS) is None, "it shows no squares from one side, so it is dropped at once"
    assert find_board(bare) is Reason.NO_BOARD


def test_board_without_lines_is_found_by_its_known_cells() -> None:
    """At the set-up, the known start position makes up for missing lines."""
    table = table_of(TUNE, 30_009_270, SceneRequest(size=(640, 480), elevation=(45.0, 85.0)))
    camera = SimulatedCamera(table, STANDARD.start, scale=1.0)
    frame = camera.read()
    assert frame is not None
    found = find_board(frame.image, known_cells=STANDARD.start)
    assert isinstance(found, DetectedBoard) and found.as_laid
    assert corner_error(found.corners, camera.corners) < 0.3
    assert not isinstance(find_board(frame.image, known_cells=STANDARD.start.replace("X", "O")), DetectedBoard)
    watcher = CameraPipeline(known_cells=STANDARD.start)
    while not watcher.has_still_reading:
        assert frame is not None and frame.at_ns < 9 * NS_PER_S
        watcher.feed(frame)
        frame = camera.read()
    assert watcher.learn(STANDARD.start).corners is not None, "it is found there again when the discs lie elsewhere"


def test_overexposed_board_is_found_so_that_the_camera_is_made_darker() -> None:
    """Hardly a square of it is read, but nothing covers it."""
    table = table_of(TUNE, 3, SceneRequest(size=SIZE, stress=False, elevation=(60.0, 80.0)))
    drawn = draw(table, replace(moment_of(table, "X" * 8 + "-" * 48 + "O" * 8, 1), gain=9.0), 1.0)
    assert RectifiedBoard.of(drawn.image, drawn.corners).is_overexposed
    assert isinstance(find_board(drawn.image), DetectedBoard)
