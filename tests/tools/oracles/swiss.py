"""PAIRING.md 2 written down a second time, slowly and from the event file's JSON, for the tests of the pairing.

It shares no code with ``engine.tournament`` and solves by trying every matching. As a program it compares the totals of
thousands of random small events:

    PYTHONPATH=tests/tools python -m oracles.swiss 2000 [FIRST_SEED]
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from oracles.event_file import present

JsonEvent = dict[str, Any]

FLOATS = [
    0, 20000, 40588, 62785, 87119, 114041, 143998, 177453, 214908, 256910, 304062, 357037, 416582, 483534, 558828,
    643514, 738767, 845906, 966413, 1101949, 1254381, 1425805, 1618578, 1835345, 2079081,
]  # fmt: skip
COLOURS = [0, 20, 105, 225, 530, 1075]


def points(game: dict[str, Any], player: str) -> int:
    """Half points."""
    if "bye" in game:
        return 2
    if game["winner"] == "draw":
        return 1
    return 2 if game[game["winner"]] == player else 0


def games_of(event: JsonEvent, player: str) -> list[tuple[int, dict[str, Any]]]:
    return [
        (r["round"], g)
        for r in event["rounds"]
        for g in r["games"]
        if player in (g.get("black"), g.get("white"), g.get("bye"))
    ]


def score(event: JsonEvent, player: str, before: int) -> int:
    return sum(points(g, player) for n, g in games_of(event, player) if n < before)


def on_the_board(game: dict[str, Any]) -> bool:
    return "bye" not in game and game.get("end") not in ("forfeit", "late", "not-played")


def balance(event: JsonEvent, player: str) -> int:
    games = [g for _, g in games_of(event, player) if on_the_board(g)]
    return sum(1 if g["black"] == player else -1 for g in games)


def game_in(event: JsonEvent, player: str, number: int) -> dict[str, Any] | None:
    return next((g for n, g in games_of(event, player) if n == number), None)


def last_float(event: JsonEvent, player: str, now: int) -> int:
    game = game_in(event, player, now - 1)
    if game is None:
        return 0
    if "bye" in game:
        return 1
    other = game["white"] if game["black"] == player else game["black"]
    return score(event, player, now - 1) - score(event, other, now - 1)


def colour_cost(event: JsonEvent, player: str, side: str, now: int) -> int:
    after = abs(balance(event, player) + (1 if side == "black" else -1))
    last = game_in(event, player, now - 1)
    same = last is not None and on_the_board(last) and last[side] == player
    return COLOURS[min(after, 5)] + (15 if same else 0)


def float_cost(event: JsonEvent, player: str, difference: int, now: int) -> int:
    before = last_float(event, player, now)
    if before * difference > 0:
        return 25
    last = game_in(event, player, now - 1)
    if before * difference < 0 and now >= 3 and last is not None and "bye" not in last:
        if before < 0 and points(last, player) == 0:
            return -10
        if before > 0 and points(last, player) == 2:
            return -10
    return 0


def elitism(one: int, other: int, now: int) -> int:
    if min(one, other) < 0:
        return 0
    e = {1: 100, 2: 100, 3: 100, 4: 200, 5: 200, 6: 300, 7: 300, 8: 300, 9: 300}.get(now, 400)
    return e * (one + other) * abs(one - other) // 2


def pair_cost(event: JsonEvent, black: str, white: str) -> int:
    now = len(event["rounds"]) + 1
    b, w = score(event, black, now), score(event, white, now)
    cost = colour_cost(event, black, "black", now) + colour_cost(event, white, "white", now)
    cost += FLOATS[min(abs(b - w), 24)] + elitism(b, w, now)
    cost += float_cost(event, black, b - w, now) + float_cost(event, white, w - b, now)
    for number, game in games_of(event, black):
        if on_the_board(game) and white in (game["black"], game["white"]):
            cost += 10_000_000 if game["black"] == black else 5_000_000
            cost += number == now - 1
    country = {p["id"]: p.get("country") for p in event["players"]}
    return cost + (2 if country[black] and country[black] == country[white] else 0)


def bye_cost(event: JsonEvent, player: str, lowest: int) -> int:
    now = len(event["rounds"]) + 1
    own = score(event, player, now)
    difference = own - (lowest - 1)
    byes = sum("bye" in g for _, g in games_of(event, player))
    return (
        COLOURS[min(abs(balance(event, player)), 5)]
        + FLOATS[min(difference, 24)]
        + float_cost(event, player, difference, now)
        + 10_000_000 * byes
        + elitism(own, lowest - 1, now)
    )


def matchings(players: Sequence[str]) -> Iterator[list[tuple[str, str]]]:
    if not players:
        yield []
        return
    first, *rest = players
    for other in rest:
        for matching in matchings([p for p in rest if p != other]):
            yield [(first, other), *matching]


def price(event: JsonEvent, games: Sequence[dict[str, Any]], lowest: int) -> int:
    """The penalty of a round as it is written down, colours included."""
    return sum(
        bye_cost(event, g["bye"], lowest) if "bye" in g else pair_cost(event, g["black"], g["white"]) for g in games
    )


def optimum(event: JsonEvent) -> int:
    """The smallest penalty of the next round, by trying every matching."""
    players = present(event)
    now = len(event["rounds"]) + 1
    lowest = min(score(event, p, now) for p in players)
    table = {(a, b): min(pair_cost(event, a, b), pair_cost(event, b, a)) for a in players for b in players if a != b}
    table |= {(p, "bye"): bye_cost(event, p, lowest) for p in players}
    everybody = [*players, "bye"] if len(players) % 2 else players
    return min(sum(table[pair] for pair in matching) for matching in matchings(everybody))


def random_event(seed: int, most: int = 8) -> JsonEvent:
    """A little event with draws, forfeits, byes, late entries, absences and withdrawals, rounds drawn at random."""
    rng = random.Random(seed)
    count = rng.randint(3, most)
    players: list[dict[str, Any]] = [{"id": f"p{i}", "country": rng.choice("XYZ")} for i in range(1, count + 1)]
    options: dict[str, Any] = {"random_seed": seed}
    data: JsonEvent = {"schema": "othello-event/1", "format": "swiss", "options": options, "players": players}
    data["rounds"] = []
    for number in range(1, rng.randint(0, 6) + 1):
        here = [p["id"] for p in players if rng.random() < 0.92]
        rng.shuffle(here)
        games = []
        while len(here) > 1:
            result: dict[str, Any] = {"winner": rng.choice(["black", "white", "black", "white", "draw"])}
            if result["winner"] != "draw" and rng.random() < 0.1:
                result["end"] = rng.choice(["late", "forfeit", "time"])
            games.append({"black": here.pop(), "white": here.pop(), **result})
        games += [{"bye": name} for name in here]
        data["rounds"].append({"round": number, "games": games})
    for player in players[2:]:
        if rng.random() < 0.08:
            player["absent"] = True
        elif rng.random() < 0.08:
            player["withdrawn_after_round"] = rng.randint(0, len(data["rounds"]))
    if away := [p["id"] for p in players[2:] if rng.random() < 0.06]:
        options["absences"] = {str(len(data["rounds"]) + 1): away}
    return data


def difference(event: JsonEvent) -> str | None:
    """What is wrong with the next round; None if it is complete and as cheap as the cheapest of all."""
    from events.lines import next_round

    from kiosk.records.event_file import from_dict

    paired = next_round(from_dict(event))
    best = optimum(event)
    lowest = min(score(event, p, len(event["rounds"]) + 1) for p in present(event))
    names = [str(g[key]) for g in paired.games for key in ("black", "white", "bye") if key in g]
    if sorted(names) != sorted(present(event)) or sum("bye" in g for g in paired.games) != len(names) % 2:
        return f"{names} are paired, {present(event)} are there"
    costs = (paired.cost["penalty"], price(event, paired.games, lowest))
    return None if costs == (best, best) else f"costs {costs}, the cheapest is {best}"


def main() -> None:
    count = int(sys.argv[1])
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    for seed in range(first, first + count):
        if found := difference(random_event(seed, most=10)):
            sys.exit(f"seed {seed}: {found}")
    sys.stdout.write(f"{count} random events of up to 10 players: every total penalty is the smallest\n")


if __name__ == "__main__":
    main()
