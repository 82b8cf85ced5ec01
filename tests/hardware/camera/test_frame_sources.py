"""Frame sources and picture decoding, and the detection of and recovery from camera faults."""

from __future__ import annotations

import os
import shutil
import struct
import threading
import time
from pathlib import Path

import cv2
import numpy as np
import pytest
from waiting import HANGS_S, until

from hardware.camera.camera_pipeline import Camera
from hardware.camera.frame_sources import CameraError, Capture, ImageFileReader, PiCamera, RecordingReader, opener
from hardware.camera.frames_and_camera_faults import CameraStatus, Frame, FrameHealth, FrameReader
from hardware.camera.picture_decoding_overlays_and_quality import (
    MOST_BYTES,
    MOST_SCANS,
    PictureError,
    check_size,
    count_scans,
    decode_picture,
    dimensions,
    load,
)
from hardware.errors import say
from hardware.real_and_simulated_time import NS_PER_MS, ManualTime, ScaledTime
from kiosk.table.board_sources.camera_fault_texts import camera_trouble


def noise(number: int = 0) -> np.ndarray:
    return np.random.default_rng(number).integers(60, 200, (120, 160, 3)).astype(np.uint8)


def jpeg(image: np.ndarray) -> bytes:
    return cv2.imencode(".jpg", image)[1].tobytes()


def test_picture_with_too_many_pixels_is_refused_by_its_header() -> None:
    """A picture whose header gives a billion pixels is refused before decoding."""
    header = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + struct.pack(">II", 40_000, 40_000)
    with pytest.raises(PictureError, match="too large"):
        decode_picture(header + b"\0" * 64, "x.png")


@pytest.mark.parametrize("packed", [b"\0", b"GIF89a" + b"\0" * 90, b"\xff\xd8\xff", b"\xff\xd8\xff\xe0\x00\x02" * 3])
def test_file_that_is_not_a_picture_is_refused(packed: bytes) -> None:
    with pytest.raises(PictureError, match="no JPEG or PNG"):
        decode_picture(packed, "x")


def test_an_empty_file_is_called_empty(tmp_path: Path) -> None:
    (tmp_path / "x.jpg").touch()
    with pytest.raises(PictureError, match=r"x\.jpg is empty"):
        load(tmp_path / "x.jpg")


def test_the_size_of_a_picture_is_in_the_readers_language(tmp_path: Path) -> None:
    """Fields of a message hold figures and names, because only its template is translated."""
    with (tmp_path / "x.jpg").open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(PictureError, match=r"x\.jpg is too large \(40000001 bytes\)") as weight:
        load(tmp_path / "x.jpg")
    with pytest.raises(PictureError, match=r"x is too large \(12000×9000 pixels\)") as pixels:
        check_size("x", 12_000, 9_000)
    assert dict(weight.value.text.fields) == {"file": tmp_path / "x.jpg", "size": 40_000_001}
    assert dict(pixels.value.text.fields) == {"file": "x", "height": 9_000, "width": 12_000}


def test_a_jpeg_damaged_in_the_middle_is_refused(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Its decoder tells damage on stderr only, which several threads would share. Bytes too many do no harm."""
    whole = jpeg(noise())
    damaged = whole[: len(whole) // 2] + b"\xff\xd9"
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    assert decode_picture(damaged, "x").shape == (120, 160, 3)
    assert "premature end" in capfd.readouterr().err
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    opened = set(Path("/proc/self/fd").iterdir())
    with pytest.raises(PictureError, match="x is damaged"):
        decode_picture(damaged, "x")
    assert decode_picture(whole[:-2] + bytes(9) + whole[-2:], "x").shape == (120, 160, 3)
    assert capfd.readouterr().err == ""
    os.write(2, b"stderr is as before")
    assert capfd.readouterr().err == "stderr is as before" and set(Path("/proc/self/fd").iterdir()) == opened


def progressive(repeats: int) -> bytes:
    packed = cv2.imencode(".jpg", noise(), [cv2.IMWRITE_JPEG_PROGRESSIVE, 1])[1].tobytes()
    last = packed[packed.rindex(b"\xff\xda") : -2]
    return packed[:-2] + repeats * last + b"\xff\xd9"


def test_jpeg_of_too_many_scans_is_refused_before_decoding() -> None:
    """Each scan takes as long as the picture is large. What follows the end, or is within a segment, is no scan."""
    usual = progressive(0)
    inner = b"\xff\xe1" + struct.pack(">H", 2 + 5 * len(b"\xff\xda\x00\x02")) + 5 * b"\xff\xda\x00\x02"
    whole = usual[:2] + inner + usual[2:] + 100 * b"\xff\xda\x00\x02"
    assert 5 < count_scans(usual) == count_scans(whole) < 20 and decode_picture(whole, "x").shape == (120, 160, 3)
    assert count_scans(jpeg(noise())) == 1
    assert count_scans(b"") == count_scans(cv2.imencode(".png", noise())[1].tobytes()) == 0
    assert decode_picture(progressive(MOST_SCANS - count_scans(usual)), "x").shape == (120, 160, 3)
    with pytest.raises(PictureError, match="more than 40 scans"):
        decode_picture(progressive(MOST_SCANS - count_scans(usual) + 1), "x")


def test_jpeg_size_is_found_behind_markers_without_length() -> None:
    """Markers without a length are skipped as the decoder skips them, so that no size can be hidden behind one."""
    frame = b"\xff\xc0\x00\x11\x08" + struct.pack(">HH", 30_000, 30_000) + b"\x03\x01\x11\x00\x02\x11\x01\x03\x11\x01"
    filler = 0xFFC0 - len(frame) - 4
    hidden = b"\xff\xd8\xff\x01" + frame + b"\xff\xfe" + struct.pack(">H", filler + 2) + bytes(filler)
    assert dimensions(hidden + jpeg(noise())[2:]) == (30_000, 30_000)


def test_dimensions_from_the_header_match_the_decoded_picture() -> None:
    """Width and height are known before decoding, in both formats and for truncated files."""
    image = noise()
    for packed in (jpeg(image), cv2.imencode(".png", image)[1].tobytes()):
        assert dimensions(packed) == (160, 120)
        assert decode_picture(packed, "x").shape == (120, 160, 3)
    with pytest.raises(PictureError):
        decode_picture(cv2.imencode(".png", image)[1].tobytes()[:60], "x")


def test_pictures_of_a_folder_are_read_in_order_of_their_names(tmp_path: Path) -> None:
    """Pictures come in the order of their names, a tenth of a second apart; a damaged one is a lost frame."""
    for number in range(3):
        (tmp_path / f"{number}.jpg").write_bytes(jpeg(noise(number)))
    (tmp_path / "1.jpg").write_bytes(b"\xff\xd8\xff")
    reader = opener(str(tmp_path), ManualTime(5))()
    frames = [reader.read() for _ in range(3)]
    assert [frame.at_ns - 5 for frame in frames if frame] == [100 * NS_PER_MS, 200 * NS_PER_MS]
    assert frames[2] is None
    with pytest.raises(CameraError, match="holds no"):
        ImageFileReader(tmp_path / "none", ManualTime())


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return a folder of four pictures that were taken within a second."""
    folder = tmp_path / "source"
    folder.mkdir()
    for at_ms in (0, 100, 200, 1000):
        cv2.imwrite(str(folder / f"{at_ms:012d}ms.jpg"), noise(at_ms))
    return folder


def record(source: Path, folder: Path, start_ms: int) -> list[Exception | None]:
    """Record the pictures on a machine that counts from ``start_ms``; return what is told at each."""
    told: list[Exception | None] = []
    reader = RecordingReader(ImageFileReader(source, ManualTime(start_ms * NS_PER_MS)), folder, told.append)
    assert len(list(iter(reader.read, None))) == 4, "every picture still reaches the table"
    return told


def test_recorded_pictures_are_read_back_with_their_times(source: Path, tmp_path: Path) -> None:
    """Five pictures a second are stored, and every picture still reaches the table."""
    folder = tmp_path / "recorded"
    folder.mkdir()
    recording = RecordingReader(ImageFileReader(source, ManualTime()), folder, lambda _: None)
    taken = [frame.at_ns // NS_PER_MS for frame in iter(recording.read, None)]
    assert taken == [0, 100, 200, 1000]
    again = ImageFileReader(folder, ManualTime())
    assert [frame.at_ns // NS_PER_MS for frame in iter(again.read, None)] == [0, 200, 1000]


def test_pictures_recorded_after_a_restart_of_the_machine_come_last(source: Path, tmp_path: Path) -> None:
    """A machine counts its time from its start; in a folder with pictures the names continue after the newest. A
    camera that was lost meanwhile keeps its time."""
    folder = tmp_path / "recorded"
    folder.mkdir()
    for start_ms in (50_000, 60_000, 3_000, 55_000):
        record(source, folder, start_ms)
    starts = (50_000, 60_000, 61_200, 62_400)
    names = [f"{start_ms + at_ms:012d}ms.jpg" for start_ms in starts for at_ms in (0, 200, 1000)]
    assert sorted(path.name for path in folder.iterdir()) == names
    again = ImageFileReader(folder, ManualTime())
    pictures = [frame.image for frame in iter(again.read, None)]
    assert all(np.array_equal(picture, pictures[at % 3]) for at, picture in enumerate(pictures))


def test_pictures_that_cannot_be_recorded_are_told(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "recorded"
    assert [type(error) for error in record(source, folder, 0)] == [FileNotFoundError] * 3
    folder.mkdir()
    with monkeypatch.context() as patched:
        free = [1 << 40, 1 << 30, 1 << 40]
        patched.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1 << 41, 0, free.pop()))  # type: ignore[attr-defined]
        told = record(source, folder, 0)
    assert [str(error) for error in told] == ["None", "less than 1 GiB of the disk is free", "None"]
    assert len(list(folder.iterdir())) == 2


def test_frames_of_a_video_file_keep_their_intervals(tmp_path: Path) -> None:
    path = tmp_path / "game.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (160, 120))
    for number in range(5):
        writer.write(noise(number))
    writer.release()
    reader = Capture(str(path), ManualTime(), live=False)
    times = [frame.at_ns for _ in range(5) if (frame := reader.read()) is not None]
    assert len(times) == 5
    assert np.diff(times).tolist() == pytest.approx([100 * NS_PER_MS] * 4, rel=0.02)
    assert reader.read() is None
    reader.close()


def test_error_of_a_missing_camera_says_what_to_do() -> None:
    with pytest.raises(CameraError, match="plug it in"):
        Capture("/dev/video977", ManualTime())
    with pytest.raises(CameraError, match="rpicam-apps"):
        PiCamera(ManualTime(), command="rpicam-vid-that-nobody-has")


@pytest.mark.parametrize("name", ["game.mp4", "board.jpg", "pictures"])
def test_a_missing_file_is_said_to_be_missing(name: str, tmp_path: Path) -> None:
    with pytest.raises(CameraError, match=f"{name} is not there"):
        opener(str(tmp_path / name), ManualTime())()


def test_a_network_camera_that_is_not_reached_is_not_looked_for_among_the_devices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Webcam, "isOpened", lambda _: False)
    monkeypatch.setattr(cv2, "VideoCapture", Webcam)
    with pytest.raises(CameraError, match="cannot be reached; check its address") as caught:
        opener("http://arbiter:geheim@phone/video", ManualTime())()
    assert "geheim" not in str(caught.value)
    with pytest.raises(CameraError, match="ls /dev/video"):
        opener("0", ManualTime())()


def test_jpegs_of_a_subprocess_are_separated(tmp_path: Path) -> None:
    """JPEGs are separated in the stream of a pipe; the end of the pipe ends the camera."""
    (tmp_path / "both").write_bytes(jpeg(noise(1)) + jpeg(noise(2)))
    program = tmp_path / "rpicam"
    program.write_text(f"#!/bin/sh\ncat {tmp_path / 'both'}\n")
    program.chmod(0o755)
    camera = PiCamera(ManualTime(9), command=str(program))
    shapes = [frame.image.shape for _ in range(2) if (frame := camera.read()) is not None]
    assert shapes == [(120, 160, 3)] * 2
    assert camera.read() is None
    camera.close()


def test_exposure_of_a_pi_camera_is_changed_by_a_restart(tmp_path: Path) -> None:
    """The program is restarted with another exposure, and not beyond its limit."""
    (tmp_path / "one").write_bytes(jpeg(noise(1)))
    program = tmp_path / "rpicam"
    program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\ncat {tmp_path}/one\n')
    program.chmod(0o755)
    camera = PiCamera(ManualTime(9), command=str(program))
    assert camera.read() is not None
    assert camera.brighten(-2.0) and camera.read() is not None
    assert camera.brighten(0.5) and camera.read() is not None
    assert not camera.brighten(-9.0)
    camera.close()
    asked = [line.split("--ev ")[1].split()[0] for line in (tmp_path / "asked").read_text().splitlines()]
    assert asked == ["0.00", "-2.00", "-1.50"]


class Webcam:
    """A stand-in for OpenCV's USB camera; ``time`` is the exposure in tenths of a millisecond, as in V4L2."""

    least = 20.0

    def __init__(self, *what: object) -> None:
        self.mode, self.time = 3.0, 156.0

    def isOpened(self) -> bool:
        return True

    def get(self, what: int) -> float:
        return self.time if what == cv2.CAP_PROP_EXPOSURE else 0.0

    def set(self, what: int, value: float) -> bool:
        if what == cv2.CAP_PROP_AUTO_EXPOSURE:
            self.mode = value
        elif what == cv2.CAP_PROP_EXPOSURE:
            if self.mode != 1 or value < self.least:
                return False
            self.time = value
        return True

    def read(self) -> tuple[bool, np.ndarray]:
        return True, noise()

    def release(self) -> None: ...


def test_exposure_of_a_usb_camera_is_changed_by_its_controls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Automatic exposure is switched off first and on again at the next opening; the camera reports its limit."""
    opened: list[Webcam] = []
    monkeypatch.setattr(cv2, "VideoCapture", lambda *what: opened.append(Webcam()) or opened[-1])
    camera = Capture("/dev/video0", ManualTime())
    assert opened[0].mode == 3
    assert camera.brighten(-1.0) and (opened[0].mode, opened[0].time) == (1, 78)
    assert camera.brighten(0.5) and opened[0].time == 110
    assert not camera.brighten(-4.0) and opened[0].time == 110
    assert (picture := camera.read()) is not None and picture.stops == -0.5
    assert not Capture("http://camera/stream", ManualTime()).brighten(-1.0), "another machine's camera takes no orders"


def feed(health: FrameHealth, images: list[np.ndarray], every_ms: int = 100) -> list[CameraStatus]:
    return [health.feed(Frame(image, number * every_ms * NS_PER_MS)) for number, image in enumerate(images)]


def test_two_seconds_of_equal_pictures_are_reported_as_frozen() -> None:
    """Two seconds of equal pictures are a fault, which the first different picture ends."""
    still = noise()
    said = feed(FrameHealth(), [still] * 25 + [noise(1)])
    assert said[19] is CameraStatus.WELL
    assert said[24] is CameraStatus.FROZEN
    assert said[25] is CameraStatus.WELL


def test_dark_and_slow_cameras_are_reported() -> None:
    dark = [np.random.default_rng(n).integers(0, 8, (120, 160, 3)).astype(np.uint8) for n in range(3)]
    assert feed(FrameHealth(), dark)[-1] is CameraStatus.DARK
    once_a_second = [noise(n) for n in range(6)]
    assert feed(FrameHealth(), once_a_second, every_ms=1_000)[-1] is CameraStatus.SLOW
    ten_times_as_fast = ScaledTime(10).real_s
    assert feed(FrameHealth(ten_times_as_fast), once_a_second, every_ms=1_000)[-1] is CameraStatus.WELL


class Plug:
    """A camera that gives pictures while it is plugged in."""

    def __init__(self) -> None:
        self.plugged = threading.Event()
        self.count = 0
        self.asked: list[float] = []

    def open(self) -> FrameReader:
        if not self.plugged.is_set():
            raise CameraError(say("camera {camera} cannot be opened", camera="plug"))
        return self

    def read(self) -> Frame | None:
        self.count += 1
        time.sleep(0.001)
        return Frame(noise(self.count), self.count * 30 * NS_PER_MS) if self.plugged.is_set() else None

    def brighten(self, stops: float) -> bool:
        self.asked.append(stops)
        return True

    def close(self) -> None: ...


def test_exposure_requested_by_the_sink_reaches_the_camera() -> None:
    plug, told = Plug(), iter([0.0, -1.5, 0.0])
    plug.plugged.set()
    camera = Camera(plug.open, lambda frame: next(told, 0.0), "/dev/video0").start()
    until(lambda: plug.count >= 6)
    camera.close()
    assert plug.asked == [-1.5]


def test_unplugged_camera_is_reported_and_reopened() -> None:
    """The fault names the camera and ends when it is plugged in again."""
    plug, came = Plug(), threading.Semaphore(0)
    camera = Camera(plug.open, lambda frame: came.release() or 0.0, "/dev/video0", again_s=0.005).start()
    try:
        assert "/dev/video0" in str(camera_trouble(camera.sight, "/dev/video0"))
        for _ in range(2):
            plug.plugged.set()
            assert came.acquire(timeout=HANGS_S)
            while camera.sight is not CameraStatus.WELL:
                assert came.acquire(timeout=HANGS_S)
            assert camera_trouble(camera.sight, "/dev/video0") is None
            plug.plugged.clear()
            until(lambda: camera.sight is CameraStatus.GONE)
    finally:
        camera.close()


def test_error_in_the_sink_is_reported_and_the_next_picture_is_read(caplog: pytest.LogCaptureFixture) -> None:
    """An unexpected error ends no thread: it is shown and logged until a picture is read."""
    plug, wrong, looked = Plug(), threading.Event(), threading.Semaphore(0)
    plug.plugged.set()
    wrong.set()

    def sink(frame: Frame) -> float:
        looked.release()
        if wrong.is_set():
            raise ZeroDivisionError("a picture nobody thought of")
        return 0.0

    camera = Camera(plug.open, sink, "/dev/video0", again_s=0.005).start()
    try:
        for _ in range(3):
            assert looked.acquire(timeout=HANGS_S)
        assert camera.sight is CameraStatus.FAILED
        assert "restart the table" in str(camera_trouble(CameraStatus.FAILED, "/dev/video0"))
        assert "a picture nobody thought of" in caplog.text
        wrong.clear()
        until(lambda: camera_trouble(camera.sight, "/dev/video0") is None)
        assert camera.sight is CameraStatus.WELL
    finally:
        camera.close()
