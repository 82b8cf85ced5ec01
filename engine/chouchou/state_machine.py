"""State machine of a game of ChouChou (RULES.md 9): ``step(state, event) -> state``.

- An illegal event raises and leaves the state unchanged.
- A turn is one act, then the captures it makes, then the clock (CC-SUP-2c).
- A second movement in a row is an offence with consequences, not an illegal event (CC-SUP-1).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TypeVar, assert_never

from engine.chouchou.board_shapes import Line, lines
from engine.chouchou.errors import IllegalMoveEvent
from engine.chouchou.game_options_state_and_events import (
    MOVEMENTS,
    Act,
    Capturing,
    Cell,
    ChouChouEnd,
    ChouChouResult,
    ChouChouSetup,
    ChouChouState,
    ChouChouTurn,
    Event,
    Exchange,
    LineRule,
    Movement,
    Offender,
    PenaltyTo,
    Placement,
    Play,
    Switch,
    Take,
    TimeOver,
    first_to_reach,
    turn_order,
    with_penalty,
)
from engine.chouchou.moves import acts, apply, enemy_color
from engine.i18n import say

_T = TypeVar("_T")


def new_game(setup: ChouChouSetup) -> ChouChouState:
    """Return the empty board in the first turn."""
    seats, colors = setup.players, setup.colors
    return ChouChouState(
        setup=setup,
        seat=setup.begins,
        cells=((0,) * colors,) * len(setup.shape.cells),
        next_zone=(False,) * seats,
        stock=(MOVEMENTS,) * seats,
        captured=((0,) * colors,) * seats,
        penalty=(0,) * seats,
        turn=ChouChouTurn(setup.begins, None),
    )


def step(state: ChouChouState, event: Event) -> ChouChouState:
    """Return the state after ``event``.

    :raises IllegalMoveEvent: if the rules do not allow the event now; the state is unchanged.
    """
    if state.result is not None:
        raise IllegalMoveEvent(say("not possible now: the game is over"))
    match event:
        case Play(act):
            return _play(state, act)
        case Take(cells):
            return _take(state, cells)
        case Switch():
            return _switch(state)
        case TimeOver():
            return _time_over(state)
        case _:
            assert_never(event)


def _play(state: ChouChouState, act: Act) -> ChouChouState:
    if state.acted:
        raise IllegalMoveEvent(say("this turn's action is complete; take the captured pieces and switch the clock"))
    cells, changed = apply(state, act)
    seat, zone, stock = state.seat, state.next_zone[state.seat], state.stock[state.seat]
    if isinstance(act, Placement):
        act = replace(act, from_supply=act.from_supply and zone)
        zone = zone and act.from_supply  # CC-MOV-6: another piece leaves that on NEXT where it is
    elif zone:
        return _offence(state, act)
    elif stock == 0:
        raise IllegalMoveEvent(say("all {movements} movements are used (CC-MOV-5)", movements=MOVEMENTS))
    else:
        # CC-MOV-1: the movement piece goes from the stock to NEXT.
        zone, stock = True, stock - 1
        if isinstance(act, Exchange):
            act = _unambiguous(state, act)
    after = replace(
        state,
        cells=cells,
        next_zone=_put(state.next_zone, seat, zone),
        stock=_put(state.stock, seat, stock),
        acted=True,
        turn=replace(state.turn, act=act),
        due=due_lines(state.setup, cells, state.color, changed),
    )
    if state.setup.options.capturing is Capturing.AUTOMATIC:
        while after.due:
            after = _take(after, after.due_cells())
    return after


def _unambiguous(state: ChouChouState, act: Exchange) -> Exchange:
    """Return the exchange with the enemy colour named only where necessary, so that one act has one notation."""
    several = sum(count > 0 for color, count in enumerate(state.cells[act.enemy]) if color != state.color) > 1
    return replace(act, color=enemy_color(state, act) if several else None)


def _offence(state: ChouChouState, act: Movement) -> ChouChouState:
    """Apply CC-SUP-1: movement in consecutive turns is void and taken back; the opponents receive pieces."""
    options = state.setup.options
    if isinstance(act, Exchange):
        act = _unambiguous(state, act)
    after = replace(
        state,
        acted=options.offender is Offender.TURN_ENDS,  # AMB-35
        turn=replace(state.turn, void=(*state.turn.void, act)),
    )
    order, divided = _turn_order(state), options.penalty_to is PenaltyTo.DIVIDED
    after = replace(after, penalty=with_penalty(state.penalty, order, pairs=state.setup.pairs, divided=divided))
    if options.penalty_wins:  # AMB-35: the first opponent in turn order
        opponents = [seat for seat in order if state.setup.color_of(seat) != state.color]
        scores = [after.score(seat) for seat in state.setup.seats]
        if (winner := first_to_reach(scores, after.setup.goal, opponents)) is not None:
            return _end(after, ChouChouResult(winner, ChouChouEnd.PENALTY))
    return after


def _take(state: ChouChouState, emptied: frozenset[int]) -> ChouChouState:
    possible = state.due_cells()
    if not emptied or not emptied <= possible:
        names = " ".join(state.setup.shape.name(cell) for cell in sorted(possible)) or "none"
        raise IllegalMoveEvent(
            say("only the enemy pieces of a line can be taken; cells with such pieces: {cells}", cells=names)
        )
    seat, color = state.seat, state.color
    gained = [0] * state.setup.colors
    for cell in emptied:
        for each, count in enumerate(state.cells[cell]):
            gained[each] += count if each != color else 0
    captured = tuple(old + new for old, new in zip(state.captured[seat], gained, strict=True))
    after = replace(
        state,
        cells=without_enemies(state.cells, color, emptied),
        captured=_put(state.captured, seat, captured),
        turn=replace(state.turn, taken=state.turn.taken + sum(gained)),
        lost=state.lost | emptied,
    )
    if after.due_cells():
        return after
    # CC-CAP-4, CC-CAP-5: chains are judged after all simultaneous captures.
    after = replace(after, due=due_lines(after.setup, after.cells, color, after.lost), lost=frozenset())
    return _end_if_target_reached(after) if not after.due else after


def _switch(state: ChouChouState) -> ChouChouState:
    forgotten = state.due_cells()
    if forgotten and state.setup.options.capturing is Capturing.COMPULSORY:
        names = " ".join(state.setup.shape.name(cell) for cell in sorted(forgotten))
        raise IllegalMoveEvent(say("there are pieces to be taken first, in {cells}", cells=names))
    # A player without any act skips the turn `[I]`.
    if not state.acted and next(acts(state), None) is not None:
        raise IllegalMoveEvent(say("a turn is a piece placed or moved (CC-PUT-2)"))
    # CC-CAP-7: captures not taken are lost.
    after = _end_if_target_reached(replace(state, turn=replace(state.turn, forgotten=tuple(sorted(forgotten)))))
    return _next_turn(after) if after.result is None else after


def _next_turn(state: ChouChouState) -> ChouChouState:
    seat = _turn_order(state)[0]
    return replace(
        state,
        seat=seat,
        turns=(*state.turns, state.turn),
        turn=ChouChouTurn(seat, None),
        acted=False,
        due=(),
        lost=frozenset(),
    )


def _turn_order(state: ChouChouState) -> list[int]:
    """Return the players still in the game, clockwise from the next one; the player to move is last."""
    return turn_order(state.seat, state.setup.players, state.out)


def _end_if_target_reached(state: ChouChouState) -> ChouChouState:
    """Return the state, ended if the player to move has reached the target by taking (CC-WIN-1, CC-WIN-4)."""
    if state.turn.taken and state.score(state.seat) >= state.setup.goal:
        return _end(state, ChouChouResult(state.seat, ChouChouEnd.TARGET))
    return state


def _end(state: ChouChouState, result: ChouChouResult) -> ChouChouState:
    return replace(state, turns=(*state.turns, state.turn), result=result)


def _time_over(state: ChouChouState) -> ChouChouState:
    """Apply CC-WIN-5: a player who exceeds main time and extension loses. Among three or four the others play on `[I]`.
    A player who had already reached the target has won."""
    state = _end_if_target_reached(state)
    if state.result is not None:
        return state
    turn = replace(state.turn, time_over=True, forgotten=tuple(sorted(state.due_cells())))
    out = state.out | {seat for seat in state.setup.seats if state.setup.color_of(seat) == state.color}
    after = replace(state, turn=turn, out=out)
    left = _turn_order(after)
    if len({state.setup.color_of(seat) for seat in left}) == 1:
        return _end(after, ChouChouResult(left[0], ChouChouEnd.TIME))
    return _next_turn(after)


def _put(values: tuple[_T, ...], place: int, value: _T) -> tuple[_T, ...]:
    return (*values[:place], value, *values[place + 1 :])


# Captures of ChouChou: which lines hold pieces to be taken (CC-CAP-1 to CC-CAP-5).
#
# The lines of a simultaneous capture are found before any piece is removed, those of a chain only after all of them are
# removed.


def due_lines(setup: ChouChouSetup, cells: tuple[Cell, ...], color: int, changed: Collection[int]) -> tuple[Line, ...]:
    """Return the lines that ``color`` may take: all totals equal, a piece of another colour among them and, unless
    older lines count too (AMB-33), one of the ``changed`` cells."""
    totals = [sum(cell) for cell in cells]
    found = []
    for line in lines(setup.shape.size):
        total, *others = {totals[cell] for cell in line}
        if others:
            continue
        if setup.options.line_rule is LineRule.CHANGED and line.isdisjoint(changed):
            continue
        if any(total > cells[cell][color] for cell in line):
            found.append(line)
    return tuple(found)


def without_enemies(cells: tuple[Cell, ...], color: int, emptied: Collection[int]) -> tuple[Cell, ...]:
    """Return the cells after removing all pieces of other colours from the ``emptied`` ones."""
    return tuple(
        tuple(count if each == color or number not in emptied else 0 for each, count in enumerate(cell))
        for number, cell in enumerate(cells)
    )
