"""Outline candidates and round spots, where the networks do not detect the board."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from hardware.camera.board_outline_candidates import outline_fields
from hardware.camera.camera_projection import FIELD, Pose, apply, corner_distance, homography
from hardware.camera.disc_detector import align_to_spots, matches_spots, spots

#: a field seen from a little to one side
CORNERS = np.array([[170.0, 120], [470, 110], [530, 400], [120, 410]])


def picture(cloth: tuple[int, int, int], frame: tuple[int, int, int], around: float) -> np.ndarray:
    """A bare field with a frame of so many squares on a plain floor."""
    image = np.full((480, 640, 3), 150, np.uint8)
    outer = apply(homography(FIELD, CORNERS), FIELD + np.sign(FIELD - 4) * around)
    cv2.fillConvexPoly(image, np.round(outer).astype(np.int32), frame)
    cv2.fillConvexPoly(image, np.round(CORNERS).astype(np.int32), cloth)
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 0.8), np.uint8)


def test_the_field_is_guessed_within_its_frame() -> None:
    """A frame in the discs' colours hides the edge of the cloth; some candidate is near it for every width of the
    frame."""
    for around in (0.3, 0.8, 1.4):
        # cloth and frame alike: only the outer edge is seen
        image = picture((40, 60, 40), (40, 60, 40), around)
        nearest = min(
            corner_distance(np.roll(guess, turn, axis=0), CORNERS)
            for guess in outline_fields(image)
            for turn in range(4)
        )
        assert nearest < 0.5


def test_discs_say_where_the_squares_are() -> None:
    """A grid a third of a square off comes back under forty discs that lie a little beside their middles."""
    random = np.random.default_rng(3)
    image = np.full((480, 640, 3), (60, 110, 30), np.uint8)
    turn = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    ring = 0.4 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    for number in random.permutation(64)[:40]:
        middle = np.array([number % 8, number // 8]) + 0.5 + random.normal(0, 0.05, 2)
        pixels = apply(homography(FIELD, CORNERS), middle + ring)
        cv2.fillConvexPoly(image, np.round(pixels * 16).astype(np.int32), [(20,) * 3, (230,) * 3][number % 2], 16, 4)
    found = spots(image)
    assert len(found) >= 40
    off = apply(homography(FIELD, CORNERS), FIELD + np.array([0.3, -0.2]))
    again = align_to_spots(off, found, (640, 480))
    assert again is not None and corner_distance(again, CORNERS) < 0.2
    assert align_to_spots(off, found[:3], (640, 480)) is None


@pytest.mark.parametrize(
    ("beside", "count", "lies"),
    [
        ((0.0, 0.0), 20, True),
        ((0.04, -0.03), 20, True),
        ((0.2, 0.0), 20, False),
        ((0.5, 0.5), 20, False),
        ((0.0, 0.0), 8, False),
    ],
    ids=["centred", "hardly off", "off", "half a square off", "too few"],
)
def test_a_board_lies_under_discs_that_are_in_its_squares_middles(
    beside: tuple[float, float], count: int, lies: bool
) -> None:
    """Where lines are hidden, the discs' positions confirm or refute a grid."""
    size = (640, 480)
    view = Pose.of(CORNERS, size)
    squares = np.random.default_rng(1).permutation(64)[:count]
    middles = np.stack([squares % 8 + 0.5, squares // 8 + 0.5], axis=1) + beside
    ring = 0.42 * np.stack([np.cos(np.linspace(0, 2 * np.pi, 40)), np.sin(np.linspace(0, 2 * np.pi, 40))], axis=1)
    tops = [view.at(np.insert(middle + ring, 2, 0.15, axis=1)).astype(np.float32) for middle in middles]
    seen = view.at(np.insert(middles, 2, 0.15, axis=1))
    found = np.column_stack([seen, [cv2.contourArea(top) for top in tops]])
    assert matches_spots(CORNERS, found, size) is lies
