"""``kiosk engine``: the endgame solver as an NBoard engine, for the broadcast and any other NBoard client."""

from __future__ import annotations

import sys

import click


@click.command()
@click.option("--most", default=12, show_default=True, type=click.IntRange(1, 20), help="Empty squares at most.")
def engine(most: int) -> None:
    """Answer NBoard's questions on standard input with exact values, where few squares are empty; else with none."""
    from engine.board.endgame_solver import solve
    from engine.board.errors import BoardError
    from engine.board.ggf import read_ggf
    from engine.board.position import Position
    from engine.board.transcript import PASS, replay

    position = Position.start()
    for line in sys.stdin:
        command, _, rest = line.strip().partition(" ")
        match command:
            case "nboard":
                click.echo("set myname kiosk")
            case "set" if rest.startswith("game "):
                try:
                    (game,) = read_ggf(rest.removeprefix("game "))
                    position = replay(game.moves, game.start)
                except (BoardError, ValueError):
                    continue
            case "hint":
                if position.empty.bit_count() <= most and not position.is_over:
                    found = solve(position)
                    best = "".join(move or PASS for move in found.line) or PASS
                    click.echo(f"search {best} {found.score} 0 100%")
                click.echo("nodestats 0 0")
            case "ping":
                click.echo(f"pong {rest}")
            case "quit":
                return
            case _:
                pass
        sys.stdout.flush()
