"""Board points and their colours in a picture."""

from __future__ import annotations

import numpy as np

from hardware.camera.camera_projection import BoardPart

CORNERS = np.array([[300.0, 200], [460, 200], [460, 360], [300, 360]])


def test_colours_of_a_boards_part_are_those_of_the_picture() -> None:
    """Two squares around the board are looked at, here 40 pixels."""
    image = np.random.default_rng(1).integers(0, 256, (480, 640, 3)).astype(np.uint8)
    part = BoardPart.of(image, CORNERS, 1.0)
    assert part.small.shape[0] < 300
    down, across = np.mgrid[162:398, 262:498]
    assert np.array_equal(part.colours(np.stack([across, down], axis=-1) + 0.5), image[162:398, 262:498])


def test_colours_beyond_a_picture_are_those_of_its_edge() -> None:
    image = np.random.default_rng(2).integers(0, 256, (380, 640, 3)).astype(np.uint8)
    part = BoardPart.of(image, CORNERS, 1.0)
    beyond = np.array([[[310.5, 385.0], [310.5, 395.0]]])
    assert np.array_equal(part.colours(beyond)[0], image[[-1, -1], 310])


def test_part_of_a_board_is_made_smaller() -> None:
    image = np.zeros((480, 640, 3), np.uint8)
    image[150:410, 380:] = 200
    part = BoardPart.of(image, CORNERS, 0.25)
    assert part.small.shape[0] < 75
    left, right = part.colours(np.array([[[370.0, 280.0], [390.0, 280.0]]]))[0]
    assert left.tolist() == [0] * 3 and right.tolist() == [200] * 3
