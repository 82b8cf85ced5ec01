"""Whole games for tests of a match, by a seeded random player, with the board after each turn."""

from __future__ import annotations

from collections.abc import Iterator

from engine.board.color import Color
from engine.board.position import Position
from engine.board.transcript import parse_transcript

START = Position.start().cells()
#: Black 13-0 on the board after nine moves: extinction
WIPE_OUT = "e6f4e3f6g5d6e7f5c5"
#: full board, Black 12-52
FULL = (
    "e6d6c3f4d7c5g4g3c4g5b5c7f5a5a6d8a4f7f6d3h4c2e7e3g6f8b4b3e2h5b6f3h6g7c6a7d2d1c1b1c8b2h7h8h2a3h3h1f2g2f1g1e8g8a2a1b7b8"
    "a8e1"
)
#: full board, 32-32
DRAW = (
    "d3c5f6e3f3g7c6f2e6c3b5f5g5g6g4g3e2f4b3a3h2h3h8e7d6f1b2b7d7d8b4h1e1c1c2a5a1b1a4d2h5b6f7h6h7d1a2g8f8e8a7c4c8a6c7a8h4"
    "b8g1g2"
)
#: neither side can move with one square empty, Black 40-23 on the board
EMPTIES = (
    "d3c3f5f4b3c6c5e6e3d2e1b6f3d6b5c4e7a5d7g2b4d8f2g5h5g3h2f7c7g4g6f6g8g1g7b2e2c2c8c1a4b8a2h4b7h6e8f8a8a3h3a7h7d1b1f1h1"
    "a1a6"
)
#: Black 44-20; Black has to pass before g1
PASSES = (
    "c4c5f6c3b5g7e3e6c2f3g3a5h8b3f4f2b4f5f7h3a3d2e2e1a6e7d7c1c6g8f1g4d1b6b1d3g6b7f8a7c7h6a8b2g5g2a1d6h2h5a4d8c8h7e8a2h4"
    "b8--g1h1"
)


def turns(transcript: str) -> Iterator[tuple[Color, str | None, str]]:
    """Yield who moved, where (None: a pass), and the board after it."""
    position = Position.start()
    for move in parse_transcript(transcript):
        by = position.to_move
        position = position.pass_turn() if move is None else position.play(position.geometry.square(move))
        yield by, move, position.cells()


def after(transcript: str) -> str:
    """Return the board after these moves."""
    return [START, *(cells for _, _, cells in turns(transcript))][-1]


def changed(cells: str, **squares: str) -> str:
    """Return a board with some squares changed: ``changed(board, e5="O")``."""
    new = list(cells)
    for name, disc in squares.items():
        new[(int(name[1]) - 1) * 8 + "abcdefgh".index(name[0])] = disc
    return "".join(new)
