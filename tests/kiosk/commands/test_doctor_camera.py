"""Tests of ``kiosk doctor --camera``: faults of a camera over a board, with what to do about each."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from drawn_tables.camera_over_drawn_table import SimulatedCamera
from drawn_tables.seeded_table_scene import TUNE, SceneRequest, moment_of, table_of
from drawn_tables.table_renderer import draw
from numpy.typing import NDArray

from hardware.camera.board_reader import BoardReading, read_board_picture
from hardware.camera.camera_projection import FIELD, apply, homography
from hardware.camera.frames_and_camera_faults import Frame
from hardware.camera.picture_decoding_overlays_and_quality import encode_jpeg, measure_quality
from kiosk.cli import app
from kiosk.doctor import camera_checks as doctor_camera
from kiosk.doctor.camera_checks import board_findings, camera_findings

START = "-" * 27 + "OX------XO" + "-" * 27


@pytest.fixture(scope="module")
def good_picture() -> NDArray[np.uint8]:
    """A board in good light, seen from above."""
    table = table_of(TUNE, 3, SceneRequest(size=(640, 480), stress=False, elevation=(60.0, 80.0)))
    table = replace(table, material=replace(table.material, cloth_gloss=0.0), blur=0.0)
    return draw(table, moment_of(table, START, 1)).image


def checks(image: NDArray[np.uint8]) -> dict[str, str]:
    """Return the verdicts by check."""
    return {finding.check: str(finding.verdict) for finding in board_findings(Frame(image, 0), 0)}


def test_a_good_picture_has_no_problem(good_picture: NDArray[np.uint8]) -> None:
    """Board, distance, angle, light and focus are reported, and all are good."""
    found = checks(good_picture)
    assert set(found) == {"camera-board", "camera-distance", "camera-angle", "camera-light", "camera-focus"}
    assert set(found.values()) == {"ok"}


def test_blur_is_reported(good_picture: NDArray[np.uint8]) -> None:
    """A lens out of focus is reported, even if the board can still be read."""
    assert checks(cv2.GaussianBlur(good_picture, (0, 0), 3.0))["camera-focus"] == "warning"


def test_glare_is_named_by_its_squares(good_picture: NDArray[np.uint8]) -> None:
    """A reflection on a square that is not read as a disc is reported with the square."""
    seen = read_board_picture(good_picture)
    assert isinstance(seen, BoardReading) and seen.cells[9] == "-"
    shining, middle = good_picture.copy(), apply(homography(FIELD, seen.corners), np.array([1.5, 1.5])).astype(int)
    cv2.circle(shining, (int(middle[0]), int(middle[1])), 8, (255, 255, 255), -1)
    assert measure_quality(shining, seen).glare == (9,)
    assert measure_quality(good_picture, seen).glare == ()


def test_small_squares_are_counted_in_pixels(good_picture: NDArray[np.uint8]) -> None:
    """At half the picture's size the number of pixels per square is reported."""
    small = cv2.resize(good_picture, None, fx=0.36, fy=0.36, interpolation=cv2.INTER_AREA)
    away = cv2.copyMakeBorder(small, 150, 150, 200, 200, cv2.BORDER_REPLICATE)
    (finding,) = [one for one in board_findings(Frame(away, 0), 0) if one.check == "camera-distance"]
    assert str(finding.verdict) == "warning" and "pixels" in str(finding.text)


def test_no_board_is_a_problem() -> None:
    """A table without a board is reported with the board reader's own reason."""
    assert checks(np.full((480, 640, 3), 120, np.uint8)) == {"camera-board": "problem"}


def test_the_command_uses_the_table_s_camera(tmp_path: Path, good_picture: NDArray[np.uint8]) -> None:
    """The report is in both languages, and a table is healthy while nothing is a problem; darkness is a problem."""
    picture = tmp_path / "board.jpg"
    picture.write_bytes(encode_jpeg(good_picture))
    file = tmp_path / "table.toml"
    file.write_text(f'table = 7\ndata = "{tmp_path}"\n[board]\nsource = "camera"\ndevice = "{picture}"\n')
    answer = CliRunner().invoke(app, ["doctor", "--camera", "--config", str(file), "--json"])
    (report,) = json.loads(answer.output)["reports"]
    assert report["healthy"] and all(finding["ja"] != finding["en"] for finding in report["findings"])
    picture.write_bytes(encode_jpeg(np.zeros((480, 640, 3), np.uint8)))
    answer = CliRunner().invoke(app, ["doctor", "--camera", "--config", str(file), "--json"])
    (report,) = json.loads(answer.output)["reports"]
    assert not report["healthy"] and "cap" in report["findings"][-1]["en"]


@pytest.mark.parametrize(("adjustable", "verdict"), [(True, "ok"), (False, "warning")])
def test_the_exposure_is_set_before_the_picture_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, adjustable: bool, verdict: str
) -> None:
    """An overexposed picture is warned of only if the camera's exposure cannot be set."""
    table = table_of(TUNE, 3, SceneRequest(size=(640, 480), stress=False, elevation=(60.0, 80.0)))
    camera = SimulatedCamera(table, START, adjustable=adjustable)
    camera.light(5.0)
    monkeypatch.setattr(doctor_camera, "opener", lambda device, time_base: lambda: camera)
    file = tmp_path / "table.toml"
    file.write_text(f'table = 7\ndata = "{tmp_path}"\n[board]\nsource = "camera"\ndevice = "/dev/video0"\n')
    found = {finding.check: str(finding.verdict) for finding in camera_findings(file)}
    assert found["camera-light"] == verdict
    assert not adjustable or found["camera-board"] == "ok"


@pytest.mark.parametrize("device", ["/dev/video99", "http://127.0.0.1:9/none.mjpg"])
def test_a_camera_that_cannot_be_opened_is_told_without_opencv(device: str, tmp_path: Path) -> None:
    """OpenCV and FFmpeg would write lines of their own, in English, and a table that looks for its camera one a
    second."""
    config = tmp_path / "table.toml"
    config.write_text(f'table = 1\ndata = "{tmp_path}"\n[board]\nsource = "camera"\ndevice = "{device}"\n')
    plain = {name: value for name, value in os.environ.items() if not name.startswith("OPENCV_")}
    command = [sys.executable, "-m", "kiosk", "doctor", "--camera", "--config", str(config)]
    ended = subprocess.run(command, env=plain, capture_output=True, text=True, check=False)
    assert re.search("cannot be (opened|reached)", ended.stdout)
    assert ended.stderr == ""
