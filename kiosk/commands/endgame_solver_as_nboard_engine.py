"""``kiosk engine``: the endgame solver as an NBoard engine, for the broadcast and any other NBoard client."""

from __future__ import annotations

import sys

import click

#: a pass in the protocol
_PASS = "PA"


@click.command()
@click.option(
    "--most",
    default=12,
    show_default=True,
    type=click.IntRange(1, 20),
    help="Largest number of empty squares to search.",
)
def engine(most: int) -> None:
    """Run as an NBoard engine on standard input: exact values where few squares are empty, else none."""
    from engine.board.endgame_solver import solve
    from engine.board.errors import BoardError
    from engine.board.ggf import read_ggf
    from engine.board.position import Position
    from engine.board.transcript import replay

    def best_line() -> tuple[list[str], int | None]:
        """Return best play and its value; where many squares are empty, the move that leaves the opponent the fewest
        moves, without a value."""
        if not position.is_over and position.empty.bit_count() <= most:
            found = solve(position)
            return [move or _PASS for move in found.line], found.score
        moves = position.geometry.names(position.legal_moves())
        after = {move: replay([move], position) for move in moves}
        return [min(moves, key=lambda move: after[move].legal_moves().bit_count(), default=_PASS)], None

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
            case "move":  # the move, its value and its time: D3/1.5/2.0
                name = rest.partition("/")[0].strip()
                try:
                    position = replay([None if name.upper() == _PASS else name.lower()], position)
                except BoardError:
                    continue
            case "hint":
                line_of_moves, score = best_line()
                if score is not None:
                    click.echo(f"search {''.join(line_of_moves)} {score} 0 100%")
                click.echo("nodestats 0 0")
            case "go":
                click.echo(f"=== {best_line()[0][0]}")
            case "ping":
                click.echo(f"pong {rest}")
            case "quit":
                return
            case _:
                pass
        sys.stdout.flush()
