"""Format ``team``: TEAM-3 in constructed cases, order sheets, rematches, and constraints."""

from __future__ import annotations

import random
from typing import Any

import pytest
from events.lines import next_round
from events.random_events import Json, play_round, rounds_of, team_event
from verify.verifier import verify

from engine.tournament import EventError, champion, is_over, standings
from engine.tournament.explain_pairings import explain_played
from kiosk.records.event_file import from_dict


def board(winner: str, loser: str, discs: int = 40, **more: Any) -> Json:
    return {"black": winner, "white": loser, "winner": "black", "black_discs": discs, "white_discs": 64 - discs, **more}


def event_with(*rounds: list[Json], teams: int = 4) -> Json:
    """Return teams A, B, C, D with players a1, a2, a3 …; the captain has number 1."""
    names = "abcdefgh"[:teams]
    return {
        "schema": "othello-event/1",
        "format": "team",
        "options": {"random_seed": 1},
        "players": [{"id": f"{name}{i}"} for name in names for i in (1, 2, 3)],
        "teams": [
            {"id": name.upper(), "players": [f"{name}{i}" for i in (1, 2, 3)], "captain": f"{name}1"} for name in names
        ],
        "rounds": [{"round": number, "games": games} for number, games in enumerate(rounds, start=1)],
    }


def match(winner: str, loser: str, lost: tuple[int, ...] = (), discs: int = 40) -> list[Json]:
    """Return the three boards of a match; the winner loses those in ``lost``."""
    pairs = [(f"{winner}{i}", f"{loser}{i}") for i in (1, 2, 3)]
    return [board(*(reversed(pair) if i in lost else pair), discs) for i, pair in enumerate(pairs, start=1)]


def ranked(data: Json) -> list[tuple[int, str]]:
    return [(row.rank, row.id) for row in standings(from_dict(data)).rows]


def test_more_match_wins_rank_higher():
    """TEAM-3.1: C has as many individual wins as A and more discs, but lost the match between them."""
    first = [*match("a", "b", lost=(2,), discs=33), *match("c", "d", discs=64)]
    data = event_with(first, [*match("a", "c", lost=(3,), discs=33), *match("b", "d")])
    assert ranked(data)[:2] == [(1, "A"), (2, "C")]
    rows = {row.id: row for row in standings(from_dict(data)).rows}
    assert rows["A"].keys[:4] == (2, 4, 33 + 31 + 33 + 33 + 33 + 31, 2)
    assert rows["C"].keys[:4] == (1, 4, 3 * 64 + 31 + 31 + 33, 1)
    assert rows["A"].key_names == ("match_wins", "individual_wins", "discs", "captain_wins", "previous_rank")
    assert (rows["A"].wins, rows["A"].discs) == (2, 194)


def test_more_individual_wins_rank_second():
    """TEAM-3.2: A 3-0 with few discs, C 2-1 with many."""
    data = event_with([*match("a", "b", discs=33), *match("c", "d", lost=(3,), discs=64)])
    assert ranked(data)[:2] == [(1, "A"), (2, "C")]


def test_more_discs_rank_third():
    """TEAM-3.3: C's captain lost, but C has more discs."""
    games = [board("a1", "b1"), board("a2", "b2"), board("b3", "a3"), board("d1", "c1"), board("c2", "d2", 44)]
    data = event_with([*games, board("c3", "d3", 40)])
    assert ranked(data)[:2] == [(1, "C"), (2, "A")]


def test_more_wins_of_the_captain_rank_fourth():
    """TEAM-3.4: all else equal, A lost the captain's board and C another."""
    data = event_with([*match("a", "b", lost=(1,)), *match("c", "d", lost=(2,))])
    assert ranked(data)[:2] == [(1, "C"), (2, "A")]


def test_the_rank_after_the_round_before_decides_last():
    """TEAM-3.5: after round 2 A and C are level in 3.1 to 3.4, but A was ahead after round 1."""
    first = [*match("a", "b", discs=50), *match("c", "d", discs=40)]
    second = [*match("a", "d", discs=40), *match("c", "b", discs=50)]
    data = event_with(first, second)
    rows = standings(from_dict(data)).rows
    assert [(row.rank, row.id, row.keys[4]) for row in rows[:2]] == [(1, "A", 1), (2, "C", 2)]
    assert rows[0].keys[:4] == rows[1].keys[:4]
    # and without a rank before they share one
    assert ranked(event_with([*match("a", "b"), *match("c", "d")]))[:2] == [(1, "A"), (1, "C")]


def test_a_bye_is_three_boards_of_33():
    """TEAM-1.5 and AMB-26: 3-0 and 99 discs, and a win of the captain."""
    games = [*match("a", "b"), *({"bye": f"c{i}"} for i in (1, 2, 3))]
    rows = {row.id: row for row in standings(from_dict(event_with(games, teams=3))).rows}
    assert rows["C"].keys[:4] == (1, 3, 99, 1)
    assert rows["C"].discs == 99


# --- order sheets ---


def test_the_same_numbers_of_the_order_sheets_meet():
    """TEAM-1.2: players with the same number meet; match m has the tables 3m - 2 to 3m."""
    data = event_with(teams=2)
    data["teams"][0]["orders"] = {"1": ["a3", "a1", "a2"]}
    data["teams"][1]["orders"] = {"1": ["b2", "b3", "b1"]}
    paired = next_round(from_dict(data))
    assert [(g["table"], {g["black"], g["white"]}) for g in paired.games] == [
        (1, {"a3", "b2"}), (2, {"a1", "b3"}), (3, {"a2", "b1"}),
    ]  # fmt: skip
    assert all(g["designated"] is False for g in paired.games), "TEAM-5"
    assert not any("order sheet" in str(warning) for warning in paired.warnings)


def test_a_sheet_that_comes_later_does_not_change_the_matches():
    data = team_event(8, sheets=False)
    play_round(data, random.Random(1))
    before = next_round(from_dict(data))
    assert sum("order sheet" in str(warning) for warning in before.warnings) == 8
    for team in data["teams"]:
        team["orders"] = {"2": team["players"][::-1]}
    after = next_round(from_dict(data))
    team_of = {name: team["id"] for team in data["teams"] for name in team["players"]}

    def matches(games: tuple[Json, ...]) -> list[tuple[str, str]]:
        return [(team_of[g["black"]], team_of[g["white"]]) for g in games]

    assert matches(after.games) == matches(before.games)
    assert after.games != before.games


def test_a_reserve_plays_for_an_absent_player_and_without_one_the_board_is_lost():
    """AMB-26: 64-0 for the opponent on that board."""
    data = event_with(teams=2)
    data["players"][1]["absent"] = True  # a2
    paired = next_round(from_dict(data))
    (forfeit,) = [g for g in paired.games if "winner" in g]
    assert "a2" in (forfeit["black"], forfeit["white"])
    assert forfeit[forfeit["winner"]].startswith("b")
    assert (forfeit["end"], forfeit[f"{forfeit['winner']}_discs"], forfeit["rated"]) == ("forfeit", 64, False)
    data["players"].append({"id": "a4"})
    data["teams"][0]["players"].append("a4")
    games = next_round(from_dict(data)).games
    assert not any("winner" in g for g in games)
    assert {name for g in games for name in (g["black"], g["white"])} == {"a1", "a3", "a4", "b1", "b2", "b3"}


@pytest.mark.parametrize(("missing", "played", "forfeits"), [(("a2", "b2"), 2, 0), (("a2", "a3", "b2", "b3"), 1, 0),
                                                            (("a2", "b2", "b3"), 2, 1)])  # fmt: skip
def test_nobody_wins_a_board_without_players(missing: tuple[str, ...], played: int, forfeits: int):
    """TEAM-1.2, AMB-26: one player alone wins the board; a board of two missing players stays empty with a warning."""
    data = event_with(teams=2)
    for player in data["players"]:
        player["absent"] = player["id"] in missing
    paired = next_round(from_dict(data))
    assert len(paired.games) == played
    assert sum(g.get("end") == "forfeit" for g in paired.games) == forfeits
    assert sum("goes to nobody" in str(warning) for warning in paired.warnings) == 3 - played
    data["rounds"] = [{"round": 1, "games": [g if "winner" in g else {**g, "winner": "black"} for g in paired.games]}]
    assert sum(row.keys[1] for row in standings(from_dict(data)).rows) == played
    assert not [problem for problem in verify(data).problems if problem.rule.startswith("TEAM")]


def test_a_board_empty_on_both_sheets_is_not_played():
    data = event_with(teams=2)
    for team in data["teams"]:
        team["orders"] = {"1": team["players"]}
    data["players"][1]["absent"] = data["players"][4]["absent"] = True
    assert [g["table"] for g in next_round(from_dict(data)).games] == [1, 3]


def test_errors_in_teams_are_named():
    cases: list[tuple[str, Any, str]] = [
        ("captain", "b1", r"teams\[0\]\.captain.*'b1'"),
        ("players", ["a1", "a2", "b1"], r"teams\[1\].*'b1'.*already in team 'A'"),
        ("id", "B", r"teams\[1\]\.id 'B'"),
        ("orders", {"1": ["a1", "a2", "b3"]}, r"orders\.1 names 'b3'"),
        ("orders", {"1": ["a1", "a1", "a2"]}, r"orders\.1 names a player twice"),
        ("orders", {"first": ["a1", "a2", "a3"]}, r"'first'.*round"),
        ("orders", {"1": ["a1", "a2"]}, r"order sheet of team A.*2 players"),
    ]
    for field, value, words in cases:
        data = event_with(teams=2)
        data["teams"][0][field] = value
        with pytest.raises(EventError, match=words):
            next_round(from_dict(data))
    stray = event_with([board("a1", "a2")], teams=2)
    with pytest.raises(EventError, match="both are in team 'A'"):
        standings(from_dict(stray))
    with pytest.raises(EventError, match="a team has one opponent"):
        standings(from_dict(event_with([board("a1", "b1"), board("a2", "c2"), board("a3", "b3")])))
    with pytest.raises(EventError, match="has a bye but is in no team"):
        standings(from_dict(event_with([{"bye": "x"}]) | {"players": event_with()["players"] + [{"id": "x"}]}))
    draw = event_with([board("a1", "b1", 32) | {"winner": "draw"}], teams=2)
    with pytest.raises(EventError, match="no draws here"):
        standings(from_dict(draw))
    with pytest.raises(EventError, match="1 team"):
        next_round(from_dict(event_with(teams=1)))


def test_an_explanation_names_a_player_without_a_team():
    strangers = event_with()["players"] + [{"id": "x"}, {"id": "y"}]
    for entry, words in ((board("a1", "x"), "x is in no team"), ({"bye": "y"}, "y has a bye but is in no team")):
        with pytest.raises(EventError, match=words):
            explain_played(from_dict(event_with([entry]) | {"players": strangers}), 1)


# --- whole events ---


def teams_of(data: Json) -> dict[str, str]:
    return {name: team["id"] for team in data["teams"] for name in team["players"]}


@pytest.mark.parametrize(("count", "without"), [(2, 1), (3, 3), (4, 3), (5, 4)])
def test_few_teams_meet_again_only_when_everybody_has_met(count: int, without: int):
    """AMB-45: the ``without`` rounds are played without a rematch; round 5 may have one."""
    data = team_event(count)
    warned = [any("rematch" in w for w in p["warnings"]) for _, p in rounds_of(data, random.Random(1))]
    assert warned[:4] == [number >= without for number in range(4)]
    assert champion(from_dict(data)) is not None


@pytest.mark.parametrize("count", [5, 6, 7, 8])
def test_rematches_happen_only_when_unavoidable(count: int):
    """AMB-45: six teams whose first three rounds are drawn badly must repeat a match in the fourth."""
    for seed in range(8):
        data = team_event(count, seed)
        rng = random.Random(seed)
        for _ in range(4):
            paired = play_round(data, rng)
            assert (paired["cost"]["second_byes"], paired["cost"]["rematches"]) == (0, 0)


def test_a_withdrawn_team_is_not_paired():
    data = team_event(6)
    rng = random.Random(1)
    for _ in range(2):
        play_round(data, rng)
    for name in data["teams"][0]["players"]:
        next(p for p in data["players"] if p["id"] == name)["withdrawn_after_round"] = 2
    while not is_over(from_dict(data)):
        paired = play_round(data, rng)
        assert "t1" not in {teams_of(data)[n] for g in paired["games"] for n in (g.get("black"), g.get("bye")) if n}
    assert "t1" in {row.id for row in standings(from_dict(data)).rows}


def test_a_round_in_which_every_team_asks_for_a_bye_is_refused():
    data = event_with()
    data["options"]["byes"] = {"1": ["A", "B", "C", "D"]}
    with pytest.raises(EventError, match="a round needs two or more"):
        next_round(from_dict(data))


def test_constraints_name_teams():
    """PAIRING.md 4: matches can be locked and forbidden, and byes requested."""
    data = team_event(8, sheets=False)
    of = teams_of(data)
    play_round(data, random.Random(1))
    data["options"] |= {"locked": {"2": [["t1", "t8"]]}, "forbidden": {"2": [["t2", "t3"], ["t2", "t4"]]}}
    games = next_round(from_dict(data)).games
    matches = {frozenset((of[g["black"]], of[g["white"]])) for g in games}
    assert frozenset(("t1", "t8")) in matches
    assert not matches & {frozenset(("t2", "t3")), frozenset(("t2", "t4"))}
    data["options"]["byes"] = {"2": ["t5"]}
    games = next_round(from_dict(data)).games
    resting = [of[g["bye"]] for g in games if "bye" in g]
    assert len(resting) == 6 and resting.count("t5") == 3, "the wish, and one for the field that is now odd"
    data["options"] |= {"forbidden": {"2": [["t2", team] for team in ("t1", "t3", "t4", "t6", "t7", "t8")]}}
    data["options"]["byes"] = {"2": ["t5", "t6"]}
    with pytest.raises(EventError, match="no pairing meets all conditions"):
        next_round(from_dict(data))
