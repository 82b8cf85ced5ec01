"""PAIRING.md 1 and the rankings of M40 written down a second time, from the file's JSON, by trying every matching.

It shares no code with ``engine.tournament``. As a program it compares thousands of random small pools:

    PYTHONPATH=tests/tools python -m oracles.othello_system 10000 [FIRST_SEED]
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import networkx
from oracles.event_file import present

Json = dict[str, Any]
Pool = dict[str, Any]  # order, wins, met, byes
BYE = "BYE"


# the past, from the file


def won_and_lost(event: Json, player: str) -> list[tuple[int, bool, str]]:
    """(round, won, opponent or BYE)."""
    found = []
    for round_ in event["rounds"]:
        for game in round_["games"]:
            if game.get("bye") == player:
                found.append((round_["round"], True, BYE))
            elif player in (game.get("black"), game.get("white")):
                other = game["white"] if game["black"] == player else game["black"]
                found.append((round_["round"], game[game["winner"]] == player, other))
    return found


def wins(event: Json, player: str, through: int = 99) -> int:
    return sum(won for number, won, _ in won_and_lost(event, player) if number <= through)


def m40k_key(event: Json, player: str) -> tuple[int, ...]:
    lot = next(p["lot"] for p in event["players"] if p["id"] == player)
    results = won_and_lost(event, player)
    best = sorted((-1 if other == BYE else wins(event, other) for _, won, other in results if won), reverse=True)
    worst = sorted(wins(event, other) for _, won, other in results if not won)
    return (wins(event, player), *(sum(best[:k]) + sum(worst[:k]) for k in (1, 2, 3, 4, 5, 6)), lot)


def m40k17_order(event: Json) -> list[str]:
    names = [p["id"] for p in event["players"]]
    order = sorted(names, key=lambda n: -next(p["lot"] for p in event["players"] if p["id"] == n))
    for now in range(1, len(event["rounds"]) + 1):
        key = {}
        for name in names:
            before, after = wins(event, name, now - 1), wins(event, name, now)
            last = [(won, other) for number, won, other in won_and_lost(event, name) if number == now]
            treated = after - before
            if last and last[0][1] != BYE:
                won, other = last[0]
                theirs = wins(event, other, now - 1)
                if (won and before < theirs) or (not won and before > theirs):
                    treated = 1 - treated
            key[name] = (-after, -(after - treated), order.index(name))
        order = sorted(names, key=key.__getitem__)
    return order


def pool_of(event: Json) -> Pool:
    here = present(event)
    if event["options"].get("ranking", "m40k") == "m40k":
        order = sorted(here, key=lambda name: m40k_key(event, name), reverse=True)
    else:
        order = [name for name in m40k17_order(event) if name in here]
    met = set()
    for round_ in event["rounds"]:
        for game in round_["games"]:
            if "bye" not in game and game.get("end") not in ("forfeit", "late", "not-played"):
                met.add(frozenset((game["black"], game["white"])))
    byes = {game["bye"] for round_ in event["rounds"] for game in round_["games"] if "bye" in game}
    return {"order": order, "wins": {name: wins(event, name) for name in order}, "met": met, "byes": byes}


# the price of a matching


def matchings(items: Sequence[int]) -> Iterator[list[tuple[int, int]]]:
    if not items:
        yield []
        return
    first = items[0]
    for index in range(1, len(items)):
        for rest in matchings([*items[1:index], *items[index + 1 :]]):
            yield [(first, items[index]), *rest]


def price(pool: Pool, pairs: Sequence[tuple[int, int]], direction: str, profile: str, floater: str) -> tuple[int, ...]:
    """What PAIRING.md 1 minimises, as one tuple; ``pairs`` are ranks, rank N - 1 the dummy of an odd pool."""
    order = [*pool["order"], BYE] if len(pool["order"]) % 2 else list(pool["order"])
    score = {**pool["wins"], BYE: -1}
    byes = sum(BYE in (order[i], order[j]) and bool({order[i], order[j]} & pool["byes"]) for i, j in pairs)
    rematches = sum(frozenset((order[i], order[j])) in pool["met"] for i, j in pairs)
    apart = {min(p): abs(score[order[p[0]]] - score[order[p[1]]]) for p in pairs}
    other = {min(p): max(p) for p in pairs}
    digits = []
    for i in range(len(order)):
        if i not in other:
            digits += [0, 0]
            continue
        steps = len(order) - 1 - other[i] if direction == "lowest" else other[i] - i - 1
        digits += [apart[i] if floater == "top_down" else 0, steps]
    counts = [sum(d == level for d in apart.values()) for level in range(60)]
    profile_key: list[int] = []
    if floater != "top_down":
        profile_key = counts[:0:-1] if profile == "worst_first" else [-count for count in counts]
    return (byes, rematches, *profile_key, *digits)


def best(pool: Pool, direction: str, profile: str, floater: str) -> set[frozenset[str]]:
    """The pairs of the cheapest matching, a bye as a pair with BYE."""
    order = [*pool["order"], BYE] if len(pool["order"]) % 2 else list(pool["order"])
    found = min(matchings(range(len(order))), key=lambda pairs: price(pool, pairs, direction, profile, floater))
    return {frozenset((order[i], order[j])) for i, j in found}


def best_by_big_integers(pool: Pool, direction: str, profile: str, floater: str) -> set[frozenset[str]]:
    """The same for any size: the tuple of ``price`` as one integer per pair, and networkx, which knows no width."""
    order = [*pool["order"], BYE] if len(pool["order"]) % 2 else list(pool["order"])
    base = 80 * len(order) + 1
    graph = networkx.Graph()
    for i in range(len(order)):
        for j in range(i + 1, len(order)):
            cost = 0
            for digit in price(pool, [(i, j)], direction, profile, floater):
                cost = cost * base + digit
            graph.add_edge(i, j, weight=-cost)
    pairs = networkx.max_weight_matching(graph, maxcardinality=True)
    return {frozenset((order[i], order[j])) for i, j in pairs}


# random pools


def random_event(rng: random.Random, most: int = 10) -> Json:
    """Some rounds between players drawn at random: rematches, byes, second byes, forfeits, withdrawals, absentees."""
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


def answered(event: Json) -> set[frozenset[str]]:
    from events.lines import next_round

    from kiosk.records.event_file import from_dict

    games = next_round(from_dict(event)).games
    return {frozenset((g["bye"], BYE)) if "bye" in g else frozenset((g["black"], g["white"])) for g in games}  # type: ignore[arg-type]


def main() -> None:
    count = int(sys.argv[1])
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    for seed in range(first, first + count):
        event = random_event(random.Random(seed))
        if answered(event) != expected(event):
            sys.exit(f"seed {seed}: the pairing is not the one that every matching says")
    sys.stdout.write(f"{count} random pools of up to 10 players: every pairing is the unique optimum\n")


if __name__ == "__main__":
    main()
