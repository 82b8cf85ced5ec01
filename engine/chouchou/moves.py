"""Placing and the two movements of ChouChou: what is allowed, and the effect on the cells (RULES.md 9.2 and 9.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from engine.chouchou.errors import IllegalMoveEvent
from engine.chouchou.game_options_state_and_events import (
    Act,
    Cell,
    ChouChouState,
    Exchange,
    NextPiece,
    Placement,
    TwoPieces,
)
from engine.i18n import say


def acts(state: ChouChouState) -> Iterator[Act]:
    """Yield every act that the player to move may do, in the order of the cells."""
    cells = state.setup.shape.cells
    candidates: list[Act] = [Placement(cell) for cell in cells]
    if state.next_zone[state.seat]:
        candidates += [Placement(cell, from_supply=True) for cell in cells]
    if state.may_move(state.seat):
        candidates += [TwoPieces(source, target) for source in cells for target in cells]
        enemies = [color for color in range(state.setup.colors) if color != state.color]
        candidates += [Exchange(own, cell, color) for own in cells for cell in cells for color in enemies]
    for act in candidates:
        try:
            apply(state, act)
        except IllegalMoveEvent:
            continue
        yield act


def apply(state: ChouChouState, act: Act) -> tuple[tuple[Cell, ...], frozenset[int]]:
    """Return the cells after an act of the player to move, and those whose total changed.

    ``ChouChouState.may_move`` is not checked here: a second movement in a row is an offence, not an illegal event.

    :raises IllegalMoveEvent: if the act is not possible on this board.
    """
    match act:
        case Placement():
            return _place(state, act)
        case TwoPieces():
            return _move_two(state, act)
        case Exchange():
            return _exchange(state, act)
        case _:
            assert_never(act)


def _place(state: ChouChouState, act: Placement) -> tuple[tuple[Cell, ...], frozenset[int]]:
    # CC-PUT-3: own and enemy pieces together.
    _check(state, act.cell)
    limit = state.setup.shape.limit
    if state.total(act.cell) >= limit:
        raise IllegalMoveEvent(
            say("{cell} is full, a cell holds {limit} pieces (CC-PUT-3)", cell=_name(state, act.cell), limit=limit)
        )
    # AMB-34
    if act.from_supply and state.next_zone[state.seat] and state.setup.options.next_piece is NextPiece.COMPULSORY:
        raise IllegalMoveEvent(say("the piece on NEXT must be placed in this turn (CC-MOV-4)"))
    return _add_pieces(state.cells, {act.cell: {state.color: 1}}), frozenset({act.cell})


def _move_two(state: ChouChouState, act: TwoPieces) -> tuple[tuple[Cell, ...], frozenset[int]]:
    _check(state, act.source, act.target)
    if act.source == act.target:
        raise IllegalMoveEvent(say("two pieces move to another cell (CC-MOV-2)"))
    if state.cells[act.source][state.color] < 2:
        raise IllegalMoveEvent(say("{cell} has no two own pieces to move (CC-MOV-2)", cell=_name(state, act.source)))
    limit = state.setup.shape.limit
    if state.total(act.target) + 2 > limit:
        raise IllegalMoveEvent(
            say(
                "{cell} has no room for two, a cell holds {limit} pieces (CC-MOV-2)",
                cell=_name(state, act.target),
                limit=limit,
            )
        )
    after = _add_pieces(state.cells, {act.source: {state.color: -2}, act.target: {state.color: 2}})
    return after, frozenset({act.source, act.target})


def _exchange(state: ChouChouState, act: Exchange) -> tuple[tuple[Cell, ...], frozenset[int]]:
    # CC-MOV-3: no total changes, so an exchange never makes a line.
    _check(state, act.own, act.enemy)
    own, enemy = state.color, enemy_color(state, act)
    if act.own == act.enemy:
        raise IllegalMoveEvent(say("pieces of two cells change places (CC-MOV-3)"))
    if not state.cells[act.own][own]:
        raise IllegalMoveEvent(say("{cell} has no own piece to exchange (CC-MOV-3)", cell=_name(state, act.own)))
    after = _add_pieces(state.cells, {act.own: {own: -1, enemy: 1}, act.enemy: {own: 1, enemy: -1}})
    return after, frozenset()


def enemy_color(state: ChouChouState, act: Exchange) -> int:
    """Return the colour of the piece that an exchange takes.

    :raises IllegalMoveEvent: if the cell has no enemy piece, or the act does not name one of several colours.
    """
    cell = state.cells[act.enemy]
    there = [color for color, count in enumerate(cell) if count and color != state.color]
    if act.color in there:
        return act.color
    if act.color is None and len(there) == 1:
        return there[0]
    if act.color is None and there:
        raise IllegalMoveEvent(
            say("{cell} has pieces of several enemies; say whose is exchanged", cell=_name(state, act.enemy))
        )
    raise IllegalMoveEvent(say("{cell} has no such enemy piece to exchange (CC-MOV-3)", cell=_name(state, act.enemy)))


def _add_pieces(cells: tuple[Cell, ...], by: dict[int, dict[int, int]]) -> tuple[Cell, ...]:
    return tuple(
        tuple(count + by.get(number, {}).get(color, 0) for color, count in enumerate(cell))
        for number, cell in enumerate(cells)
    )


def _check(state: ChouChouState, *cells: int) -> None:
    for cell in cells:
        if cell not in state.setup.shape.cells:
            raise IllegalMoveEvent(
                say("there is no cell {cell}; cells are 0 to {last}", cell=cell, last=len(state.setup.shape.cells) - 1)
            )


def _name(state: ChouChouState, cell: int) -> str:
    return state.setup.shape.name(cell)
