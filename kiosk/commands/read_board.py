"""``kiosk read-board``: reads the discs on the board in a picture."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from engine.board.color import Color
from engine.board.illegal_move_diagnosis import Diagnosis, Verdict, Violation, ViolationKind, diagnose
from engine.board.position import Position
from engine.i18n import say, text_of
from hardware.camera.board_finder import Reason
from hardware.camera.camera_pipeline import NEVER_FLICKERS, CameraPipeline
from hardware.camera.frame_sources import Capture, ImageFileReader
from hardware.camera.frames_and_camera_faults import FrameReader
from hardware.reading_stability_filter import StabilityFilter, StableReading
from hardware.timebase import NS_PER_MS, ManualTime
from kiosk.commands.output_helpers import as_json_option
from kiosk.errors import InputError
from kiosk.locale import ENGLISH, JAPANESE, render, render_both
from kiosk.untrusted_file_sandbox import Limits, in_child

if TYPE_CHECKING:
    from hardware.camera.board_reader import Refusal


#: a result: the fields of CONTRACT.md, and the lines for people
_Answer = tuple[dict[str, Any], list[str]]
#: for a picture of 64 million pixels, and for the film of a whole game
_OF_PICTURE = Limits(memory=2048 * 1024 * 1024, processor_s=120, deadline_s=120)
_OF_FILM = Limits(memory=1024 * 1024 * 1024, processor_s=7200, deadline_s=7200)


class _Corner(click.ParamType[tuple[float, float]]):
    """Option value ``x,y`` in pixels."""

    name = "x,y"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, float]:
        try:
            x, y = (float(part) for part in str(value).split(","))
        except ValueError:
            raise InputError(
                say("--corners: a corner is x,y in pixels, such as 120.5,88, not {value!r}", value=value)
            ) from None
        return x, y


@click.command("read-board", context_settings={"ignore_unknown_options": False})
@click.argument("image", type=click.Path(path_type=Path))
@click.option(
    "--corners",
    nargs=4,
    type=_Corner(),
    help="The outer corners of the 8×8 field in pixels, clockwise; the first row runs from the first to the second.",
)
@click.option(
    "--film",
    is_flag=True,
    help="IMAGE is a video of a whole game, or the folder of its pictures: print its positions, moves and transcript.",
)
@click.option("--record", help="The transcript of the filmed game; the moves of the video are compared with it.")
@as_json_option
def read_board(
    image: Path, corners: tuple[tuple[float, float], ...] | None, film: bool, record: str | None, as_json: bool
) -> None:
    """Read the discs on the board in IMAGE (JPEG or PNG).

    X black, O white, - empty, ? not recognised. The rules of the game are not used. Without --corners the board is
    found in the picture; its first row is then the side along the top. A picture that cannot be read is refused with a
    reason.
    """
    if film and corners:
        raise InputError(say("--corners is for one picture; in a film the board is found and followed"))
    if film:
        fields, lines = in_child(lambda: _film(image, record), _OF_FILM, image)
    else:
        fields, lines = in_child(lambda: _picture(image, corners), _OF_PICTURE, image)
    click.echo(json.dumps(fields, ensure_ascii=False) if as_json else "\n".join(lines))


def _picture(image: Path, corners: tuple[tuple[float, float], ...] | None) -> _Answer:
    import numpy as np

    from hardware.camera.board_reader import Refusal, read_board_picture
    from hardware.camera.picture_decoding_and_overlays import PictureError, load, memory_errors

    try:
        with memory_errors():
            picture = load(image)
            began = perf_counter()
            seen = read_board_picture(picture, None if not corners else np.array(corners))
    except PictureError as error:
        raise InputError(text_of(error)) from None
    except ValueError as error:
        raise InputError(say("--corners: {why}", why=text_of(error))) from None
    ms = {"ms": round(1000 * (perf_counter() - began), 1)}
    if isinstance(seen, Refusal):
        return {"cells": None, "confidence": [], "corners": [], "refused": _refused(seen)} | ms, _in_both(seen)
    fields = {
        "cells": seen.cells,
        "confidence": [round(value, 3) for value in seen.confidence],
        "corners": [[round(float(x), 1), round(float(y), 1)] for x, y in seen.corners],
        "refused": None,
    }
    return fields | ms, [seen.cells[8 * row : 8 * row + 8] for row in range(8)]


def _film(path: Path, record: str | None) -> _Answer:
    from engine.board.errors import BadRecord
    from engine.board.transcript import parse_transcript
    from hardware.camera.board_reader import Refusal
    from hardware.camera.picture_decoding_and_overlays import memory_errors
    from hardware.errors import HardwareError


    os.environ |= {"OPENCV_LOG_LEVEL": "OFF", "OPENCV_FFMPEG_LOGLEVEL": "-8"}  # this child's: only we explain errors
    began = perf_counter()
    try:
        played = None if record is None else [move for move in parse_transcript(record) if move is not None]
        with memory_errors():
            filmed = read_film(path)
    except (HardwareError, BadRecord) as error:
        raise InputError(text_of(error)) from None
    refusal = None if filmed.refused is None else Refusal(filmed.refused)
    ms = round(1000 * (perf_counter() - began), 1)
    fields = filmed.json() | {"refused": None if refusal is None else _refused(refusal), "ms": ms}
    if refusal is not None:
        return fields, _in_both(refusal)
    before = dict.fromkeys(filmed.gaps, " … ")
    after = {fault.ply: "!" for fault in filmed.faults}
    moves = (before.get(ply, "") + move + after.get(ply, "") for ply, move in enumerate(filmed.moves, 1))
    unsure = f" (unsure: {', '.join(map(str, filmed.unsure))})" if filmed.unsure else ""
    lines = ["".join(moves) + unsure]
    for fault in filmed.faults:
        lines += [f"{fault.ply}. {finding.kind} {render_both(finding.text)}" for finding in fault.findings]
    if played is not None:
        score = compared(filmed, played)
        fields["record"] = score
        text = say("{same} of {played} moves are as recorded, the first {first_same} without a gap", **score)
        lines.append(render_both(text))
    return fields, lines


def _refused(refusal: Refusal) -> dict[str, str]:
    """Return a refusal in the form of CONTRACT.md."""
    return {"reason": str(refusal.reason), "text": str(refusal.text)}


def _in_both(refusal: Refusal) -> list[str]:
    return [render(refusal.text, lang) for lang in (JAPANESE, ENGLISH)]


# Reconstruction of a game from a video of its board: positions, moves, and uncertain plies.
#
# The board reader returns positions without using the rules; the engine then derives the moves. A wrong move by the
# players is named, and the game goes on from the board as it is (K-09).


@dataclass(frozen=True, slots=True)
class FilmedFault:
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
    - ``refused``: why no board was found, if none was.
    """

    positions: list[tuple[int, str]] = field(default_factory=list)
    moves: list[str] = field(default_factory=list)
    unsure: list[int] = field(default_factory=list)
    faults: list[FilmedFault] = field(default_factory=list)
    gaps: list[int] = field(default_factory=list)
    ended: str | None = None
    refused: Reason | None = None

    def json(self) -> dict[str, Any]:
        return {
            "positions": [{"ms": at_ms, "cells": cells} for at_ms, cells in self.positions],
            "moves": self.moves,
            "transcript": "".join(self.moves),
            "unsure": self.unsure,
            "faults": [fault.json() for fault in self.faults],
            "gaps": self.gaps,
            "ended": self.ended,
        }


def read_film(path: Path) -> VideoReading:
    """Return the game in a video file or in a folder of recorded pictures.

    :raises hardware.errors.HardwareError: it is neither.
    """
    reader: FrameReader = ImageFileReader(path, ManualTime()) if path.is_dir() else _video(path)
    try:
        return game_from_frames(reader)
    finally:
        reader.close()


def _video(path: Path) -> FrameReader:
    return Capture(str(path), ManualTime(), live=False)


def compared(film: VideoReading, played: Sequence[str]) -> dict[str, Any]:
    """Return how the moves of a film compare with those that were recorded: how many were played, how many in a row
    from the first are the same, and how many are the same and stand at the same ply."""
    pairs = [one == other for one, other in zip(film.moves, played, strict=False)]
    return {"played": len(played), "first_same": (*pairs, False).index(False), "same": sum(pairs)}


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
    derive_moves(film)
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


def derive_moves(film: VideoReading) -> None:
    """Derive the moves of a film from its positions, and name the wrong ones."""
    position = Position.start()
    for _, cells in film.positions:
        if position.must_pass:
            position = position.pass_turn()
        wrong = film.faults[-1] if film.faults and film.faults[-1].ply == len(film.moves) else None
        if wrong is not None and _is_legal(diagnose(wrong.before, cells)):
            film.faults.pop()  # the move was not finished, or has been put right
            film.moves.pop()
            position = wrong.before
        diagnosis = diagnose(position, cells)
        blind = "?" in cells
        if film.ended is not None and not _is_legal(diagnosis) and (after := _after_gap(film.ended, cells)) is not None:
            film.gaps.append(len(film.moves) + 1)
            position, diagnosis = after, diagnose(after, cells)
        move = diagnosis.move if _is_legal(diagnosis) else None
        if blind:
            move = diagnosis.possible[0] if len(diagnosis.possible) == 1 else None
        if move is not None:
            film.moves.append(move)
            film.ended = None
            if blind:
                film.unsure.append(len(film.moves))
            position = position.play(position.geometry.square(move))
        elif diagnosis.verdict is Verdict.ILLEGAL and diagnosis.move is not None and not blind:
            film.moves.append(diagnosis.move)
            film.ended = None
            film.faults.append(FilmedFault(len(film.moves), diagnosis.findings, position))
            again = any(finding.kind is ViolationKind.OUT_OF_TURN for finding in diagnosis.findings)
            position = Position.from_cells(cells, position.to_move if again else position.to_move.opponent)
        elif not blind and diagnosis.verdict in (Verdict.ILLEGAL, Verdict.TOO_LARGE):
            film.ended = cells  # a later reading may fit


def _after_gap(cells: str, now: str) -> Position | None:
    """Return the position with ``cells`` from which a legal move leads to ``now``, if one side has such a move."""
    both = [Position.from_cells(cells, side) for side in Color]
    fits = [position for position in both if "?" not in now and _is_legal(diagnose(position, now))]
    return fits[0] if len(fits) == 1 else None


def _is_legal(diagnosis: Diagnosis) -> bool:
    return diagnosis.verdict is Verdict.LEGAL
