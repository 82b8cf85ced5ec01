"""Adjacent pairing: players who are next to each other in rank meet (AMB-16, AMB-25).

Over all pairings, there are as few second byes as possible, then as few rematches; then the highest player meets the
highest opponent this allows, then the next, and so on. The optimum is unique, so no lot is drawn here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.tournament.min_cost_matching import Pair, min_cost_matching
from engine.tournament.player_history_and_presence import History, check_enough_present

#: bits that the weights of one solve may use; the solver's limit is 2**120
WIDTH = 100


@dataclass(frozen=True, slots=True)
class AdjacentPairing:
    """Paired round. ``pairs`` are (higher, lower) from the top; ``cost`` is second byes, rematches, then the number of
    players ranked between the two of each pair, from the top. ``requested``: byes that the operator set."""

    pairs: tuple[tuple[str, str], ...]
    bye: str | None
    cost: tuple[int, ...]
    requested: tuple[str, ...] = ()

    def named_cost(self) -> dict[str, int]:
        return {"second_byes": self.cost[0], "rematches": self.cost[1], "distance": sum(self.cost[2:])}


def pair_neighbours(history: History, order: Sequence[str]) -> AdjacentPairing:
    """Pair players given in rank order; in an odd field the bye is an opponent below everybody.

    :raises EventError: if there are fewer than two players
    """
    requested = tuple(name for name in order if name in history.wishes.byes)
    order = [name for name in order if name not in requested]
    check_enough_present(len(order))
    offences = {pair: spent for pair, spent in _offences(history, order).items() if _may_meet(history, order, pair)}
    left = list(range(len(order) + len(order) % 2))
    pairs: list[Pair] = []
    while left:
        fixed = _solve_from_the_top(left, offences)
        pairs += fixed
        paired = {place for pair in fixed for place in pair}
        left = [place for place in left if place not in paired]
    return replace(_round(history, order, sorted(pairs)), requested=requested)


def _may_meet(history: History, order: Sequence[str], pair: Pair) -> bool:
    """Return whether the constraints allow a pair of places."""
    one, other = pair
    return history.wishes.allows_entry(order[one], order[other] if other < len(order) else None)


def cost_of_neighbours(history: History, order: Sequence[str], pairs: Sequence[tuple[str, str]]) -> tuple[int, ...]:
    """Return the cost of a round as it was played; a player of ``order`` who is in no pair had the bye."""
    place = {name: number for number, name in enumerate(order)}
    paired = {name for pair in pairs for name in pair}
    numbers = [(min(place[a], place[b]), max(place[a], place[b])) for a, b in pairs]
    numbers += [(place[name], len(order)) for name in order if name not in paired]
    return _round(history, order, sorted(numbers)).cost


def _offences(history: History, order: Sequence[str]) -> dict[Pair, tuple[int, int]]:
    """Return (second bye, rematch) of every pair of places; the last place of an odd field is the bye."""
    found = {(i, j): (0, int(bool(history.met(order[i], order[j])))) for j in range(len(order)) for i in range(j)}
    if len(order) % 2:
        found |= {(i, len(order)): (int(history.records[name].byes > 0), 0) for i, name in enumerate(order)}
    return found


def _solve_from_the_top(left: Sequence[int], offences: dict[Pair, tuple[int, int]]) -> list[Pair]:
    """Return the pairs of the highest players, as many as one solve decides: each of them is one digit of its
    weights."""
    digit = len(left).bit_length()
    decided = min(len(left), max(1, (WIDTH - 3 * digit) // digit))
    costs: dict[Pair, int] = {}
    for high, i in enumerate(left):
        for low in range(high + 1, len(left)):
            if (i, left[low]) not in offences:
                continue
            second_bye, rematch = offences[i, left[low]]
            weight = (second_bye << digit) + rematch
            distance = (low - high - 1) << (digit * (decided - 1 - high)) if high < decided else 0
            costs[high, low] = (weight << (digit * decided)) + distance
    return [(left[i], left[j]) for i, j in min_cost_matching(len(left), costs) if i < decided]


def _round(history: History, order: Sequence[str], pairs: Sequence[Pair]) -> AdjacentPairing:
    offences = _offences(history, order)
    bye = next((order[i] for i, j in pairs if j == len(order)), None)
    second_byes, rematches = (sum(column) for column in zip(*(offences[pair] for pair in pairs), strict=True))
    # places between the two, not counting players already paired with somebody higher
    free = list(range(len(order) + len(order) % 2))
    gaps = []
    for i, j in pairs:
        gaps.append(free.index(j) - free.index(i) - 1)
        free = [place for place in free if place not in (i, j)]
    named = tuple((order[i], order[j]) for i, j in pairs if j < len(order))
    return AdjacentPairing(named, bye, (second_byes, rematches, *gaps))
