"""Explanations of standings and pairings: correct in every format, in both languages."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from events.random_events import event_of, play_round, played, rounds_of

from engine.tournament import EventError, event_edits, is_over, next_round, standings
from engine.tournament.event_model import Game
from engine.tournament.explain_pairings import explain_played, explain_round
from engine.tournament.explain_standings import explain_standings
from engine.tournament.formats.format_interface import PairedRound
from engine.tournament.formats.meijin40_base_and_othello_pool import OthelloPool
from engine.tournament.pairing_history_and_constraints import Constraints, history_before, without_constraints
from kiosk.records.event_file import from_dict

SIZES = {
    "swiss": 11, "m43-open": 13, "m43-division": 12, "m40-open": 22, "m40-33-64": 34, "m40-17-32": 20,
    "m40-13-16": 14, "m40-9-12": 11, "m40-elementary": 12, "adjacent": 9, "othello-pool": 9, "round-robin": 6,
    "knockout": 11,
}  # fmt: skip


@pytest.mark.parametrize("format_", SIZES)
def test_every_standings_row_of_every_format_has_a_reason(format_: str):
    data = event_of(format_, SIZES[format_], rounds=4) if format_ in ("swiss", "adjacent") else event_of(
        format_, SIZES[format_]
    )  # fmt: skip
    rng = random.Random(5)
    played = 0
    for _ in rounds_of(data, rng):
        played += 1
        event = from_dict(data)
        table = standings(event)
        reasons = explain_standings(event, table)
        assert len(reasons) == len(table.rows)
        for row, below, reason in zip(table.rows, table.rows[1:], reasons, strict=False):
            assert reason.template and str(reason)
            # ranks are shared exactly where the reason says so
            assert (row.rank == below.rank) == ("share the rank" in str(reason))
            if row.keys[0] != below.keys[0] and "finals" not in str(reason) and format_ != "knockout":
                assert f" {row.keys[0]} against {below.keys[0]} " in str(reason)
        if played == 8:
            break
    assert played >= 3


@pytest.mark.parametrize("format_", ["swiss", "m43-open", "adjacent", "m40-open", "m40-9-12"])
def test_the_cost_of_a_pair_is_the_additional_cost_without_it(format_: str):
    data = event_of(format_, 11)
    for _ in range(3):
        play_round(data, random.Random(2))
    event = from_dict(data)
    paired = next_round(event)
    reasons = explain_round(event, paired)
    assert [r.players for r in reasons] == [game.players for game in paired.games]
    for reason in reasons:
        assert all(words.template and str(words) for words in reason.reasons)
        if isinstance(reason.price, int):
            wish = (reason.players[0], reason.players[-1])
            other = next_round(event, Constraints(forbidden=(wish,)))
            assert reason.price == other.cost["penalty"] - paired.cost["penalty"]  # type: ignore[operator]
            assert reason.price >= 0
        elif reason.price is not None:
            assert reason.price >= (0,) * len(reason.price)


def test_round_1_of_a_league_by_halves_names_the_place_in_each_half():
    """M40P-3: the first of the upper half meets the first of the lower one."""
    event = from_dict(event_of("m40-open", 22))
    text = [str(why) for reason in explain_round(event, next_round(event)) for why in reason.reasons]
    halves = [why.removeprefix("league A in an upper and a lower half by lots: ") for why in text if "league A" in why]
    assert halves == [f"number {place} of each (M40P-3)" for place in (1, 2, 3)]


@pytest.mark.parametrize("mates", [(2, 3), (2, 5)])
def test_a_wish_changes_the_halves_of_a_league_only_if_they_break_it(mates: tuple[int, int]):
    """M40P-1 to 3 hold for two of one club in the same half; else the operator is told, and why each pair meets."""
    data = event_of("m40-open", 24)
    plain = next_round(from_dict(data)).games
    league = [name for game in plain if game.league == "A" for name in game.players]  # 1st v 4th, 2nd v 5th, 3rd v 6th
    names = dict(zip((1, 4, 2, 5, 3, 6), league, strict=True))
    for player in data["players"]:
        if player["id"] in (names[mates[0]], names[mates[1]]):
            player["club"] = "A"
    data["options"]["apart"] = [{"by": "club"}]
    event = from_dict(data)
    paired = next_round(event)
    kept = mates == (2, 3)
    assert (paired.games == plain) == kept
    assert ("league A is not paired by halves (M40P-3), because of a wish" in map(str, paired.warnings)) != kept
    for of in (event, without_constraints(event)):
        text = [str(why) for reason in explain_round(of, paired) for why in reason.reasons if "league A" in str(why)]
        assert all("M40P-3" in why for why in text) == kept


def test_a_question_about_one_player_gets_one_answer():
    data = event_of("swiss", 8)
    play_round(data, random.Random(2))
    event = from_dict(data)
    paired = next_round(event)
    (reason,) = explain_round(event, paired, "p3")
    assert "p3" in reason.players
    text = " | ".join(str(words) for words in reason.reasons)
    assert "they have not met" in text and "penalty" in text and "Black is" in text
    with pytest.raises(EventError, match="p77"):
        explain_round(event, paired, "p77")


def test_the_reason_of_the_colours_is_the_cost_of_the_opposite_colours():
    data = event_of("swiss", 7)
    for _ in range(2):
        play_round(data, random.Random(2))
    event = from_dict(data)
    paired = next_round(event)
    games = [game for game in paired.games if isinstance(game, Game)]
    by_hand = replace(paired, games=tuple(replace(game, black=game.white, white=game.black) for game in games))
    said = [
        [
            next(why for words, why in pairwise(map(str, reason.reasons)) if words.startswith("Black is"))
            for reason in explain_round(event, round_, priced=False)
            if len(reason.players) == 2
        ]
        for round_ in (paired, by_hand)
    ]
    assert said == [
        [f"with colours swapped, this pair's penalty would be {n} {change}" for n in (135, 30, 120)]
        for change in ("higher", "lower: the colours were set by hand")
    ]


def reasons_of(data: dict[str, Any]) -> dict[frozenset[str], list[str]]:
    event = from_dict(data)
    return {
        frozenset(reason.players): [str(words) for words in reason.reasons]
        for reason in explain_round(event, next_round(event), priced=False)
    }


def test_an_othello_pool_reason_names_ranks_and_earlier_pairs():
    """Six players after two rounds: the reason states why the first does not meet the lowest of equal wins."""
    data = event_of("othello-pool", 6)
    for number, player in enumerate(data["players"]):
        player["lot"] = 60 - number
    rounds = [[("p1", "p4"), ("p2", "p5"), ("p3", "p6")], [("p1", "p3"), ("p2", "p6"), ("p4", "p5")]]
    data["rounds"] = [
        {"round": n, "games": [{"black": b, "white": w, "winner": "black"} for b, w in games]}
        for n, games in enumerate(rounds, start=1)
    ]
    found = reasons_of(data)
    assert any(line.startswith("1st and 2nd of the league") for line in found[frozenset(("p1", "p2"))])
    # p3 and p4 have one win each and meet; p5 and p6 have none
    assert any(line.startswith("3rd and 4th of the league") for line in found[frozenset(("p3", "p4"))])
    data["rounds"][0]["games"] = [
        {"black": b, "white": w, "winner": "black"} for b, w in (("p3", "p4"), ("p1", "p5"), ("p2", "p6"))
    ]
    data["rounds"][1]["games"] = [
        {"black": b, "white": w, "winner": "black"} for b, w in (("p4", "p1"), ("p3", "p2"), ("p5", "p6"))
    ]
    # p3 has two wins; p1, p2, p4 and p5 one: the lowest whom p3 has not met is p5
    lines = reasons_of(data)[frozenset(("p3", "p5"))]
    assert not any("would come before" in line for line in lines)
    data["rounds"][1]["games"][2] = {"black": "p6", "white": "p5", "winner": "black"}
    lines = reasons_of(data)[frozenset(("p3", "p6"))]
    assert any(line.startswith("1st and 5th of the league") for line in lines)


@pytest.mark.parametrize(
    ("format_", "count", "price", "words"),
    [
        ("m40-9-12", 9, (0, 0, 0, 0, 1), "the 3rd, p1, * p8 is the lowest; without this pair it would be p4, 1 "),
        ("m40-13-16", 13, (0, 0, 0, 0, 1), "the 3rd, p7, * p13 is the highest; without this pair it would be p8, 1 "),
    ],
)
def test_a_rank_that_decided_between_equal_rounds_is_named(
    format_: str, count: int, price: tuple[int, ...], words: str
):
    event = from_dict(played(format_, count, 2))
    found = {str(line): reason.price for reason in explain_round(event, next_round(event)) for line in reason.reasons}
    before, after = words.split("*")
    (line,) = [line for line in found if before in line]
    assert line.startswith("what decided: ") and after in line and found[line] == price


def test_adjacent_pairs_name_nearer_players_met_before():
    data = event_of("adjacent", 8)
    rng = random.Random(2)
    for _ in range(4):
        play_round(data, rng)
    event = from_dict(data)
    met = {frozenset((g["black"], g["white"])) for r in data["rounds"] for g in r["games"]}
    seen = 0
    for pair, lines in reasons_of(data).items():
        for line in lines:
            if "would come before, but they have met" in line:
                other = line.split("(")[-1].split(")")[0] if "(" in line else line.split()[0]
                assert any(frozenset((one, other)) in met for one in pair)
                seen += 1
    assert seen and event.format == "adjacent"


def test_m43_explains_leader_byes_and_games_not_played():
    words = {line for lines in reasons_of(played("m43-open", 12, 5, seed=19)).values() for line in lines}
    assert any("M43F-05" in line for line in words) and any("M43F-06" in line for line in words)


def test_finals_name_the_pairs_and_level_rows_the_deciding_round():
    data = event_of("m43-open", 12, 3)
    rng = random.Random(3)
    for _ in range(6):
        play_round(data, rng)
    semi = [lines for pair, lines in reasons_of(data).items() if any("semi-final" in line for line in lines)]
    assert sorted(semi) == [
        ["semi-final: 1st and 4th of those who reached it"], ["semi-final: 2nd and 3rd of those who reached it"],
    ]  # fmt: skip
    play_round(data, rng)
    last = [line for lines in reasons_of(data).values() for line in lines]
    assert "the winners of the semi-finals" in last and "the losers of the semi-finals" in last


def test_a_swiss_pair_far_apart_names_nearer_players_met_before():
    data = event_of("swiss", 6)
    rng = random.Random(1)
    for _ in range(4):
        play_round(data, rng)
    event = from_dict(data)
    history = history_before(event, 5)
    for pair, lines in reasons_of(data).items():
        one, other = sorted(pair)
        gap = abs(history.records[one].score - history.records[other].score)
        nearer = any(
            abs(history.records[a].score - history.records[n].score) < gap and history.met(a, n)
            for a in pair
            for n in history.records
            if n != a
        )
        assert nearer == any("nearer in points" in line for line in lines)


@pytest.mark.parametrize("format_", ["m40-open", "m40-17-32", "m40-13-16", "m40-9-12", "knockout", "m40-elementary"])
def test_every_pair_of_a_whole_event_has_a_reason_in_both_languages(format_: str):
    size = {"m40-open": 9, "m40-17-32": 17, "m40-13-16": 13, "m40-9-12": 11}.get(format_, 7)
    data = event_of(format_, size)
    rng = random.Random(1)
    while not is_over(from_dict(data)):
        event = from_dict(data)
        for reason in explain_round(event, next_round(event)):
            assert reason.reasons and all(words.template and str(words) for words in reason.reasons)
            assert not any("None" in str(words) + words.template for words in reason.reasons)
        play_round(data, rng)


@pytest.mark.parametrize("direction", ["lowest", "highest"])
def test_the_deciding_digit_in_an_othello_pool_names_the_next_best_opponent(direction: str):
    """The deciding digit is positive.

    Where forbidding the pair adds no cost and keeps the pairs above, the named opponent is the one the new pairing
    gives.
    """
    digits = spent = 0
    for seed in range(12):
        data = event_of("othello-pool", 9 + seed % 4, seed)
        data["options"]["direction"] = direction
        for _ in range(2 + seed % 3):
            play_round(data, random.Random(seed))
        event = from_dict(data)
        paired = next_round(event)
        order = list(OthelloPool().situation(event, paired.round).order)
        mine = opponents(paired)
        for reason in explain_round(event, paired):
            high = min(reason.players, key=order.index)
            try:
                other = next_round(event, Constraints(forbidden=((reason.players[0], reason.players[-1]),)))
            except EventError:
                assert reason.price is None
                continue
            his = opponents(other)
            changed = min((name for name in mine if mine[name] != his[name]), key=order.index)
            if other.cost == paired.cost and changed == high:
                *columns, digit = reason.price
                next_opponent = "the bye" if his[high] is None else his[high]
                assert not any(columns) and digit > 0
                assert any(f"it would be {next_opponent}," in str(words) for words in reason.reasons)
                digits += 1
            else:
                assert other.cost == paired.cost or any(reason.price)
                spent += other.cost != paired.cost
    assert digits > 20 and spent > 5


def opponents(paired: Any) -> dict[str, str | None]:
    games = [game.players for game in paired.games if len(game.players) == 2]
    met = {name: other for one, two in games for name, other in ((one, two), (two, one))}
    return met | {game.players[0]: None for game in paired.games if len(game.players) == 1}


def test_the_reason_of_a_bye_names_the_group_and_earlier_byes():
    """In an odd Othello pool the bye ranks below everybody."""
    checked = 0
    for seed in range(6):
        data = event_of("othello-pool", 9, seed)
        for round_ in range(4):
            event = from_dict(data)
            paired = next_round(event)
            (bye,) = [game for game in paired.games if len(game.players) == 1]
            history = history_before(event, paired.round)
            lines = reasons_of(data)[frozenset(bye.players)]
            if round_ and history.records[bye.player].score == min(one.score for one in history.records.values()):
                checked += 1
                assert "the bye goes to the lowest group" in lines[0]
                assert any("the top player of the lowest group" in line and f", {bye.player}" in line for line in lines)
                earlier = {name for name, record in history.records.items() if record.byes}
                (sentence,) = [line for line in lines if line.startswith("these have had a bye already")]
                assert earlier <= {*sentence.replace(",", "").split()}
            play_round(data, random.Random(seed))
    assert checked > 6


def test_a_bye_changed_by_hand_is_not_called_that_of_the_lowest():
    data = event_of("adjacent", 9)
    play_round(data, random.Random(1))
    event = from_dict(data)
    paired = next_round(event)
    (bye,) = [game for game in paired.games if len(game.players) == 1]
    game = next(game for game in paired.games if len(game.players) == 2)
    swapped = {bye: replace(bye, player=game.black), game: replace(game, black=bye.player)}
    by_hand = replace(paired, games=tuple(swapped.get(one, one) for one in paired.games))

    def reason(round_: PairedRound, player: str) -> str:
        (found,) = [one for one in explain_round(event, round_) if one.players == (player,)]
        return " ".join(map(str, found.reasons))

    assert "odd number of players" in reason(paired, bye.player)
    assert "odd number of players" not in reason(by_hand, game.black)
    assert "by rank alone" in reason(by_hand, game.black)


def test_a_played_pair_is_explained_after_a_player_has_left():
    """One of the two is absent now and the other has a bye that the operator set; a requested bye has no price."""
    data = event_of("swiss", 7, rounds=4, byes={"1": ["p7"]})
    play_round(data, random.Random(5))
    event = from_dict(data)
    game = event.rounds[0].games[0]
    (priced,) = explain_played(event, 1, game.black)
    left = event_edits.set_absent(event, game.players, absent=True)
    assert explain_played(left, 1, game.black) == (priced,)
    assert isinstance(priced.price, int)
    (requested,) = explain_played(event, 1, "p7")
    assert requested.price is None


def test_a_requested_bye_of_an_othello_pool_has_no_price():
    event = from_dict(event_of("othello-pool", 8, byes={"1": ["p3", "p4"]}))
    prices = {reason.players: reason.price for reason in explain_round(event, next_round(event))}
    assert prices["p3",] is None and prices["p4",] is None and len(prices) == 5
