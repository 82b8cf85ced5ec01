"""``kiosk read-board``: reads the discs on the board in a picture."""

from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from engine.i18n import say, text_of
from kiosk.commands.output_helpers import as_json_option
from kiosk.errors import InputError
from kiosk.locale import ENGLISH, JAPANESE, render
from kiosk.sandbox import Limits, SandboxError, limited

#: as for a photograph at the head (``kiosk.head.tables.board_photographs``), and the networks that read the board
_LIMITS = Limits(memory=2048 * 1024 * 1024, processor_s=120, deadline_s=120)


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
    "--film", is_flag=True, help="IMAGE is a video of a whole game: print its positions, moves and transcript."
)
@as_json_option
def read_board(image: Path, corners: tuple[tuple[float, float], ...] | None, film: bool, as_json: bool) -> None:
    """Read the discs on the board in IMAGE (JPEG or PNG).

    X black, O white, - empty, ? not recognised. The rules of the game are not used. Without --corners the board is
    found in the picture; its first row is then the side along the top. A picture that cannot be read is refused with a
    reason.
    """
    import numpy as np

    from hardware.camera.board_reader import Refusal, read_board_picture
    from hardware.camera.picture_decoding_and_overlays import PictureError, load

    if film:
        if corners:
            raise InputError(say("--corners is for one picture; in a film the board is found and followed"))
        _film(image, as_json)
        return
    try:
        with limited(_LIMITS):
            picture = load(image)
            began = perf_counter()
            seen = read_board_picture(picture, None if not corners else np.array(corners))
    except (PictureError, SandboxError) as error:
        raise InputError(text_of(error)) from None
    except ValueError as error:
        raise InputError(say("--corners: {why}", why=text_of(error))) from None
    taken_ms = round(1000 * (perf_counter() - began), 1)
    if as_json:
        click.echo(json.dumps(_fields(seen, taken_ms), ensure_ascii=False))
    elif isinstance(seen, Refusal):
        click.echo("\n".join(render(seen.text, lang) for lang in (JAPANESE, ENGLISH)))
    else:
        for row in range(8):
            click.echo(seen.cells[8 * row : 8 * row + 8])


def _film(path: Path, as_json: bool) -> None:
    from hardware.camera.board_reader import Refusal
    from hardware.errors import HardwareError
    from kiosk.commands.game_from_video import read_film

    began = perf_counter()
    try:
        filmed = read_film(path)
    except HardwareError as error:
        raise InputError(text_of(error)) from None
    refusal = None if filmed.refused is None else Refusal(filmed.refused)
    if as_json:
        refused = None if refusal is None else {"reason": str(refusal.reason), "text": str(refusal.text)}
        taken_ms = round(1000 * (perf_counter() - began), 1)
        click.echo(json.dumps(filmed.json() | {"refused": refused, "ms": taken_ms}, ensure_ascii=False))
    elif refusal is not None:
        click.echo("\n".join(render(refusal.text, lang) for lang in (JAPANESE, ENGLISH)))
    else:
        unsure = f" (unsure: {', '.join(map(str, filmed.unsure))})" if filmed.unsure else ""
        click.echo("".join(filmed.moves) + unsure)


def _fields(seen: Any, taken_ms: float) -> dict[str, Any]:
    """Return the result in the form of CONTRACT.md."""
    if hasattr(seen, "reason"):
        refused = {"reason": str(seen.reason), "text": str(seen.text)}
        return {"cells": None, "confidence": [], "corners": [], "refused": refused, "ms": taken_ms}
    corners = [[round(float(x), 1), round(float(y), 1)] for x, y in seen.corners]
    confidence = [round(value, 3) for value in seen.confidence]
    return {"cells": seen.cells, "confidence": confidence, "corners": corners, "refused": None, "ms": taken_ms}
