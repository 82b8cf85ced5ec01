"""``kiosk doctor --camera``: faults of a table's camera over its board, and their remedies.

It uses the same reader as the table and judges by the images; the table must not run, since a camera can be opened only
once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from engine.board.variants import STANDARD
from engine.i18n import say
from hardware.camera.board_finder import Reason
from hardware.camera.board_reader import BoardReading, Refusal, read_board_picture
from hardware.camera.camera_pipeline import CameraPipeline
from hardware.camera.frame_sources import opener
from hardware.camera.frames_and_camera_faults import CameraStatus, Frame, FrameHealth, FrameReader
from hardware.camera.picture_decoding_overlays_and_quality import ImageQuality, measure_quality
from hardware.errors import HardwareError
from hardware.real_and_simulated_time import SystemTime
from kiosk.doctor.check_result import CheckResult, ok, problem, warning
from kiosk.errors import InputError
from kiosk.table.table_config import TableConfig
from kiosk.typed_toml_reader import read_toml

#: frames read, since a camera needs some to adjust its exposure; and how often another exposure is requested
PICTURES, MAX_EXPOSURES = 30, 4
#: squares of fewer pixels are read unreliably; from a lower camera (degrees), discs hide each other
FEW_PIXELS, LOW = 15, 40
DARK, BRIGHT, BLURRED = 28, 215, 0.55
#: a frame nearer to the picture's edge than this (squares) is not fully visible
NEAR_EDGE = 0.25
_TOO_NEAR = say("The camera is too near: raise it until the whole frame is seen.")


def camera_findings(config_file: Path) -> Iterator[CheckResult]:
    """Check the camera of a configured table.

    :raises InputError: the configuration cannot be read, or names no camera.
    """
    config = read_toml(config_file, TableConfig)
    if config.board.source != "camera":
        text = say('{config_file}: the board\'s source is no camera; write source = "camera"')
        raise InputError(text(config_file=config_file))
    try:
        last, status = _last_frame(opener(config.board.device, SystemTime()), config.board.quarter)
    except HardwareError as error:
        yield problem("camera", say("{what}.", what=error.text))
        return
    device = config.board.device_name
    if last is None:
        yield problem("camera", say("The camera {camera} gives no picture; check its cable or network.", camera=device))
        return
    if status is CameraStatus.DARK:
        yield problem("camera", say("The camera sees only darkness; remove its lens cap or add light."))
        return
    height, width = last.image.shape[:2]
    yield ok("camera", say("The camera {camera} gives pictures of {size}.", camera=device, size=f"{width}×{height}"))
    yield from board_findings(last, config.board.quarter)


def _last_frame(open_reader: Callable[[], FrameReader], quarter: int) -> tuple[Frame | None, CameraStatus]:
    """Return the last picture; as at the table, the camera's exposure is adjusted before."""
    reader, health, pipeline = open_reader(), FrameHealth(), CameraPipeline(quarter)
    last, status, left, exposures = None, CameraStatus.GONE, PICTURES, 0
    try:
        while left and (frame := reader.read()) is not None:
            last, status, left = frame, health.feed(frame), left - 1
            pipeline.feed(frame)
            if (stops := pipeline.stops()) and exposures < MAX_EXPOSURES and reader.brighten(stops):
                left, exposures = PICTURES, exposures + 1
    finally:
        reader.close()
    return last, status


def board_findings(frame: Frame, quarter: int) -> Iterator[CheckResult]:
    """Check the board and the light in one picture."""
    seen = read_board_picture(frame.image)
    if isinstance(seen, Refusal):
        yield problem("camera-board", say("The board is not read: {why}.", why=seen.text))
        if seen.reason is Reason.CUT_OFF:
            yield problem("camera-distance", _TOO_NEAR)
        return
    turned = read_board_picture(frame.image, np.roll(seen.corners, -quarter, axis=0))
    assert isinstance(turned, BoardReading)
    quality = measure_quality(frame.image, turned)
    if quality.unread:
        text = say(
            "The board is found, but not read on {squares}: take hands and things away; look at the light there."
        )
        yield warning("camera-board", text(squares=_square_names(quality.unread)))
    else:
        yield ok("camera-board", say("The board is found, and every square is read."))
    yield _size(quality)
    yield _angle(quality)
    yield _light(quality)
    if quality.glare:
        text = say("Glare on {squares}: move the camera or the lamp, or hang a sheet of paper before the lamp.")
        yield warning("camera-glare", text(squares=_square_names(quality.glare)))
    if quality.sharpness < BLURRED:
        yield warning("camera-focus", say("The picture is blurred: turn the lens until the board's lines are sharp."))
    else:
        yield ok("camera-focus", say("The picture is sharp."))


def _size(quality: ImageQuality) -> CheckResult:
    pixels = round(quality.square_pixels)
    if quality.edge < NEAR_EDGE:
        return warning("camera-distance", _TOO_NEAR)
    if pixels >= FEW_PIXELS:
        return ok("camera-distance", say("Squares have {pixels} pixels.", pixels=pixels))
    text = say("Squares have only {pixels} pixels, at least {least} are wanted: lower the camera or hang it steeper.")
    return warning("camera-distance", text(pixels=pixels, least=FEW_PIXELS))


def _angle(quality: ImageQuality) -> CheckResult:
    degrees = round(quality.elevation)
    if degrees >= LOW:
        return ok("camera-angle", say("The camera looks down at {degrees}°.", degrees=degrees))
    text = say("The camera looks down at {degrees}° only, and discs hide each other: hang it higher, 45° to 80°.")
    return warning("camera-angle", text(degrees=degrees))


def _light(quality: ImageQuality) -> CheckResult:
    level = round(quality.brightness)
    if DARK <= level <= BRIGHT:
        return ok("camera-light", say("The light is good ({level} of 255).", level=level))
    dark = say("The board is too dark ({level} of 255): make more light over it.")
    bright = say("The board is too bright ({level} of 255): take light away, or lower the exposure.")
    return warning("camera-light", (dark if level < DARK else bright)(level=level))


def _square_names(squares: tuple[int, ...]) -> str:
    return " ".join(STANDARD.geometry.square_names[at] for at in squares)
