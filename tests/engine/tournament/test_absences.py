"""``options.absences``: a missed round, a return after a withdrawal, a late entry (PAIRING.md 4)."""

from __future__ import annotations

import random
from typing import Any

import pytest
from events.lines import next_round
from events.random_events import event_of, play_round
from known_answers import known_text

from engine.tournament import EventError, standings
from engine.tournament.event_edits import add_players, set_away, with_missed
from engine.tournament.event_model import Player
from kiosk.records.elo_result_file_reader import read_elo
from kiosk.records.elo_result_file_writer import write_elo
from kiosk.records.event_file import from_dict

FORMATS = ("swiss", "adjacent", "m43-open", "m43-division", "m40-open", "m40-17-32", "othello-pool", "chouchou")


def names_of(paired: Any) -> set[str]:
    return {str(game[key]) for game in paired.games for key in ("black", "white", "bye") if key in game}


def test_a_missed_round_gives_nothing_and_counts_as_a_draw_against_oneself():
    """BW-4: 32 + C x own points for the missed round; for later opponents the player counts like any other."""
    games = [
        {"black": "a", "white": "b", "black_discs": 40, "white_discs": 24, "winner": "black"},
        {"black": "a", "white": "c", "black_discs": 34, "white_discs": 30, "winner": "black"},
    ]
    data: dict[str, Any] = {
        "schema": "othello-event/1",
        "format": "swiss",
        "options": {"brightwell_c": 6, "absences": {"1": ["c"], "2": ["b"]}},
        "players": [{"id": name} for name in "abc"],
        "rounds": [{"round": 1, "games": games[:1]}, {"round": 2, "games": games[1:]}],
    }
    rows = {row.id: row for row in standings(from_dict(data)).rows}
    assert [rows[name].keys for name in "abc"] == [(2, 74, 74), (0, 24 + 12 + 32, 24), (0, 30 + 12 + 32, 30)]
    data["players"][2]["withdrawn_after_round"] = 2  # after the end nothing changes
    assert {row.id: row.keys for row in standings(from_dict(data)).rows} == {n: rows[n].keys for n in "abc"}


def test_a_withdrawal_before_the_finals_changes_no_brightwell_points():
    """BW-4 is about withdrawals from the rounds that count; after them only the finalists are needed."""
    data = event_of("m43-open", 12)
    rng = random.Random(4)
    for _ in range(7):
        play_round(data, rng)
    before = {row.id: row.keys for row in standings(from_dict(data), 7).rows}
    finalists = {g[s] for g in data["rounds"][6]["games"] if g["stage"] == "semi-final" for s in ("black", "white")}
    for player in data["players"]:
        if player["id"] not in finalists:
            player["withdrawn_after_round"] = 7
    play_round(data, rng)
    assert {row.id: row.keys for row in standings(from_dict(data), 8).rows} == before


def test_a_resting_league_winner_may_be_away_but_not_a_player_due():
    """M40K-11: the winner has won the remaining games; of two unbeaten players, the absent one has lost the league."""
    data = event_of("m40-33-64", 33)
    rng = random.Random(1)
    while len(data["rounds"]) < 3:
        play_round(data, rng)
    alone: list[str] = []
    paired = next_round(from_dict(data))
    alone = [str(g["bye"]) for g in paired.games if "bye" in g and g["stage"] == "league"]
    contested = [g for g in paired.games if "black" in g and g["stage"] == "league"]
    assert alone and contested
    missing = str(contested[0]["white"])
    data["options"]["absences"] = {"4": [alone[0], missing]}
    play_round(data, rng)
    semi = {g[s] for g in next_round(from_dict(data)).games if g["stage"] == "semi-final" for s in ("black", "white")}
    assert alone[0] in semi and contested[0]["black"] in semi and missing not in semi
    assert next(row.wins for row in standings(from_dict(data), 4).rows if row.id == alone[0]) == 4


def test_a_player_absent_from_the_bracket_plays_in_the_placement_league_later():
    data = event_of("m40-17-32", 32)
    rng = random.Random(5)
    play_round(data, rng)
    second = next(g for g in next_round(from_dict(data)).games if g["stage"] == "knockout")
    data["options"]["absences"] = {"2": [second["white"]]}
    paired = play_round(data, rng)
    assert {"bye": second["black"], "stage": "knockout"} in paired["games"]
    third = next_round(from_dict(data))
    game = next(g for g in third.games if second["white"] in g.values())
    assert game["stage"] == "placement"


def test_a_round_robin_keeps_the_number_of_a_player_absent_in_round_1():
    data = event_of("round-robin", 6)
    data["options"]["absences"] = {"1": ["p2"]}
    first = play_round(data, random.Random(1))
    assert [g["end"] for g in first["games"] if "p2" in (g.get("black"), g.get("white"))] == ["forfeit"]
    assert "p2" in names_of(next_round(from_dict(data)))


@pytest.mark.parametrize("format_", FORMATS)
def test_a_late_entry_is_away_in_the_rounds_he_missed(format_: str):
    data = event_of(format_, 17)
    result = (
        None if format_ != "chouchou" else lambda game, rng: {"winner": "black", "black_discs": 10, "white_discs": 3}
    )
    for _ in range(2):
        play_round(data, random.Random(1), *([result] if result else []))
    late = with_missed(add_players(from_dict(data), [Player("late", lot=99)]), {"late": 2})
    assert late.options.absences == {"1": ("late",), "2": ("late",)}
    assert "late" in names_of(next_round(late))
    assert next(row.wins for row in standings(late).rows if row.id == "late") == 0


@pytest.mark.parametrize(("format_", "words"), [("knockout", "bracket is drawn"), ("round-robin", "table is drawn")])
def test_a_format_states_where_a_late_entry_cannot_play(format_: str, words: str):
    data = event_of(format_, 6)
    play_round(data, random.Random(1))
    late = with_missed(add_players(from_dict(data), [Player("late")]), {"late": 1})
    assert words in str(late.facts.late[0])
    assert "late" not in names_of(next_round(late))


def test_rounds_can_be_missed_only_if_nothing_was_played_in_them():
    data = event_of("swiss", 6)
    play_round(data, random.Random(1))
    event = from_dict(data)
    away = set_away(event, "p3", 2, away=True)
    assert set_away(away, "p3", 4, away=True).options.absences == {"2": ("p3",), "4": ("p3",)}
    assert set_away(away, "p3", 2, away=True).options.absences == {"2": ("p3",)}
    assert set_away(away, "p3", 2, away=False) == event
    with pytest.raises(EventError, match="was paired in round 1"):
        set_away(event, "p3", 1, away=True)


@pytest.mark.parametrize(
    ("absences", "words"),
    [
        ({"x": ["p1"]}, r"options\.absences\.x"),
        ({"2": ["p99"]}, r"options\.absences\.2 names 'p99'"),
        ({"2": "p1"}, r"options\.absences\.2 must be a list"),
    ],
)
def test_invalid_absences_are_refused(absences: Any, words: str):
    with pytest.raises(EventError, match=words):
        from_dict(event_of("swiss", 4, absences=absences))


def test_a_bye_for_an_absent_player_is_refused():
    data = event_of("swiss", 6, absences={"1": ["p3"]}, byes={"1": ["p3"]})
    with pytest.raises(EventError, match="asks for a bye but is due to play, or is not present"):
        next_round(from_dict(data))


def test_an_absent_team_has_no_match():
    from events.random_events import team_event

    data = team_event(5)
    data["options"]["absences"] = {"1": ["t2"]}
    assert not names_of(next_round(from_dict(data))) & {"p4", "p5", "p6"}


@pytest.mark.parametrize("seed", range(3))
def test_elo_files_keep_byes_absences_and_withdrawals(seed: int):
    """An exported file is read back with the same byes, absences and withdrawals in every round."""
    data = event_of("swiss", 11, seed=seed)
    rng = random.Random(seed)
    data["options"]["absences"] = {"2": ["p3"], "3": ["p3", "p5"], "5": ["p7"], "1": ["p9"]}
    for number in range(1, 7):
        if number == 5:
            data["players"][1]["withdrawn_after_round"] = 4
        play_round(data, rng)
    event = from_dict(data)
    back = from_dict(read_elo(write_elo(event)))
    number_of = {f"p{i}": str(990_000 + i) for i in range(1, 12)}
    for mine, read in zip(event.rounds, back.rounds, strict=True):
        assert [number_of[bye.player] for bye in mine.byes] == [bye.player for bye in read.byes]
        away = {number_of[name] for name in event.options.absences.get(str(mine.number), ())}
        assert away == set(back.options.absences.get(str(read.number), ()))
    left = {number_of[p.id] for p in event.players if p.withdrawn_after_round is not None}
    assert left <= {p.id for p in back.players if p.withdrawn_after_round is not None}
    mine, read = ({row.rank: row.keys[:2] for row in standings(e).rows} for e in (event, back))
    assert mine == read


def test_a_knock_out_is_written_as_rounds_and_chouchou_is_refused():
    data = event_of("knockout", 6)
    rng = random.Random(1)
    while len(data["rounds"]) < 3:
        play_round(data, rng)
    back = from_dict(read_elo(write_elo(from_dict(data))))
    assert [len(r.games) for r in back.rounds] == [2, 2, 1]
    with pytest.raises(ValueError, match="rating lists do not take"):
        write_elo(from_dict(event_of("chouchou", 4)))


def test_a_round_without_a_point_in_the_header_is_an_absence():
    """The file of Stockholm 2018 with one bye taken out of the points of its header."""
    text = known_text("events/stockholm_2018.ELO")
    event = from_dict(read_elo(text))
    assert event.options.absences == {}
    number, bye = next((r.number, r.byes[0].player) for r in event.rounds if r.number < 11)
    line = next(line for line in text.splitlines() if line.startswith("%_%") and f" {bye}," in line)
    points = line.split(",")[4].strip()
    poorer = line.replace(f",  {points},", f",  {float(points) - 1:g},")
    other = from_dict(read_elo(text.replace(line, poorer)))
    assert other.options.absences == {str(number): (bye,)}
    wins = {row.id: row.wins for row in standings(event, 11).rows}
    assert {row.id: row.wins for row in standings(other, 11).rows} == wins | {bye: wins[bye] - 1}
