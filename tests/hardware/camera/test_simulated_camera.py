"""Tests of the demo's simulated camera: the board reader reads what it draws."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.camera.board_reader import BoardReading, read_board_picture
from hardware.camera.simulated_camera import SimulatedCamera


@pytest.mark.parametrize("seed", range(4))
def test_a_drawn_board_is_read_whole_and_a_hand_hides_what_is_below_it(seed: int) -> None:
    cells = "".join(np.random.default_rng(seed).choice(list("XO-"), 64))
    camera = SimulatedCamera(cells, seed)
    seen = read_board_picture(camera.read().image, camera.corners)
    assert isinstance(seen, BoardReading) and seen.cells == cells
    camera.reach(27)
    hidden = read_board_picture(camera.read().image, camera.corners)
    assert isinstance(hidden, BoardReading) and hidden.cells[27] == "?"
    assert all(one in (cell, "?") for one, cell in zip(hidden.cells, cells, strict=True))


def test_a_brighter_picture_is_brighter() -> None:
    camera = SimulatedCamera("-" * 64, 1)
    before = camera.read().image.mean()
    assert camera.brighten(-1) and camera.read().image.mean() < 0.6 * before
