"""``kiosk check``, ``kiosk replay`` and ``kiosk perft``: the rules of the board, for scripts."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from engine.translatable_text import say, text_of
from kiosk.commands.output_helpers import as_json_option, print_answer
from kiosk.errors import InputError
from kiosk.locale import render_both

if TYPE_CHECKING:
    from engine.board.move_diagnosis import Violation
    from engine.board.position import Position

#: from this depth on a perft takes longer than the import of numpy
_WORTH_NUMPY = 8

_variant = click.option("--variant", default="8x8", show_default=True, help="Board and set-up.")


# A board string may begin with '-', so unknown options are treated as arguments.
@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("before")
@click.argument("after")
@click.option("--to-move", type=click.Choice(["black", "white"]), required=True, help="Who moved.")
@_variant
@as_json_option
def check(before: str, after: str, to_move: str, variant: str, as_json: bool) -> None:
    """Say what is wrong with the move that turned BEFORE into AFTER.

    A board is 64 characters, rows 1 to 8, columns a to h: X black, O white, - empty; in AFTER also ? for a square
    that could not be read. Where accounts of the board are equally likely, the others are listed as "ties"; where
    squares were not read, "deciding" has those that could change the answer and "possible" the moves that fit.
    """
    from engine.board.color import Color
    from engine.board.errors import BadBoard, UnknownVariant
    from engine.board.move_diagnosis import diagnose
    from engine.board.position import Position

    try:
        position = Position.from_cells(before, Color(to_move), variant)
    except BadBoard as error:
        raise InputError(say("BEFORE: {why}", why=error)) from None
    except UnknownVariant as error:
        raise InputError(text_of(error)) from None
    try:
        diagnosis = diagnose(position, after)
    except BadBoard as error:
        raise InputError(say("AFTER: {why}", why=error)) from None
    if as_json:
        fields = asdict(diagnosis) | {
            "findings": _plain(diagnosis.findings),
            "ties": [asdict(tie) | {"findings": _plain(tie.findings)} for tie in diagnosis.ties],
        }
        for extra in ("ties", "deciding", "possible"):
            if not fields[extra]:
                del fields[extra]
        click.echo(json.dumps(fields, ensure_ascii=False))
        return
    move = f" {diagnosis.move}" if diagnosis.move else ""
    turned = f" ({' '.join(diagnosis.flipped)})" if diagnosis.flipped else ""
    click.echo(f"{diagnosis.verdict}{move}{turned}")
    for finding in diagnosis.findings:
        click.echo(f"{finding.kind} {render_both(finding.text)}")
    for tie in diagnosis.ties:
        click.echo("or: " + "; ".join(f"{finding.kind} {render_both(finding.text)}" for finding in tie.findings))
    if diagnosis.deciding:
        click.echo(f"{render_both(say('not read, and may decide'))}: {' '.join(diagnosis.deciding)}")
    if diagnosis.possible:
        moves = " ".join(move or render_both(say("no move")) for move in diagnosis.possible)
        click.echo(f"{render_both(say('fits what was read'))}: {moves}")


def _plain(findings: Sequence[Violation]) -> list[dict[str, object]]:
    return [asdict(finding) | {"text": render_both(finding.text)} for finding in findings]


@click.command()
@click.argument("depth", type=click.IntRange(min=0))
@_variant
@as_json_option
def perft(depth: int, variant: str, as_json: bool) -> None:
    """Count the lines of DEPTH plies from the start; a pass is a ply, a finished game one leaf."""
    from engine.board.errors import UnknownVariant
    from engine.board.position import Position

    try:
        position = Position.start(variant)
    except UnknownVariant as error:
        raise InputError(text_of(error)) from None
    began = perf_counter()
    leaves = _leaves(position, depth)
    seconds = round(perf_counter() - began, 3)
    if as_json:
        click.echo(json.dumps({"variant": variant, "depth": depth, "leaves": leaves, "seconds": seconds}))
    else:
        print_answer(
            say(
                "{variant}, depth {depth}: {leaves} leaves in {seconds} s",
                variant=variant,
                depth=depth,
                leaves=leaves,
                seconds=seconds,
            )
        )


def _leaves(position: Position, depth: int) -> int:
    if depth >= _WORTH_NUMPY:
        from engine.board import perft_bfs

        if perft_bfs.can_count(position):
            return perft_bfs.perft(position, depth)
    from engine.board.perft import perft as count

    return count(position, depth)


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@as_json_option
def replay(files: tuple[Path, ...], as_json: bool) -> None:
    """Verify the games of FILES: WTHOR (.wtb), GGF (.ggf), transcripts (.txt, one a line)."""
    began = perf_counter()
    # numpy's linear algebra is not used; without its threads the import is a sixth faster
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from kiosk.records.game_verification import ReplayTally

    tally = ReplayTally()
    try:
        tally.add_files(files)
    except OSError as error:
        path = error.filename
        raise InputError(say("cannot read {path}: {why}; check the path", path=path, why=error.strerror)) from None
    seconds = round(perf_counter() - began, 3)
    if as_json:
        click.echo(json.dumps({**asdict(tally), "seconds": seconds}, ensure_ascii=False))
        return
    print_answer(
        say(
            "{games} games, {moves} moves, {illegal} illegal, {unfinished} unfinished, {score_mismatches} "
            "score mismatches, {seconds} s",
            games=tally.games,
            moves=tally.moves,
            illegal=tally.illegal,
            unfinished=tally.unfinished,
            score_mismatches=tally.score_mismatches,
            seconds=seconds,
        )
    )
    for problem in tally.problems:
        click.echo("{file}, game {game}: {text}".format_map(problem))
