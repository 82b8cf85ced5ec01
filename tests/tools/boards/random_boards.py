"""Random positions for property tests: from random games, or with arbitrary discs."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from engine.board.board_geometry import scan
from engine.board.color import Color
from engine.board.position import Position

COLORS = st.sampled_from(list(Color))

#: Any 8x8 board string, reachable or not.
BOARDS = st.text("XO-", min_size=64, max_size=64)


@st.composite
def positions(draw: st.DrawFn, variant: str = "8x8") -> Position:
    """Draw a position of a random game in which the side to move can move."""
    reached = game(draw(st.integers(0, 2**32)), variant)
    return reached[draw(st.integers(0, len(reached) - 1))]


def game(seed: int, variant: str = "8x8") -> list[Position]:
    """Return the positions of a random game in which the side to move can move."""
    choice = random.Random(seed)
    position = Position.start(variant)
    reached = []
    while not position.is_over:
        if moves := scan(position.legal_moves()):
            reached.append(position)
            position = position.play(choice.choice(moves))
        else:
            position = position.pass_turn()
    return reached
