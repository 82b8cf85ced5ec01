"""Records of ChouChou games, and remarks on each turn: the first illegal one, forgotten captures, penalties.

A record is lines ``field: value`` and then the turns in notation; an empty line ends a game that has turns::

    board: 3x3          (3x3, j&s or 4x4; 3x3 if missing)
    players: 2          (2, 3, 4 or pairs; 2 if missing)
    first: 1            (the player who begins, from 1)
    target: 10          (where it is not that of the board)
    1. 1A
    2. 2A
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from engine.chouchou.board_shapes import BoardKind
from engine.chouchou.errors import BadNotation, IllegalMoveEvent
from engine.chouchou.game_options_state_and_events import ChouChouSetup, ChouChouState, ChouChouTurn
from engine.chouchou.state_machine import new_game
from engine.chouchou.turn_and_game_notation import format_game, format_turn, parse_game, replay_turn
from engine.i18n import Text, say, text_of

PLAYERS = {"2": (2, False), "3": (3, False), "4": (4, False), "pairs": (4, True)}
#: a number up to 99; zeros may stand before it
_NUMBER = re.compile(r"0*[0-9]{1,2}")
_FIELD = re.compile(r"\s*([a-z]+)\s*:\s*(.*?)\s*$", re.IGNORECASE)


class RemarkKind(StrEnum):
    """Kind of a remark on a turn."""

    ILLEGAL = "illegal"
    MISSED = "missed"  # CC-CAP-7: captures that were not taken
    PENALTY = "penalty"  # CC-SUP-1


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark on a turn, numbered from 1. ``cells``: those concerned."""

    turn: int
    kind: RemarkKind
    cells: tuple[str, ...]
    text: Text


@dataclass(frozen=True, slots=True)
class ChouChouRecord:
    """A written game."""

    setup: ChouChouSetup
    turns: tuple[ChouChouTurn, ...]


@dataclass(frozen=True, slots=True)
class CheckedRecord:
    """A game up to its end or its first illegal turn, with the remarks on its turns."""

    state: ChouChouState
    remarks: tuple[Remark, ...]

    @property
    def illegal(self) -> Remark | None:
        return next((one for one in self.remarks if one.kind is RemarkKind.ILLEGAL), None)


def read_records(text: str) -> Iterator[ChouChouRecord]:
    """Yield the games of a text.

    :raises BadNotation: with the line of the text.
    :raises BadSetup: the rules do not allow such a game.
    """
    fields, first, turns = dict[str, str](), 1, list[str]()
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        if not line.strip() and turns:
            yield _record(fields, first, turns)
            fields, turns = {}, []
        elif found := _FIELD.match(line):
            if turns or found[1].lower() not in ("board", "players", "first", "target"):
                raise BadNotation(
                    say("line {number}: {line} is neither a turn nor board, players, first or target before the turns",
                        number=number, line=repr(line.strip()[:40]))
                )  # fmt: skip
            fields[found[1].lower()] = found[2]
        elif line.strip():
            first = first if turns else number
            turns.append(line)


def _record(fields: dict[str, str], first: int, turns: Sequence[str]) -> ChouChouRecord:
    setup = setup_of(
        fields.get("board", BoardKind.THREE), fields.get("players", "2"), fields.get("first"), fields.get("target")
    )
    return ChouChouRecord(setup, tuple(parse_game("\n".join(turns), setup.shape, first)))


def setup_of(board: str, players: str = "2", first: str | None = None, target: str | None = None) -> ChouChouSetup:
    """Return the set-up that a record names.

    :raises BadNotation: it has no such board or number of players, or a number is none.
    :raises BadSetup: the rules do not allow such a game.
    """
    if board not in tuple(BoardKind):
        known = ", ".join(BoardKind)
        raise BadNotation(say("board is {board}; it is one of {known}", board=repr(board[:40]), known=known))
    if players not in PLAYERS:
        raise BadNotation(say("players is {n}; it is one of {known}", n=repr(players[:40]), known=", ".join(PLAYERS)))
    for name, value in (("first", first), ("target", target)):
        if value is not None and not (_NUMBER.fullmatch(value) and int(value) >= 1):
            raise BadNotation(say("{name} is {value}; it is a number from 1", name=name, value=repr(value[:40])))
    many, pairs = PLAYERS[players]
    return ChouChouSetup(
        BoardKind(board), many, pairs, int(first) - 1 if first else None, int(target) if target else None
    )


def format_record(setup: ChouChouSetup, turns: Sequence[ChouChouTurn]) -> str:
    """Return a game as a record that ``read_records`` reads."""
    players = next(name for name, (many, pairs) in PLAYERS.items() if (many, pairs) == (setup.players, setup.pairs))
    head = f"board: {setup.board}\nplayers: {players}\nfirst: {setup.begins + 1}\ntarget: {setup.goal}\n"
    return head + format_game(turns, setup.shape)


def check_record(record: ChouChouRecord) -> CheckedRecord:
    """Return the game as far as its turns are legal, with a remark on every capture missed and every penalty."""
    state, remarks = new_game(record.setup), list[Remark]()
    for number, turn in enumerate(record.turns, start=1):
        try:
            after = replay_turn(state, turn)
        except IllegalMoveEvent as error:
            written = format_turn(turn, record.setup.shape)
            text = say("turn {n}, {turn}: {why}", n=number, turn=written, why=text_of(error))
            remarks.append(Remark(number, RemarkKind.ILLEGAL, (), text))
            break
        remarks += _remarks(number, state, after)
        state = after
    return CheckedRecord(state, tuple(remarks))


def _remarks(number: int, before: ChouChouState, after: ChouChouState) -> Iterator[Remark]:
    """Yield the remarks on the turn that leads from one state to the next."""
    setup, turn = after.setup, after.turns[-1]
    penalties = [now - was for now, was in zip(after.penalty, before.penalty, strict=True)]
    if turn.void and any(penalties):
        text = say(
            "turn {n}: player {player} moved pieces in consecutive turns; each opponent receives {pieces} (CC-SUP-1)",
            n=number, player=turn.seat + 1, pieces=max(penalties) // len(turn.void),
        )  # fmt: skip
        yield Remark(number, RemarkKind.PENALTY, (), text)
    if turn.forgotten:
        cells = tuple(map(setup.shape.name, turn.forgotten))
        text = say("turn {n}: captures not taken in {cells} (CC-CAP-7)", n=number, cells=" ".join(cells))
        yield Remark(number, RemarkKind.MISSED, cells, text)
