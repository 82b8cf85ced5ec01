"""Tests that the texts about a table's camera are for a camera that hangs over the board, in both languages."""

from __future__ import annotations

import pytest

from engine.i18n import Renderable
from hardware.camera.board_finder import Reason
from hardware.camera.frames_and_camera_faults import CameraStatus
from kiosk.locale import ENGLISH, JAPANESE, render
from kiosk.table.board_sources.camera_fault_texts import board_trouble, camera_trouble

FAULTS = [status for status in CameraStatus if status is not CameraStatus.WELL]


def in_both_languages(text: Renderable | None) -> tuple[str, str]:
    """Return the text, which has to be a sentence like the others of the table's screen."""
    assert text is not None
    english, japanese = render(text, ENGLISH), render(text, JAPANESE)
    assert english[0].isupper() and english.endswith(".")
    assert japanese.endswith("。") and japanese != english
    return english, japanese


@pytest.mark.parametrize("status", FAULTS)
def test_each_fault_of_the_camera_names_the_camera(status: CameraStatus) -> None:
    for text in in_both_languages(camera_trouble(status, "/dev/video0")):
        assert "/dev/video0" in text


@pytest.mark.parametrize("reason", Reason)
def test_each_reason_tells_what_to_do_with_a_camera_that_hangs(reason: Reason) -> None:
    """Nobody holds it: nobody can step back, go nearer, or take the picture again."""
    english, japanese = in_both_languages(board_trouble(reason, False))
    assert not any(words in english for words in ("step back", "go nearer", "hold the camera", "The picture"))
    assert "撮" not in japanese and "離れて" not in japanese and "近づいて" not in japanese
    assert reason is Reason.HAND or ("camera" in english and "カメラ" in japanese)


def test_each_reason_has_a_text_of_its_own() -> None:
    assert len({board_trouble(reason, False) for reason in Reason}) == len(Reason)


def test_a_picture_that_is_too_bright_is_told_apart_from_refusals() -> None:
    english, japanese = in_both_languages(board_trouble(Reason.NO_BOARD, True))
    assert "camera's picture is too bright" in english and "カメラの画像が明るすぎ" in japanese


def test_a_camera_that_reads_the_board_has_no_trouble() -> None:
    assert camera_trouble(CameraStatus.WELL, "/dev/video0") is None and board_trouble(None, False) is None
