"""Reconstruction of a game from a video of its board: positions, moves, and uncertain plies.

The board reader returns positions without using the rules; the engine then derives the moves, and the transcript ends
where it cannot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from engine.board.move_diagnosis import Verdict, diagnose
from engine.board.position import Position
from hardware.camera.board_finder import Reason
from hardware.camera.camera_pipeline import NEVER_FLICKERS, CameraPipeline
from hardware.camera.frame_sources import Capture
from hardware.camera.frames_and_camera_faults import FrameReader
from hardware.reading_stability_filter import StabilityFilter, StableReading
from hardware.timebase import NS_PER_MS, ManualTime


@dataclass(slots=True)
class VideoReading:
    """The reconstructed game. ``positions``: time in ms and cells of every settled reading; ``unsure``: plies (from 1)
    with unread squares; ``ended``: the cells that fit no move, None if all did; ``refused``: why no board was found, if
    none was.
    """

    positions: list[tuple[int, str]] = field(default_factory=list)
    moves: list[str] = field(default_factory=list)
    unsure: list[int] = field(default_factory=list)
    ended: str | None = None
    refused: Reason | None = None

    def json(self) -> dict[str, Any]:
        return {
            "positions": [{"ms": at_ms, "cells": cells} for at_ms, cells in self.positions],
            "moves": self.moves,
            "transcript": "".join(self.moves),
            "unsure": self.unsure,
            "ended": self.ended,
        }


def read_film(path: Path) -> VideoReading:
    """Return the game in a video file.

    :raises hardware.errors.HardwareError: it is no video.
    """
    reader = Capture(str(path), ManualTime(), live=False)
    try:
        return game_from_frames(reader)
    finally:
        reader.close()


def game_from_frames(reader: FrameReader) -> VideoReading:
    """Return the game that an opened video shows, read to its end."""
    watcher, settler, film = CameraPipeline(), StabilityFilter(flicker_changes=NEVER_FLICKERS), VideoReading()
    while (frame := reader.read()) is not None:
        seen = watcher.feed(frame)
        for item in settler.feed(seen) if seen is not None else ():
            if isinstance(item, StableReading):
                film.positions.append((item.at_ns // NS_PER_MS, item.cells))
    if not film.positions:
        film.refused = watcher.board.refused or Reason.NO_BOARD
        return film
    film.positions = _turned(film.positions)
    _play(film)
    return film


def _turned(positions: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return the positions with correct orientation: a camera at a side of the board sees the start position with its
    colours crossed.
    """
    start = Position.start().cells()
    if positions[0][1] != "".join(_quarter(start)):
        return list(positions)
    return [(at_ms, _quarter(cells)) for at_ms, cells in positions]


def _quarter(cells: str) -> str:
    return "".join(np.rot90(np.array(list(cells)).reshape(8, 8)).ravel())


def _play(film: VideoReading) -> None:
    position = Position.start()
    for _, cells in film.positions:
        if position.must_pass:
            position = position.pass_turn()
        diagnosis = diagnose(position, cells)
        blind = "?" in cells
        move = diagnosis.move if diagnosis.verdict is Verdict.LEGAL else None
        if blind:
            move = diagnosis.possible[0] if len(diagnosis.possible) == 1 else None
        if move is None:
            if blind or diagnosis.verdict in (Verdict.UNCHANGED, Verdict.PASS):
                continue  # a square unread now may be read before the next move
            film.ended = cells
            return
        film.moves.append(move)
        if blind:
            film.unsure.append(len(film.moves))
        position = position.play(position.geometry.square(move))
