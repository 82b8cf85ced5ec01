"""Tests of ``verify``: random finished events of every format break no rule, and every planted fault is named."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from events.event_generator import GeneratorSettings, simulate
from verify.event_parsing import read
from verify.m40 import lots_of, with_rest_byes
from verify.plain_matching import cheapest, improvement
from verify.ranking_check import brightwell, disc_difference, m40k, m40k17
from verify.verifier import UnreadableEventError, verify

from engine.tournament import standings
from kiosk.records.event_file import from_dict

Json = dict[str, Any]
SIZES = {
    "m43-open": (8, 13, 30), "m43-division": (7, 14), "m40-open": (16, 41, 70), "m40-33-64": (33, 46),
    "m40-17-32": (17, 26, 32), "m40-13-16": (13, 14, 15, 16), "m40-9-12": (9, 10, 11, 12), "m40-elementary": (8, 13),
    "team": (12, 16), "chouchou": (6, 13), "swiss": (7, 14, 33), "round-robin": (5, 8), "knockout": (5, 16),
    "adjacent": (6, 13), "othello-pool": (7, 12, 30),
}  # fmt: skip


@pytest.mark.parametrize("restless", [False, True])
@pytest.mark.parametrize(("format_", "players"), [(f, n) for f, sizes in SIZES.items() for n in sizes])
def test_whole_random_events_break_no_rule(format_: str, players: int, restless: bool):
    for seed in range(3):
        report = verify(simulate(GeneratorSettings(format_, players, seed, restless=restless)))
        assert report.problems == []
        assert len(report.checked) >= 10


def test_random_events_depend_on_their_seed_alone():
    one = simulate(GeneratorSettings("m40-open", 30, 5))
    assert one == simulate(GeneratorSettings("m40-open", 30, 5))
    assert one != simulate(GeneratorSettings("m40-open", 30, 6))
    assert json.loads(json.dumps(one)) == one


def test_the_verifier_shares_nothing_with_the_tournament_engine():
    files = [*(Path(__file__).parents[1] / "tools/verify").glob("*.py")]
    assert files
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            shared = {name for name in names if name.startswith(("engine", "events.event_generator"))}
            assert shared <= {"engine.i18n"}, file.name


@pytest.mark.parametrize(
    ("format_", "players", "key"),
    [
        ("swiss", 15, lambda held, after: brightwell(held, after, ("league",))),
        ("adjacent", 13, disc_difference),
        ("m40-open", 40, lambda held, after: m40k(with_rest_byes(held, lots_of(held)), after, lots_of(held) or {})),
        ("m40-17-32", 30, lambda held, after: m40k17(held, after, lots_of(held) or {})),
    ],
)
def test_the_verifier_ranks_as_the_engine_does(
    format_: str, players: int, key: Callable[[Any, int], dict[str, tuple[int, ...]]]
):
    for seed in range(4):
        data = simulate(GeneratorSettings(format_, players, seed, restless=True))
        for after in range(1, 5):
            keys = key(read(data), after)
            rows = standings(from_dict(data), after).rows
            for above, below in combinations(rows, 2):
                if above.rank < below.rank:
                    assert keys[above.id] > keys[below.id]
                else:
                    assert keys[above.id] == keys[below.id]


@pytest.mark.parametrize(("format_", "players"), [(f, SIZES[f][-1]) for f in SIZES if f not in ("team", "chouchou")])
def test_correct_sheets_pass_and_wrong_ones_are_reported(format_: str, players: int):
    data = simulate(GeneratorSettings(format_, players, 2))
    event = from_dict(data)
    for after in range(1, len(data["rounds"]) + 1):
        table = standings(event, after).as_dict()
        report = verify(data, table)
        assert report.problems == []
    if format_ in ("round-robin", "knockout", "othello-pool"):
        return
    rows = json.loads(json.dumps(table["rows"]))
    rows[0]["id"], rows[-1]["id"] = rows[-1]["id"], rows[0]["id"]
    assert verify(data, {**table, "rows": rows}).problems != []


# Planted faults: each changes a correct event as an operator's mistake would, and the rule must be named


def _game(data: Json, round_: int, index: int = 0) -> Json:
    return [g for g in data["rounds"][round_ - 1]["games"] if "bye" not in g][index]


def _exchange(data: Json, round_: int, one: int = 0, other: int = -1, side: str = "white") -> None:
    a, b = _game(data, round_, one), _game(data, round_, other)
    a[side], b[side] = b[side], a[side]


def _twice(data: Json) -> None:
    _game(data, 2)["white"] = _game(data, 2, 1)["white"]


def _unknown_player(data: Json) -> None:
    _game(data, 1)["black"] = "p999"


def _discs(data: Json) -> None:
    _game(data, 1)["black_discs"] += 1


def _winner(data: Json) -> None:
    game = _game(data, 1)
    game |= {"black_discs": 40, "white_discs": 24, "winner": "white", "end": "normal"}


def _plays_after_withdrawal(data: Json) -> None:
    name = _game(data, 3)["black"]
    next(p for p in data["players"] if p["id"] == name)["withdrawn_after_round"] = 1


def _not_played(data: Json) -> None:
    _game(data, 3, 2)["end"] = "not-played"


def _rematch(data: Json) -> None:
    """Let two players of round 2 meet again in round 3, and their opponents meet each other."""
    pair = _game(data, 2)
    wanted = {pair["black"], pair["white"]}
    one, other = (g for g in data["rounds"][2]["games"] if wanted & {g.get("black"), g.get("white")})
    lone = [g[s] for g in (one, other) for s in ("black", "white") if g[s] not in wanted]
    one["black"], one["white"] = sorted(wanted)
    other["black"], other["white"] = lone


def _semi_finals(data: Json) -> None:
    a, b = (g for g in data["rounds"][6]["games"] if g["stage"] == "semi-final")
    a["white"], b["white"] = b["white"], a["white"]


def _final(data: Json) -> None:
    final, third = (g for s in ("final", "third-place") for g in data["rounds"][7]["games"] if g["stage"] == s)
    final["white"], third["white"] = third["white"], final["white"]


def _bye(data: Json) -> None:
    """Give the bye of round 3 to the winner of table 1, whose place its owner takes."""
    game, free = _game(data, 3), next(g for g in data["rounds"][2]["games"] if "bye" in g)
    game["black"], free["bye"] = free["bye"], game["black"]


def _colours(data: Json) -> None:
    for game in data["rounds"][3]["games"]:
        if "bye" not in game:
            game["black"], game["white"] = game["white"], game["black"]


def _teams_meet_again(data: Json) -> None:
    """Let the teams of round 1 play round 2 again."""
    first, second = (data["rounds"][n]["games"] for n in (0, 1))
    for old, new in zip(first, second, strict=True):
        new["black"], new["white"] = old["black"], old["white"]


FAULTS: list[tuple[str, int, Callable[[Json], None], str]] = [
    ("swiss", 14, _twice, "EVENT-TWICE"),
    ("m43-open", 12, _unknown_player, "EVENT-UNKNOWN"),
    ("m40-open", 20, _discs, "M43-17"),
    ("adjacent", 9, _winner, "OTH-12"),
    ("swiss", 12, _plays_after_withdrawal, "EVENT-GONE"),
    ("m43-open", 14, _not_played, "M43F-06"),
    ("swiss", 12, _rematch, "PAIRING-2"),
    ("swiss", 40, _rematch, "PAIRING-2"),
    ("m43-open", 14, _rematch, "PAIRING-2"),
    ("adjacent", 12, _rematch, "AMB-25"),
    ("othello-pool", 12, _rematch, "M40P-9"),
    ("m43-open", 14, _semi_finals, "M43F-07"),
    ("m43-open", 14, _final, "M43F-08"),
    ("m43-open", 13, _bye, "AMB-15"),
    ("swiss", 13, _bye, "PAIRING-2"),
    ("swiss", 12, _colours, "M43F-03"),
    ("m40-open", 40, lambda data: _exchange(data, 2, 0, 1), "M40P-9"),
    ("m40-open", 40, lambda data: _exchange(data, 1, 0, 1), "M40P-3"),
    ("m40-17-32", 32, lambda data: _exchange(data, 3, 0, -1), "M40F17-2"),
    ("m40-open", 40, lambda data: _exchange(data, 7, 0, 1), "M40F-3"),
    ("m40-open", 40, lambda data: _exchange(data, 3, 0, -1), "M40F-2"),
    ("round-robin", 8, lambda data: _exchange(data, 3), "RR-1"),
    ("team", 12, lambda data: _exchange(data, 2), "TEAM-1.1"),
    ("team", 30, lambda data: _teams_meet_again(data), "AMB-45"),
    ("swiss", 12, lambda data: data["rounds"][3]["games"].pop(), "PAIRING-2"),
    ("swiss", 12, lambda data: data["rounds"][5]["games"].pop(), "EVENT-IDLE"),
    ("m40-9-12", 12, lambda data: _exchange(data, 5, 0, 1), "M40F9-4"),
    ("m40-13-16", 16, lambda data: _exchange(data, 5, 0, 1), "M40F13-3"),
]


@pytest.mark.parametrize(("format_", "players", "fault", "rule"), FAULTS)
def test_every_planted_fault_is_named(format_: str, players: int, fault: Callable[[Json], None], rule: str):
    correct = simulate(GeneratorSettings(format_, players, 2))
    faulty = deepcopy(correct)
    fault(faulty)
    assert verify(correct).problems == []
    assert rule in {problem.rule for problem in verify(faulty).problems}


def test_leader_byes_and_needless_games_of_round_6():
    """M43F-05 and M43F-06 are checked in an event in which both apply."""
    for seed in range(60):
        data = simulate(GeneratorSettings("m43-open", 10, seed))
        byes = [g["bye"] for g in data["rounds"][5]["games"] if "bye" in g]
        if byes:
            break
    faulty = deepcopy(data)
    entry = next(g for g in faulty["rounds"][5]["games"] if "bye" in g)
    faulty["rounds"][5]["games"].remove(entry)
    assert "M43F-05" in {problem.rule for problem in verify(faulty).problems}
    for seed in range(200):
        data = simulate(GeneratorSettings("m43-open", 10, seed))
        if games := [g for g in data["rounds"][5]["games"] if g.get("end") == "not-played"]:
            games[0] |= {"end": "normal"}
            assert "M43F-06" in {problem.rule for problem in verify(data).problems}
            return
    raise AssertionError("no simulated event has a needless game; take more seeds")


def _price(costs: dict[tuple[int, int], int], i: int, j: int) -> int:
    return costs[i, j]


def test_the_plain_search_finds_the_cheapest_pairing():
    def every(left: list[int]) -> list[list[tuple[int, int]]]:
        if not left:
            return [[]]
        first, *rest = left
        return [[(first, j), *more] for j in rest for more in every([k for k in rest if k != j])]

    rng = Random(4)
    for _ in range(50):
        cost = {pair: rng.randrange(10) for pair in combinations(range(8), 2)}
        totals = [sum(cost[p] for p in pairs) for pairs in every(list(range(8)))]
        price = partial(_price, cost)
        assert cheapest(8, price) == min(totals)
        for pairs, total in zip(every(list(range(8))), totals, strict=True):
            if total == min(totals):
                assert improvement(pairs, price) is None


@pytest.mark.parametrize("data", [[], {}, {"format": "swiss"}, {"format": "swiss", "players": [{}]}, None, "text"])
def test_a_file_that_is_no_event_is_refused(data: object):
    with pytest.raises(UnreadableEventError):
        verify(data)
