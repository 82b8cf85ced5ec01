"""Processor time of whole commands as typed, of the process and its children, with start and imports included.

    python -m benchmarks.commands [--repeat 5] [--large-repeat 1] [--games 137548]

Prints one JSON object. ``pairing``: a round after four random ones, of 16 to 1000 players, and in the same run the
matching alone, on the same costs, by rustworkx with the full costs and, up to 128 players, by networkx. ``why``: one
player's pair of a round in the file. ``replay``: the games of ``tests/data``, repeated to the size of the whole WTHOR
database. Every figure is a median.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from statistics import median
from time import process_time

import rustworkx

from benchmarks.pairing import played_event
from engine.tournament.event_model import Event
from engine.tournament.formats.meijin40_base_and_othello_pool import OthelloPool
from engine.tournament.formats.meijin40_ranking_pools_and_finals import ranked_pool
from engine.tournament.min_cost_matching import Pair, reference_matching
from engine.tournament.othello_system_pairing import CostTable, OthelloSystemRules
from engine.tournament.pairing_history_and_constraints import history_before
from engine.tournament.swiss_pairing import Prices, SwissPool, pool_penalties
from kiosk.records.event_file import to_dict

SMALLEST = ("--repeat", "1", "--players", "4", "--games", "1")
GAMES = Path(__file__).parents[1] / "tests" / "data" / "games"
LARGE = 256
#: networkx needs minutes beyond this size
PEER = 128


def of_command(repeat: int, *arguments: object) -> float:
    took = []
    for _ in range(repeat):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-m", "kiosk", *map(str, arguments)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return round(median(took), 3)


def of_work(repeat: int, work: Callable[[], object]) -> float:
    took = []
    for _ in range(repeat):
        began = process_time()
        work()
        took.append(process_time() - began)
    return round(median(took), 3)


def by_rustworkx(costs: Mapping[Pair, int]) -> object:
    high = max(costs.values())
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(1 + max(j for _, j in costs)))
    graph.add_edges_from([(i, j, high - cost + 1) for (i, j), cost in costs.items()])
    return rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)


def costs_of(event: Event) -> dict[Pair, int]:
    """Return the costs given to a peer: penalties without lots; of the Othello system the part above the digits."""
    if event.format == "swiss":
        history = history_before(event, len(event.rounds) + 1)
        pool = SwissPool(tuple(player.id for player in event.players))
        return pool_penalties(history, pool, Prices(event, history, pool))
    at = OthelloPool().situation(event, len(event.rounds) + 1)
    table = CostTable(ranked_pool(at, at.ranked(at.here)), OthelloSystemRules())
    base = table.size // 2 + 1
    costs = {}
    for i, j in combinations(range(table.size), 2):
        costs[i, j] = 0
        for count in table.counts(i, j):
            costs[i, j] = costs[i, j] * base + count
    return costs


def pairing(place: Path, sizes: list[int], repeat: int, large_repeat: int) -> dict[str, dict[str, float]]:
    found = {}
    for format_ in ("swiss", "othello-pool"):
        for players in sizes:
            event = played_event(format_, players, 4, seed=players)
            file = place / f"{format_}-{players}.json"
            file.write_text(json.dumps(to_dict(event)), encoding="utf-8")
            times = repeat if players <= LARGE else large_repeat
            costs = costs_of(event)
            row = {"pair_s": of_command(times, "pair", file, "--json")}
            row["why_s"] = of_command(times, "pair", file, "--round", 4, "--player", "p1", "--json")
            row["rustworkx_s"] = of_work(times, lambda c=costs: by_rustworkx(c))  # type: ignore[misc]
            if players <= PEER:
                row["networkx_s"] = of_work(1, lambda c=costs: reference_matching(c))  # type: ignore[misc]
            found[f"{format_} {players}"] = row
    return found


def replay(repeat: int, games: int) -> dict[str, float]:
    files = sorted(GAMES.glob("*.wtb"))
    sizes = {file: (file.stat().st_size - 16) // 68 for file in files}
    asked: list[Path] = []
    while sum(sizes[file] for file in asked) < games:
        asked += files
    return {"games": sum(sizes[file] for file in asked), "s": of_command(repeat, "replay", "--json", *asked)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--large-repeat", type=int, default=1, help=f"above {LARGE} players")
    parser.add_argument("--players", type=int, nargs="+", default=[16, 128, 512, 1000])
    parser.add_argument("--games", type=int, default=137_548)
    options = parser.parse_args()
    figures: dict[str, object] = {"benchmark": "commands", "python": platform.python_version()}
    figures |= {name: version(name) for name in ("rustworkx", "networkx", "numpy")}
    figures["help_s"] = of_command(options.repeat, "--help")
    with tempfile.TemporaryDirectory() as name:
        figures["pairing"] = pairing(Path(name), options.players, options.repeat, options.large_repeat)
        figures["replay"] = replay(options.repeat, options.games)
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
