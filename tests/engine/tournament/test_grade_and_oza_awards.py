"""Grades and Oza qualification: tables M43C and M40C (RULES.md 7), their exceptions, and no demotions."""

from __future__ import annotations

from typing import Any

import pytest
from events.event_generator import GeneratorSettings, simulate

from engine.tournament import EventError
from engine.tournament.event_model import Event, Player
from engine.tournament.grade_and_oza_awards import M40C, M43C, Award, CertificateTable, _grade, awards
from engine.tournament.standings_and_tie_breaks import StandingsRow
from kiosk.records.event_file import from_dict

EVENTS = {
    "M43C": Event("m43-open", (Player("p"),)),
    "M40C": Event("m40-open", (Player("p"),)),
}


def grade(table: str, division: str, rank: int, wins: float, entrants: int = 40) -> tuple[str | None, str | None]:
    column: CertificateTable = (M43C if table == "M43C" else M40C)[division]
    row = StandingsRow(rank, "p", wins, 0, (), ())
    return _grade(EVENTS[table], table, column, row, entrants)


@pytest.mark.parametrize(
    ("table", "division", "rank", "wins", "expected"),
    [
        # M43C, open
        ("M43C", "open", 1, 7.5, ("7d", "M43C-1")),
        ("M43C", "open", 2, 6, ("6d", "M43C-2")),
        ("M43C", "open", 3, 6, ("6d", "M43C-3")),
        ("M43C", "open", 4, 5, ("5d", "M43C-4")),  # AMB-29: 4th place is a prize
        ("M43C", "open", 5, 6, ("5d", "M43C-4")),  # AMB-29: six wins are
        ("M43C", "open", 5, 5.5, ("4d", "M43C-5")),
        ("M43C", "open", 6, 5, ("3d", "M43C-6")),
        ("M43C", "open", 7, 4.5, ("3d", "M43C-6")),
        ("M43C", "open", 9, 4, ("2d", "M43C-7")),
        ("M43C", "open", 9, 3.5, ("2d", "M43C-7")),
        ("M43C", "open", 20, 3, (None, None)),
        # M43C, master and students
        ("M43C", "master", 1, 6, ("5d", "M43C-1")),
        ("M43C", "students", 2, 5, ("4d", "M43C-2")),
        ("M43C", "master", 3, 4, ("3d", "M43C-3")),
        ("M43C", "master", 4, 3, ("2d", "M43C-4")),
        ("M43C", "master", 5, 5, ("2d", "M43C-4")),
        ("M43C", "master", 6, 4, ("1d", "M43C-5")),
        ("M43C", "master", 9, 3, ("1k", "M43C-6")),
        ("M43C", "master", 9, 2.5, (None, None)),
        ("M43C", "elementary", 1, 6, ("3d", "M43C-1")),
        ("M43C", "elementary", 2, 5, ("2d", "M43C-2")),
        ("M43C", "elementary", 3, 5, ("1d", "M43C-3")),
        # M40C
        ("M40C", "open", 3, 6, ("6d", "M40C-3")),  # both losers of the semi-finals are 3rd
        ("M40C", "open", 8, 5, ("3d", "M40C-6")),
        ("M40C", "open", 30, 4, ("2d", "M40C-7")),
        ("M40C", "open", 90, 3, (None, None)),
        ("M40C", "women", 4, 3, ("2d", "M40C-4")),
        ("M40C", "high-school", 8, 4, ("1d", "M40C-5")),
        ("M40C", "junior-high", 1, 6, ("4d", "M40C-1")),
        ("M40C", "junior-high", 4, 4, ("1d", "M40C-4")),
        ("M40C", "junior-high", 6, 4, ("1k", "M40C-5")),
        ("M40C", "junior-high", 9, 3, ("2k", "M40C-6")),
        ("M40C", "elementary", 4, 4, (None, "M40C-4")),  # the kyu table is not in the sources
    ],
)
def test_the_tables_row_by_row(table: str, division: str, rank: int, wins: float, expected: tuple[str, str]):
    assert grade(table, division, rank, wins) == expected


def _open_event(wins: int, losses: int, **player: Any) -> dict[str, Any]:
    """Return an m40-open event with one player of these wins and losses, and four whose byes place them above."""
    above = [f"x{i}" for i in range(1, 5)]
    players = [{"id": name} for name in (*above, *(f"q{i}" for i in range(1, 9)))] + [{"id": "p", **player}]
    rounds = []
    for number in range(1, 8):
        won = number <= wins
        game = {"black": "p", "white": f"q{number}", "winner": "black" if won else "white", "stage": "placement"}
        games = [game] if number <= wins + losses else []
        rounds.append({"round": number, "games": [*games, *({"bye": name, "stage": "league"} for name in above)]})
    data = {"schema": "othello-event/1", "format": "m40-open", "options": {"random_seed": 1}, "players": players}
    return {**data, "rounds": rounds}


def award_of(data: dict[str, Any], name: str = "p") -> Award | None:
    return next((award for award in awards(from_dict(data)) if award.id == name), None)


def test_six_wins_to_one_has_the_prize_and_six_wins_unbeaten_its_own_row():
    assert award_of(_open_event(6, 1)) == Award("p", "5d", "M40C-4", fee=True, oza=True)
    assert award_of(_open_event(6, 0)) == Award("p", "4d", "M40C-5", fee=True, oza=True)


def test_foreign_players_of_the_open_division_get_1_dan_for_three_wins_and_pay_nothing():
    assert award_of(_open_event(3, 4)) is None
    for japan in ("JPN", "Japan", "日本", "日本国"):
        assert award_of(_open_event(3, 4, country=japan)) is None
    assert award_of(_open_event(3, 4, country="FRA")) == Award("p", "1d", "M40C-9", fee=False, oza=False)
    assert award_of(_open_event(5, 2, country="FRA")) == Award("p", "3d", "M40C-6", fee=False, oza=True)


def test_nobody_is_demoted_and_keeping_a_grade_costs_nothing():
    assert award_of(_open_event(5, 2, grade="6d")) == Award("p", "6d", "M40C-6", fee=False, oza=True)
    assert award_of(_open_event(5, 2, grade="3d")) == Award("p", "3d", "M40C-6", fee=False, oza=True)
    assert award_of(_open_event(5, 2, grade="1k")) == Award("p", "3d", "M40C-6", fee=True, oza=True)
    assert award_of(_open_event(5, 2, grade="9k")) == Award("p", "3d", "M40C-6", fee=True, oza=True)
    assert award_of(_open_event(5, 2, grade="4th d")) == Award("p", "3d", "M40C-6", fee=True, oza=True)


def test_a_whole_event_pays_for_all_but_its_winner_and_qualifies_by_five_wins():
    data = simulate(GeneratorSettings("m43-open", 24, 3))
    for player in data["players"]:
        player["country"] = "FRA"  # M43 has no exception for foreign players
    result = awards(from_dict(data))
    assert [award.grade for award in result][:4] == ["7d", "6d", "6d", "5d"]
    assert [award.fee for award in result] == [False, *(True for _ in result[1:])]
    from engine.tournament import standings

    wins = {row.id: row.wins for row in standings(from_dict(data)).rows}
    assert {award.id for award in result if award.oza} == {name for name, count in wins.items() if count >= 5}


def test_elementary_kyu_by_entrants_is_an_option_table_and_the_first_eight_qualify():
    data = simulate(GeneratorSettings("m40-elementary", 20, 1))
    table = [
        {"entrants": 10, "grades": ["1k", "2k", "3k"]},
        {"entrants": 20, "grades": ["1k", "1k", "2k", "4k"]},
        {"entrants": 40, "grades": ["1d"]},
    ]
    plain = awards(from_dict(data))
    assert [award.grade for award in plain][:4] == ["3d", "2d", "1d", None] and not plain[3].fee
    assert sum(award.oza for award in plain) == 8
    data["options"]["kyu_by_entrants"] = table
    assert [award.grade for award in awards(from_dict(data))][3:8] == ["1k", "1k", "2k", "4k", "4k"]


def test_the_division_is_an_option_and_other_formats_have_no_table():
    data = simulate(GeneratorSettings("m40-9-12", 10, 1))
    assert awards(from_dict(data))[0].grade == "5d"
    data["options"]["division"] = "junior-high"
    assert awards(from_dict(data))[0].grade == "4d"
    data["options"]["division"] = "students"
    with pytest.raises(EventError, match=r"options\.division"):
        awards(from_dict(data))
    with pytest.raises(EventError, match="no certification table"):
        awards(from_dict(simulate(GeneratorSettings("swiss", 6, 1))))
