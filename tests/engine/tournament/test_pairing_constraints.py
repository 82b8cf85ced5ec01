"""Pairing constraints: locked and forbidden pairs, requested byes, forced colours (PAIRING.md 4) are kept exactly, or
refused by name."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
from events.lines import next_round
from events.random_events import event_of, play_round, team_event
from verify.verifier import verify

from engine.tournament import EventError, cost_of_round
from engine.tournament import next_round as paired_round
from engine.tournament.event_and_result_validation import check_event
from engine.tournament.event_edits import remove_player
from engine.tournament.event_model import KeepApartRule
from engine.tournament.explain_pairings import cost_of_keep_apart
from engine.tournament.pairing_history_and_constraints import Constraints, history_before
from engine.tournament.swiss_pairing import Prices, SwissPool
from kiosk.records.event_file import from_dict, to_dict

FORMATS = ["swiss", "m43-open", "adjacent", "m43-division", "m40-open", "othello-pool"]


def started_event_data(format_: str, count: int, rounds: int = 2, seed: int = 1) -> dict[str, Any]:
    data = event_of(format_, count, seed)
    for _ in range(rounds):
        play_round(data, random.Random(seed))
    return data


def pairs_of(paired: Any) -> list[tuple[str, str]]:
    return [(g["black"], g["white"]) for g in paired.games if "bye" not in g]


def byes_of(paired: Any) -> set[str]:
    return {g["bye"] for g in paired.games if "bye" in g}


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("count", [14, 15])
def test_every_constraint_is_kept_and_everybody_has_one_place(format_: str, count: int):
    event = from_dict(started_event_data(format_, count))
    plain = next_round(event)
    games = [g for g in plain.games if "bye" not in g and g["stage"] != "semi-final"]
    for game in games[:4]:
        pair = (str(game["black"]), str(game["white"]))
        try:
            other = next_round(event, Constraints(forbidden=(pair,)))
        except EventError as error:
            assert "no pairing" in str(error)  # two unbeaten players of one league have no other opponent
            continue
        assert frozenset(pair) not in {frozenset(p) for p in pairs_of(other)}
        names = [n for p in pairs_of(other) for n in p] + sorted(byes_of(other))
        assert len(names) == len(set(names)) == count
    # the last table is of the common pool in every format
    asking = str(games[-1]["white"])
    constrained = next_round(event, Constraints(byes=(asking,)))
    assert asking in byes_of(constrained)
    names = [n for p in pairs_of(constrained) for n in p] + sorted(byes_of(constrained))
    assert len(names) == len(set(names)) == count
    one, two = games[-1], games[-2]
    if one.get("league") == two.get("league") and one["stage"] == two["stage"]:
        locked = (str(one["black"]), str(two["black"]))
        assert frozenset(locked) in {frozenset(p) for p in pairs_of(next_round(event, Constraints(locked=(locked,))))}


@pytest.mark.parametrize("seed", range(30))
def test_the_swiss_is_optimal_under_constraints(seed: int):
    """The penalty is the least of all matchings and colourings that the constraints allow."""
    rng = random.Random(seed)
    data = started_event_data("swiss", 6, rng.randrange(1, 4), seed)
    event = from_dict(data)
    names = [p["id"] for p in data["players"]]
    a, b, c = rng.sample(names, 3)
    wishes = Constraints(forbidden=((a, b),), colours={c: rng.choice(("black", "white"))})
    history = history_before(event, len(event.rounds) + 1)
    prices = Prices(event, history, SwissPool(tuple(names)))
    best = min(
        sum(prices.pair(black, white).total for black, white in zip(order[::2], order[1::2], strict=True))
        for order in permutations(names)
        if all(
            {x, y} != {a, b} and not (y == c and wishes.colours[c] == "black") and not (
                x == c and wishes.colours[c] == "white"
            )
            for x, y in zip(order[::2], order[1::2], strict=True)
        )
    )  # fmt: skip
    assert next_round(event, wishes).cost["penalty"] == best


@pytest.mark.parametrize(
    ("format_", "count", "rounds", "options"),
    [
        ("m43-division", 6, 4, {}),
        ("m43-open", 6, 6, {}),
        ("m43-open", 6, 6, {"placement_pairing": "neighbours"}),
        ("team", 4, 4, {}),
    ],
)
def test_a_requested_bye_beside_finals_leaves_the_only_other_one_a_bye(
    format_: str, count: int, rounds: int, options: dict[str, Any]
):
    data = team_event(count, 1) if format_ == "team" else event_of(format_, count, **options)
    for _ in range(rounds):
        play_round(data, random.Random(1))
    event = from_dict(data)
    plain = next_round(event)
    team = {player: team.id for team in event.teams for player in team.players}
    others = sorted({team.get(name, name) for g in plain.games if g["stage"] == "placement"
                     for name in (g["black"], g["white"])})  # fmt: skip
    assert len(others) == 2
    for asked in (others[:1], others):
        paired = next_round(event, Constraints(byes=tuple(asked)))
        assert {team.get(name, name) for name in byes_of(paired)} == set(others)


def test_constraints_round_trip_through_the_event_file():
    data = started_event_data("swiss", 8)
    data["options"] |= {
        "locked": {"3": [["p1", "p2"]]},
        "forbidden": {"*": [["p3", "p4"]], "2": [["p5", "p6"]]},
        "byes": {"3": ["p7", "p8"]},
        "colours": {"3": {"p1": "white"}},
    }
    assert to_dict(from_dict(data))["options"] == data["options"]
    paired = next_round(from_dict(data))
    assert ("p2", "p1") in pairs_of(paired)
    assert byes_of(paired) == {"p7", "p8"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"locked": {"3": [["p1", "p99"]]}}, r"options\.locked\.3 names 'p99'"),
        ({"byes": {"3": ["nobody"]}}, r"options\.byes\.3 names 'nobody'"),
        ({"colours": {"3": {"p1": "red"}}}, r"options\.colours\.3\.p1 is 'red'"),
        ({"forbidden": {"third": [["p1", "p2"]]}}, r"options\.forbidden\.third"),
        ({"locked": {"3": [["p1"]]}}, r"options\.locked\.3\[0\] must be a list of two ids"),
        ({"locked": {"3": [["p1", "p2"], ["p2", "p3"]]}}, "one locked pair only"),
        ({"locked": {"3": [["p1", "p2"]]}, "byes": {"3": ["p1"]}}, "asks for a bye"),
        ({"locked": {"3": [["p1", "p2"]]}, "forbidden": {"*": [["p2", "p1"]]}}, "both to meet and not to meet"),
        ({"byes": {"3": ["p1", "p2"]}, "forbidden": {"3": [["p1", "p1"]]}}, "both to get a bye and to get none"),
        (
            {"locked": {"3": [["p1", "p2"]]}, "colours": {"3": {"p1": "black", "p2": "black"}}},
            "cannot have these colours",
        ),
        ({"forbidden": {"3": [["p1", f"p{i}"] for i in range(2, 9)]}}, "no pairing meets all conditions"),
    ],
)
def test_an_impossible_constraint_is_refused_by_name(options: dict[str, Any], words: str):
    data = started_event_data("swiss", 8)
    data["options"] |= options
    with pytest.raises(EventError, match=words):
        next_round(from_dict(data))


def test_a_bye_by_the_rules_of_a_player_who_is_to_get_none_is_refused():
    data = started_event_data("m43-division", 5, 4)
    (name,) = byes_of(next_round(from_dict(data)))
    with pytest.raises(EventError, match=f": {name} is to get no bye but gets one"):
        next_round(from_dict(data), Constraints(forbidden=((name, name),)))


def test_colours_cannot_be_forced_where_the_players_settle_them():
    with pytest.raises(EventError, match="settle the colours"):
        next_round(from_dict(started_event_data("m40-open", 20)), Constraints(colours={"p1": "black"}))


def test_forbidding_a_semi_final_required_by_the_rules_is_refused():
    data = started_event_data("m43-open", 12, 6)
    semi = next(g for g in next_round(from_dict(data)).games if g["stage"] == "semi-final")
    with pytest.raises(EventError, match="forbidden but drawn"):
        next_round(from_dict(data), Constraints(forbidden=((str(semi["black"]), str(semi["white"])),)))


def test_the_optimum_of_a_played_round_ignores_constraints():
    data = started_event_data("swiss", 8)
    event = from_dict(data)
    best = next_round(event)
    pair = pairs_of(best)[0]
    data["options"]["forbidden"] = {"3": [list(pair)]}
    constrained = next_round(from_dict(data))
    entry = constrained.paired.as_round()
    games = [{"black": g.black, "white": g.white, "winner": "black"} for g in entry.games]
    data["rounds"].append({"round": 3, "games": games})
    cost = cost_of_round(from_dict(data), 3)
    assert cost == {"round": 3, "played": constrained.cost["penalty"], "optimum": best.cost["penalty"]}


@pytest.mark.parametrize("format_", FORMATS)
def test_clubs_and_families_are_kept_apart_for_the_given_rounds(format_: str):
    """While the constraint applies, no two of a club or a named family meet.

    The verifier accepts this, and reports a meeting.
    """
    data = event_of(format_, 16, 3)
    for index, player in enumerate(data["players"]):
        player["club"] = ("Kita", "Minami", None, None)[index % 4]
    family = [data["players"][2]["id"], data["players"][3]["id"], data["players"][6]["id"]]
    clubs = {player["id"]: player["club"] for player in data["players"]}
    last = 1 if format_ == "m40-open" else 2  # the unbeaten of a small league have no other opponent
    data["options"]["apart"] = [{"by": "club", "last": last}, {"players": family, "last": last + 1}]
    assert to_dict(from_dict(data))["options"]["apart"] == data["options"]["apart"]
    for number in range(1, last + 1 + (last > 1)):
        play_round(data, random.Random(5))
        for pair in ((game["black"], game["white"]) for game in data["rounds"][-1]["games"] if "bye" not in game):
            assert not set(pair) <= set(family)
            assert number > last or clubs[pair[0]] is None or clubs[pair[0]] != clubs[pair[1]]
    report = verify(data)
    assert not [problem for problem in report.problems if problem.rule.startswith("WISH")]
    assert "WISH-APART" in report.checked
    game = next(game for game in data["rounds"][0]["games"] if "bye" not in game and game["black"] not in family)
    data["options"]["apart"].append({"players": [game["black"], game["white"]], "last": 1})
    assert {problem.rule for problem in verify(data).problems if problem.rule.startswith("WISH")} == {"WISH-APART"}


def test_the_cost_of_a_lasting_constraint_is_what_the_round_saves_without_it():
    event = from_dict(started_event_data("swiss", 12))
    best = paired_round(event)
    pair = best.games[0].players
    wish = KeepApartRule(players=pair, first=3)
    idle = KeepApartRule(players=(pair[0], best.games[1].players[0]), first=3)
    constrained = replace(event, options=replace(event.options, apart=(wish, idle)))
    paired = paired_round(constrained)
    price = paired.cost["penalty"] - best.cost["penalty"]
    assert price > 0
    assert cost_of_keep_apart(constrained, paired, wish) == price
    assert cost_of_keep_apart(constrained, paired, idle) == 0


def test_teams_of_one_school_are_kept_apart():
    data = started_event_data("team", 18, rounds=0)
    ids = [player["id"] for player in data["players"]]
    data["teams"] = [{"id": f"t{at}", "players": ids[3 * at : 3 * at + 3]} for at in range(6)]
    schools = {team["id"]: ("A", "B")[index // 2] if index < 4 else "C" for index, team in enumerate(data["teams"])}
    for team in data["teams"]:
        for player in data["players"]:
            if player["id"] in team["players"]:
                player["club"] = schools[team["id"]]
    data["options"]["apart"] = [{"by": "club", "last": 1}]
    play_round(data, random.Random(1))
    of = {name: schools[team["id"]] for team in data["teams"] for name in team["players"]}
    assert all(of[game["black"]] != of[game["white"]] for game in data["rounds"][0]["games"] if "bye" not in game)
    assert not [problem for problem in verify(data).problems if problem.rule.startswith("WISH")]


def test_an_impossible_or_empty_lasting_constraint_is_refused():
    data = started_event_data("swiss", 6, rounds=0)
    data["options"]["apart"] = [{"players": [player["id"] for player in data["players"]]}]
    with pytest.raises(EventError, match="no pairing meets all conditions"):
        next_round(from_dict(data))
    for wrong in ({}, {"players": ["p1"]}, {"by": "club", "players": ["p1", "p2"]}):
        data["options"]["apart"] = [wrong]
        with pytest.raises(EventError, match="needs 'by', or two 'players'"):
            from_dict(data)
    ids = [player["id"] for player in data["players"]]
    data["options"]["apart"] = [{"players": ids[:2]}, {"players": ids[:3]}]
    left = remove_player(from_dict(data), ids[0])
    assert [wish.players for wish in left.options.apart] == [tuple(ids[1:3])]
    check_event(left)
