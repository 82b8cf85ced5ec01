"""Tests of ``verify`` with random faults in correct events of every format: an altered round or order sheet.

A fault that changes who meets whom, who has a bye, which stage a game has or who has which rank must be reported. A
fault that leaves an equally good round (Brightwell pairings are not unique, AMB-12), or one that lots alone decided,
need not be; the numbers below say how many such faults there are among the seeds used.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

import pytest
from events.event_generator import GeneratorSettings, simulate
from verify.event_parsing import RoundHistory, read
from verify.plain_matching import exceeds_optimum, improvement
from verify.pool_check import othello_cost
from verify.standings_check import check_sheet
from verify.verifier import RuleViolation, VerificationReport, verify

from engine.tournament import next_round, standings
from kiosk.records.event_file import entries_to_dicts, from_dict

Json = dict[str, Any]
Fault = Callable[[list[Json], set[str], Random], bool]
SIDES = ("black", "white")
STAGES = ("league", "placement", "semi-final", "final", "knockout")


def games_and_byes(games: list[Json]) -> tuple[list[Json], list[Json]]:
    return [g for g in games if "bye" not in g], [g for g in games if "bye" in g]


def swap(games: list[Json], had_bye: set[str], rng: Random) -> bool:
    """Exchange two players of two tables."""
    played, _ = games_and_byes(games)
    if len(played) < 2:
        return False
    (one, other), (a, b) = rng.sample(played, 2), rng.choices(SIDES, k=2)
    one[a], other[b] = other[b], one[a]
    return True


def other_bye(games: list[Json], had_bye: set[str], rng: Random) -> bool:
    """Give the bye to a player who should have played."""
    return _give_bye(games, [(g, s) for g in games_and_byes(games)[0] for s in SIDES], rng)


def second_bye(games: list[Json], had_bye: set[str], rng: Random) -> bool:
    """Give the bye to a player who had one before."""
    fresh = [g for g in games_and_byes(games)[1] if g["bye"] not in had_bye]
    return bool(fresh) and _give_bye(
        games, [(g, s) for g in games_and_byes(games)[0] for s in SIDES if g[s] in had_bye], rng
    )


def _give_bye(games: list[Json], places: list[tuple[Json, str]], rng: Random) -> bool:
    byes = games_and_byes(games)[1]
    if not byes or not places:
        return False
    free, (game, side) = rng.choice(byes), rng.choice(places)
    free["bye"], game[side] = game[side], free["bye"]
    return True


def omitted(games: list[Json], had_bye: set[str], rng: Random) -> bool:
    """Remove a game or a bye."""
    if len(games) < 2:
        return False
    games.pop(rng.randrange(len(games)))
    return True


def other_stage(games: list[Json], had_bye: set[str], rng: Random) -> bool:
    game = rng.choice(games)
    game["stage"] = rng.choice([stage for stage in STAGES if stage != game.get("stage")])
    return True


def colours(games: list[Json], had_bye: set[str], rng: Random) -> bool:
    """Exchange the colours of a pair."""
    games = [g for g in games_and_byes(games)[0] if g["stage"] in ("league", "placement")]
    if not games:
        return False
    game = rng.choice(games)
    for names in (("black", "white"), ("black_discs", "white_discs")):
        game[names[0]], game[names[1]] = game[names[1]], game[names[0]]
    game["winner"] = {"black": "white", "white": "black"}.get(game["winner"], game["winner"])
    return True


SIZES = {
    "m43-open": 13, "m43-division": 13, "m40-open": 21, "m40-33-64": 34, "m40-17-32": 27, "m40-13-16": 15,
    "m40-9-12": 11, "m40-elementary": 13, "team": 15, "chouchou": 13, "swiss": 13, "round-robin": 7, "knockout": 16,
    "adjacent": 13, "othello-pool": 13,
}  # fmt: skip
FAULTS: tuple[Fault, ...] = (swap, other_bye, second_bye, omitted, other_stage)
#: in round 1 everybody is level, and the lots are not in the file
LEVEL = {("chouchou", swap): 2, ("chouchou", other_bye): 2, ("swiss", swap): 1, ("knockout", swap): 2}
#: a board of the final that is called one of a placement match is a match of its own
HARMLESS_STAGE = {"team": 2}


def events(format_: str) -> list[Json]:
    return [simulate(GeneratorSettings(format_, SIZES[format_], seed, restless=bool(seed % 2))) for seed in (1, 2)]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("format_", SIZES)
def test_faults_of_a_round_are_reported(format_: str, fault: Fault):
    missed = []
    for correct in events(format_):
        had_bye: set[str] = set()
        for index, round_ in enumerate(correct["rounds"]):
            faulty = deepcopy(correct)
            games = faulty["rounds"][index]["games"]
            if fault(games, had_bye, Random(f"{format_}{index}")) and not verify(faulty).problems:
                missed.append(index + 1)
            had_bye |= {game["bye"] for game in round_["games"] if "bye" in game}
    allowed = HARMLESS_STAGE.get(format_, 0) if fault is other_stage else LEVEL.get((format_, fault), 0)
    assert len(missed) <= allowed, f"not seen in rounds {missed}"


@pytest.mark.parametrize("format_", ["swiss", "m43-open", "m43-division", "adjacent", "round-robin"])
def test_exchanged_colours_are_reported_where_they_are_designated(format_: str):
    """Equal colours that are decided by earlier rounds or by lot are not checked."""
    found = tried = 0
    for correct in events(format_):
        for index in range(len(correct["rounds"])):
            faulty = deepcopy(correct)
            if colours(faulty["rounds"][index]["games"], set(), Random(index)):
                tried += 1
                found += bool(verify(faulty).problems)
    assert found >= tried * 3 // 4


@pytest.mark.parametrize("format_", SIZES)
def test_two_rows_exchanged_are_reported(format_: str):
    for correct in events(format_):
        event = from_dict(correct)
        for after in {1, len(correct["rounds"]) - 1, len(correct["rounds"])}:
            table = standings(event, after).as_dict()
            assert _sheet_problems(correct, table) == []
            rows: list[Json] = table["rows"]  # type: ignore[assignment]
            for index in range(len(rows) - 1):
                if rows[index]["rank"] == rows[index + 1]["rank"]:
                    continue
                wrong = deepcopy(rows)
                wrong[index]["id"], wrong[index + 1]["id"] = wrong[index + 1]["id"], wrong[index]["id"]
                assert _sheet_problems(correct, {**table, "rows": wrong}), (after, index)


def _sheet_problems(event: Json, table: Any) -> list[RuleViolation]:
    report = VerificationReport()
    check_sheet(read(event), table, report)
    return report.problems


def test_a_wrong_rank_number_and_a_missing_row_are_reported():
    correct = simulate(GeneratorSettings("swiss", 9, 1))
    table = standings(from_dict(correct)).as_dict()
    rows: list[Json] = table["rows"]  # type: ignore[assignment]
    assert verify(correct, {**table, "rows": [*rows[:4], {**rows[4], "rank": 9}, *rows[5:]]}).problems
    assert "SHEET-RANKS" in {p.rule for p in verify(correct, {**table, "rows": rows[:-1]}).problems}


@pytest.mark.parametrize("draws", ["half", "draw_right"])
@pytest.mark.parametrize("level", ["extra_game", "discs", "rank"])
@pytest.mark.parametrize("games", [2, 3])
@pytest.mark.parametrize("format_", ["swiss", "knockout"])
def test_matches_of_several_games(format_: str, games: int, level: str, draws: str):
    """Whole events break no rule; a game too many or too few, wrong colours and an impossible draw are named."""
    stages = ("knockout", "semi_final", "final", "third_place")
    options = {f"{stage}_games": games for stage in stages} | {"match_level": level, "match_draws": draws}
    options |= {"finals": "1-4", "play_off": True} if format_ == "swiss" else {"third_place": True}
    for seed in range(1, 3):
        data = simulate(GeneratorSettings(format_, 9, seed, restless=seed > 1, options=options))
        assert len(data["rounds"][-1]["games"]) > games // 2
        for after in range(len(data["rounds"]) - 2, len(data["rounds"]) + 1):
            assert verify(data, standings(from_dict(data), after).as_dict()).problems == []
    last: list[Json] = data["rounds"][-1]["games"]
    final = [game for game in last if game["stage"] == "final"]
    rest = [game for game in last if game["stage"] != "final"]
    wrong = [rest + final[:-1], [*rest, *final, final[-1]]]
    if draws == "half" and final[1]["end"] != "forfeit":
        turned = {"black": final[1]["white"], "white": final[1]["black"]}
        wrong.append([*rest, final[0], final[1] | turned, *final[2:]] if games > 2 or len(final) > 2 else wrong[0])
    if draws == "draw_right":
        drawn = {"winner": "draw", "black_discs": 32, "white_discs": 32, "end": "normal"}
        wrong.append([*rest, final[0] | drawn, *final[1:]])
    for lines in wrong:
        faulty = {**data, "rounds": [*data["rounds"][:-1], {**data["rounds"][-1], "games": lines}]}
        assert {"AMB-50", "M43-1"} & {problem.rule for problem in verify(faulty).problems}


def test_semi_finals_play_offs_and_seats():
    """A wrong player is named in finals of the Swiss with a play-off, of teams, and of M40F9-3."""
    for seed in range(200):
        data = simulate(GeneratorSettings("swiss", 12, seed, options={"finals": "1-4", "play_off": True}))
        if any(g["stage"] == "knockout" for r in data["rounds"] for g in r["games"]):
            break
    assert verify(data, standings(from_dict(data)).as_dict()).problems == []
    out = [p["id"] for p in data["players"] if all(p["id"] not in g.values() for g in data["rounds"][-1]["games"])]
    for index, rule in ((6, "SWISS-PLAY-OFF"), (7, "SWISS-PLAY-OFF"), (8, "SWISS-FINALS")):
        faulty = deepcopy(data)
        game = faulty["rounds"][index]["games"][0]
        game["white"] = next(name for name in reversed(out) if name not in game.values())
        assert rule in {problem.rule for problem in verify(faulty).problems}
    for format_, players, index, rule in (
        ("m40-9-12", 12, 4, "M40F9-3"), ("m40-13-16", 16, 4, "M40F13-2"), ("m40-17-32", 32, 3, "M40F17-8"),
        ("m40-13-16", 16, 3, "M40F13-1"), ("team", 30, 4, "TEAM-4.1"),
    ):  # fmt: skip
        faulty = simulate(GeneratorSettings(format_, players, 3))
        games = [g for g in faulty["rounds"][index]["games"] if "bye" not in g]
        first, last = ([0, 1, 2], [-3, -2, -1]) if format_ == "team" else ([0], [-1])
        for a, b in zip(first, last, strict=True):
            games[a]["white"], games[b]["white"] = games[b]["white"], games[a]["white"]
        assert rule in {problem.rule for problem in verify(faulty).problems}


def test_an_exchange_of_three_pairs_is_found_in_a_large_round():
    """It is found above 14 players too, where no exchange of two pairs gains anything."""
    pairs = [(0, 1), (2, 3), (4, 5), *((i, i + 1) for i in range(6, 20, 2))]
    # a cost in which a cycle through three pairs gains one, and no exchange of two pairs gains anything
    better = {(1, 2), (3, 4), (0, 5)}
    costs = {tuple(sorted(pair)): 2 for pair in pairs} | dict.fromkeys(better, 1)

    def price(i: int, j: int) -> int:
        return costs.get((i, j), 100)

    assert improvement(pairs, price) is None
    assert exceeds_optimum(pairs, price)
    assert not exceeds_optimum([*better, *pairs[3:]], price)


def test_an_exchange_of_three_pairs_is_found_in_the_last_digits_of_a_pool():
    """It is found however many players rank above, and however wide the costs are."""
    names = [f"p{i}" for i in range(60)]
    before = RoundHistory(dict.fromkeys(names, 0), dict.fromkeys(names, 0), {})
    cost, digit = othello_cost(before, {}, names, dict.fromkeys(names, 0), False, True)
    correct = [(i, 59 - i) for i in range(30)]
    assert cost(0, 1).bit_length() > 300 and not exceeds_optimum(correct, cost, digit)
    # the last six have met in all but two ways, of which the costlier was played
    met = [frozenset(pair) for pair in ((27, 32), (27, 29), (27, 30), (28, 31), (28, 30), (28, 32))]
    before.met.update({frozenset(names[i] for i in pair): [1] for pair in met})
    played = [*correct[:-3], (27, 28), (29, 32), (30, 31)]
    better = [*correct[:-3], (27, 31), (28, 29), (30, 32)]
    assert sum(cost(*pair) for pair in better) < sum(cost(*pair) for pair in played)
    assert improvement(played, cost) is None and exceeds_optimum(played, cost, digit)


#: format -> players, so many that a round is drawn; the lots are in no field of the file
DRAWN = {
    "swiss": 16, "m43-open": 18, "adjacent": 10, "m43-division": 16, "m40-elementary": 9, "chouchou": 8,
    "m40-open": 24, "m40-33-64": 33, "m40-17-32": 20, "m40-13-16": 14, "m40-9-12": 11, "knockout": 12, "team": 24,
}  # fmt: skip


def pairing_rules(event: Json) -> set[str]:
    """Return the rules that a round without results breaks."""
    return {problem.rule for problem in verify(event).problems} - {"EVENT-RESULT"}


@pytest.mark.parametrize("format_", DRAWN)
def test_an_exchange_in_a_round_drawn_by_lot_is_reported(format_: str):
    """The recorded seed determines the pairs; without it the exchange cannot be found."""
    event = simulate(GeneratorSettings(format_, DRAWN[format_], 5, rounds=2))
    del event["rounds"][:]
    event["options"].pop("lot_ballots", None)
    for player in event["players"]:
        player.pop("lot", None)
    paired = next_round(from_dict(event))
    event["rounds"] = [{"round": 1, "games": entries_to_dicts(from_dict(event), paired)}]
    assert pairing_rules(event) == set()
    games = [game for game in event["rounds"][0]["games"] if "bye" not in game]
    wide = 3 if format_ == "team" else 1
    one = games[:wide]
    other = next(
        games[at : at + wide] for at in range(wide, len(games), wide) if games[at].get("league") == one[0].get("league")
    )
    for a, b in zip(one, other, strict=True):
        a["white"], b["white"] = b["white"], a["white"]
    assert pairing_rules(event)
    event["options"].pop("random_seed")
    assert pairing_rules(event) <= {"M43F-03", "M43F-12", "PAIRING-2"}
