"""Plan of one simulated game, which record is played and who errs when; and its physical board with those errors.

The plan depends only on seed, game and players, not on timing, speed or power cuts, so that a disturbed event can be
compared with an undisturbed one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from random import Random

import msgspec

from engine.board.errors import BoardError
from engine.board.position import Position
from engine.board.transcript import parse_transcript
from engine.board.wthor import read_wtb
from engine.i18n import raised_as, say
from kiosk.errors import InputError
from kiosk.link.link_messages import Assignment
from kiosk.untrusted_file_sandbox import MOST_GAMES, check_size


class PlayerError(StrEnum):
    """A planned error. ``FORGOTTEN_FLIP`` … ``WRONG_SQUARE`` are challenged by the opponent."""

    NONE = "none"
    FORGOTTEN_FLIP = "forgotten-flip"
    OVER_FLIP = "over-flip"
    WRONG_SQUARE = "wrong-square"
    UNNOTICED_FLIP = "unnoticed-flip"  # unnoticed: play continues from the board as it is
    FALSE_PASS = "false-pass"
    WRONG_CHALLENGE = "wrong-challenge"
    CALL_ARBITER = "call-arbiter"
    FLAG_CLAIMED = "flag-claimed"
    FLAG_UNCLAIMED = "flag-unclaimed"


#: the mistakes of a round's tables in turn; every kind occurs within two rounds of eight tables
TURNS = (
    PlayerError.NONE, PlayerError.FORGOTTEN_FLIP, PlayerError.NONE, PlayerError.WRONG_CHALLENGE,
    PlayerError.CALL_ARBITER, PlayerError.OVER_FLIP,
    PlayerError.FLAG_CLAIMED, PlayerError.NONE, PlayerError.WRONG_SQUARE, PlayerError.FALSE_PASS, PlayerError.NONE,
    PlayerError.UNNOTICED_FLIP,
    PlayerError.FLAG_UNCLAIMED,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class GamePlan:
    """The plan of a game. ``ply`` is the turn of the mistake or the first later one at which it is possible. The random
    choices are made here: ``free_play`` what a winner on time chooses, ``seat_left``, ``black_first`` and
    ``right_to_black`` the set-up.
    """

    record: tuple[str, ...]
    planned_error: PlayerError
    ply: int
    free_play: bool
    seat_left: bool
    black_first: bool
    right_to_black: bool
    seed: str

    def chance(self, ply: int) -> Random:
        """Return the random generator of one turn."""
        return Random(f"{self.seed}/{ply}")


def plan(seed: int, game: str, number: int, records: Sequence[tuple[str, ...]]) -> GamePlan:
    """Return the plan of the game with this id, the ``number``-th of the event."""
    dice = Random(f"{seed}/{game}")
    planned_error = TURNS[number % len(TURNS)]
    ply = dice.randrange(8, 40)
    if planned_error is PlayerError.FLAG_UNCLAIMED:
        ply = dice.randrange(48, 54)
    return GamePlan(
        record=records[dice.randrange(len(records))],
        planned_error=planned_error,
        ply=ply,
        free_play=dice.random() < 0.5,
        seat_left=dice.random() < 0.5,
        black_first=dice.random() < 0.5,
        right_to_black=dice.random() < 0.5,
        seed=f"{seed}/{game}",
    )


# The physical board of one simulated table, and the errors players make on it.
#
# The discs stay where they were put, whatever happens to the table program; so the state is saved before each action
# and read again after a power cut.

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


def faulty_board(position: Position, square: str, planned_error: PlayerError, dice: Random) -> str | None:
    """Return the board after a move to ``square`` with the planned error in it; None if the error is not possible
    here.
    """
    geometry = position.geometry
    cells = position.play(geometry.square(square)).cells()
    index_of = {name: i for i, name in enumerate(geometry.names(geometry.playable))}
    own, enemy = position.to_move.symbol, position.to_move.opponent.symbol
    flips = geometry.names(position.flips(geometry.square(square)))
    match planned_error:
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


# Launch settings of a simulated table, as one JSON file beside its configuration.


class HallScript(msgspec.Struct, forbid_unknown_fields=True):
    """Settings of one simulated hall. ``speed``: how many times faster than real time the clocks run."""

    seed: int
    speed: float
    tables: int
    games: str | None = None

    def plan_for(self, game: Assignment, records: Sequence[tuple[str, ...]]) -> GamePlan:
        """Return the plan of a game; the mistakes rotate among the tables from round to round."""
        return plan(self.seed, game.game, (game.round - 1) * self.tables + game.table - 1, records)


# Games played in a simulated hall: a WTHOR file, or a small built-in set of real games without names.


def load_records(path: Path | None) -> list[tuple[str, ...]]:
    """Return the squares of each game, without passes.

    :raises InputError: the file cannot be read, is no WTHOR file, or has no game.
    """
    if path is None:
        text = files("kiosk.demo").joinpath("games.txt").read_text(encoding="ascii")
        return [tuple(move for move in parse_transcript(line) if move) for line in text.splitlines()]
    unreadable = say("{path}: {why}; name a readable WTHOR .wtb file", path=path)
    wrong = say("{path}: {why}; name a WTHOR .wtb file", path=path)
    with raised_as(InputError, unreadable, OSError), raised_as(InputError, wrong, BoardError):
        games = [game.moves for game in read_wtb(check_size(path, MOST_GAMES).read_bytes())]
    records = [tuple(move for move in moves if move) for moves in games if len(moves) >= 20]
    if not records:
        raise InputError.saying("{path}: holds no game of 20 moves or more; name a file with whole games", path=path)
    return records
