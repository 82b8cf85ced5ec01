"""Format ``chouchou``: the plus and minus sheet, CC-RANK-1 to 4 in constructed cases, and random events."""

from __future__ import annotations

from typing import Any

import pytest
from events.random_events import Json, event_of

from engine.tournament import EventError, champion, standings
from kiosk.records.event_file import from_dict


def game(one: str, other: str, pieces: tuple[int, int], winner: str = "black", **more: Any) -> Json:
    return {"black": one, "white": other, "black_discs": pieces[0], "white_discs": pieces[1], "winner": winner, **more}


def event_with(*rounds: list[Json], players: int = 4, **options: Any) -> Json:
    data = event_of("chouchou", players, **options)
    data["rounds"] = [{"round": number, "games": games} for number, games in enumerate(rounds, start=1)]
    return data


def keys(data: Json) -> dict[str, tuple[int | float, ...]]:
    return {row.id: row.keys for row in standings(from_dict(data)).rows}


def order(data: Json) -> list[tuple[int, str]]:
    return [(row.rank, row.id) for row in standings(from_dict(data)).rows]


def test_the_example_of_the_rules():
    """CC-RANK-7: with target 10, 12 pieces are +2 and 7 are -3."""
    data = event_with([game("p1", "p2", (12, 7))], players=2)
    assert keys(data) == {"p1": (1, 2, 2, 0), "p2": (0, -3, 0, -3)}
    row = standings(from_dict(data)).rows[0]
    assert row.key_names == ("wins", "plus_minus", "highest_plus", "worst_minus")
    assert (row.wins, row.discs) == (1, 12)


def test_another_target():
    """CC-WIN-1, CC-WIN-2: the target is 15 on the 4x4 board, or what the organiser sets."""
    data = event_with([game("p1", "p2", (16, 12))], players=2, target=15)
    assert keys(data) == {"p1": (1, 1, 1, 0), "p2": (0, -3, 0, -3)}
    data["options"]["target"] = 10
    with pytest.raises(EventError, match=r"16-12 pieces with a target of 10"):
        standings(from_dict(data))


def test_wins_then_the_sum():
    """CC-RANK-1, CC-RANK-2: players rank by wins, then by the sum."""
    data = event_with([game("p1", "p2", (10, 9)), game("p3", "p4", (13, 0))])
    assert order(data) == [(1, "p3"), (2, "p1"), (3, "p2"), (4, "p4")]


def test_then_the_highest_plus():
    """CC-RANK-3: both +3 in two wins, but 3 + 0 is above 2 + 1."""
    data = event_with(
        [game("p1", "p2", (12, 5)), game("p3", "p4", (13, 5))], [game("p1", "p4", (11, 5)), game("p3", "p2", (10, 5))]
    )
    assert order(data)[:2] == [(1, "p3"), (2, "p1")]


@pytest.mark.parametrize(("option", "first"), [(None, "p4"), ("smaller", "p4"), ("larger", "p2")])
def test_then_the_worst_minus(option: str | None, first: str):
    """CC-RANK-4, AMB-28: p2 lost by 5 and 1, p4 by 3 and 3; the smaller worst minus ranks higher."""
    options = {} if option is None else {"worst_minus": option}
    data = event_with(
        [game("p1", "p2", (10, 5)), game("p3", "p4", (10, 7))],
        [game("p3", "p2", (10, 9)), game("p1", "p4", (10, 7))],
        **options,
    )
    losers = [name for _, name in order(data)[2:]]
    assert losers[0] == first
    assert keys(data)["p2"] == (0, -6, 0, -5)


def test_players_equal_in_all_criteria_share_a_rank():
    """CC-RANK-5: rock-paper-scissors is left to the players."""
    data = event_with([game("p1", "p2", (11, 6)), game("p3", "p4", (11, 6))], rounds=1)
    assert order(data) == [(1, "p1"), (1, "p3"), (3, "p2"), (3, "p4")]
    assert champion(from_dict(data)) in ("p1", "p3")


def test_a_loss_on_time_can_leave_the_winner_with_a_minus():
    """AMB-27: the captured pieces count."""
    data = event_with([game("p1", "p2", (4, 8), end="time")], players=2)
    assert keys(data) == {"p1": (1, -6, 0, -6), "p2": (0, -2, 0, -2)}


def test_a_game_that_was_not_played_and_a_bye():
    data = event_with(
        [{"black": "p1", "white": "p2", "winner": "black", "end": "forfeit", "rated": False}, {"bye": "p3"}], players=3
    )
    assert keys(data) == {"p1": (1, 0, 0, 0), "p3": (1, 0, 0, 0), "p2": (0, -10, 0, -10)}
    assert [row.discs for row in standings(from_dict(data)).rows] == [0, 0, 0]


def test_pairs():
    """CC-RANK-6, CC-WIN-4: each partner's pieces count against a target; the winning pair can have fewer."""
    data = event_with([game("p1", "p2", (14, 17))], players=2, pair_play=True)
    assert keys(data) == {"p1": (1, -6, 0, -6), "p2": (0, -3, 0, -3)}


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ({"winner": "black", "black_discs": 9, "white_discs": 3}, "9-3 pieces with a target of 10"),
        ({"winner": "black", "black_discs": 12, "white_discs": 10}, "12-10 pieces"),
        ({"winner": "white", "black_discs": 12, "white_discs": 3}, "3-12 pieces"),
        ({"winner": "black"}, "captured pieces are missing"),
        ({"winner": "draw", "black_discs": 9, "white_discs": 9}, "no draws"),
        ({"winner": "black", "black_discs": 12}, "white_discs: one of the two counts is missing"),
        ({"black_discs": 12, "white_discs": 3}, "no winner"),
    ],
)
def test_impossible_results_are_refused(result: Json, words: str):
    data = event_with([{"black": "p1", "white": "p2", **result}], players=2)
    with pytest.raises(EventError, match=words):
        standings(from_dict(data))
