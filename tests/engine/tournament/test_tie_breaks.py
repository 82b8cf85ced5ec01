"""User-defined tie-breaks: hand-worked tables, invalid lists, explanations, and agreement with the verifier."""

from __future__ import annotations

import pytest
from events.event_generator import GeneratorSettings, simulate
from events.random_events import Json, event_of
from verify.verifier import verify

from engine.tournament import EventError, standings
from engine.tournament.explain_standings import explain_standings
from kiosk.records.event_file import from_dict, to_dict

#: three rounds of six players; winner first, then loser and the winner's discs
GAMES = (
    (("p1", "p4", 40), ("p2", "p5", 36), ("p3", "p6", 50)),
    (("p1", "p2", 33), ("p3", "p4", 40), ("p6", "p5", 64)),
    (("p2", "p3", 34), ("p4", "p1", 35), ("p5", "p6", 33)),
)
# points: p1 2, p2 2, p3 2, p4 1, p5 1, p6 1
# discs: p1 40+33+29 = 102, p2 36+31+34 = 101, p3 50+40+30 = 120, p4 24+24+35 = 83, p5 28+0+33 = 61, p6 14+64+31 = 109
# opponents' points: p1 p4+p2+p4 = 4, p2 p5+p1+p3 = 5, p3 p6+p4+p2 = 4, p4 p1+p3+p1 = 6, p5 p2+p6+p6 = 4,
# p6 p3+p5+p5 = 4
# Brightwell = discs + 6 x opponents' points: p1 126, p2 131, p3 144, p4 119, p5 85, p6 133
# among p1, p2, p3: p1 - p3 have not met; among p4, p5, p6 p4 has met nobody; p5 - p6: one win each


def league(format_: str = "swiss", **options: object) -> Json:
    data = event_of(format_, 6, **options)
    for number, games in enumerate(GAMES, start=1):
        lines = [
            {"black": winner, "white": loser, "black_discs": discs, "white_discs": 64 - discs, "winner": "black"}
            for winner, loser, discs in games
        ]
        data["rounds"].append({"round": number, "games": lines})
    return data


def ranked(data: Json) -> list[tuple[int, str]]:
    return [(row.rank, row.id) for row in standings(from_dict(data)).rows]


@pytest.mark.parametrize("format_", ["swiss", "adjacent"])
@pytest.mark.parametrize(
    ("tie_breaks", "order", "keys"),
    [
        (["brightwell"], "p3 p2 p1 p6 p4 p5", {"p1": 126, "p2": 131, "p3": 144, "p4": 119, "p5": 85, "p6": 133}),
        (["opponents", "discs"], "p2 p3 p1 p4 p6 p5", {"p1": 4, "p2": 5, "p3": 4, "p4": 6, "p5": 4, "p6": 4}),
        (["discs"], "p3 p1 p2 p6 p4 p5", {"p1": 102, "p2": 101, "p3": 120, "p4": 83, "p5": 61, "p6": 109}),
        (["disc_difference"], "p3 p1 p2 p6 p4 p5", {"p1": 12, "p2": 10, "p3": 48, "p4": -26, "p5": -70, "p6": 26}),
    ],
)
def test_hand_worked_orders(format_: str, tie_breaks: list[str], order: str, keys: dict[str, int]):
    data = league(format_, tie_breaks=tie_breaks)
    rows = standings(from_dict(data)).rows
    assert [row.id for row in rows] == order.split()
    assert {row.id: row.keys[1] for row in rows} == keys
    assert {row.key_names for row in rows} == {("wins", *tie_breaks)}
    assert from_dict(to_dict(from_dict(data))) == from_dict(data)


def test_the_games_among_level_players_count_only_where_all_have_met():
    """p1 has not met p3, so the games of p1, p2 and p3 do not count. p5 and p6, with a win each, share their rank."""
    assert [row.keys[1] for row in standings(from_dict(league(tie_breaks=["direct", "discs"]))).rows] == [0] * 6
    assert ranked(league(tie_breaks=["opponents", "direct"])) == [
        (1, "p2"), (2, "p1"), (2, "p3"), (4, "p4"), (5, "p5"), (5, "p6"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("games", "order"),
    [
        # p1 and p2 have two points, p3 and p4 one: p1 has beaten p2, and p3 p4, with fewer discs
        ("12 34 / 13 24 / 41 23", [("p1", 2, 1), ("p2", 2, 0), ("p3", 1, 1), ("p4", 1, 0)]),
        # p1, p2 and p3 have beaten each other in a circle, and each p4: one of two points each, so the discs decide,
        # 33 + 30 + 33, 31 + 60 + 60, and 34 + 34 + 4
        ("12 34 / 31 24 / 23 14", [("p1", 2, 1), ("p2", 2, 1), ("p3", 2, 1), ("p4", 0, 0)]),
    ],
)
def test_level_players_are_ordered_by_the_games_between_them(games: str, order: list[tuple[str, int, int]]):
    data = event_of("swiss", 4, tie_breaks=["direct", "discs"])
    discs = {"p1": 33, "p2": 60, "p3": 34, "p4": 50}
    for number, pairs in enumerate(games.split(" / "), start=1):
        lines = [
            {"black": f"p{winner}", "white": f"p{loser}", "black_discs": discs[f"p{winner}"], "winner": "black",
             "white_discs": 64 - discs[f"p{winner}"]} for winner, loser in pairs.split()
        ]  # fmt: skip
        data["rounds"].append({"round": number, "games": lines})
    rows = standings(from_dict(data)).rows
    found = sorted((row.id, *row.keys[:2]) for row in rows)
    assert found == order
    wanted = ["p1", "p2", "p3", "p4"] if order[0][2] != order[1][2] else ["p2", "p1", "p3", "p4"]
    assert [row.id for row in rows] == wanted


def test_every_place_is_explained_with_its_numbers():
    event = from_dict(league(tie_breaks=["opponents", "discs"]))
    sentences = [str(one) for one in explain_standings(event, standings(event))]
    assert sentences[0] == "equal in wins; sum of the opponents' points 5 against 4 of p3"
    assert sentences[1] == "equal in wins and sum of the opponents' points; discs 120 against 102 of p1"


def test_a_final_lot_breaks_every_tie():
    event = from_dict(league(tie_breaks=["direct", "lot"]))
    table = standings(event)
    assert [row.rank for row in table.rows] == [1, 2, 3, 4, 5, 6]
    assert all(1 <= row.keys[2] <= 6 for row in table.rows)
    data = league(tie_breaks=["lot"])
    for lot, player in enumerate(data["players"], start=11):
        player["lot"] = lot
    assert ranked(data) == [(1, "p3"), (2, "p2"), (3, "p1"), (4, "p6"), (5, "p5"), (6, "p4")]
    assert standings(from_dict(data)).rows[0].keys == (2, 13)


@pytest.mark.parametrize(
    ("tie_breaks", "words"),
    [
        (["buchholz"], r"options.tie_breaks\[0\] is 'buchholz'; it must be one of"),
        ("discs", "options.tie_breaks must be a list"),
        (["discs", "discs"], "options.tie_breaks has 'discs' twice"),
        (["lot", "discs"], "options.tie_breaks has 'discs' after 'lot'"),
    ],
)
def test_a_wrong_list_is_refused(tie_breaks: object, words: str):
    with pytest.raises(EventError, match=words):
        from_dict(league(tie_breaks=tie_breaks))


def test_a_forfeit_without_discs_counts_all_of_them_in_the_difference():
    """As in the discs (AMB-05, AMB-09); of a game that was played half the board for both."""
    data = league("adjacent")
    data["rounds"][0]["games"] = [
        {"black": "p1", "white": "p4", "winner": "black", "end": "forfeit"},
        {"black": "p2", "white": "p5", "winner": "black"},
        {"black": "p3", "white": "p6", "winner": "black", "end": "late"},
    ]
    table = standings(from_dict(data), 1)
    keys = {row.id: (row.discs, row.keys[1]) for row in table.rows}
    assert keys == {"p1": (64, 64), "p2": (32, 0), "p3": (64, 64), "p4": (0, -64), "p5": (32, 0), "p6": (0, -64)}
    assert verify({**data, "rounds": data["rounds"][:1]}, table.as_dict()).problems == []


def test_a_format_with_an_order_of_its_own_ignores_the_list():
    rows = standings(from_dict(league("m43-division", tie_breaks=["brightwell"]))).rows
    assert rows[0].key_names == ("wins", "disc_difference")


@pytest.mark.parametrize("format_", ["swiss", "adjacent"])
@pytest.mark.parametrize(
    "tie_breaks",
    [["opponents", "direct", "lot"], ["direct", "brightwell"], ["disc_difference", "discs"], ["brightwell", "discs"]],
)
def test_the_verifier_agrees_with_rankings_and_pairings(format_: str, tie_breaks: list[str]):
    options = {"tie_breaks": tie_breaks, "finals": "1-4"}
    data = simulate(GeneratorSettings(format_, 13, 2, restless=True, options=options))
    for after in (1, 3, len(data["rounds"])):
        report = verify(data, standings(from_dict(data), after).as_dict())
        assert report.problems == [] and "TIE-BREAKS" in report.checked
    table = standings(from_dict(data), 3).as_dict()
    table["rows"] = table["rows"][::-1]  # type: ignore[index]
    assert verify(data, table).problems
