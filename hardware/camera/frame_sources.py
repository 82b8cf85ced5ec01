"""Frame sources: a USB camera, a Pi camera, a network address, a file, a folder, a video file.

Opening either works or raises an error with instructions. A reader without further frames returns None, never an old
frame.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from hardware.camera.frames_and_camera_faults import Frame, FrameReader
from hardware.camera.picture_decoding_overlays_and_quality import PictureError, check_size, load
from hardware.errors import HardwareError, say
from hardware.real_and_simulated_time import NS_PER_MS, TimeBase

#: maximum bytes of a compressed picture; longer data is not one
_MOST_PACKED = 4_000_000
_START, _END = b"\xff\xd8", b"\xff\xd9"
#: width and height of a picture
SIZE = (640, 480)
_PICTURES = {".jpg", ".jpeg", ".png"}
#: name of a recorded picture
_RECORDED_NAME = re.compile(r"(\d{12})ms\.jpg", re.ASCII)
#: time between two recorded pictures, their JPEG quality, and the bytes of the disk that are left free
_RECORDED_MS, _RECORDED_QUALITY, _KEPT_FREE = 200, 90, 1 << 30
_SIDES = (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)
#: V4L2's values for exposure set by a program and for automatic exposure
_BY_HAND, _BY_ITSELF = 1, 3
#: a driver's time further from ours than this comes from another clock
_SAME_CLOCK_NS = 2_000 * NS_PER_MS
#: options of ``rpicam-vid``
_RPICAM = f"-t 0 --nopreview --codec mjpeg --width {SIZE[0]} --height {SIZE[1]} --framerate 10 --flush -o -"
#: its limit, each way
_MOST_STOPS = 10.0


class CameraError(HardwareError):
    """A camera cannot be opened."""


_NO_FILM = say("{file} is no film that can be read; save it as MP4")
_NO_DEVICE = say("camera {camera} cannot be opened; plug it in, or see which there are with: ls /dev/video*")
_NO_ADDRESS = say("the camera cannot be reached; check its address, its power and the network")
_NO_PROGRAM = say("{program} is not installed; install it with: sudo apt install rpicam-apps")
_NO_PICTURE = say("{place} holds no JPEG or PNG picture; name a picture or a folder of pictures")
_DISK_FULL = say("less than 1 GiB of the disk is free")


class Capture:
    """Source opened by OpenCV: a V4L2 device (its number or path) or an address. ``live`` False: a video file, whose
    own time counts from its opening."""

    def __init__(self, place: str, time_base: TimeBase, live: bool = True) -> None:
        self._time_base, self._live, self._start_ns = time_base, live, time_base.now_ns()
        self._stops, self._film = 0.0, "" if live else place  # a film's name until its first picture
        device = int(place) if place.isdigit() else place
        self._local = place.isdigit() or place.startswith("/dev/")
        self._capture = cv2.VideoCapture(device, cv2.CAP_V4L2 if self._local else cv2.CAP_ANY)
        if not self._capture.isOpened():
            text = _NO_FILM if not live else _NO_DEVICE if self._local else _NO_ADDRESS
            raise CameraError(text(camera=place, file=place))
        if not live:
            check_size(place, *(int(self._capture.get(side)) for side in _SIDES))
        if self._local:
            self._capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
            self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, SIZE[0])
            self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, SIZE[1])
            self._capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)  # avoids outdated pictures
            # settings of an earlier program last as long as the camera has power
            self._capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, _BY_ITSELF)

    def read(self) -> Frame | None:
        there, image = self._capture.read()
        if not there or image is None:
            if self._film:  # OpenCV opens any file with a picture's extension
                raise CameraError(_NO_FILM(file=self._film))
            return None
        self._film = ""
        return Frame(np.asarray(image, np.uint8), self._taken_ns(), self._stops)

    def _taken_ns(self) -> int:
        told_ns = int(self._capture.get(cv2.CAP_PROP_POS_MSEC) * NS_PER_MS)
        if not self._live:
            return self._start_ns + told_ns
        now_ns = self._time_base.now_ns()
        # V4L2 stamps with the monotonic clock; network streams carry their sender's.
        return told_ns if self._local and 0 <= now_ns - told_ns < _SAME_CLOCK_NS else now_ns

    def brighten(self, stops: float) -> bool:
        time = self._capture.get(cv2.CAP_PROP_EXPOSURE) if self._local else 0
        if time <= 0 or not self._capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, _BY_HAND):
            return False
        if not self._capture.set(cv2.CAP_PROP_EXPOSURE, max(round(time * 2.0**stops), 1)):
            return False
        self._stops += stops
        return True

    def close(self) -> None:
        self._capture.release()


class PiCamera:
    """Pi camera read through ``rpicam-vid``, a subprocess that writes one JPEG after another."""

    def __init__(self, time_base: TimeBase, command: str = "rpicam-vid") -> None:
        if (program := shutil.which(command)) is None:
            raise CameraError(_NO_PROGRAM(program=command))
        self._asked, self._time_base, self._stops = [program, *_RPICAM.split()], time_base, 0.0
        self._begin()

    def _begin(self) -> None:
        asked = [*self._asked, "--ev", f"{self._stops:.2f}"]
        self._process = subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self._held = b""

    def read(self) -> Frame | None:
        assert self._process.stdout is not None
        while True:
            start = self._held.find(_START)
            end = self._held.find(_END, start + 2) if start >= 0 else -1
            if end >= 0:
                packed, self._held = self._held[start : end + 2], self._held[end + 2 :]
                image = cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_COLOR)
                if image is not None:
                    return Frame(np.asarray(image, np.uint8), self._time_base.now_ns(), self._stops)
            elif len(self._held) <= _MOST_PACKED and (more := self._process.stdout.read1(65_536)):  # type: ignore[attr-defined]
                self._held += more
            else:
                return None

    def brighten(self, stops: float) -> bool:
        if abs(self._stops + stops) > _MOST_STOPS:
            return False
        self.close()  # it accepts no settings while running
        self._stops += stops
        self._begin()
        return True

    def close(self) -> None:
        self._process.terminate()
        with self._process:  # its end closes the pipe and waits
            try:
                self._process.wait(timeout=2)
            except subprocess.TimeoutExpired:
                self._process.kill()


class ImageFileReader:
    """Pictures of a file or a folder (by name), stamped as if ten were taken each second, or as ``RecordingReader``
    named them."""

    def __init__(self, place: Path, time_base: TimeBase) -> None:
        paths = [place] if place.is_file() else sorted(place.iterdir()) if place.is_dir() else []
        self._left = [path for path in paths if path.suffix.lower() in _PICTURES]
        if not self._left:
            raise CameraError(_NO_PICTURE(place=place))
        self._start_ns = self._at_ns = time_base.now_ns()

    def read(self) -> Frame | None:
        while self._left:
            path = self._left.pop(0)
            try:
                image = load(path)
            except (PictureError, OSError):
                continue  # a damaged picture of a folder counts as a lost frame
            match = _RECORDED_NAME.fullmatch(path.name)
            self._at_ns = self._start_ns + int(match[1]) * NS_PER_MS if match else self._at_ns + 100 * NS_PER_MS
            return Frame(image, self._at_ns)
        return None

    def brighten(self, stops: float) -> bool:
        return False

    def close(self) -> None:
        self._left.clear()


class RecordingReader:
    """Reader that also stores its pictures in a folder, as JPEG files named by their time in milliseconds. In a folder
    with pictures of an earlier start of the machine, which counted its own time, the new names continue after theirs.

    :param reader: where the pictures come from.
    :param tell: called at each picture that is to be stored, with the ``OSError`` or ``CameraError`` for which it is
        not; None if it is.
    """

    def __init__(self, reader: FrameReader, folder: Path, tell: Callable[[Exception | None], object]) -> None:
        self._reader, self._folder, self._tell = reader, folder, tell
        self.brighten, self.close = reader.brighten, reader.close
        self._last_ns: int | None = None
        self._ahead_ms: int | None = None  # of the names before the time

    def read(self) -> Frame | None:
        frame = self._reader.read()
        if frame is not None and (self._last_ns is None or frame.at_ns - self._last_ns >= _RECORDED_MS * NS_PER_MS):
            self._last_ns = frame.at_ns
            self._tell(self._store(frame))
        return frame

    def _store(self, frame: Frame) -> Exception | None:
        """Write a picture; return what prevents it, because a full or missing disk must not disturb the game."""
        at_ms = frame.at_ns // NS_PER_MS
        try:
            if self._ahead_ms is None:
                names = (_RECORDED_NAME.fullmatch(path.name) for path in self._folder.iterdir())
                newest_ms = max((int(name[1]) for name in names if name), default=-1)
                self._ahead_ms = 0 if at_ms > newest_ms else newest_ms + _RECORDED_MS - at_ms
            if shutil.disk_usage(self._folder).free <= _KEPT_FREE:
                return CameraError(_DISK_FULL)
            packed = cv2.imencode(".jpg", frame.image, [cv2.IMWRITE_JPEG_QUALITY, _RECORDED_QUALITY])[1].tobytes()
            (self._folder / f"{at_ms + self._ahead_ms:012d}ms.jpg").write_bytes(packed)
        except OSError as error:
            return error
        return None


def opener(place: str, time_base: TimeBase) -> Callable[[], FrameReader]:
    """Return a function that opens what a table's configuration names: ``pi``, a number or /dev/video… of a USB camera,
    an address (http://…, rtsp://…), a picture, a folder, a video file. Each call opens it anew and may raise
    ``CameraError``."""
    if place == "pi":
        return lambda: PiCamera(time_base)
    if place.isdigit() or place.startswith("/dev/") or "://" in place:
        return lambda: Capture(place, time_base)
    return lambda: _open_file(Path(place), time_base)


def _open_file(path: Path, time_base: TimeBase) -> FrameReader:
    if not path.exists():
        raise CameraError(say("{file} is not there; check its name and its folder", file=path))
    if path.is_dir() or path.suffix.lower() in _PICTURES:
        return ImageFileReader(path, time_base)
    return Capture(str(path), time_base, live=False)
