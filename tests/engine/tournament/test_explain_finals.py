"""Explanations of standings where games after the league decided: the team final, brackets, the play-off."""

from __future__ import annotations

import random

from events.random_events import event_of, play_round, rounds_of, team_event

from engine.tournament import next_round, standings
from engine.tournament.explain_pairings import explain_round
from engine.tournament.explain_standings import explain_standings
from kiosk.records.event_file import from_dict


def sentences(data: dict[str, object], after: int | None = None) -> list[str]:
    event = from_dict(data)
    return [str(words) for words in explain_standings(event, standings(event, after))]


def test_the_team_final_decides_above_match_wins():
    for seed in range(2):
        data = team_event(6, seed)
        for _ in rounds_of(data, random.Random(seed)):
            pass
        lines = sentences(data)
        assert lines[0].startswith("the finals decided")
        assert lines[1].startswith("reached the finals")


def test_a_bracket_counts_the_rounds_survived():
    data = event_of("knockout", 11, third_place=True)
    for _ in rounds_of(data, random.Random(1)):
        pass
    rows = standings(from_dict(data)).rows
    lines = sentences(data)
    assert [row.rank for row in rows] == [1, 2, 3, 4, 5, 5, 5, 5, 9, 9, 9]
    assert all(line.startswith("the finals decided") for line in (lines[0], lines[2]))
    assert lines[7].startswith("rounds survived 1 against 0")


def test_the_play_off_is_named():
    seen = 0
    for seed in range(12):
        data = event_of("swiss", 12, seed, rounds=4, finals="1-4", play_off=True)
        rng = random.Random(seed)
        for _ in range(5):
            paired = play_round(data, rng)
        if paired["games"][0]["stage"] == "knockout":
            seen += 1
            assert sentences(data, 5)[3].startswith("won the play-off for the 4th place")
    assert seen > 2


def reasons(data: dict[str, object]) -> list[list[str]]:
    event = from_dict(data)
    return [[str(words) for words in pair.reasons] for pair in explain_round(event, next_round(event))]


def test_a_round_robin_names_its_table():
    data = event_of("round-robin", 5)
    play_round(data, random.Random(1))
    said = [line for lines in reasons(data) for line in lines]
    assert sorted(said) == ["a rest: the table has no opponent here in round 2"] + ["round 2 of the Berger table"] * 2


def test_a_bracket_is_drawn_once():
    data = event_of("knockout", 16)
    for words in ("drawn in the bracket, by seeds and lots", "next to each other in the bracket"):
        assert {line for lines in reasons(data) for line in lines} == {words}
        play_round(data, random.Random(1))


def test_matches_of_teams_and_their_boards():
    data = team_event(5, sheets=False)
    play_round(data, random.Random(1))
    said = reasons(data)
    boards = [lines[1] for lines in said if len(lines) == 3]
    assert boards == [f"both are number {n} on the order sheets of their teams" for n in (1, 2, 3, 1, 2, 3)]
    assert all(lines[2] == "the teams have not met" and "match wins" in lines[0] for lines in said if len(lines) == 3)
    assert sum(lines[0].startswith("no opponent is left") for lines in said) == 3
