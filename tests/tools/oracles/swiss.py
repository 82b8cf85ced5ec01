"""The Brightwell Swiss by trying every matching, with the penalties of the independent verifier (``verify``).

Neither shares a rule with ``engine.tournament``. As a program it compares the totals of thousands of random small
events:

    PYTHONPATH=tests/tools python -m oracles.swiss 2000 [FIRST_SEED]
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from typing import Any

from oracles.event_file import present
from verify.event_parsing import read
from verify.pairing_penalties import bye_price, pair_price, tracks
from verify.plain_matching import cheapest

JsonEvent = dict[str, Any]


def points(game: dict[str, Any], player: str) -> int:
    """Return the half points of a player."""
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


def pair_cost(event: JsonEvent, black: str, white: str) -> int:
    parsed, number = read(event), len(event["rounds"]) + 1
    return pair_price(parsed, tracks(parsed, number), number, black, white)


def price(event: JsonEvent, games: Sequence[dict[str, Any]], lowest: int) -> int:
    """Return the penalty of a round as it is written down, colours included."""
    parsed, number = read(event), len(event["rounds"]) + 1
    found = tracks(parsed, number)
    return sum(
        bye_price(found, number, g["bye"], lowest)
        if "bye" in g
        else pair_price(parsed, found, number, g["black"], g["white"])
        for g in games
    )


def optimum(event: JsonEvent) -> int:
    """Return the smallest penalty of the next round, by trying every matching."""
    parsed, number = read(event), len(event["rounds"]) + 1
    found, names = tracks(parsed, number), present(event)
    lowest = min(found[name].points for name in names)

    def cost(i: int, j: int) -> int:
        if j == len(names):
            return bye_price(found, number, names[i], lowest)
        one, other = names[i], names[j]
        return min(pair_price(parsed, found, number, one, other), pair_price(parsed, found, number, other, one))

    return cheapest(len(names) + len(names) % 2, cost)


def random_event(seed: int, most: int = 8) -> JsonEvent:
    """Return a small event with draws, forfeits, byes, late entries, absences and withdrawals, and random rounds."""
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
    """Return what is wrong with the next round; None if it is complete and has the minimum penalty."""
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
