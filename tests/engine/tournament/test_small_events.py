"""Smallest events and boundary cases of the formats: late entries, empty finals, no-shows, seats, women, fees."""

from __future__ import annotations

import random

import pytest
from events.random_events import Json, event_of, play_round, played
from verify.verifier import verify

from engine.tournament import EventError, champion, is_over, next_round, standings
from engine.tournament.event_edits import change_division
from engine.tournament.event_model import Stage
from engine.tournament.formats import FORMATS
from engine.tournament.formats.meijin40_ranking_pools_and_finals import Duel, deciding_games
from engine.tournament.grade_and_oza_awards import awards
from kiosk.records.event_file import from_dict


def played_to_the_end(data: Json, seed: int = 1) -> Json:
    rng = random.Random(seed)
    while not is_over(from_dict(data)):
        play_round(data, rng)
    return data


def test_semi_finals_of_a_file_without_stages_are_the_games_of_the_expected_players():
    """Whoever has no opponent there goes on."""
    data = event_of("m40-9-12", 5)
    data["rounds"] = [{"round": 1, "games": [
        {"black": "p3", "white": "p2", "winner": "white"}, {"black": "p4", "white": "p5", "winner": "black"},
    ]}]  # fmt: skip
    expected: list[Duel] = [("p1", None), ("p2", "p3"), (None, None)]
    assert deciding_games(from_dict(data), 1, Stage.SEMI_FINAL, expected) == [("p2", "p3"), ("p1", None)]


@pytest.mark.parametrize(("format_", "count"), [("m40-13-16", 13), ("m40-17-32", 17), ("m40-13-16", 16)])
@pytest.mark.parametrize("late", [[{"bye": "p91"}], [{"black": "p91", "white": "p92", "winner": "black"}]])
def test_late_entries_to_a_full_bracket_play_placement_games(format_: str, count: int, late: list[Json]):
    """AMB-22, PAIRING.md 4: a full bracket takes nobody; the other games of round 1 are those of late entries."""
    data = played(format_, count, 1)
    for player in data["players"]:
        player["lot"] = int(player["id"][1:])
    data["rounds"] = []
    play_round(data, random.Random(1))
    names = [name for name in ("p91", "p92") if any(name in line.values() for line in late)]
    data["players"] += [{"id": name, "lot": int(name[1:])} for name in names]
    data["rounds"][0]["games"] += late
    games = next_round(from_dict(data)).games
    of_late = [game for game in games if set(names) & set(game.players)]
    assert {name for game in of_late for name in game.players} >= set(names)
    assert {game.stage for game in of_late} == {"placement"}
    data = played_to_the_end(data)
    assert not {problem.rule for problem in verify(data).problems} & {"AMB-22", "M40F17-2", "M40F13-1"}
    assert champion(from_dict(data)) is not None
    assert awards(from_dict(data))


def test_a_knockout_of_two_has_no_third_place_game():
    data = played_to_the_end(event_of("knockout", 2, third_place=True))
    assert [[g["stage"] for g in r["games"]] for r in data["rounds"]] == [["final"]]


def test_a_knockout_without_finalists_ends_with_the_third_place_game():
    """The only game of the round is at table 1, and no round follows."""
    data = played("knockout", 4, 1, third_place=True)
    winners = {g[g["winner"]] for g in data["rounds"][0]["games"]}
    for player in data["players"]:
        if player["id"] in winners:
            player["withdrawn_after_round"] = 1
    (game,) = next_round(from_dict(data)).games
    assert (game.stage, game.table) == ("third-place", 1)
    play_round(data, random.Random(1))
    with pytest.raises(ValueError, match="the event is over after round 2"):
        next_round(from_dict(data))


@pytest.mark.parametrize("format_", ["m43-open", "m43-division", "swiss", "adjacent", "m40-elementary"])
def test_a_no_show_has_no_rank_and_no_award(format_: str):
    """A forfeit win over a no-show counts as a draw against oneself in Brightwell points."""
    options = {"brightwell_c": 6} if format_ in ("swiss", "m43-open") else {}
    data = played(format_, 9, 0, **options)
    data["players"][8]["absent"] = True
    data["rounds"] = [{"round": 1, "games": [
        {"black": "p1", "white": "p9", "winner": "black", "black_discs": 64, "white_discs": 0, "end": "forfeit"},
        *({"black": f"p{i}", "white": f"p{i + 1}", "winner": "black", "black_discs": 40, "white_discs": 24}
          for i in (2, 4, 6)),
        {"bye": "p8"},
    ]}]  # fmt: skip
    rows = {row.id: row for row in standings(from_dict(data)).rows}
    assert rows.keys() == {f"p{i}" for i in range(1, 9)}
    if options:
        assert rows["p1"].keys[1] == 32 + 6
    if from_dict(data).facts.certificate:
        assert "p9" not in {award.id for award in awards(from_dict(data))}
    assert next_round(from_dict(data)).games
    del data["options"]["random_seed"]  # it drew none of these pairs
    assert not [p for p in verify(data, standings(from_dict(data)).as_dict()).problems if p.rule != "PAIRING-2"]


@pytest.mark.parametrize(("women", "final"), [(("p9", "p10", "p11"), True), (("p12",), False)])
def test_the_womens_meijin_is_in_standings_and_certificates(women: tuple[str, ...], final: bool):
    """M43R-6: the winner of the women's final has the title, or without one the best placed woman."""
    data = event_of("m43-open", 12, 3)
    for player in data["players"]:
        player["sex"] = "F" if player["id"] in women else "M"
    data = played_to_the_end(data, 3)
    table = standings(from_dict(data))
    games = [g for g in data["rounds"][7]["games"] if g["stage"] == "womens-final"]
    assert bool(games) is final
    expected = games[0][games[0]["winner"]] if final else next(row.id for row in table.rows if row.id in women)
    assert table.womens_champion == table.as_dict()["womens_champion"] == expected
    assert expected in {award.id for award in awards(from_dict(data))}
    assert standings(from_dict(data), 7).womens_champion is None


def test_a_player_absent_from_the_play_off_round_keeps_an_earned_seat():
    """4th and 5th play for the last seat only; of the two, the one who is present alone has it."""
    for seed in range(1, 60):
        data = played("swiss", 10, 3, seed, rounds=3, finals="1-4", play_off=True)
        before = next_round(from_dict(data))
        if before.games[0].stage == "knockout":
            break
    order = [row.id for row in standings(from_dict(data)).rows]
    for away in order[:2]:
        data["options"]["absences"] = {"4": [away]}
        assert next_round(from_dict(data)).games == before.games
        after = {**data, "rounds": list(data["rounds"])}
        play_round(after, random.Random(1))
        seated = {name for game in next_round(from_dict(after)).games for name in game.players}
        assert {*order[:3]} < seated
        assert not [p for p in verify(played_to_the_end(after)).problems if p.rule == "SWISS-PLAY-OFF"]
    # who of the two is alone there has the seat
    data["options"]["absences"] = {"4": [before.games[0].players[0]]}
    (bye,) = next_round(from_dict(data)).games
    assert bye.players == (before.games[0].players[1],)
    play_round(data, random.Random(1))
    assert {bye.players[0], *order[:3]} == {n for game in next_round(from_dict(data)).games for n in game.players}


@pytest.mark.parametrize("count", [4, 5, 6])
def test_a_late_entry_alone_in_an_empty_league_has_not_won_it(count: int):
    """M40F-2: a late entry was not unbeaten in round 1."""
    data = played("m40-open", count, 1)
    data["players"].append({"id": "p99"})
    data["options"]["absences"] = {"1": ["p99"]}
    rng = random.Random(2)
    while len(data["rounds"]) < 7:
        paired = play_round(data, rng)
        mine = next(g for g in paired["games"] if "p99" in g.values())
        assert mine["stage"] == "placement"


@pytest.mark.parametrize(
    ("format_", "count", "rounds"),
    [("m40-13-16", 16, 5), ("m40-17-32", 20, 5), ("m40-33-64", 36, 5), ("m40-open", 16, 7), ("m40-9-12", 12, 5)],
)
def test_a_final_without_players_is_a_warning_and_third_place_stays(format_: str, count: int, rounds: int):
    """M40K17-1: the finalists share 2nd, nobody is champion, and the winner of the 3rd-place game is 3rd."""
    data = played(format_, count, rounds)
    final = next(g for g in next_round(from_dict(data)).games if g.stage == "final")
    for player in data["players"]:
        if player["id"] in final.players:
            player["withdrawn_after_round"] = rounds
    paired = next_round(from_dict(data))
    assert any("no final" in str(warning) for warning in paired.warnings)
    third = next((g for g in paired.games if g.stage == "third-place"), None)
    play_round(data, random.Random(1))
    table = standings(from_dict(data))
    assert champion(from_dict(data)) is None
    assert [row.rank for row in table.rows[:3]] == [2, 2, 3]
    assert {row.id for row in table.rows[:2]} == {*final.players}
    if third is not None:
        assert table.rows[2].id in third.players
    assert not verify(data, table.as_dict()).problems


def test_m40_charges_dan_grades_and_m43_kyu_grades_too():
    """M40C-10, M43C-9: M40 charges fees for dan grades, M43 also for kyu grades."""
    for format_, charged in (("m40-9-12", False), ("m43-division", True)):
        data = played_to_the_end(event_of(format_, 12))
        kyu = [award for award in awards(from_dict(data)) if (award.grade or "").endswith("k")]
        dan = [award for award in awards(from_dict(data))[1:] if (award.grade or "").endswith("d")]
        assert kyu
        assert {award.fee for award in kyu} == {charged}
        assert {award.fee for award in dan} == {True}


def test_lot_0_is_refused():
    data = event_of("m40-9-12", 9)
    data["players"][0]["lot"] = 0
    with pytest.raises(ValueError, match="lot"):
        from_dict(data)


def test_a_play_off_won_by_the_draw_right_breaks_no_rule():
    for seed in range(1, 60):
        data = played("swiss", 10, 4, seed, rounds=3, finals="1-4", play_off=True)
        (game,) = [g for g in data["rounds"][3]["games"] if g["stage"] == "knockout"] or [None]
        if game is not None:
            game |= {"winner": "white", "black_discs": 32, "white_discs": 32, "end": "normal"}
            assert "OTH-12" not in {problem.rule for problem in verify(data).problems}
            return
    pytest.fail("no seed brought a play-off")


@pytest.mark.parametrize(("format_", "options"), [*((name, {}) for name in FORMATS), ("adjacent", {"finals": "1-4"})])
def test_an_event_without_a_round_is_not_over(format_: str, options: Json):
    """Also with settings or players that do not suffice for a round."""
    for count in (0, 1, 20):
        event = from_dict(event_of(format_, count, **options))
        assert not is_over(event)
        assert champion(event) is None


def test_the_finals_of_a_running_event_need_its_number_of_rounds():
    event = from_dict(played("adjacent", 8, 1))
    options = from_dict(event_of("adjacent", 8, finals="1-4")).options
    with pytest.raises(EventError, match="after how many rounds"):
        change_division(event, options=options)


@pytest.mark.parametrize("format_", sorted(set(FORMATS) - {"team", "chouchou"}))
def test_an_absentee_is_not_in_the_standings_before_he_plays(format_: str):
    data = event_of(format_, 10)
    data["players"][4]["absent"] = True
    play_round(data, random.Random(1))
    assert {row.id for row in standings(from_dict(data)).rows} == {f"p{i}" for i in range(1, 11) if i != 5}
