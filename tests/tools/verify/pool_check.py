"""Check of pools paired by rank, the Othello system (PAIRING.md 1) and adjacent pairing (AMB-16), by search.

The cost of a pair is one integer whose digits are the priorities in order, so the least sum is the lexicographic least.
Where ranks depend on lots that are not in the file, only the priorities above them are checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from verify.event_parsing import ParsedEvent, PlayedRound, RoundHistory, round_history
from verify.plain_matching import EXACT, Cost, cheapest, exceeds_optimum, improvement
from verify.problems import VerificationReport

DUMMY_WINS = -1


def check_pool(
    pairs: Sequence[tuple[str, str]], bye: str | None, order: Sequence[str], cost: Cost, number: int, rule: str,
    report: VerificationReport, digit: int = 0,
) -> None:  # fmt: skip
    """Check that a pool was paired at the least cost. ``order``: its players from the top; the bye is the last place.
    ``digit``: the weight of a digit of ``cost`` relative to the next, where it has a digit for every player.
    """
    place = {name: index for index, name in enumerate(order)}
    played = [(place[a], place[b]) for a, b in pairs] + ([] if bye is None else [(place[bye], len(order))])
    size = len(order) + len(order) % 2
    if sorted(i for pair in played for i in pair) != list(range(size)):
        report.check(rule, False, number, tuple(order), "the pairs do not cover the pool once")
        return
    if size <= EXACT:
        spent = sum(cost(min(p), max(p)) for p in played)
        is_valid = spent == cheapest(size, cost)
        text = "another pairing satisfies the priorities better"
    else:
        better = improvement(played, cost)
        is_valid = better is None and not exceeds_optimum(played, cost, digit)
        names = [*order, "bye"]
        text = "another pairing satisfies the priorities better"
        if better is not None:
            text = f"better exchanged: {', '.join([f'{names[a]} - {names[b]}' for a, b in better])}"
    report.check(rule, is_valid, number, () if is_valid else tuple(order[:2]), text)


def othello_cost(
    before: RoundHistory,
    options: Mapping[str, Any],
    order: Sequence[str],
    wins: Mapping[str, int],
    highest: bool,
    ranked: bool,
) -> tuple[Cost, int]:
    """Return the cost by PAIRING.md 1: second byes, rematches, profile, then the digits from the top (only if
    ``ranked``). Under ``top_down`` there is no profile, and every player's digit begins with his difference in wins.
    Also return the weight of a digit relative to the next.
    """
    size = len(order) + len(order) % 2
    base = size + 1
    points = [wins[name] for name in order] + [DUMMY_WINS] * (len(order) % 2)
    spread = max(points) - min(points)
    same_first = options.get("profile") == "same_first"
    top_down = options.get("floater") == "top_down"
    place: int = base * (spread + 1) if top_down else base
    weight: int = place ** (size if ranked else 0)

    def cost(i: int, j: int) -> int:
        dummy = j == len(order)
        second = int(dummy and before.byes.get(order[i], 0) > 0)
        rematch = int(not dummy and frozenset((order[i], order[j])) in before.met)
        gap = abs(points[i] - points[j])
        profile = 0
        for level in () if top_down else range(1, spread + 1) if same_first else range(spread, 0, -1):
            profile = profile * base + int(gap >= level if same_first else gap == level)
        offences: int = (second * base + rematch) * base**spread + profile
        value = offences * weight
        if ranked:
            digit = (j - i - 1 if highest else size - 1 - j) + (gap * base if top_down else 0)
            value += digit * place ** (size - 1 - i)
        return value

    return cost, place if ranked else 0


def neighbour_cost(event: ParsedEvent, number: int, order: Sequence[str], ranked: bool) -> tuple[Cost, int]:
    """Return the cost by second byes, rematches, then the highest player's nearest opponent (only if ``ranked``); and
    the weight of a digit relative to the next.
    """
    before = round_history(event, number, ("league", "placement"))
    size = len(order) + len(order) % 2
    base = size + 1

    def cost(i: int, j: int) -> int:
        dummy = j == len(order)
        second = int(dummy and before.byes[order[i]] > 0)
        rematch = int(not dummy and frozenset((order[i], order[j])) in before.met)
        value = second * base + rematch
        return value * base**size + (j - i - 1) * base ** (size - 1 - i) if ranked else value

    return cost, base if ranked else 0


def groups(round_: PlayedRound) -> dict[tuple[str, str | None], tuple[list[tuple[str, str]], list[str]]]:
    """Return the games and byes of a round by stage and league."""
    found: dict[tuple[str, str | None], tuple[list[tuple[str, str]], list[str]]] = {}
    for game in round_.games:
        found.setdefault((game.stage, game.league), ([], []))[0].append(game.players)
    for free in round_.byes:
        found.setdefault((free.stage, free.league), ([], []))[1].append(free.player)
    return found
