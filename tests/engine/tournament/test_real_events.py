"""Real championships: the cost of the rounds as played equals the optimiser's, and the final ranking is the published
one."""

from __future__ import annotations

import functools

import pytest
from known_answers import known_text

from engine.tournament import Event, cost_of_round, standings
from kiosk.records.elo_result_file_reader import read_elo
from kiosk.records.event_file import from_dict

WORLD_2014 = "events/woc_2014.ELO"
WORLD_2018 = "events/woc_2018.ELO"
STOCKHOLM_2018 = "events/stockholm_2018.ELO"


@functools.cache
def load(path: str) -> Event:
    return from_dict(read_elo(known_text(path)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "rounds", "differing"),
    [
        # round 1 of both world championships was drawn without the two points for compatriots
        (WORLD_2014, 13, {1: 2}),
        (WORLD_2018, 13, {1: 2}),
        # byes in every round, and half the field from one country
        (STOCKHOLM_2018, 11, {}),
    ],
)
def test_the_rounds_as_played_were_optimal(path: str, rounds: int, differing: dict[int, int]):
    event = load(path)
    found = {}
    for number in range(1, rounds + 1):
        cost = cost_of_round(event, number)
        assert cost["round"] == number
        if cost["played"] != cost["optimum"]:
            found[number] = cost["played"] - cost["optimum"]
    assert found == differing


@pytest.mark.parametrize(
    ("path", "rounds", "players"), [(WORLD_2014, 13, 64), (WORLD_2018, 13, 82), (STOCKHOLM_2018, 11, 29)]
)
def test_the_final_order_is_the_published_one(path: str, rounds: int, players: int):
    """The standings equal the .ELO header, which lists the players in final order with points and discs."""
    event = load(path)
    published = {}
    for line in known_text(path).splitlines():
        if line.startswith("%_%"):
            number, *_, points, discs, _ = [column.strip() for column in line[3:].split(",")]
            published[number] = (float(points), int(discs))
    table = standings(event, rounds)
    assert len(table.rows) == players
    assert [row.id for row in table.rows] == list(published)
    assert [(row.wins, row.discs) for row in table.rows] == list(published.values())
    # the order comes from the keys and not from the order of the file: only two players of Stockholm are level in all
    shared_ranks = [row.id for row, place in zip(table.rows, range(1, players + 1), strict=True) if row.rank != place]
    assert len(shared_ranks) == (1 if path == STOCKHOLM_2018 else 0)


def test_finals_played_afterwards_change_no_points():
    event = load(WORLD_2014)
    assert len(event.rounds) > 13
    assert [row.keys for row in standings(event).rows] == [row.keys for row in standings(event, 13).rows]
