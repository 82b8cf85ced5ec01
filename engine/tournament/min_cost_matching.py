"""Exact minimum-cost perfect matching on integers of any width.

- The answer is optimal, or an error is raised; there is no heuristic and no silent overflow.
- The solver is rustworkx's blossom algorithm in 128-bit integers, which verifies its answer by its dual solution
  (measured: exact to 125 bits of cost, an error above). Wider costs, as 32 teams have with 14 rounds, use networkx's
  in Python integers.
- Lexicographic criteria should be solved one after another: see ``othello`` and ``neighbours``, which split wide costs
  into chunks.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.i18n import say
from engine.tournament.event_model import TournamentError

#: from this many players on, excluding unusable pairs first saves time
MANY = 150
#: the solver multiplies weights by small factors inside 128 bits
WIDEST = 1 << 120

Pair = tuple[int, int]


class MatchingError(TournamentError):
    """No perfect matching exists."""


def min_cost_matching(count: int, costs: Mapping[Pair, int]) -> tuple[Pair, ...]:
    """Return pairs that cover 0 … count - 1, each once, at the smallest total cost.

    :param costs: the cost of each allowed pair ``(i, j)`` with i < j, any integer; a pair that is missing is forbidden
    :raises MatchingError: if ``count`` is odd, or the allowed pairs cannot cover everybody
    """
    if count == 0:
        return ()
    if count % 2:
        raise MatchingError(say("{count} players cannot be paired without a bye; add the bye first", count=count))
    if not costs:
        raise MatchingError(say("no pair is allowed; lift a forbidden pair"))
    pairs, found = _thinned(count, costs)
    if found is not None:
        return found
    return _solved(count, costs if pairs is None else {pair: costs[pair] for pair in pairs})


def pruned_costs(count: int, costs: Mapping[Pair, int]) -> Mapping[Pair, int]:
    """Return the costs without pairs that no cheapest matching uses, as far as that can be determined quickly."""
    pairs, _ = _thinned(count, costs)
    return costs if pairs is None else {pair: costs[pair] for pair in pairs}


def _thinned(count: int, costs: Mapping[Pair, int]) -> tuple[list[Pair] | None, tuple[Pair, ...] | None]:
    """Return (the pairs that a cheapest matching may use, one such matching), each as far as it can be determined
    quickly."""
    if count <= MANY or not costs or min(costs.values()) < 0:
        return None, None
    from engine.tournament.edge_pruning import (  # importing numpy takes longer than pairing a small pool
        MOST_BITS,
        prune_edges,
    )

    if max(costs.values()).bit_length() > MOST_BITS:
        return None, None
    return prune_edges(count, costs, _solved) or (None, None)


def _solved(count: int, costs: Mapping[Pair, int]) -> tuple[Pair, ...]:
    low, high = min(costs.values()), max(costs.values())
    wide = (high - low + 1) * (count + 1) >= WIDEST
    pairs = reference_matching(costs) if wide else _by_rustworkx(count, costs)
    if sorted(i for pair in pairs for i in pair) != list(range(count)):
        raise MatchingError(say("the allowed pairs cannot cover every player; lift a forbidden pair"))
    return pairs


def _by_rustworkx(count: int, costs: Mapping[Pair, int]) -> tuple[Pair, ...]:
    import rustworkx as rx  # of the extra head; standings and lists need no solver

    high = max(costs.values())
    graph = rx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(count))
    graph.add_edges_from([(i, j, high - cost + 1) for (i, j), cost in costs.items()])
    found = rx.max_weight_matching(graph, max_cardinality=True, weight_fn=int, verify_optimum=True)
    return tuple(sorted((min(pair), max(pair)) for pair in found))


def reference_matching(costs: Mapping[Pair, int]) -> tuple[Pair, ...]:
    """Return as many pairs as possible at the smallest total, on integers of any width: the reference solver."""
    import networkx as nx  # takes a fifth of a second

    high = max(costs.values())
    graph = nx.Graph()
    graph.add_weighted_edges_from((i, j, high - cost + 1) for (i, j), cost in costs.items())
    found = nx.max_weight_matching(graph, maxcardinality=True)
    return tuple(sorted((min(pair), max(pair)) for pair in found))


def total_cost(pairs: tuple[Pair, ...], costs: Mapping[Pair, int]) -> int:
    """Return the cost of a matching; KeyError if it uses a forbidden pair."""
    return sum(costs[pair] for pair in pairs)
