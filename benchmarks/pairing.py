"""How long a Brightwell Swiss round takes: our pairing, and networkx on the same costs in the same run.

    python benchmarks/pairing.py [--players 32 64 128 256] [--rounds 5] [--repeat 3] [--no-peer]

Prints one JSON object. ``pair_s`` is the whole of ``next_round``, from the event's value to the games; ``solve_s`` and
``networkx_s`` are the matching alone, on identical integer costs. Both must find the same total.
"""

from __future__ import annotations

import argparse
import json
import platform
from importlib.metadata import version
from time import perf_counter

import networkx

from engine.tournament import from_dict, next_round
from engine.tournament.history import history_before
from engine.tournament.lots import Lots
from engine.tournament.matching import Pair, cheapest_matching, total_cost
from engine.tournament.model import Event
from engine.tournament.swiss import Pool, pool_costs


def played_event(players: int, rounds: int, seed: int) -> Event:
    """An event with random results, each round paired by the program itself."""
    lots = Lots(seed)
    data: dict[str, object] = {
        "schema": "othello-event/1",
        "format": "swiss",
        "options": {"random_seed": seed},
        "players": [{"id": f"p{i}", "country": f"c{lots.below(20)}"} for i in range(players)],
        "rounds": [],
    }
    for number in range(1, rounds + 1):
        games = [dict(game) for game in next_round(from_dict(data)).games]
        for game in games:
            if "bye" not in game:
                black = lots.below(65)
                winner = "draw" if black == 32 else "black" if black > 32 else "white"
                game.update(black_discs=black, white_discs=64 - black, winner=winner)
        data["rounds"].append({"round": number, "games": games})  # type: ignore[attr-defined]
    return from_dict(data)


def by_networkx(count: int, costs: dict[Pair, int]) -> int:
    graph = networkx.Graph()
    graph.add_weighted_edges_from((i, j, cost) for (i, j), cost in costs.items())
    pairs = networkx.min_weight_matching(graph)
    return total_cost(tuple((min(pair), max(pair)) for pair in pairs), costs)


def measure(players: int, rounds: int, repeat: int, peer: bool) -> dict[str, object]:
    event = played_event(players, rounds, seed=players)
    history = history_before(event, rounds + 1)
    costs = pool_costs(event, history, Pool(tuple(player.id for player in event.players)), Lots(1))
    count = players + players % 2
    pair_s, solve_s = [], []
    for _ in range(repeat):
        began = perf_counter()
        next_round(event)
        pair_s.append(perf_counter() - began)
        began = perf_counter()
        pairs = cheapest_matching(count, costs)
        solve_s.append(perf_counter() - began)
    result: dict[str, object] = {
        "players": players,
        "after_rounds": rounds,
        "pair_s": round(min(pair_s), 4),
        "solve_s": round(min(solve_s), 4),
        "bits": max(costs.values()).bit_length(),
    }
    if peer:
        began = perf_counter()
        total = by_networkx(count, costs)
        result["networkx_s"] = round(perf_counter() - began, 4)
        result["same_total"] = total == total_cost(pairs, costs)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, nargs="+", default=[32, 64, 128, 256])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--no-peer", action="store_true", help="leave networkx out")
    arguments = parser.parse_args()
    runs = [measure(n, arguments.rounds, arguments.repeat, not arguments.no_peer) for n in arguments.players]
    print(
        json.dumps(
            {
                "benchmark": "pairing",
                "system": "Brightwell Swiss (PAIRING.md 2)",
                "python": platform.python_version(),
                "rustworkx": version("rustworkx"),
                "networkx": version("networkx"),
                "runs": runs,
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
