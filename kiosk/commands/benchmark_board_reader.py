"""``kiosk bench-camera``: the processor time of the board reader on this machine."""

from __future__ import annotations

import json
import time
from typing import Any

import click

from kiosk.commands.command_helpers import as_json_option

#: frames per second requested from a camera
PICTURES_PER_S = 10
ROUNDS = 40
SECONDS = 5


@click.command("bench-camera")
@as_json_option
def bench_camera(as_json: bool) -> None:
    """Measure the board reader on this machine: reading and following a board in 640×480, and a table at rest.

    The picture is drawn; no camera is needed. Times are processor times, so other programs do not count.
    """
    measured = measure()
    if as_json:
        click.echo(json.dumps(measured))
        return
    for name, value in measured.items():
        click.echo(f"{name:24} {value}")


def measure(rounds: int = ROUNDS, seconds: int = SECONDS) -> dict[str, Any]:
    """Return milliseconds for one frame of a known board, and the share of one core used by a board at rest."""
    from statistics import median

    from engine.board.variants import STANDARD
    from hardware.camera.board_reader import BoardReading, read_board_picture
    from hardware.camera.board_tracker import BoardTracker
    from hardware.camera.camera_pipeline import CameraPipeline
    from hardware.camera.frames_and_camera_faults import Frame, FrameHealth
    from hardware.camera.picture_decoding_overlays_and_quality import decode_picture, encode_jpeg
    from hardware.camera.simulated_camera import SimulatedCamera
    from hardware.camera.square_classifier import kind_probabilities
    from hardware.camera.square_features import RectifiedBoard
    from hardware.real_and_simulated_time import NS_PER_S

    camera = SimulatedCamera(STANDARD.start, 3, (640, 480))
    pictures, corners = [camera.read().image for _ in range(8)], camera.corners
    image = pictures[0]
    reads: list[float] = []
    follows: list[float] = []
    landmarks = BoardTracker.of(image, corners)
    assert landmarks is not None
    for _ in range(rounds):
        began = time.process_time()
        kind_probabilities(RectifiedBoard.of(image, corners))
        between = time.process_time()
        landmarks.is_unmoved(image)
        reads.append(1000 * (between - began))
        follows.append(1000 * (time.process_time() - between))
    began = time.process_time()
    seen = read_board_picture(image)
    find_ms = 1000 * (time.process_time() - began)

    packed = [encode_jpeg(picture) for picture in pictures]
    watcher, health = CameraPipeline(corners=corners), FrameHealth()
    for number in range(PICTURES_PER_S):  # the first second is a warm-up
        watcher.feed(Frame(pictures[number % 8], number * NS_PER_S // PICTURES_PER_S))
    began = time.process_time()
    for number in range(PICTURES_PER_S, PICTURES_PER_S * (1 + seconds)):
        frame = Frame(decode_picture(packed[number % 8], "drawn"), number * NS_PER_S // PICTURES_PER_S)
        health.feed(frame)
        watcher.feed(frame)
    rest = (time.process_time() - began) / seconds
    return {
        "read_min_ms": round(min(reads), 1),
        "read_median_ms": round(median(reads), 1),
        "follow_min_ms": round(min(follows), 1),
        "follow_median_ms": round(median(follows), 1),
        "find_ms": round(find_ms, 1),
        "found": isinstance(seen, BoardReading),
        "at_rest_percent_of_a_core": round(100 * rest, 1),
    }
