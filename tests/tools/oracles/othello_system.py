"""The Othello system by trying every matching, with the costs and ranks of the independent verifier (``verify``).

Neither shares a rule with ``engine.tournament``. As a program it compares thousands of random small pools:

    PYTHONPATH=tests/tools python -m oracles.othello_system 10000 [FIRST_SEED]
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import networkx
from oracles.event_file import present
from verify.event_parsing import RoundHistory, read, round_history
from verify.pool_check import othello_cost
from verify.ranking_check import m40k, m40k17, wins

Json = dict[str, Any]
Pool = dict[str, Any]  # order, wins, met, byes
BYE = "BYE"


def pool_of(event: Json) -> Pool:
    """Return the next round's pool as computed by the verifier."""
    parsed, played = read(event), len(event["rounds"])
    lots = {name: entry.lot or 0 for name, entry in parsed.entries.items()}
    keys = (m40k if event["options"].get("ranking", "m40k") == "m40k" else m40k17)(parsed, played, lots)
    order = sorted(present(event), key=keys.__getitem__, reverse=True)
    before = round_history(parsed, played + 1)
    return {
        "order": order,
        "wins": wins(parsed, played),
        "met": set(before.met),
        "byes": {name for name, count in before.byes.items() if count},
    }


# the cost of a matching


def cost_in(pool: Pool, direction: str, profile: str, floater: str) -> Callable[[int, int], int]:
    """Return the cost of two ranks of the pool, rank N - 1 being the dummy of an odd one: PAIRING.md 1 as the verifier
    implements it."""
    before = RoundHistory({}, dict.fromkeys(pool["byes"], 1), {key: [1] for key in pool["met"]})
    options = {"profile": profile, "floater": floater}
    return othello_cost(before, options, pool["order"], pool["wins"], direction == "highest", ranked=True)[0]


def matchings(items: Sequence[int]) -> Iterator[list[tuple[int, int]]]:
    if not items:
        yield []
        return
    first = items[0]
    for index in range(1, len(items)):
        for rest in matchings([*items[1:index], *items[index + 1 :]]):
            yield [(first, items[index]), *rest]


def best(pool: Pool, direction: str, profile: str, floater: str) -> set[frozenset[str]]:
    """Return the pairs of the cheapest matching, a bye as a pair with BYE."""
    order = [*pool["order"], BYE] if len(pool["order"]) % 2 else list(pool["order"])
    cost = cost_in(pool, direction, profile, floater)
    table = {(i, j): cost(i, j) for j in range(len(order)) for i in range(j)}
    found = min(matchings(range(len(order))), key=lambda pairs: sum(table[pair] for pair in pairs))
    return {frozenset((order[i], order[j])) for i, j in found}


def best_by_big_integers(pool: Pool, direction: str, profile: str, floater: str) -> set[frozenset[str]]:
    """Return the same for any size, by networkx with integers of any size."""
    order = [*pool["order"], BYE] if len(pool["order"]) % 2 else list(pool["order"])
    cost = cost_in(pool, direction, profile, floater)
    graph = networkx.Graph()
    graph.add_weighted_edges_from((i, j, -cost(i, j)) for j in range(len(order)) for i in range(j))
    pairs = networkx.max_weight_matching(graph, maxcardinality=True)
    return {frozenset((order[i], order[j])) for i, j in pairs}


# random pools


def random_event(rng: random.Random, most: int = 10) -> Json:
    """Return some rounds between players at random: rematches, byes, second byes, forfeits, withdrawals, absences."""
    count = rng.randint(2, most)
    lots = rng.sample(range(1, 99), count)
    players: list[Json] = [{"id": f"p{i}", "lot": lot} for i, lot in enumerate(lots)]
    options: Json = {
        "direction": rng.choice(("lowest", "highest")),
        "ranking": rng.choice(("m40k", "m40k17")),
        "profile": rng.choice(("worst_first", "same_first")),
        "floater": rng.choice(("literal", "literal", "top_down")),
    }
    event: Json = {"schema": "othello-event/1", "format": "othello-pool", "options": options, "players": players}
    event["rounds"] = []
    for number in range(1, rng.randint(1, 6) + 1):
        for player in players:
            if len(present(event)) > 3 and rng.random() < 0.03:
                player["withdrawn_after_round"] = number - 1
        here = present(event)
        rng.shuffle(here)
        games: list[Json] = [{"bye": here.pop()}] if len(here) % 2 or rng.random() < 0.05 else []
        games += [{"bye": here.pop()}] if len(here) % 2 else []
        for one, other in zip(here[::2], here[1::2], strict=True):
            end = "forfeit" if rng.random() < 0.05 else "normal"
            games.append({"black": one, "white": other, "winner": rng.choice(("black", "white")), "end": end})
        event["rounds"].append({"round": number, "games": games})
    if len(present(event)) > 3 and rng.random() < 0.2:
        options["absences"] = {str(len(event["rounds"]) + 1): [rng.choice(present(event))]}
    return event


def expected(event: Json, solve: Any = best) -> set[frozenset[str]]:
    options = event["options"]
    return solve(pool_of(event), options["direction"], options["profile"], options["floater"])


def paired_by_engine(event: Json) -> set[frozenset[str]]:
    from events.lines import next_round

    from kiosk.records.event_file import from_dict

    games = next_round(from_dict(event)).games
    return {frozenset((g["bye"], BYE)) if "bye" in g else frozenset((g["black"], g["white"])) for g in games}  # type: ignore[arg-type]


def main() -> None:
    count = int(sys.argv[1])
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    for seed in range(first, first + count):
        event = random_event(random.Random(seed))
        if paired_by_engine(event) != expected(event):
            sys.exit(f"seed {seed}: the pairing is not the one that every matching says")
    sys.stdout.write(f"{count} random pools of up to 10 players: every pairing is the unique optimum\n")


if __name__ == "__main__":
    main()
