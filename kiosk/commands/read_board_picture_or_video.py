"""``kiosk read-board``: reads the discs on the board in a picture, or the game in a video."""

from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from engine.i18n import raised_as, say
from kiosk.commands.command_helpers import PATH, as_input_error, as_json_option
from kiosk.errors import InputError, unreadable
from kiosk.locale import ENGLISH, JAPANESE, render, render_both
from kiosk.untrusted_file_sandbox import Limits, in_child

if TYPE_CHECKING:
    from hardware.camera.board_reader import Refusal


#: a result: the fields of CONTRACT.md, and the lines for people
_Answer = tuple[dict[str, Any], list[str]]
#: for a picture of 64 million pixels, and for the video of a whole game
_PICTURE_LIMITS = Limits(memory=2048 * 1024 * 1024, processor_s=120, deadline_s=120)
_VIDEO_LIMITS = Limits(memory=1024 * 1024 * 1024, processor_s=7200, deadline_s=7200)


class _Corner(click.ParamType[tuple[float, float]]):
    """Option value ``x,y`` in pixels."""

    name = "x,y"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, float]:
        wrong = say("--corners: a corner is x,y in pixels, such as 120.5,88, not {value!r}", value=value)
        with raised_as(InputError, wrong, ValueError):
            x, y = (float(part) for part in str(value).split(","))
        return x, y


@click.command("read-board", context_settings={"ignore_unknown_options": False})
@click.argument("image", type=PATH)
@click.option(
    "--corners",
    nargs=4,
    type=_Corner(),
    help="The outer corners of the 8×8 field in pixels, clockwise; the first row runs from the first to the second.",
)
@click.option(
    "--film",
    is_flag=True,
    help="IMAGE is a video of a whole game, or the folder of its pictures: print its moves, with --json its positions.",
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
        raise InputError.saying("--corners is for one picture; in a film the board is found and followed")
    if record is not None and not film:
        raise InputError.saying("--record is for a film; add --film, or leave --record out")
    if film:
        fields, lines = in_child(lambda: _read_video(image, record), _VIDEO_LIMITS, image, quiet=True)
    else:
        fields, lines = in_child(lambda: _read_picture(image, corners), _PICTURE_LIMITS, image, quiet=True)
    click.echo(json.dumps(fields, ensure_ascii=False) if as_json else "\n".join(lines))


def _read_picture(image: Path, corners: tuple[tuple[float, float], ...] | None) -> _Answer:
    import numpy as np

    from hardware.camera.board_reader import Refusal, read_board_picture
    from hardware.camera.picture_decoding_overlays_and_quality import PictureError, load, memory_errors

    with memory_errors():
        with unreadable(image), as_input_error(PictureError):
            picture = load(image)
        began = perf_counter()
        wrong = say("--corners: these are no corners of a board, clockwise from the first row's first corner")
        with raised_as(InputError, wrong, ValueError):
            seen = read_board_picture(picture, None if not corners else np.array(corners))
    ms = {"ms": round(1000 * (perf_counter() - began), 1)}
    if isinstance(seen, Refusal):
        return {"cells": None, "confidence": [], "corners": [], "refused": _refusal_to_dict(seen)} | ms, _in_both(seen)
    fields = {
        "cells": seen.cells,
        "confidence": [round(value, 3) for value in seen.confidence],
        "corners": [[round(float(x), 1), round(float(y), 1)] for x, y in seen.corners],
        "refused": None,
    }
    return fields | ms, [seen.cells[8 * row : 8 * row + 8] for row in range(8)]


def _read_video(path: Path, record: str | None) -> _Answer:
    from engine.board.errors import BadRecord
    from engine.board.transcript import parse_transcript
    from hardware.camera.board_reader import Refusal
    from hardware.camera.picture_decoding_overlays_and_quality import memory_errors
    from hardware.errors import HardwareError
    from kiosk.commands.game_from_video import compared, read_video, turned_to

    began = perf_counter()
    with unreadable(path):  # OpenCV gives no reason
        list(path.iterdir()) if path.is_dir() else path.open("rb").close()
        empty = path.is_file() and path.stat().st_size == 0
    if empty:
        raise InputError.saying("{file} is empty; copy it or film the game again", file=path)
    with raised_as(InputError, say("--record: {why}"), BadRecord):
        played = None if record is None else [move for move in parse_transcript(record) if move is not None]
    with as_input_error(HardwareError), memory_errors():
        video = read_video(path)
    if played is not None:
        video = turned_to(video, played)
    refusal = None if video.refused is None else Refusal(video.refused)
    ms = round(1000 * (perf_counter() - began), 1)
    fields = video.json() | {"refused": None if refusal is None else _refusal_to_dict(refusal), "ms": ms}
    if refusal is not None:
        return fields, _in_both(refusal)
    before = dict.fromkeys(video.gaps, " … ")
    after = {fault.ply: "!" for fault in video.faults}
    moves = (before.get(ply, "") + move + after.get(ply, "") for ply, move in enumerate(video.moves, 1))
    lines = ["".join(moves)] if video.moves else [render_both(say("no move was seen"))]
    if video.unsure:
        unsure = say("moves that may be wrong, as squares were not read: {plies}", plies=tuple(video.unsure))
        lines.append(render_both(unsure))
    for fault in video.faults:
        lines += [f"{fault.ply}. {finding.kind} {render_both(finding.text)}" for finding in fault.findings]
    if video.ended is not None:
        lines.append(render_both(say("the last board seen fits no move")))
    if played is not None:
        score = compared(video, played)
        fields["record"] = score
        text = say("{same} of {played} moves are as recorded, the first {first_same} without a gap", **score)
        lines.append(render_both(text))
    return fields, lines


def _refusal_to_dict(refusal: Refusal) -> dict[str, str]:
    """Return a refusal in the form of CONTRACT.md."""
    return {"reason": str(refusal.reason), "text": str(refusal.text)}


def _in_both(refusal: Refusal) -> list[str]:
    return [render(refusal.text, lang) for lang in (JAPANESE, ENGLISH)]
