"""The physical board of one simulated table, and the errors players make on it.

The discs stay where they were put, whatever happens to the table program; so the state is saved before each action and
read again after a power cut.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from engine.board.position import Position
from kiosk.demo.simulated_game_plan import PlayerError

START = Position.start().cells()


@dataclass(slots=True)
class PhysicalBoard:
    """State of the physical board. ``before`` is the board at the start of turn ``ply``, once its player has begun to
    move, and ``moved`` that he has finished; ``challenge`` is the correct board, once the opponent has noticed an
    error.
    """

    game: str = ""
    cells: str = START
    done: bool = False  # the planned mistake has been made
    challenge: str | None = None
    ply: int = -1
    before: str = START
    moved: bool = False

    def save(self, path: Path) -> None:
        new = path.with_suffix(".new")
        new.write_text(json.dumps(asdict(self)), encoding="utf-8")
        new.replace(path)

    @classmethod
    def load(cls, path: Path) -> PhysicalBoard:
        return cls(**json.loads(path.read_text(encoding="utf-8"))) if path.exists() else cls()


def choose_move(position: Position, record: tuple[str, ...], played: tuple[str, ...], dice: Random) -> str | None:
    """Return the record's next square while the game follows it, else any legal one; None: the player must pass."""
    geometry = position.geometry
    legal = geometry.names(position.legal_moves())
    squares = tuple(move for move in played if move != "--")
    follows = squares == record[: len(squares)]
    if follows and len(squares) < len(record) and record[len(squares)] in legal:
        return record[len(squares)]
    return dice.choice(legal) if legal else None


def mid_move_board(before: str, after: str) -> str:
    """Return the board in mid-move: the new disc is placed, nothing is flipped yet."""
    return "".join(new if old == "-" else old for old, new in zip(before, after, strict=True))


def faulty_board(position: Position, square: str, mishap: PlayerError, dice: Random) -> str | None:
    """Return the board after a move to ``square`` with the planned error in it; None if the error is not possible
    here.
    """
    geometry = position.geometry
    cells = position.play(geometry.square(square)).cells()
    index_of = {name: i for i, name in enumerate(geometry.names(geometry.playable))}
    own, enemy = position.to_move.symbol, position.to_move.opponent.symbol
    flips = geometry.names(position.flips(geometry.square(square)))
    match mishap:
        case PlayerError.FORGOTTEN_FLIP | PlayerError.UNNOTICED_FLIP:
            return _with_cell(cells, index_of[dice.choice(flips)], enemy) if len(flips) > 1 else None
        case PlayerError.OVER_FLIP:
            others = [i for i, cell in enumerate(cells) if cell == enemy]
            return _with_cell(cells, dice.choice(others), own) if others else None
        case PlayerError.WRONG_SQUARE:
            legal = set(geometry.names(position.legal_moves()))
            empty = [name for name in geometry.names(position.empty) if name not in legal]
            return _with_cell(position.cells(), index_of[dice.choice(empty)], own) if empty else None
        case _:
            return None


def _with_cell(cells: str, index: int, symbol: str) -> str:
    return cells[:index] + symbol + cells[index + 1 :]
