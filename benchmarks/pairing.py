"""Time to pair a round in both systems: our pairing, and networkx on the same costs in the same run.

    python benchmarks/pairing.py [--players 32 64 128 256 512 1000] [--rounds 5] [--repeat 3] [--peer-up-to 128]

Prints one JSON object. ``pair_s`` is the whole of ``next_round``, from the event's value to the games. ``solve_s`` and
``networkx_s`` are the matching alone: for the Brightwell Swiss on identical integer costs, for the Othello system the
chunks under 2**120 against one solve with the whole lexicographic cost as one integer. Both must find the same. Every
figure is a median: of ``--repeat`` runs, of one run above 256 players.
"""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Callable
from importlib.metadata import version
from itertools import combinations
from statistics import median
from time import perf_counter
from typing import Any, TypeVar

from engine.tournament import next_round
from engine.tournament.event_model import Event
from engine.tournament.formats.meijin40_base_and_othello_pool import OthelloPool
from engine.tournament.formats.meijin40_ranking_pools_and_finals import ranked_pool
from engine.tournament.lots_and_leagues import LotDraw
from engine.tournament.min_cost_matching import Pair, min_cost_matching, reference_matching, total_cost
from engine.tournament.othello_system_pairing import CostTable, OthelloSystemRules, RankedPool, pair_pool
from engine.tournament.pairing_history_and_constraints import history_before
from engine.tournament.swiss_pairing import Prices, SwissPool, pool_costs
from kiosk.records.event_file import from_dict

T = TypeVar("T")
SMALLEST = ("--players", "4", "--rounds", "1", "--repeat", "1")
SYSTEMS = {"swiss": "Brightwell Swiss (PAIRING.md 2)", "othello-pool": "Othello system (PAIRING.md 1)"}


def played_event(format_: str, players: int, rounds: int, seed: int) -> Event:
    """Return an event with random results; its past rounds pair neighbours in score, so that rematches are likely."""
    lots = LotDraw(seed)
    names = [f"p{i}" for i in range(players)]
    score = dict.fromkeys(names, 0)
    past: list[dict[str, object]] = []
    for number in range(1, rounds + 1):
        order = sorted(lots.shuffled(names), key=lambda name: -score[name])
        games: list[dict[str, object]] = [{"bye": order.pop()}] if players % 2 else []
        for one, other in zip(order[::2], order[1::2], strict=True):
            black = 33 + lots.below(31)
            one, other = (one, other) if lots.below(2) else (other, one)
            score[one] += 1
            games.append(
                {"black": one, "white": other, "black_discs": black, "white_discs": 64 - black, "winner": "black"}
            )
        past.append({"round": number, "games": games})
    data = {
        "schema": "othello-event/1",
        "format": format_,
        "options": {"random_seed": seed},
        "players": [{"id": name, "lot": i, "country": f"c{lots.below(20)}"} for i, name in enumerate(names, start=1)],
        "rounds": past,
    }
    return from_dict(data)


def median_of(repeat: int, run: Callable[[], T]) -> tuple[float, T]:
    seconds = []
    for _ in range(repeat):
        began = perf_counter()
        answer = run()
        seconds.append(perf_counter() - began)
    return round(median(seconds), 5), answer


def measure_swiss(event: Event, repeat: int, peer: bool) -> dict[str, Any]:
    history = history_before(event, len(event.rounds) + 1)
    pool = SwissPool(tuple(player.id for player in event.players))
    costs = pool_costs(history, pool, Prices(event, history, pool), LotDraw(1))
    count = len(event.players) + len(event.players) % 2
    solve_s, pairs = median_of(repeat, lambda: min_cost_matching(count, costs))
    result: dict[str, Any] = {"solve_s": solve_s, "bits": max(costs.values()).bit_length()}
    if peer:
        times = repeat if len(event.players) <= 64 else 1
        result["networkx_s"], found = median_of(times, lambda: reference_matching(costs))
        result["same"] = total_cost(found, costs) == total_cost(pairs, costs)
    return result


def whole_costs(pool: RankedPool, rules: OthelloSystemRules) -> dict[Pair, int]:
    """Return PAIRING.md 1 as one integer for every pair of ranks; the last rank of an odd pool is the dummy."""
    table = CostTable(pool, rules)
    base = 2 * table.size
    costs: dict[Pair, int] = {}
    for i, j in combinations(range(table.size), 2):
        cost = 0
        for count in table.counts(i, j):
            cost = cost * base + count
        costs[i, j] = cost * base**table.size + table.digit(i, j) * base ** (table.size - 1 - i)
    return costs


def measure_othello(event: Event, repeat: int, peer: bool) -> dict[str, Any]:
    at = OthelloPool().situation(event, len(event.rounds) + 1)
    pool, rules = ranked_pool(at, at.ranked(at.here)), OthelloSystemRules()
    solve_s, pairing = median_of(repeat, lambda: pair_pool(pool, rules))
    result: dict[str, Any] = {"solve_s": solve_s, "cost": pairing.cost}
    if peer:
        costs = whole_costs(pool, rules)
        result["bits"] = max(costs.values()).bit_length()
        times = repeat if len(event.players) <= 64 else 1
        result["networkx_s"], found = median_of(times, lambda: reference_matching(costs))
        pairs = {(pool.players[i], pool.players[j]) for i, j in found if j < len(pool.players)}
        result["same"] = pairs == set(pairing.pairs)
    return result


def measure(format_: str, players: int, rounds: int, repeat: int, peer: bool) -> dict[str, Any]:
    event = played_event(format_, players, rounds, seed=players)
    repeat = repeat if players <= 256 else 1
    pair_s, _ = median_of(repeat, lambda: next_round(event))
    result: dict[str, Any] = {"system": SYSTEMS[format_], "players": players, "pair_s": pair_s}
    result |= (measure_swiss if format_ == "swiss" else measure_othello)(event, repeat, peer)
    if peer:
        result["networkx_ratio"] = round(result["networkx_s"] / max(result["solve_s"], 1e-5), 1)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, nargs="+", default=[32, 64, 128, 256, 512, 1000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--peer-up-to", type=int, default=128, help="players up to whom networkx runs too; 0 for never")
    arguments = parser.parse_args()
    runs = [
        measure(format_, count, arguments.rounds, arguments.repeat, count <= arguments.peer_up_to)
        for format_ in SYSTEMS
        for count in arguments.players
    ]
    about = {"benchmark": "pairing", "python": platform.python_version(), "after_rounds": arguments.rounds}
    versions = {name: version(name) for name in ("rustworkx", "networkx")}
    print(json.dumps({**about, **versions, "runs": runs}, indent=1))


if __name__ == "__main__":
    main()
