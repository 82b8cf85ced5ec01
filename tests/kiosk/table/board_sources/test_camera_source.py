"""Tests of a camera as a table's board source: the real thread, watcher and filter over a rendered board."""

from __future__ import annotations

import queue
from pathlib import Path
from time import sleep

import pytest
from drawn_tables.camera_over_drawn_table import SimulatedCamera
from drawn_tables.seeded_table_scene import TUNE, SceneRequest, table_of
from waiting import HANGS_S, until

from engine.i18n import text_of
from hardware.camera import frame_sources
from hardware.camera.frames_and_camera_faults import Frame, FrameReader
from hardware.errors import ErrorText, HardwareError
from hardware.reading_stability_filter import SquareFault, StableReading
from hardware.real_and_simulated_time import NS_PER_S, ManualTime
from kiosk.locale import JAPANESE, render
from kiosk.table.board_sources.board_source_interface_and_factory import open_source
from kiosk.table.board_sources.camera_source import OPENS_S, CameraSource
from kiosk.table.table_config import BoardConfig

START = "-" * 27 + "OX------XO" + "-" * 27


class Reader:
    """A simulated camera that runs on the table's time."""

    def __init__(self, camera: SimulatedCamera, time: ManualTime) -> None:
        self.camera, self.time = camera, time

    def read(self) -> Frame | None:
        frame = self.camera.read()
        if frame is not None:
            self.time.advance(frame.at_ns - self.time.now_ns())
        return frame

    def brighten(self, stops: float) -> bool:
        return self.camera.brighten(stops)

    def close(self) -> None: ...


class Passing:
    """Seconds of which one passes with each look."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        self.now_s += 1
        return self.now_s


@pytest.mark.parametrize(
    ("device", "shown"),
    [
        ("rtsp://arbiter:geheim@10.0.0.5:554/stream", "rtsp://10.0.0.5:554/stream"),
        ("http://arbiter:a@b@camera.local", "http://camera.local"),
        ("http://camera.local/view@2", "http://camera.local/view@2"),
    ],
)
def test_players_are_not_shown_the_password_of_a_camera(device: str, shown: str) -> None:
    def lost() -> FrameReader:
        raise HardwareError(ErrorText("no camera"))

    clock, board = Passing(), BoardConfig(source="camera", device=device)
    source = CameraSource(board, ManualTime(), lambda item: None, lost, monotonic_s=clock)
    clock.now_s += OPENS_S
    assert str(source.trouble()) == f"The camera {shown} gives no picture. Check its cable or network."


def test_a_camera_that_is_being_opened_is_not_reported_as_faulty() -> None:
    """Else each start of a table would alarm the arbiters for a second."""

    def lost() -> FrameReader:
        raise HardwareError(ErrorText("no camera"))

    now_s = 100.0
    board = BoardConfig(source="camera", device="/dev/video0")
    source = CameraSource(board, ManualTime(), lambda item: None, lost, monotonic_s=lambda: now_s)
    now_s = 200.0  # the rest of the table is assembled
    source.start()
    try:
        now_s += OPENS_S / 2
        assert source.trouble() is None
        now_s += OPENS_S
        assert str(source.trouble()) == "The camera /dev/video0 gives no picture. Check its cable or network."
    finally:
        source.close()


@pytest.mark.slow
def test_an_overexposed_board_is_read_after_the_exposure_is_lowered() -> None:
    """Over a dark floor the exposure is lowered; a camera whose exposure cannot be set reports that the board is too
    bright."""
    wish = SceneRequest(size=(640, 480), stress=False, elevation=(60.0, 80.0))
    for adjustable in (True, False):
        camera = SimulatedCamera(table_of(TUNE, 3, wish), START, adjustable=adjustable)
        camera.light(9.0)
        time, heard = ManualTime(), queue.Queue[StableReading | SquareFault]()
        board = BoardConfig(source="camera", device="/dev/video0")
        source = CameraSource(board, time, heard.put, lambda: Reader(camera, time), monotonic_s=Passing())  # noqa: B023
        source.start()
        try:
            if adjustable:
                reading = heard.get(timeout=HANGS_S)
                assert isinstance(reading, StableReading) and reading.cells.count("?") == 0
                assert source.trouble() is None
            else:
                while "The camera's picture is too bright." not in str(source.trouble()):
                    assert time.now_ns() < 60 * NS_PER_S
                    sleep(0.01)
                assert heard.empty()
        finally:
            camera.close()
            source.close()


def test_a_request_is_answered_and_an_unplugged_camera_reported() -> None:
    """The start position arrives as a reading, an answer has its request's number, and an unplugged camera is
    reported to the arbiter."""
    camera = SimulatedCamera(
        table_of(TUNE, 3, SceneRequest(size=(640, 480), stress=False, elevation=(60.0, 80.0))), START
    )
    time, heard = ManualTime(), queue.Queue[StableReading | SquareFault]()

    def open_reader() -> FrameReader:
        return Reader(camera, time)

    source = CameraSource(BoardConfig(source="camera", device="/dev/video0"), time, heard.put, open_reader)
    source.start()
    try:
        first = heard.get(timeout=HANGS_S)
        assert isinstance(first, StableReading)
        assert first.cells in (START, START.translate(str.maketrans("XO", "OX")))
        assert source.trouble() is None
        source.ask(41)
        while True:
            answer = heard.get(timeout=HANGS_S)
            if isinstance(answer, StableReading) and answer.answers == 41:
                break
        assert answer.cells == first.cells
    finally:
        camera.close()
        source.close()
    assert str(source.trouble()) == "The camera /dev/video0 gives no picture. Check its cable or network."


def test_the_arbiter_is_told_when_pictures_are_not_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Until they are again; the board is read on, and the log tells it once."""
    camera = SimulatedCamera(
        table_of(TUNE, 3, SceneRequest(size=(640, 480), stress=False, elevation=(60.0, 80.0))), START
    )
    time, heard = ManualTime(), queue.Queue[StableReading | SquareFault]()
    monkeypatch.setattr(frame_sources, "opener", lambda *_: lambda: Reader(camera, time))
    folder = tmp_path / "stick"
    config = BoardConfig(source="camera", device="/dev/video0")
    source = open_source(config, time, heard.put, recording_folder=folder)
    assert source is not None
    source.start()
    try:
        heard.get(timeout=HANGS_S)
        until(lambda: source.trouble() is not None)
        told = text_of(source.trouble())
        assert render(told, JAPANESE).startswith("カメラの画像を保存できません（ファイルかフォルダーがありません）")
        folder.mkdir()
        until(lambda: source.trouble() is None)
        assert list(folder.iterdir())
    finally:
        camera.close()
        source.close()
    assert caplog.text.count("are not recorded") == 1
