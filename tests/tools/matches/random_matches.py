"""Random events for a match, half of them plausible for the players in that state."""

from __future__ import annotations

import random
from dataclasses import replace

from matches.steps import S

from engine.board.board_geometry import scan
from engine.board.color import Color
from engine.board.position import Position
from engine.match import MatchState, Phase, Seat
from engine.match.match_events_and_effects import (
    Action,
    Agree,
    ArbiterOrder,
    Arrive,
    BoardReported,
    CapturePenalty,
    Choose,
    ClaimKind,
    Confirm,
    CorrectReading,
    Declare,
    DeclareEnd,
    DiscCount,
    Event,
    Hold,
    Pass,
    PlayerClaim,
    Press,
    Reopen,
    Restart,
    Retract,
    SeatsAssigned,
    StopFreePlay,
    Submitted,
    Tick,
    TimeWinChoice,
)

#: the orders that change a clock directly
EDITS = frozenset({Action.SET_TIME, Action.DEDUCT})


def likely_event(state: MatchState, at_ns: int, rng: random.Random) -> Event:
    """Return an event that advances the game."""
    running = state.clock.running
    if state.pending and rng.random() < 0.8:
        return BoardReported(
            at_ns, rng.choice([state.board or "", board_after_a_turn(state, rng)]), state.pending[0].number
        )
    match state.phase:
        case Phase.SETUP:
            return SeatsAssigned(at_ns, rng.choice(list(Seat)), rng.choice([None, *Color]))
        case Phase.READY:
            return Press(at_ns, state.seat_of(Color.WHITE) or Seat.LEFT)
        case Phase.TURN | Phase.CORR | Phase.FREE | Phase.FINISH if state.board is not None and rng.random() < 0.5:
            return BoardReported(at_ns, board_after_a_turn(state, rng))
        case Phase.CHECK:
            return DeclareEnd(at_ns, state.side.opponent if state.side else Color.BLACK)
        case Phase.ENDED if state.count is None:
            return DiscCount(at_ns, rng.randint(0, 40), rng.randint(0, 40))
        case Phase.ENDED | Phase.RESULT:
            return Confirm(at_ns, rng.choice(list(Color)))
        case Phase.SIGNED:
            return Submitted(at_ns)
        case Phase.CHOICE:
            return Choose(at_ns, rng.choice(list(TimeWinChoice)))
        case Phase.HOLD | Phase.LATE:
            return ArbiterOrder(at_ns, Action.RESUME)
        case _:
            return Press(at_ns, running or rng.choice(list(Seat)))


def any_event(state: MatchState, at_ns: int, rng: random.Random) -> Event:
    """Return any event, legal or not."""
    color, seat = rng.choice(list(Color)), rng.choice(list(Seat))
    if state.phase in (Phase.SETUP, Phase.READY) and rng.random() < 0.2:
        return ArbiterOrder(at_ns, Action.LATE_START, side=seat)
    kinds = (None, "IM-1", "IM-4", "IM-7")
    squares = rng.choice([(), ("e5",), ("d5", "f5")])
    orders = [
        ArbiterOrder(at_ns, Action.HOLD), ArbiterOrder(at_ns, Action.RESUME), ArbiterOrder(at_ns, Action.BOTH_FLAGS),
        ArbiterOrder(at_ns, Action.SET_TIME, "test", black_ns=rng.randint(0, 9) * S, white_ns=rng.randint(0, 9) * S),
        ArbiterOrder(at_ns, Action.DEDUCT, "test", side=color, amount_ns=rng.randint(-1, 5) * S),
        ArbiterOrder(at_ns, Action.SET_TIME, "test", black_ns=5 * S, white_ns=rng.randint(0, 9) * S, turn=color),
        ArbiterOrder(at_ns, Action.FLAG, side=rng.choice([None, color, seat])),
        ArbiterOrder(at_ns, Action.CHALLENGE, upheld=rng.random() < 0.5),
        ArbiterOrder(at_ns, Action.LATE_START, side=rng.choice([color, seat])), ArbiterOrder(at_ns, Action.UNRATED,
        "test"),
    ]  # fmt: skip
    if rng.random() < 0.1:
        orders.append(ArbiterOrder(at_ns, Action.FORFEIT, "test", side=rng.choice([color, seat])))
        orders.append(ArbiterOrder(at_ns, Action.RESIGNATION, "test", side=color))
        orders.append(ArbiterOrder(at_ns, Action.RESULT, "test", winner=color, black_discs=40, white_discs=24))
    return rng.choice(
        [
            Press(at_ns, seat), Retract(at_ns), BoardReported(at_ns, board_after_a_turn(state, rng)),
            CorrectReading(at_ns, board_after_the_last_turn(state, rng)),
            BoardReported(at_ns, state.board or "?", rng.randint(0, state.asked + 1)),
            PlayerClaim(at_ns, color, ClaimKind.FLAG), PlayerClaim(at_ns, color, ClaimKind.ILLEGAL, rng.choice(kinds),
            squares),
            Declare(at_ns, color), Choose(at_ns, rng.choice(list(TimeWinChoice))), StopFreePlay(at_ns),
            Agree(at_ns, rng.random() < 0.5), Hold(at_ns, seat), DeclareEnd(at_ns, color), Pass(at_ns, color),
            DiscCount(at_ns, rng.randint(-1, 65), rng.randint(0, 64)), Confirm(at_ns, color), rng.choice(orders),
            CapturePenalty(at_ns, color), DiscCount(at_ns, 0, 0, tuple(rng.randint(0,
            9) for _ in range(state.options.players))),
            Arrive(at_ns), SeatsAssigned(at_ns, seat), Reopen(at_ns), Submitted(at_ns), Restart(at_ns), Tick(at_ns),
        ]
    )  # fmt: skip


def board_after_the_last_turn(state: MatchState, rng: random.Random) -> str:
    """Return a board that the last turn may have had instead."""
    before = replace(state, turns=state.turns[:-1]) if state.turns else state
    return board_after_a_turn(before, rng)


def board_after_a_turn(state: MatchState, rng: random.Random) -> str:
    """Return the board after a legal move of the side to move; sometimes with an error."""
    cells = state.turn_board or state.board or "-" * 64
    position = Position.from_cells(cells, state.to_move)
    if moves := scan(position.legal_moves()):
        cells = position.play(rng.choice(moves)).cells()
    if rng.random() < 0.2:
        square = rng.randrange(64)
        cells = cells[:square] + rng.choice("XO-") + cells[square + 1 :]
    return cells
