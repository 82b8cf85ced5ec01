"""``kiosk solve``: exact endgame search, for analysis after the event."""

from __future__ import annotations

from time import perf_counter

import click

from engine.i18n import raised_as, say
from kiosk.commands.command_helpers import as_json_option, print_result
from kiosk.input_errors_and_missing_extras import InputError

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
