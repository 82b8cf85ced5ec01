"""Lots, leagues and the first round of M40 (RULES.md 6.3 to 6.7, appendix A1 and A2)."""

from __future__ import annotations

from typing import Any

import pytest
from events.lines import next_round
from known_answers import known_json

from engine.tournament import EventError
from engine.tournament.formats.meijin40_13_to_32_players import bracket_units
from engine.tournament.lots_and_leagues import draw_lots, initial_number, preliminary_numbers
from engine.tournament.meijin40_lots_in_event_file import draw_into
from kiosk.records.event_file import from_dict


def event_of(format_: str, players: list[dict[str, Any]], **options: Any) -> dict[str, Any]:
    return {"schema": "othello-event/1", "format": format_, "options": options, "players": players}


def ballots(seed: str) -> list[str]:
    return [seed[0:5], seed[5:10], seed[10:15]]


@pytest.mark.parametrize(
    ("seed", "initial", "preliminary", "lots"),
    [
        ("000000000000000", 0, [4282663, 186702, 7045237, 2248348, 5129155, 1466346, 2204433, 1510712],
         [16, 11, 18, 15, 17, 12, 14, 13]),
        ("123456789012345", 909177, [2601376, 3844807, 7195374, 6820373, 5275708, 5117283, 512394, 2405553],
         [13, 14, 18, 17, 16, 15, 11, 12]),
        ("999999999999999", 4620287, [448550, 4609869, 2882932, 6212251, 376514, 4708841, 4987920, 3769655],
         [12, 15, 13, 18, 11, 16, 17, 14]),
        ("123450067800009", 7360457, [4878832, 7191319, 76606, 2867813, 1343628, 6448563, 3961306, 4826369],
         [16, 18, 11, 13, 12, 17, 14, 15]),
    ],
)  # fmt: skip
def test_published_lots(seed: str, initial: int, preliminary: list[int], lots: list[int]):
    assert initial_number(ballots(seed)) == initial
    assert preliminary_numbers(initial, 8) == preliminary
    event = from_dict(event_of("m40-open", [{"id": f"p{i}"} for i in range(8)], lot_ballots=ballots(seed)))
    assert [player.lot for player in draw_into(event)[0].players] == lots


def test_the_worked_example():
    """Seeds have lots 1 and 2 and leave their numbers empty; an absent player has a number and no place."""
    example = known_json("rules/lcg_lots.json")
    players = [
        {"id": name, "seed": example["seed_players"].get(name), "absent": name in example["absent"]}
        for name in example["prelim"]
    ]
    event = from_dict(event_of("m40-open", players, lot_ballots=example["seeds"]))
    drawn, draw = draw_into(event)
    assert draw.initial == example["initial"]
    assert draw.preliminary == example["prelim"]
    assert {p.id: p.lot for p in drawn.players if p.lot} == example["lots"]
    assert {k: [[n, draw.lots[n]] for n in v] for k, v in draw.leagues.items()} == example["leagues"]
    assert [list(move) for move in draw.moves] == example["moves"]
    games = next_round(event).games
    for league, round_ in example["round1"].items():
        own = [game for game in games if game["league"] == league]
        assert {frozenset((g["black"], g["white"])) for g in own if "black" in g} == set(
            map(frozenset, round_["pairs"])
        )
        assert [g["bye"] for g in own if "bye" in g] == ([round_["bye"]] if round_["bye"] else [])


def test_league_sizes():
    example = known_json("rules/lcg_lots.json")
    for count, answer in example["league_sizes_after_adjustment"].items():
        players = [{"id": str(lot), "lot": lot} for lot in range(11, 11 + int(count))]
        draw = draw_lots(from_dict(event_of("m40-33-64", players)), leagues=True)
        assert {league: len(names) for league, names in draw.leagues.items()} == answer["sizes"]
        assert [[int(name), from_, to] for name, from_, to in draw.moves] == answer["moves"]


@pytest.mark.parametrize("count", [*range(4, 24), 67, 128, 255, 256])
def test_at_most_one_odd_league(count: int):
    """M40G-3: at most one league is odd, and none of 256 players' leagues has more than 64."""
    event = from_dict(event_of("m40-open", [{"id": f"p{i}"} for i in range(count)], random_seed=count))
    sizes = [len(names) for names in draw_lots(event, leagues=True).leagues.values()]
    assert sum(sizes) == count
    assert sum(size % 2 for size in sizes) <= 1
    assert max(sizes) <= 64


def test_late_entries_do_not_change_a_recorded_draw():
    """A late entry gets the next number, and nobody else's changes."""
    event = from_dict(event_of("m40-open", [{"id": f"p{i}"} for i in range(21)], lot_ballots=ballots("1" * 15)))
    written, draw = draw_into(event)
    games = [{**game, "winner": "black"} if "black" in game else game for game in next_round(written).games]
    players = [{"id": p.id, "lot": p.lot, "league": p.league} for p in written.players]
    late = from_dict({**event_of("m40-open", [*players, {"id": "late"}]), "rounds": [{"round": 1, "games": games}]})
    after = draw_lots(late, leagues=True)
    assert {name: lot for name, lot in after.lots.items() if name != "late"} == dict(draw.lots)
    assert after.lots["late"] == max(draw.lots.values()) + 1
    for league, names in draw.leagues.items():
        assert set(names) == set(after.leagues[league]) - {"late"}


def test_lots_by_hand_come_from_the_recorded_seed():
    """M40F33-1: seeds have 1 to 4, the others from 11, absent players none; another seed draws other lots."""
    players: list[dict[str, Any]] = [{"id": f"p{i}"} for i in range(40)]
    players[3]["seed"], players[7]["seed"], players[9]["absent"] = 1, 4, True
    one, again, other = (
        {p.id: p.lot for p in draw_into(from_dict(event_of("m40-33-64", players, random_seed=seed)))[0].players}
        for seed in (5, 5, 6)
    )
    assert one == again != other
    assert (one["p3"], one["p7"], one["p9"]) == (1, 4, None)
    assert sorted(lot for lot in one.values() if lot and lot > 4) == list(range(11, 48))


@pytest.mark.parametrize("count", range(17, 33))
def test_brackets_spread_byes_and_seeds(count: int):
    """AMB-22: byes are spread evenly over blocks of four and halves.

    Seeds 1 to 4 are in the four quarters, 1 and 2 in different halves, also if their lots say otherwise.
    """
    for with_lots in (False, True):
        players: list[dict[str, Any]] = [
            {"id": f"p{i}", **({"lot": 50 + i} if with_lots else {})} for i in range(count)
        ]
        for seed in (1, 2, 3, 4):
            players[seed]["seed"] = seed
        event = from_dict(event_of("m40-17-32", players, random_seed=count))
        units = bracket_units(event, draw_lots(event, leagues=False).lots)
        assert sorted(name for unit in units for name in unit) == sorted(f"p{i}" for i in range(count))
        byes = [sum(len(unit) == 1 for unit in units[i : i + 2]) for i in range(0, 16, 2)]
        assert max(byes) - min(byes) <= 1
        assert abs(sum(byes[:4]) - sum(byes[4:])) <= 1
        where = {name: index // 4 for index, unit in enumerate(units) for name in unit}
        assert len({where[f"p{seed}"] for seed in (1, 2, 3, 4)}) == 4
        assert where["p1"] // 2 != where["p2"] // 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"options": {"lot_ballots": ["123", "45678", "90123"]}}, ["lot_ballots", "five digits"]),
        ({"options": {"lot_ballots": ["12345", "45678"]}}, ["lot_ballots", "three"]),
        ({"players": [{"id": "a", "lot": 11}, {"id": "b", "lot": 11}]}, ["a", "b", "lot 11"]),
        ({"players": [{"id": "a", "lot": 11}, {"id": "b", "lot": 12, "league": "E"}]}, ["b", "'E'"]),
        ({"players": [{"id": "a", "seed": 5}, {"id": "b"}]}, ["a", "seed 5"]),
    ],
)
def test_unusable_draws_are_refused(change: dict[str, Any], words: list[str]):
    event = from_dict({**event_of("m40-open", [{"id": f"p{i}"} for i in range(8)]), **change})
    with pytest.raises(EventError) as refused:
        draw_into(event)
    assert all(word in str(refused.value) for word in words)


def test_formats_without_lots_are_refused():
    with pytest.raises(EventError, match="draws no lots"):
        draw_into(from_dict(event_of("swiss", [{"id": "a"}])))
