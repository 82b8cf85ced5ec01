"""State machine of a game of ChouChou (RULES.md 9 and 3.7): ``step(state, event) -> state``.

- An illegal event raises and leaves the state unchanged.
- A turn is one act, then the captures it makes, then the clock (CC-SUP-2c).
- A second movement in a row is an offence with consequences, not an illegal event (CC-SUP-1).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any, TypeVar

from engine.chouchou.board_shapes import Line, lines
from engine.chouchou.errors import IllegalMoveEvent
from engine.chouchou.game_options_state_and_events import (
    Capturing,
    Cell,
    ChouChouEnd,
    ChouChouPhase,
    ChouChouResult,
    ChouChouSetup,
    ChouChouState,
    ChouChouTick,
    ChouChouTurn,
    ClaimTime,
    Decide,
    Event,
    Exchange,
    FlagCall,
    LineRule,
    Movement,
    Offender,
    PenaltyTo,
    Placement,
    Play,
    Start,
    Switch,
    Take,
    first_to_reach,
    turn_order,
    with_penalty,
)
from engine.chouchou.moves import acts, apply, enemy_color
from engine.i18n import say

_T = TypeVar("_T")

_NOT_NOW = {
    ChouChouPhase.READY: say("not possible now: the game has not begun"),
    ChouChouPhase.TURN: say("not possible now: a turn is in progress"),
    ChouChouPhase.ENDED: say("not possible now: the game is over"),
}


def new_game(setup: ChouChouSetup) -> ChouChouState:
    """Return the empty board before the first turn."""
    seats, colors = setup.players, setup.colors
    return ChouChouState(
        setup=setup,
        phase=ChouChouPhase.READY,
        seat=setup.begins,
        cells=((0,) * colors,) * len(setup.shape.cells),
        next_zone=(False,) * seats,
        stock=(setup.options.movements,) * seats,
        captured=((0,) * colors,) * seats,
        penalty=(0,) * seats,
        main_ns=(setup.main_ns or 0,) * colors,
        turn=ChouChouTurn(setup.begins, None),
    )


def step(state: ChouChouState, event: Event) -> ChouChouState:
    """Return the state after ``event``.

    :raises IllegalEvent: if the rules do not allow the event now; the state is unchanged.
    """
    if event.at_ns < state.since_ns:
        raise IllegalMoveEvent(say("the clock has been switched since then"))
    before = _advance(state, event.at_ns)
    handler = TABLE.get((before.phase, type(event)))
    if handler is None:
        raise IllegalMoveEvent(_NOT_NOW[before.phase])
    return handler(before, event)


def _start(state: ChouChouState, event: Start) -> ChouChouState:
    return replace(state, phase=ChouChouPhase.TURN, since_ns=event.at_ns)


def _play(state: ChouChouState, event: Play) -> ChouChouState:
    if state.acted:
        raise IllegalMoveEvent(say("this turn's action is complete; take the captured pieces and switch the clock"))
    act = event.act
    cells, changed = apply(state, act)
    seat, zone, stock = state.seat, state.next_zone[state.seat], state.stock[state.seat]
    if isinstance(act, Placement):
        act = replace(act, from_supply=act.from_supply and zone)
        zone = zone and act.from_supply  # CC-MOV-6: another piece leaves that on NEXT where it is
    elif zone:
        return _offence(state, act)
    elif stock == 0:
        raise IllegalMoveEvent(
            say("all {movements} movements are used (CC-MOV-5)", movements=state.setup.options.movements)
        )
    else:
        # CC-MOV-1: the movement piece goes from the stock to NEXT.
        zone, stock = True, None if stock is None else stock - 1
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
            after = _take(after, Take(event.at_ns, after.due_cells()))
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
    if not options.penalties:  # CC-SUP-1b
        return after
    order, pairs = _turn_order(state), state.setup.pairs
    divided = options.penalty_to is PenaltyTo.DIVIDED
    pieces = with_penalty(state.penalty, order, pairs=pairs, divided=divided, one_score_board=options.one_score_board)
    after = replace(after, penalty=pieces)
    if options.penalty_wins:  # AMB-35: the first opponent in turn order
        opponents = [seat for seat in order if state.setup.color_of(seat) != state.color]
        scores = [after.score(seat) for seat in state.setup.seats]
        if (winner := first_to_reach(scores, after.setup.goal, opponents)) is not None:
            return _end(after, ChouChouResult(winner, ChouChouEnd.PENALTY))
    return after


def _take(state: ChouChouState, event: Take) -> ChouChouState:
    possible = state.due_cells()
    if not event.cells or not event.cells <= possible:
        names = " ".join(state.setup.shape.name(cell) for cell in sorted(possible)) or "none"
        raise IllegalMoveEvent(
            say("only the enemy pieces of a line can be taken; cells with such pieces: {cells}", cells=names)
        )
    seat, color = state.seat, state.color
    gained = [0] * state.setup.colors
    for cell in event.cells:
        for each, count in enumerate(state.cells[cell]):
            gained[each] += count if each != color else 0
    captured = tuple(old + new for old, new in zip(state.captured[seat], gained, strict=True))
    after = replace(
        state,
        cells=without_enemies(state.cells, color, event.cells),
        captured=_put(state.captured, seat, captured),
        turn=replace(state.turn, taken=state.turn.taken + sum(gained)),
        lost=state.lost | event.cells,
    )
    if after.due_cells():
        return after
    # CC-CAP-4, CC-CAP-5: chains are judged after all simultaneous captures.
    after = replace(after, due=due_lines(after.setup, after.cells, color, after.lost), lost=frozenset())
    return _end_if_target_reached(after) if not after.due else after


def _switch(state: ChouChouState, event: Switch) -> ChouChouState:
    forgotten = state.due_cells()
    if forgotten and state.setup.options.capturing is Capturing.COMPULSORY:
        names = " ".join(state.setup.shape.name(cell) for cell in sorted(forgotten))
        raise IllegalMoveEvent(say("there are pieces to be taken first, in {cells}", cells=names))
    # A player without any act skips the turn `[I]`.
    if not state.acted and next(acts(state), None) is not None:
        raise IllegalMoveEvent(say("a turn is a piece placed or moved (CC-PUT-2)"))
    # CC-CAP-7: captures not taken are lost.
    after = _end_if_target_reached(replace(state, turn=replace(state.turn, forgotten=tuple(sorted(forgotten)))))
    if after.phase is ChouChouPhase.ENDED:
        return after
    left = max(state.main_ns[state.color] - (event.at_ns - state.since_ns), 0)
    return _next_turn(replace(after, main_ns=_put(state.main_ns, state.color, left)), event.at_ns)


def _next_turn(state: ChouChouState, at_ns: int) -> ChouChouState:
    seat = _turn_order(state)[0]
    return replace(
        state,
        seat=seat,
        turns=(*state.turns, state.turn),
        turn=ChouChouTurn(seat, None),
        since_ns=at_ns,
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
    return replace(state, phase=ChouChouPhase.ENDED, turns=(*state.turns, state.turn), result=result)


def _claim_time(state: ChouChouState, event: ClaimTime) -> ChouChouState:
    deadline_ns = state.next_deadline_ns()
    if deadline_ns is None or event.at_ns < deadline_ns:
        raise IllegalMoveEvent(say("the player to move has time left"))
    return _time_over(state, event.at_ns)


def _advance(state: ChouChouState, at_ns: int) -> ChouChouState:
    """Return the state at ``at_ns`` if nothing but time passes."""
    while (deadline_ns := state.next_deadline_ns()) is not None and at_ns >= deadline_ns:
        if state.setup.options.flag_call is FlagCall.CLAIMED:
            break
        state = _time_over(state, deadline_ns)
    return state


def _time_over(state: ChouChouState, at_ns: int) -> ChouChouState:
    """Apply CC-WIN-5: a player who exceeds main time and extension loses. Among three or four the others play on `[I]`.
    A player who had already reached the target has won."""
    state = _end_if_target_reached(state)
    if state.phase is ChouChouPhase.ENDED:
        return state
    turn = replace(state.turn, time_over=True, forgotten=tuple(sorted(state.due_cells())))
    out = state.out | {seat for seat in state.setup.seats if state.setup.color_of(seat) == state.color}
    after = replace(state, turn=turn, out=out, main_ns=_put(state.main_ns, state.color, 0))
    left = _turn_order(after)
    if len({state.setup.color_of(seat) for seat in left}) == 1:
        return _end(after, ChouChouResult(left[0], ChouChouEnd.TIME))
    return _next_turn(after, at_ns)


def _decide(state: ChouChouState, event: Decide) -> ChouChouState:
    if event.winner is not None and event.winner not in state.setup.seats:
        raise IllegalMoveEvent(say("there is no seat {winner}", winner=event.winner))
    return _end(state, ChouChouResult(event.winner, ChouChouEnd.ARBITER, event.reason))


def _tick(state: ChouChouState, _event: ChouChouTick) -> ChouChouState:
    return state


def _put(values: tuple[_T, ...], place: int, value: _T) -> tuple[_T, ...]:
    return (*values[:place], value, *values[place + 1 :])


TABLE: dict[tuple[ChouChouPhase, type[Event]], Callable[[ChouChouState, Any], ChouChouState]] = {
    (ChouChouPhase.READY, Start): _start,
    (ChouChouPhase.READY, Decide): _decide,
    (ChouChouPhase.READY, ChouChouTick): _tick,
    (ChouChouPhase.TURN, Play): _play,
    (ChouChouPhase.TURN, Take): _take,
    (ChouChouPhase.TURN, Switch): _switch,
    (ChouChouPhase.TURN, ClaimTime): _claim_time,
    (ChouChouPhase.TURN, Decide): _decide,
    (ChouChouPhase.TURN, ChouChouTick): _tick,
    (ChouChouPhase.ENDED, ChouChouTick): _tick,
}


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
