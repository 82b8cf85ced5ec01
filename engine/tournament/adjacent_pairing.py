"""Adjacent pairing: players who are next to each other in rank meet (AMB-16, AMB-25).

It is the Othello system among players of equal wins: there are as few second byes as possible, then as few rematches;
then the highest player meets the highest opponent this allows, then the next, and so on. The optimum is unique, so no
lot is drawn here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.tournament.othello_system_pairing import (
    Direction,
    OthelloSystemRules,
    PoolPairing,
    RankedPool,
    cost_of,
    pair_pool,
    player_without_pair,
    ranked_pool_of,
)
from engine.tournament.pairing_history_and_constraints import History, check_enough_present

_RULES = OthelloSystemRules(Direction.HIGHEST)


def pair_neighbours(history: History, order: Sequence[str]) -> PoolPairing:
    """Pair players given in rank order; in an odd field the bye is an opponent below everybody. The cost is second
    byes, rematches, then the number of players ranked between the two of each pair, from the top.

    :raises EventError: if there are fewer than two players
    """
    check_enough_present(sum(name not in history.wishes.byes for name in order))
    pairing = pair_pool(_of_equal_wins(history, order), _RULES)
    here = [name for name in order if name not in pairing.requested]
    return replace(pairing, cost=(*pairing.cost[:2], *_gaps(here, pairing.pairs)))


def cost_of_neighbours(history: History, order: Sequence[str], pairs: Sequence[tuple[str, str]]) -> tuple[int, ...]:
    """Return the cost of a round as it was played; a player of ``order`` who is in no pair had the bye."""
    cost = cost_of(_of_equal_wins(history, order), pairs, player_without_pair(order, pairs), _RULES)
    return *cost[:2], *_gaps(order, pairs)


def _of_equal_wins(history: History, order: Sequence[str]) -> RankedPool:
    return replace(ranked_pool_of(history, order), wins=dict.fromkeys(order, 0))


def _gaps(order: Sequence[str], pairs: Sequence[tuple[str, str]]) -> list[int]:
    """Return how many players are ranked between the two of each pair, or below the one with the bye, not counting
    those who are paired with somebody higher."""
    opponent = dict(pairs) | {other: one for one, other in pairs}
    free, gaps = list(order), []
    while free:
        other = opponent.get(free.pop(0))
        gaps.append(len(free) if other is None else free.index(other))
        if other is not None:
            free.remove(other)
    return gaps
