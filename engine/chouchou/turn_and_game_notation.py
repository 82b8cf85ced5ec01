"""Notation of ChouChou turns, ``3B``, ``3C→1A②``, ``2B→3A①`` (CC-SUP-3), and of games made of them.

Parse and format are inverse, and a written game replays to the same board. The official signs state what was placed or
moved. Additional signs of this program follow them, for what a replay also needs:

- ``×3C→1A②`` before the act: a movement in consecutive turns, taken back (CC-SUP-1a);
- ``2B→3A①/2``: whose piece was exchanged, where a cell has several enemies' (players counted from 1);
- ``3B+``: from the supply, the piece on NEXT stays (CC-MOV-6);
- ``3B-1A2C``: the captures of these cells were forgotten (CC-CAP-7), all others were taken;
- ``--``: no act; ``!`` at the end: the player exceeded his time.

In ASCII the arrow is ``>`` and the number a digit: ``3C>1A2``. Full-width letters and digits are read too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from engine.chouchou.board_shapes import BoardSpec
from engine.chouchou.errors import BadNotation
from engine.chouchou.game_options_state_and_events import (
    Act,
    ChouChouSetup,
    ChouChouState,
    ChouChouTurn,
    Exchange,
    Movement,
    Placement,
    Play,
    Switch,
    Take,
    TimeOver,
    TwoPieces,
)
from engine.chouchou.state_machine import new_game, step
from engine.i18n import Text, raised_as, say

NO_ACT = "--"
_MOVEMENT = re.compile(r"([1-4][A-D])(?:→|->|>)([1-4][A-D])\(?([12])\)?(?:/([1-4]))?")
_PLACE = re.compile(r"([1-4][A-D])(\+?)")
_FORGOTTEN = re.compile(r"-((?:[1-4][A-D])+)")
#: characters of a turn that an error repeats; the longest turn of a game is shorter
_MOST_QUOTED = 100


def format_act(act: Act, shape: BoardSpec, ascii_only: bool = False) -> str:
    """Return the notation of an act."""
    arrow, one, two = (">", "1", "2") if ascii_only else ("→", "①", "②")
    match act:
        case Placement(cell, from_supply):
            return shape.name(cell) + "+" * from_supply
        case TwoPieces(source, target):
            return f"{shape.name(source)}{arrow}{shape.name(target)}{two}"
        case Exchange(own, enemy, color):
            whose = "" if color is None else f"/{color + 1}"
            return f"{shape.name(own)}{arrow}{shape.name(enemy)}{one}{whose}"


def format_turn(turn: ChouChouTurn, shape: BoardSpec, ascii_only: bool = False) -> str:
    """Return the notation of a turn, without who played it and how much it took."""
    text = "".join(("x" if ascii_only else "×") + format_act(act, shape, ascii_only) for act in turn.void)
    text += NO_ACT if turn.act is None else format_act(turn.act, shape, ascii_only)
    if turn.forgotten:
        text += "-" + "".join(shape.name(cell) for cell in turn.forgotten)
    return text + "!" * turn.time_over


def parse_turn(text: str, shape: BoardSpec) -> ChouChouTurn:
    """Return the turn written in ``text``, with seat 0 and nothing taken, because neither is written.

    :raises BadNotation: with the character (from 1) that cannot be read.
    """
    plain = unicodedata.normalize("NFKC", text).strip().upper()
    at, void = 0, list[Movement]()
    act: Act | None = None
    while plain[at : at + 1] in ("×", "X") and at < len(plain):
        found = _movement(plain, at + 1, shape)
        if found is None:
            raise _bad(text, plain, at + 1, say("a movement that was taken back"))
        void.append(found[0])
        at = found[1]
    if plain.startswith(NO_ACT, at):
        at += len(NO_ACT)
    elif found := _movement(plain, at, shape):
        act, at = found
    elif placed := _PLACE.match(plain, at):
        act, at = Placement(shape.cell(placed[1]), bool(placed[2])), placed.end()
    else:
        raise _bad(text, plain, at, say("an act such as 3B, 3C→1A② or 2B→3A①"))
    forgotten: tuple[int, ...] = ()
    if left := _FORGOTTEN.match(plain, at):
        names = left[1]
        forgotten = tuple(sorted({shape.cell(names[i : i + 2]) for i in range(0, len(names), 2)}))
        at = left.end()
    time_over = plain.startswith("!", at)
    if at + time_over != len(plain):
        raise _bad(text, plain, at, say("the end of the turn"))
    return ChouChouTurn(0, act, tuple(void), 0, forgotten, time_over)


def _movement(plain: str, at: int, shape: BoardSpec) -> tuple[Movement, int] | None:
    found = _MOVEMENT.match(plain, at)
    if found is None:
        return None
    source, target, count, whose = found.groups()
    if count == "2":
        if whose:
            raise BadNotation(
                say(
                    "{found}: two own pieces are moved, '/{whose}' belongs to an exchange (①)",
                    found=found[0],
                    whose=whose,
                )
            )
        return TwoPieces(shape.cell(source), shape.cell(target)), found.end()
    return Exchange(shape.cell(source), shape.cell(target), int(whose) - 1 if whose else None), found.end()


def _bad(text: str, plain: str, at: int, wanted: Text) -> BadNotation:
    return BadNotation(
        say(
            "{text!r}, character {at}: {found} is not {wanted}",
            text=text[:_MOST_QUOTED],
            at=at + 1,
            found=repr(plain[at : at + 6]),
            wanted=wanted,
        )
    )


def format_game(turns: Iterable[ChouChouTurn], shape: BoardSpec, ascii_only: bool = False) -> str:
    """Return the turns of a game, one per line, numbered from 1."""
    return "".join(f"{n}. {format_turn(turn, shape, ascii_only)}\n" for n, turn in enumerate(turns, start=1))


def parse_game(text: str, shape: BoardSpec, first_line: int = 1) -> list[ChouChouTurn]:
    """Return the turns of a written game, separated by spaces or lines; numbers before them may be left out.

    :param first_line: the number of the text's first line in its file
    :raises BadNotation: with the line.
    """
    turns = []
    for number, line in enumerate(text.splitlines(), start=first_line):
        for written in re.sub(r"(^|\s)\d+[.\uff0e]", " ", line).split():
            with raised_as(BadNotation, say("line {number}: {why}", number=number), BadNotation):
                turns.append(parse_turn(written, shape))
    return turns


def replay(setup: ChouChouSetup, turns: Iterable[ChouChouTurn]) -> ChouChouState:
    """Return the game after the turns.

    :raises IllegalMoveEvent: if the rules do not allow a turn.
    """
    state = new_game(setup)
    for turn in turns:
        state = replay_turn(state, turn)
    return state


def replay_turn(state: ChouChouState, turn: ChouChouTurn) -> ChouChouState:
    """Return the game after one more turn.

    :raises IllegalMoveEvent: if the rules do not allow it.
    """
    for movement in turn.void:
        state = step(state, Play(movement))
    if turn.act is not None:
        state = step(state, Play(turn.act))
    while state.result is None and (cells := state.due_cells() - set(turn.forgotten)):
        state = step(state, Take(cells))
    if state.result is None:
        state = step(state, TimeOver() if turn.time_over else Switch())
    return state
