"""Photographs of real boards, read as by ``kiosk read-board``; they are beside the checkout, not in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.camera import board_finder
from hardware.camera.board_finder import DetectedBoard, Reason, _judge, find_board
from hardware.camera.board_reader import BoardReading, Refusal, read_board_picture
from hardware.camera.camera_projection import corner_distance_any_order

FOLDER = Path(__file__).resolve().parents[4] / "shared" / "data" / "photos"
pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the photographs of shared/data/photos are not there")


def photograph(file: str) -> NDArray[np.uint8]:
    return np.asarray(cv2.imread(str(FOLDER / file)), np.uint8)


def label_of(file: str) -> dict[str, Any]:
    labels = json.loads((FOLDER / "labels.json").read_text())
    return next(label for label in labels if label["file"] == file)


def misread(file: str, *, alone: bool = False) -> list[tuple[int, int, str, str]]:
    """Return the misread squares, with the corners given, or ``alone``: row, column, content, reading."""
    label = label_of(file)
    seen = read_board_picture(photograph(file), None if alone else np.array(label["corners"]))
    assert isinstance(seen, BoardReading)
    rows = [seen.cells[start : start + 8] for start in range(0, 64, 8)]
    squares = ((row, column) for row in range(8) for column in range(8))
    both = ((row, column, label["rows"][row][column], rows[row][column]) for row, column in squares)
    return [one for one in both if one[3] not in ("?", one[2])]


def test_chessboard_is_refused() -> None:
    """A chessboard, whose squares read as black discs and empty ones in turn, is refused."""
    assert read_board_picture(photograph("no_board_chessboard.jpg")) == Refusal(Reason.NO_BOARD)


def test_broad_lines_mistaken_for_the_cloth_are_refused() -> None:
    """A grid whose every empty square would be a black disc is refused."""
    corners = np.array(label_of("vivid_lines.jpg")["corners"])
    assert read_board_picture(photograph("vivid_lines.jpg"), corners) == Refusal(Reason.NO_BOARD)


@pytest.mark.parametrize("file", ["dim_tilted.jpg", "lamp_in_black.jpg", "small_in_wide.jpg", "lines_off.jpg"])
def test_the_squares_of_a_board_are_read(file: str) -> None:
    assert misread(file) == []


@pytest.mark.parametrize("file", ["hand_and_clock.jpg", "trays_beside.jpg", "clear_blocks.jpg"])
def test_objects_over_a_board_are_not_read_as_discs(file: str) -> None:
    """A clock's buttons, a tray's wall and clear blocks are read as no disc."""
    assert misread(file) == []


def test_wall_of_a_tray_over_a_board_that_is_found_is_not_read_as_a_disc() -> None:
    assert misread("trays_beside.jpg", alone=True) == []


@pytest.mark.parametrize("file", ["small_in_wide.jpg", "lines_off.jpg", "hand_and_clock.jpg"])
def test_small_or_roughly_guessed_board_is_found(file: str) -> None:
    """The board is found at an eighth of the picture's width, and where a rough guess misses one corner."""
    found = find_board(photograph(file))
    assert isinstance(found, DetectedBoard)
    assert corner_distance_any_order(found.corners, np.array(label_of(file)["corners"])) < 0.15


def test_a_board_is_found_before_the_things_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only one of the many candidates, the likeliest, is brought to its squares and read."""
    judged = []
    monkeypatch.setattr(board_finder, "_judge", lambda *place: judged.append(place) or _judge(*place))
    assert isinstance(find_board(photograph("trays_beside.jpg")), DetectedBoard)
    assert len(judged) == 1


def test_a_blurred_board_is_not_taken_for_a_chessboard() -> None:
    """Of so small a board the discs' edges add a hue that alternates a little."""
    assert isinstance(find_board(cv2.GaussianBlur(photograph("studio_tiny.jpg"), (0, 0), 0.8)), DetectedBoard)


@pytest.mark.parametrize("file", ["studio_3.jpg", "glare_start.jpg"])
def test_board_at_an_eighth_of_a_crowded_picture_is_found(file: str) -> None:
    """The field is seen again from near, where people and things look like field too."""
    crowd, board = photograph("hand_and_clock.jpg"), photograph(file)
    scale = 250 / board.shape[1]
    small = cv2.resize(board, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    crowd[830 : 830 + len(small), 600:850] = small
    found = find_board(crowd)
    assert isinstance(found, DetectedBoard)
    assert corner_distance_any_order(found.corners, np.array(label_of(file)["corners"]) * scale + [600, 830]) < 0.15
