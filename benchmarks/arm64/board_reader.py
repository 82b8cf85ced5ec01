"""The board reader's instructions on a Pi 4: ``draw FILE`` on this machine, then ``measure FILE`` under QEMU.

``run`` beside it does both. The pictures are drawn outside the emulation, which is forty times slower.
"""

import os
import sys
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np

SIZES = {"small": (640, 480), "large": (4000, 3000)}
PICTURES_PER_S = 10


def draw_pictures(file: str) -> None:
    from drawn_tables.seeded_table_scene import TUNE, SceneRequest, moment_of, table_of
    from drawn_tables.table_renderer import draw

    from engine.board.variants import STANDARD

    kept: dict[str, Any] = {}
    for name, size in SIZES.items():
        table = table_of(TUNE, 3, SceneRequest(size=size, stress=False, elevation=(60.0, 80.0)))
        drawn = draw(table, moment_of(table, STANDARD.start, 1), 1.0)
        kept |= {name: drawn.image, f"{name}_corners": drawn.corners}
    np.savez(file, **kept)


def measure(file: str) -> None:
    from hardware.camera.board_reader import read_board_picture
    from hardware.camera.board_tracker import BoardTracker
    from hardware.camera.camera_pipeline import CameraPipeline
    from hardware.camera.frames_and_camera_faults import Frame
    from hardware.camera.square_classifier import kind_probabilities
    from hardware.camera.square_features import RectifiedBoard

    cv2.setNumThreads(1)
    pictures, random = np.load(file), np.random.default_rng(14)
    small, corners = pictures["small"], pictures["small_corners"]
    noisy = [np.clip(small + random.normal(0, 2, small.shape), 0, 255).astype(np.uint8) for _ in range(8)]
    empty = random.integers(110, 150, small.shape).astype(np.uint8)
    tracker, pipeline = BoardTracker.of(small, corners), CameraPipeline(corners=corners)
    assert tracker is not None

    def feed_second(second: int) -> None:
        for number in range(second * PICTURES_PER_S, (second + 1) * PICTURES_PER_S):
            pipeline.feed(Frame(noisy[number % 8], number * 1_000_000_000 // PICTURES_PER_S))

    feed_second(0)
    parts: dict[str, Callable[[], Any]] = {
        "read a known board, 640x480": lambda: kind_probabilities(RectifiedBoard.of(small, corners)),
        "follow a board, 640x480": lambda: tracker.is_unmoved(small),
        "a second of a table at rest, ten pictures": lambda: feed_second(1),
        "find and read a board, 640x480": lambda: read_board_picture(small),
        "find and read a board, 12 megapixels": lambda: read_board_picture(pictures["large"]),
        "refuse a picture without a board, 640x480": lambda: read_board_picture(empty),
    }
    for name, part in parts.items():
        print(name, file=sys.stderr)
        os.getppid()
        part()
        os.getppid()


if __name__ == "__main__":
    {"draw": draw_pictures, "measure": measure}[sys.argv[1]](sys.argv[2])
