"""Reconstruction of a game from a video of its board: positions, moves, and uncertain plies.

The board reader returns positions without using the rules; the engine then derives the moves. A wrong move by the
players is named, and the game goes on from the board as it is (K-09).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from engine.board.color import Color
from engine.board.illegal_move_diagnosis_and_challenge import Diagnosis, Verdict, Violation, ViolationKind, diagnose
from engine.board.position import Position
from hardware.camera.board_finder import Reason
from hardware.camera.camera_pipeline import NEVER_FLICKERS, CameraPipeline
from hardware.camera.frame_sources import Capture, ImageFileReader
from hardware.camera.frames_and_camera_faults import FrameReader
from hardware.reading_stability_filter import StabilityFilter, StableReading
from hardware.real_and_simulated_time import NS_PER_MS, ManualTime
from kiosk.errors import InputError


@dataclass(frozen=True, slots=True)
class VideoFault:
    """A wrong move: the ply (from 1), the findings, and the position before it."""

    ply: int
    findings: tuple[Violation, ...]
    before: Position

    def json(self) -> dict[str, Any]:
        findings = [{"kind": one.kind, "squares": one.squares, "text": str(one.text)} for one in self.findings]
        return {"ply": self.ply, "findings": findings}


@dataclass(slots=True)
class VideoReading:
    """The reconstructed game.

    - ``positions``: time in ms and cells of every settled reading. ``unsure``: plies (from 1) with unread squares.
    - ``faults``: wrong moves that were not put right. ``gaps``: plies before which moves are missing.
    - ``ended``: the last cells that fit no move; None if a move was read after them or all did.
    - ``refused``: why no board was found, if none was. ``pictures``: how many there are.
    """

    positions: list[tuple[int, str]] = field(default_factory=list)
    moves: list[str] = field(default_factory=list)
    unsure: list[int] = field(default_factory=list)
    faults: list[VideoFault] = field(default_factory=list)
    gaps: list[int] = field(default_factory=list)
    ended: str | None = None
    refused: Reason | None = None
    pictures: int = 0

    def json(self) -> dict[str, Any]:
        positions = [{"ms": at_ms, "cells": cells} for at_ms, cells in self.positions]
        moves = {"moves": self.moves, "transcript": "".join(self.moves), "unsure": self.unsure}
        faults = [fault.json() for fault in self.faults]
        return {"positions": positions, **moves, "faults": faults, "gaps": self.gaps, "ended": self.ended}


def read_video(path: Path) -> VideoReading:
    """Return the game in a video file or in a folder of recorded pictures.

    :raises hardware.errors.HardwareError: it is neither. :raises InputError: it shows no board at rest.
    """
    time = ManualTime()
    with closing(ImageFileReader(path, time) if path.is_dir() else Capture(str(path), time, live=False)) as reader:
        video = game_from_frames(reader)
    if not video.pictures:
        raise InputError.saying("no picture in {path} can be read; film the game again", path=path)
    if video.pictures == 1:
        raise InputError.saying("{path} is one picture, not a film; leave --film out", path=path)
    if not video.positions and video.refused is None:
        raise InputError.saying("{path}: a board was found, but it is never seen at rest; film a whole game", path=path)
    return video


def turned_to(video: VideoReading, played: Sequence[str]) -> VideoReading:
    """Return the video, or the same turned by half, whichever is more like the recorded moves: from the start position
    a camera cannot tell at which of two corners a1 lies."""
    positions = [(at_ms, cells[::-1]) for at_ms, cells in video.positions]
    turned = VideoReading(positions, refused=video.refused, pictures=video.pictures)
    derive_moves(turned)
    return max(video, turned, key=lambda one: compared(one, played)["same"])


def compared(video: VideoReading, played: Sequence[str]) -> dict[str, Any]:
    """Return how the moves of a video compare with those that were recorded: how many were played, how many in a row
    from the first are the same, and how many are the same and stand at the same ply."""
    pairs = [one == other for one, other in zip(video.moves, played, strict=False)]
    return {"played": len(played), "first_same": (*pairs, False).index(False), "same": sum(pairs)}


def game_from_frames(reader: FrameReader) -> VideoReading:
    """Return the game that an opened video shows, read to its end."""
    pipeline, stability, video = CameraPipeline(), StabilityFilter(flicker_changes=NEVER_FLICKERS), VideoReading()
    while (frame := reader.read()) is not None:
        video.pictures += 1
        seen = pipeline.feed(frame)
        for item in stability.feed(seen) if seen is not None else ():
            if isinstance(item, StableReading):
                video.positions.append((item.at_ns // NS_PER_MS, item.cells))
    if not video.positions:
        video.refused = pipeline.board.refused
        return video
    video.positions = _correct_orientation(video.positions)
    derive_moves(video)
    return video


def _correct_orientation(positions: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return the positions with correct orientation: a camera at a side of the board sees the start position with its
    colours crossed.
    """
    start = Position.start().cells()
    if positions[0][1] != "".join(_rotate_board(start)):
        return list(positions)
    return [(at_ms, _rotate_board(cells)) for at_ms, cells in positions]


def _rotate_board(cells: str) -> str:
    return "".join(np.rot90(np.array(list(cells)).reshape(8, 8)).ravel())


def derive_moves(video: VideoReading) -> None:
    """Derive the moves of a video from its positions, and name the wrong ones."""
    position = Position.start()
    for _, cells in video.positions:
        if position.must_pass:
            position = position.pass_turn()
        wrong = video.faults[-1] if video.faults and video.faults[-1].ply == len(video.moves) else None
        if wrong is not None and _is_legal(diagnose(wrong.before, cells)):
            video.faults.pop()  # the move was not finished, or has been put right
            video.moves.pop()
            position = wrong.before
        diagnosis = diagnose(position, cells)
        blind = "?" in cells
        is_odd = video.ended is not None and not _is_legal(diagnosis)
        if is_odd and (after := _after_gap(str(video.ended), cells)) is not None:
            video.gaps.append(len(video.moves) + 1)
            position, diagnosis = after, diagnose(after, cells)
        move = diagnosis.move if _is_legal(diagnosis) else None
        if blind:
            move = diagnosis.possible[0] if len(diagnosis.possible) == 1 else None
        if move is not None:
            video.moves.append(move)
            video.ended = None
            if blind:
                video.unsure.append(len(video.moves))
            position = position.play(position.geometry.square(move))
        elif diagnosis.verdict is Verdict.ILLEGAL and diagnosis.move is not None and not blind:
            video.moves.append(diagnosis.move)
            video.ended = None
            video.faults.append(VideoFault(len(video.moves), diagnosis.findings, position))
            again = any(finding.kind is ViolationKind.OUT_OF_TURN for finding in diagnosis.findings)
            position = Position.from_cells(cells, position.to_move if again else position.to_move.opponent)
        elif not blind and diagnosis.verdict in (Verdict.ILLEGAL, Verdict.TOO_LARGE):
            video.ended = cells  # a later reading may fit


def _after_gap(cells: str, now: str) -> Position | None:
    """Return the position with ``cells`` from which a legal move leads to ``now``, if one side has such a move."""
    both = [Position.from_cells(cells, side) for side in Color]
    fits = [position for position in both if "?" not in now and _is_legal(diagnose(position, now))]
    return fits[0] if len(fits) == 1 else None


def _is_legal(diagnosis: Diagnosis) -> bool:
    return diagnosis.verdict is Verdict.LEGAL
