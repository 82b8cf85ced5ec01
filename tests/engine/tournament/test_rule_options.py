"""Options for every AMB-nn of RULES.md 10.1 that concerns a tournament: the default is the recommended reading, and the
other readings have their effect. Readings with tests of their own are listed with them."""

from __future__ import annotations

import random
from typing import Any

import pytest
from events.lines import next_round
from events.random_events import event_of, play_round, played, rounds_of, team_event

from engine.tournament import champion, cost_of_round, standings
from engine.tournament import next_round as pair
from engine.tournament.event_model import Game
from engine.tournament.format_spec_and_options import ChoiceOption, IntOption
from engine.tournament.formats.format_interface import missed_by_both
from engine.tournament.grade_and_oza_awards import awards
from engine.tournament.pairing_history_and_constraints import history_before
from kiosk.records.event_file import READINGS, from_dict, to_dict

Json = dict[str, Any]
CHOICES = {name: one.values for name, one in READINGS.items() if isinstance(one, ChoiceOption)}
NUMBERS = {name: (one.low, one.high) for name, one in READINGS.items() if isinstance(one, IntOption)}


def game(black: str, white: str, discs: int = 40, **more: Any) -> Json:
    winner = "black" if discs > 32 else "white"
    return {"black": black, "white": white, "black_discs": discs, "white_discs": 64 - discs, "winner": winner, **more}


def byes_of(paired: Any) -> list[str]:
    return [str(g["bye"]) for g in paired.games if "bye" in g]


@pytest.mark.parametrize("name", [*CHOICES, *NUMBERS])
def test_every_option_round_trips(name: str):
    for value in CHOICES.get(name, NUMBERS.get(name)) or ():
        if value is not None:
            board = {18: {"variant": "6x6"}, 19: {"variant": "6x6"}, 100: {"variant": "10x10"}}.get(value, {})
            options = {name: value} | (board if name in ("bye_discs", "forfeit_discs") else {})
            event = from_dict(event_of("swiss", 4, **options))
            assert to_dict(event)["options"] == {"random_seed": 1, **options}
            assert from_dict(to_dict(event)) == event


def test_forfeits_are_64_to_0_or_as_the_event_says():
    """AMB-09, AMB-26: the option sets the discs of a forfeit."""
    for discs, option in ((64, {}), (40, {"forfeit_discs": 40})):
        data = event_of("round-robin", 4, **option)
        data["options"]["absences"] = {"1": ["p1"]}
        forfeit = next(g for g in next_round(from_dict(data)).games if "p1" in g.values())
        assert {forfeit["black_discs"], forfeit["white_discs"]} == {discs, 64 - discs} and forfeit["rated"] is False


@pytest.mark.parametrize("format_", ("swiss", "adjacent", "round-robin", "m40-9-12", "knockout"))
def test_a_no_show_has_no_discs_where_none_were_entered(format_: str):
    """AMB-05, AMB-09: a no-show counts as a loss 64-0 or a missed round; another loss without discs counts half."""
    for end, discs in (("forfeit", {64, 0}), ("late", {64, 0}), ("normal", {32})):
        data = event_of(format_, 12 if format_ == "m40-9-12" else 4)
        data["rounds"] = [{"round": 1, "games": [dict(g) for g in next_round(from_dict(data)).games]}]
        for one in data["rounds"][0]["games"]:
            one.update({"winner": "black", "end": end} if "bye" not in one else {})
        game_ = data["rounds"][0]["games"][0]
        rows = {row.id: row.discs for row in standings(from_dict(data)).rows}
        assert {rows[game_["black"]], rows[game_["white"]]} == discs


@pytest.mark.parametrize(
    "format_, draws", [("swiss", True), ("adjacent", True), ("m40-9-12", False), ("knockout", False)]
)
def test_a_game_that_both_missed_is_lost_by_both_or_a_draw(format_: str, draws: bool):
    """AMB-49: it is a draw only if the option says so and the format has draws; it is unrated and no meeting."""
    for reading in (None, "both_lose", "draw"):
        data = event_of(format_, 12 if format_ == "m40-9-12" else 4, **({"double_forfeit": reading} if reading else {}))
        event = from_dict(data)
        entry = next(one for one in pair(event).games if isinstance(one, Game))
        both = missed_by_both(event, entry)
        assert both.rated is False and not both.over_the_board
        drawn = draws and reading == "draw"
        assert [both.half_points(name) for name in both.players] == ([1, 1] if drawn else [0, 0])
        assert (both.black_discs, both.white_discs) == ((32, 32) if drawn else (0, 0))


def test_the_discs_of_a_bye_and_its_brightwell_points():
    """AMB-10: 32 + C x own wins whatever discs are entered; under ``entered`` the discs that are entered."""
    rounds = [{"round": 1, "games": [game("p1", "p2"), {"bye": "p3"}]}]
    for options, discs, brightwell in (
        ({}, 40, 38),
        ({"bye_discs": 33}, 33, 38),
        ({"bye_brightwell": "entered"}, 40, 46),
        ({"bye_brightwell": "entered", "bye_discs": 33}, 33, 39),
    ):
        data: Json = {**event_of("swiss", 3, **options), "rounds": rounds}
        row = next(row for row in standings(from_dict(data)).rows if row.id == "p3")
        assert (row.discs, row.keys[1]) == (discs, brightwell)


def test_the_weight_of_a_win_in_brightwell_points():
    """AMB-11, BW-2, MBQ: the option sets the weight."""
    rounds = [
        {"round": 1, "games": [game("p1", "p2"), game("p3", "p4", 20)]},
        {"round": 2, "games": [game("p1", "p4"), game("p2", "p3", 20)]},
    ]
    found = {}
    for c in (None, 0, 11, "64/games", "modified"):
        data: Json = {**event_of("swiss", 4, **({} if c is None else {"brightwell_c": c})), "rounds": rounds}
        found[c] = {row.id: row.keys[1] for row in standings(from_dict(data)).rows}["p1"]
    # 80 discs; the opponents have 0 and 1 points
    assert found == {None: 86, 0: 80, 11: 91, "64/games": 112, "modified": 112}


def test_placement_games_by_penalty_or_by_rank():
    """AMB-12: placement games are paired by penalty, or between neighbours in rank."""
    data = played("m43-open", 14, 6, seed=4)
    usual = next_round(from_dict(data))
    data["options"]["placement_pairing"] = "neighbours"
    paired = next_round(from_dict(data))
    order = [row.id for row in standings(from_dict(data), 6).rows][4:]
    met = {frozenset((g["black"], g["white"])) for r in data["rounds"] for g in r["games"] if "black" in g}
    games = [frozenset((str(g["black"]), str(g["white"]))) for g in paired.games if g["stage"] == "placement"]
    places = sorted(sorted(order.index(name) for name in pair) for pair in games)
    assert len(games) == 5 and not met.intersection(games)
    assert places[0][0] == 0 and all(high - low <= 3 for low, high in places)
    assert int(str(paired.cost["penalty"])) >= int(str(usual.cost["penalty"]))


def test_the_bye_of_an_odd_league():
    """AMB-15: a player of the lowest score without a bye has it, or the one with the least penalty."""
    differs = 0
    for seed in range(12):
        data = played("m43-open", 5, 3, seed)
        records = history_before(from_dict(data), 4).records
        (usual,) = byes_of(next_round(from_dict(data)))
        assert (records[usual].byes, records[usual].score) == min((r.byes, r.score) for r in records.values())
        data["options"]["odd_bye"] = "penalty"
        free = next_round(from_dict(data))
        data["options"].pop("odd_bye")
        cheapest = next_round(from_dict({**data, "format": "swiss"})).cost["penalty"]
        assert free.cost["penalty"] == cheapest
        differs += byes_of(free) != [usual]
    assert differs


def test_the_league_of_a_division_has_four_rounds_or_as_many_as_the_event_says():
    """AMB-16: the option sets the number of rounds."""
    for rounds in (4, 5):
        data = event_of("m43-division", 8, **({} if rounds == 4 else {"rounds": rounds}))
        stages = [{g["stage"] for g in paired["games"]} for _, paired in rounds_of(data, random.Random(1))]
        assert len(stages) == rounds + 2 and stages[rounds] == {"semi-final", "placement"}
        assert champion(from_dict(data)) is not None


# AMB-17 profile, floater: test_othello_system_pairing.py. AMB-18, 22, 23, 43, 44, 46: test_m40_events.py,
# test_m40_lots_and_leagues.py


def test_the_byes_of_eleven_players():
    """AMB-24: a low player has the bye of rounds 2 and 3, or the provisional first."""
    data = played("m40-9-12", 11, 1)
    order = [row.id for row in standings(from_dict(data)).rows]
    earlier = {g["bye"] for g in data["rounds"][0]["games"] if "bye" in g}
    wins = {row.id: row.wins for row in standings(from_dict(data)).rows}
    (low,) = byes_of(next_round(from_dict(data)))
    assert wins[low] == 0
    data["options"]["odd_pool"] = "from_top"
    (top,) = byes_of(next_round(from_dict(data)))
    assert top == next(name for name in order if name not in earlier) and wins[top] == 1


def test_the_othello_system_of_the_elementary_division():
    """AMB-25: neighbours meet, or top v lowest as in the other divisions of M40."""
    data = played("m40-elementary", 8, 2)
    usual = next_round(from_dict(data))
    data["options"]["pairing"] = "othello"
    other = next_round(from_dict(data))
    assert {tuple(g.values()) for g in usual.games} != {tuple(g.values()) for g in other.games}
    order = [row.id for row in standings(from_dict(data)).rows]
    winners = [row.id for row in standings(from_dict(data)).rows if row.wins == 2]
    met = {frozenset((g["black"], g["white"])) for r in data["rounds"] for g in r["games"]}
    first = next(g for g in other.games if order[0] in g.values())
    opponent = next(str(g) for g in (first["black"], first["white"]) if g != order[0])
    assert opponent == next(n for n in reversed(winners) if frozenset((n, order[0])) not in met and n != order[0])
    while len(data["rounds"]) < 7:
        play_round(data, random.Random(len(data["rounds"])))
    for number in range(1, 7):
        cost = cost_of_round(from_dict(data), number)
        assert cost["played"] == cost["optimum"]
    assert champion(from_dict(data)) is not None


def test_points_of_a_winner_on_time_at_chouchou():
    """AMB-27: a winner on time has the plus or minus of the captured pieces, or at least 0."""
    data: Json = {
        **event_of("chouchou", 2),
        "rounds": [{"round": 1, "games": [
            {"black": "p1", "white": "p2", "black_discs": 4, "white_discs": 7, "winner": "black", "end": "time"}]}],
    }  # fmt: skip
    assert [row.keys[1] for row in standings(from_dict(data)).rows] == [-6, -3]
    data["options"]["time_loss"] = "no_minus"
    assert [row.keys[1] for row in standings(from_dict(data)).rows] == [0, -3]


# AMB-28 worst_minus: test_chouchou_event.py


@pytest.mark.parametrize(("format_", "count", "seed"), [("m43-open", 64, 5), ("m40-open", 40, 0)])
def test_the_prize_by_wins_or_by_place_alone(format_: str, count: int, seed: int):
    """AMB-29: the option sets what the prize depends on."""
    data = played(format_, count, 8, seed)
    by_wins = {a.id: a.grade for a in awards(from_dict(data))}
    data["options"]["prize"] = "place"
    by_place = {a.id: a.grade for a in awards(from_dict(data))}
    ranks = {row.id: row.rank for row in standings(from_dict(data)).rows}
    prizes = [name for name, grade in by_wins.items() if grade == "5d" and ranks[name] > 4]
    assert prizes and all(by_place[name] == "4d" for name in prizes)
    others = by_wins.keys() - prizes
    assert all(by_place[name] == by_wins[name] or (ranks[name], format_) == (4, "m40-open") for name in others)


def test_rematches_of_teams_and_what_their_final_decides():
    """AMB-45: options allow rematches, and make the final a match like the others."""
    repeated = 0
    for seed in range(4):
        for rematches in ("avoid", "allowed"):
            data = team_event(6, seed)
            data["options"]["rematches"] = rematches
            rng = random.Random(seed)
            for _ in range(4):
                play_round(data, rng)
            met = [
                frozenset((str(g["black"]), str(g["white"])))
                for r in data["rounds"]
                for g in r["games"]
                if "bye" not in g
            ]
            team = {p: t["id"] for t in data["teams"] for p in t["players"]}
            matches = [frozenset(team[p] for p in pair) for pair in met]
            again = len(matches) // 3 > len(set(matches))
            assert not (rematches == "avoid" and again)
            repeated += again
    assert repeated
    for seed in range(20):
        data = team_event(6, seed)
        rng = random.Random(seed)
        while len(data["rounds"]) < 5:
            play_round(data, rng)
        usual = standings(from_dict(data)).rows
        data["options"]["final_decides"] = False
        table = standings(from_dict(data)).rows
        assert [row.keys[:4] for row in table] == sorted((row.keys[:4] for row in table), reverse=True)
        assert champion(from_dict(data)) == table[0].id
        if usual[0].id != table[0].id:
            return
    raise AssertionError("the final changed no place; take more seeds")
