"""Exposure control: requests to a camera for a readable board."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.camera.camera_pipeline import BRIGHTEST, DARKEST, MORE, Exposure
from hardware.camera.frames_and_camera_faults import Frame
from hardware.real_and_simulated_time import NS_PER_MS

_WHITE, _BLACK = np.full((480, 640, 3), 255, np.uint8), np.zeros((480, 640, 3), np.uint8)


def pictured(at_ms: int, image: np.ndarray = _BLACK, stops: float = 0.0) -> Frame:
    return Frame(image, at_ms * NS_PER_MS, stops)


def asked(exposure: Exposure, levels: list[float], every_ms: int = 1_100) -> list[float]:
    out = []
    for number, level in enumerate(levels):
        exposure.board(pictured(number * every_ms, stops=sum(out)), level)
        out.append(exposure.stops())
    return out


def test_no_exposure_change_is_requested_between_the_bounds() -> None:
    """Between the bounds nothing is requested, and each request is returned once."""
    assert asked(Exposure(), [BRIGHTEST, 0.4, DARKEST]) == [0, 0, 0]
    exposure = Exposure()
    exposure.board(pictured(0), 0.9)
    assert exposure.stops() < 0 and exposure.stops() == 0


@pytest.mark.parametrize("true", [1.9, 1.1, 0.85, 0.09, 0.03])
def test_requested_exposure_makes_the_cloth_readable(true: float) -> None:
    """A camera that follows the requests reaches a readable exposure from any start."""
    exposure, together, shown = Exposure(), 0.0, 0.0
    for second in range(6):
        shown = min(true**2.2 * 2.0**together, 1.0) ** (1 / 2.2)
        exposure.board(pictured(second * 1_100, stops=together), shown)
        together += exposure.stops()
    assert DARKEST <= shown <= BRIGHTEST
    assert asked(exposure, [shown]) == [0]


def test_next_request_waits_for_the_effect_of_the_last() -> None:
    changed = [stops != 0 for stops in asked(Exposure(), [0.97] * 12, every_ms=100)]
    assert changed == [True, *9 * [False], True, False]


def test_requests_without_effect_are_limited_to_five_stops() -> None:
    assert sum(asked(Exposure(), [1.0] * 30)) == pytest.approx(-5)
    assert sum(asked(Exposure(), [0.0] * 30)) == pytest.approx(5)


def test_lowered_exposure_is_raised_when_the_cloth_is_dark() -> None:
    for before, level, wanted in ((-2.0, 0.13, True), (-2.0, MORE, False), (0.0, 0.13, False)):
        exposure = Exposure()
        exposure.board(pictured(0, stops=before), level)
        assert (exposure.stops() > 0) is wanted


def test_without_a_board_only_an_overexposed_picture_changes_the_exposure() -> None:
    """A covered lens causes no request, and too dark a setting is reverted."""
    exposure = Exposure()
    exposure.no_board(pictured(0))
    assert exposure.stops() == 0
    exposure.no_board(pictured(2_000, _WHITE))
    darker = exposure.stops()
    exposure.no_board(pictured(4_000, stops=darker))
    assert darker < 0 and exposure.stops() == -darker
