"""``kiosk check``, ``kiosk replay``, ``kiosk perft`` and ``kiosk solve``: the rules of the board, for scripts."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from engine.i18n import raised_as, say
from kiosk.commands.command_helpers import PATH, as_input_error, as_json_option, print_answer, print_result
from kiosk.errors import InputError, unreadable
from kiosk.locale import render_both
from kiosk.untrusted_file_sandbox import read_limited

if TYPE_CHECKING:
    from engine.board.illegal_move_diagnosis_and_challenge import Violation
    from engine.board.position import Position

#: depth from which a perft takes longer than the import of numpy
_NUMPY_DEPTH = 8

#: prefix of ChouChou's boards among the variants
_CHOUCHOU = "chouchou-"
#: extension of a file of their records
_FILE = ".chouchou"

_variant = click.option("--variant", default="8x8", show_default=True, help="Board and set-up.")


# A board string may begin with '-', so unknown options are treated as arguments.
@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("before")
@click.argument("after")
@click.option("--to-move", type=click.Choice(["black", "white"]), help="The side that moved (Othello).")
@_variant
@click.option(
    "--players", type=click.Choice(["2", "3", "4", "pairs"]), default="2", help="Number of players (ChouChou)."
)
@as_json_option
def check(before: str, after: str, to_move: str | None, variant: str, players: str, as_json: bool) -> None:
    """Diagnose the move that turned BEFORE into AFTER.

    A board is 64 characters, rows 1 to 8, columns a to h: X black, O white, - empty; in AFTER also ? for a square that
    could not be read. If several explanations are equally likely, the others are listed as "ties"; if squares were not
    read, "deciding" has those that could change the answer and "possible" the moves that fit.

    With --variant chouchou-3x3, chouchou-j&s or chouchou-4x4, BEFORE is the record of a game so far ("1A 2A", or a
    file) and AFTER its next turn: what it captures, what it misses, and penalties are listed.
    """
    if variant.startswith(_CHOUCHOU):
        _check_chouchou(before, after, variant.removeprefix(_CHOUCHOU), players, as_json)
        return
    if to_move is None:
        raise InputError.saying("--to-move is missing; say who moved: --to-move black or --to-move white")
    from engine.board.color import Color
    from engine.board.errors import BadBoard, UnknownVariant
    from engine.board.illegal_move_diagnosis_and_challenge import diagnose
    from engine.board.position import Position

    with as_input_error(UnknownVariant), raised_as(InputError, say("BEFORE: {why}"), BadBoard):
        position = Position.from_cells(before, Color(to_move), variant)
    with raised_as(InputError, say("AFTER: {why}"), BadBoard):
        diagnosis = diagnose(position, after)
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


def _check_chouchou(before: str, after: str, board: str, players: str, as_json: bool) -> None:
    """Answer for the next turn of a game of ChouChou."""
    from engine.chouchou.errors import ChouChouError
    from engine.chouchou.game_records_and_rule_check import ChouChouRecord, check_record, setup_of
    from engine.chouchou.moves import acts
    from engine.chouchou.turn_and_game_notation import format_act, format_turn, parse_game

    with raised_as(InputError, say("this cannot be read: {why}"), ChouChouError, OSError, UnicodeDecodeError):
        setup = setup_of(board, players)
        past = read_limited(Path(before)) if before.endswith(_FILE) else before
        turns, following = parse_game(past, setup.shape), parse_game(after, setup.shape)
    if len(following) != 1:
        raise InputError.saying("AFTER must be one turn, such as 3B, 3C→1A② or 2B→3A①")
    at = check_record(ChouChouRecord(setup, tuple(turns)))
    if at.illegal:
        raise InputError.saying("BEFORE: {why}", why=at.illegal.text)
    done = check_record(ChouChouRecord(setup, (*turns, *following)))
    remarks = [one for one in done.remarks if one.turn > len(turns)]
    illegal = done.illegal is not None
    next_acts = [format_act(act, setup.shape) for act in acts(at.state)]
    fields = {
        "verdict": "illegal" if illegal else "legal",
        "move": format_turn(following[0], setup.shape),
        "captured": 0 if illegal else done.state.turns[-1].taken,
        "findings": [
            {"kind": one.kind.value, "squares": list(one.cells), "text": render_both(one.text)} for one in remarks
        ],
        "legal_moves": [act.split("/")[0] if setup.colors == 2 else act for act in next_acts],
    }
    if as_json:
        click.echo(json.dumps(fields, ensure_ascii=False))
        return
    click.echo(f"{fields['verdict']} {fields['move']} +{fields['captured']}")
    for one in remarks:
        click.echo(f"{one.kind} {render_both(one.text)}")


def _plain(findings: Sequence[Violation]) -> list[dict[str, object]]:
    return [asdict(finding) | {"text": render_both(finding.text)} for finding in findings]


@click.command()
@click.argument("depth", type=click.IntRange(min=0))
@_variant
@as_json_option
def perft(depth: int, variant: str, as_json: bool) -> None:
    """Count the lines of play of DEPTH plies from the start; a pass is a ply, a finished game one leaf."""
    from engine.board.errors import UnknownVariant
    from engine.board.position import Position

    with as_input_error(UnknownVariant):
        position = Position.start(variant)
    began = perf_counter()
    leaves = _leaves(position, depth)
    seconds = round(perf_counter() - began, 3)
    fields = {"variant": variant, "depth": depth, "leaves": leaves, "seconds": seconds}
    print_result(fields, say("{variant}, depth {depth}: {leaves} leaves in {seconds} s")(**fields), as_json)


def _leaves(position: Position, depth: int) -> int:
    if depth >= _NUMPY_DEPTH and find_spec("numpy"):
        from engine.board import perft_numpy

        if perft_numpy.can_count(position):
            return perft_numpy.perft(position, depth)
    from engine.board.perft import perft as count

    return count(position, depth)


@click.command()
@click.argument("files", nargs=-1, required=True, type=PATH)
@click.option("--variant", default="8x8", show_default=True, help="Board and set-up of the transcripts.")
@as_json_option
def replay(files: tuple[Path, ...], variant: str, as_json: bool) -> None:
    """Verify the games of FILES: WTHOR (.wtb), GGF (.ggf), transcripts (.txt, one a line), ChouChou (.chouchou).

    For ChouChou, missed captures and penalties are listed as "remarks".
    """
    began = perf_counter()
    # numpy's linear algebra is not used; without its threads the import is a sixth faster
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from engine.board.errors import UnknownVariant
    from kiosk.records.game_verification import ReplayTally

    tally = ReplayTally()
    try:
        with as_input_error(UnknownVariant):
            tally.add_files(files, variant)
    except OSError as error:
        with unreadable(error.filename):
            raise
    fields = {name: value for name, value in asdict(tally).items() if value is not None}
    fields["seconds"] = round(perf_counter() - began, 3)
    if as_json:
        click.echo(json.dumps(fields, ensure_ascii=False))
        return
    counts = say(
        "{games} games, {moves} moves, {illegal} illegal, {unfinished} unfinished, {score_mismatches} "
        "score mismatches, {seconds} s"
    )
    print_answer(counts(**fields))
    for problem in (*tally.problems, *(tally.remarks or ())):
        click.echo("{file}, game {game}: {text}".format_map(problem))


_COLORS = {"black": "black", "white": "white", "X": "black", "O": "white"}


# A board string may begin with '-', so unknown options are treated as arguments.
@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("board")
@click.option("--to-move", type=click.Choice(list(_COLORS)), required=True, help="The side to move.")
@click.option("--variant", default="8x8", show_default=True, help="Board.")
@as_json_option
def solve(board: str, to_move: str, variant: str, as_json: bool) -> None:
    """Search BOARD to the end: print the best final disc difference for the side to move, and a line that reaches it.

    Empty squares count for the winner. With 16 empty squares this takes seconds; at most 20 are accepted.
    """
    from engine.board.color import Color
    from engine.board.endgame_solver import solve as search
    from engine.board.errors import BoardError
    from engine.board.position import Position
    from engine.board.transcript import PASS

    began = perf_counter()
    with raised_as(InputError, say("BOARD: {why}"), BoardError):
        solution = search(Position.from_cells(board, Color(_COLORS[to_move]), variant))
    seconds = round(perf_counter() - began, 3)
    line = [move or PASS for move in solution.line]
    fields = {"score": solution.score, "line": line, "nodes": solution.nodes, "seconds": seconds}
    text = say("{score:+} {line}  ({nodes} nodes, {seconds} s)")
    print_result(fields, text(**fields | {"line": " ".join(line)}), as_json)
