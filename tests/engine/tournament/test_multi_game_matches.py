"""Matches of several games: the World Championship of 2018, draws, level matches, colours, and what a file may hold."""

from __future__ import annotations

import random

import pytest
from events.random_events import Json, event_of, play_round
from known_answers import known_text

from engine.tournament import Event, EventError, champion, is_over, next_round, standings
from engine.tournament.explain_pairings import explain_played
from engine.tournament.explain_standings import explain_standings
from engine.tournament.multi_game_matches import MultiGameMatch, match_of, matches_in
from engine.tournament.multi_game_matches import next_game as next_of
from kiosk.records.elo_result_file_reader import read_elo
from kiosk.records.elo_result_file_writer import write_elo
from kiosk.records.event_file import from_dict, to_dict

SEMI_FINALS = {"semi_final_games": 3, "final_games": 3}


def world_2018() -> tuple[Json, list[Json]]:
    """Return the 13 rounds with the settings of the championship, and the games after them in the order of the file."""
    data = read_elo(known_text("events/woc_2018.ELO"))
    data["options"] = {
        "rounds": 13, "finals": "1-4", "play_off": True, "random_seed": 1, "brightwell_c": 6, **SEMI_FINALS,
    }  # fmt: skip
    after = [game for round_ in data["rounds"][13:] for game in round_["games"]]
    del data["rounds"][13:]
    return data, after


def between(games: list[Json], one: str, other: str, stage: str) -> list[Json]:
    return [{**game, "stage": stage} for game in games if {game["black"], game["white"]} == {one, other}]


def test_the_world_championship_of_2018():
    """Both semi-finals and the final have three games, two of them a draw, and the match for 3rd place has one."""
    data, after = world_2018()
    for stages in ({"knockout"}, {"semi-final"}, {"final", "third-place"}):
        paired = next_round(from_dict(data))
        assert {game.stage.value for game in paired.games} == stages
        games = [line for game in paired.games for line in between(after, *game.players, game.stage.value)]
        data["rounds"].append({"round": paired.round, "games": games})
    event = from_dict(data)
    scores = {match.winner: match.score(match.winner or "") for round_ in event.rounds[14:]
              for match in matches_in(event, round_)}  # fmt: skip
    assert [len(round_.games) for round_ in event.rounds[13:]] == [1, 6, 4]
    assert scores == {"163": "2.5–0.5", "144": "2.5–0.5", "136": "1–0"}  # 144 had won 2–1 before
    assert is_over(event) and champion(event) == "144"
    table = standings(event)
    assert [row.id for row in table.rows[:4]] == ["144", "163", "136", "125"]
    assert "2.5–0.5" in str(explain_standings(event, table)[0])
    reasons = [str(why) for one in explain_played(event, 15) for why in one.reasons]
    assert reasons == [f"semi-final: {places} of those who reached it" for places in ("1st and 4th", "2nd and 3rd")]
    written = write_elo(event).split("%%Added results\n")[1].split()
    assert written[::4][:7] == ["120", "125", "163", "125", "144", "136", "136"]
    again = read_elo(write_elo(event))
    assert sum(len(round_["games"]) for round_ in again["rounds"][13:]) == 11  # type: ignore[index]
    league = {row.id: row.keys for row in standings(event, 13).rows}
    assert {row.id: row.keys for row in table.rows} == league  # the finals change no points
    assert from_dict(to_dict(event)) == event


@pytest.mark.parametrize("played", [1, 2])
def test_a_match_without_a_winner_waits_for_its_next_game(played: int):
    data, after = world_2018()
    (play_off,) = next_round(from_dict(data)).games
    data["rounds"].append({"round": 14, "games": between(after, *play_off.players, "knockout")})
    games = between(after, "163", "125", "semi-final")[:played] + between(after, "136", "144", "semi-final")
    data["rounds"].append({"round": 15, "games": games})
    event = from_dict(data)
    assert not is_over(event) and standings(event).after_round == 14
    with pytest.raises(EventError, match=r"stands \d.*–.* in a match of 3 games; enter its next game"):
        next_round(event)


def a_match(results: str, **options: object) -> Json:
    """Return an event whose final, by letters W, L and D for its higher player, has these games."""
    options = {"rounds": 3, "finals": "1-2", "final_games": 3, "random_seed": 1} | options
    data = event_of("swiss", 8, **options)
    for _ in range(3):
        play_round(data, random.Random(1))
    (game,) = next_round(from_dict(data)).games
    high, low = game.players
    lines: list[Json] = []
    for number, result in enumerate(results):
        black, white = (high, low) if number % 2 == 0 else (low, high)
        won = None if result == "D" else high if result == "W" else low
        discs = 32 if won is None else 40 if won == black else 24
        winner = "draw" if won is None else "black" if won == black else "white"
        lines.append({"black": black, "white": white, "black_discs": discs, "white_discs": 64 - discs,
                      "winner": winner, "stage": "final"})  # fmt: skip
    data["rounds"].append({"round": 4, "games": lines})
    return data


def of_final(data: Json) -> tuple[Event, MultiGameMatch]:
    event = from_dict(data)
    return event, match_of(event, event.rounds[3].games)


@pytest.mark.parametrize(
    ("results", "options", "won"),
    [
        ("W", {}, None), ("WW", {}, 0), ("LL", {}, 1), ("WL", {}, None), ("WLL", {}, 1), ("WD", {}, None),
        ("WDD", {}, 0), ("DDW", {}, 0), ("WDL", {}, None), ("WDLL", {}, 1), ("DDD", {}, None), ("DDDW", {}, 0),
        ("WDL", {"match_level": "rank"}, 0), ("DDD", {"match_level": "rank"}, 0),
        ("WDL", {"match_level": "discs"}, None),  # 40, 32 and 24 each way
        ("W", {"final_games": 2}, None), ("WL", {"final_games": 2}, None), ("WD", {"final_games": 2}, 0),
        ("WLL", {"final_games": 2}, 1), ("WWW", {"final_games": 5}, 0), ("WWLL", {"final_games": 5}, None),
    ],
)  # fmt: skip
def test_more_than_half_of_the_points_wins(results: str, options: Json, won: int | None):
    event, match = of_final(a_match(results, **options))
    high, low = next_round(from_dict({**to_dict(event), "rounds": to_dict(event)["rounds"][:3]})).games[0].players
    assert match.winner == (None if won is None else (high, low)[won])
    assert champion(event) == match.winner and is_over(event) == (won is not None)


def test_the_discs_of_all_games_decide_a_level_match():
    data = a_match("WDL", match_level="discs")
    data["rounds"][3]["games"][0] |= {"black_discs": 41, "white_discs": 23}
    event, match = of_final(data)
    assert match.winner == match.players[0] == champion(event)


@pytest.mark.parametrize(
    ("results", "options", "refused"),
    [
        ("D", {"match_draws": "draw_right"}, "game 1: no draws here"),
        ("WDLD", {}, "game 4: no draws here"),
        ("D", {"final_games": 1}, "no draws here"),
    ],
)
def test_an_impossible_draw_is_refused(results: str, options: Json, refused: str):
    for refuse in (standings, next_round, is_over):
        if refuse is is_over and options == {"final_games": 1}:
            continue
        with pytest.raises(EventError, match=refused):
            refuse(from_dict(a_match(results, **options)))


@pytest.mark.parametrize(
    ("options", "fits"),
    [({}, 4), ({"final_games": 1}, 1), ({"final_games": 2}, 3)],
)
def test_a_round_has_no_more_games_of_a_match_than_it_can_have(options: Json, fits: int):
    from_dict(a_match("WLDLW"[:fits], **options))
    with pytest.raises(EventError, match="twice; a player has one game or one bye"):
        from_dict(a_match("WLDLW"[: fits + 1], **options))


def test_a_double_forfeit_ends_a_match_that_nobody_wins():
    data = a_match("WL")
    data["rounds"][3]["games"][1] |= {"winner": None, "end": "forfeit", "black_discs": 0, "white_discs": 0}
    event, match = of_final(data)
    assert match.over and match.winner is None and champion(event) is None and is_over(event)


@pytest.mark.parametrize(
    ("options", "designated"),
    [
        ({}, [True, False, False]),
        ({"match_colours": "exchanged"}, [True, True, False]),
        ({"final_games": 5}, [True, True, True, False, False]),
        ({"final_games": 2}, [True, False]),
        ({"match_draws": "draw_right"}, [False, False]),
    ],
)
def test_colours_are_exchanged_from_game_to_game(options: Json, designated: list[bool]):
    """The third game of the final of WOC 2018 has the colours of the second, because they were settled anew."""
    level = {2: "WL", 3: "WLD", 5: "WLDWL"}[options.get("final_games", 3)]
    level = "WL" if options.get("match_draws") else level
    for number, is_designated in enumerate(designated, start=1):
        if number > len(level):
            break
        event, match = of_final(a_match(level[:number], **options))
        following = next_of(event, match)
        assert following is not None and following.designated == is_designated
        if is_designated:
            assert following.players == match.games[-1].players[::-1]
    assert following is not None and following.draws is False


@pytest.mark.parametrize("option", ["knockout_games", "semi_final_games", "final_games", "third_place_games"])
@pytest.mark.parametrize("value", [0, 10, "3"])
def test_numbers_of_games_are_checked(option: str, value: object):
    with pytest.raises(EventError, match=rf"options\.{option}"):
        from_dict(event_of("knockout", 4, **{option: value}))


def test_a_knockout_of_matches():
    """Four players: both semi-finals, the final and the match for 3rd place have three games."""
    data = event_of("knockout", 4, third_place=True, random_seed=1, third_place_games=3, **SEMI_FINALS)
    for expected in (2, 2):
        paired = next_round(from_dict(data))
        assert len(paired.games) == expected
        lines = []
        for game in paired.games:
            black, white = game.players
            for winner in ("black", "draw", "black"):  # Black, a draw, then the second player with Black
                half = {"black": 40, "draw": 32}[winner]
                lines.append({"black": black, "white": white, "winner": winner, "black_discs": half,
                              "white_discs": 64 - half, "stage": game.stage.value})  # fmt: skip
                black, white = white, black
            assert lines[-1]["black"] == game.players[0]
        data["rounds"].append({"round": paired.round, "games": lines})
    event = from_dict(data)
    final = next(match for match in matches_in(event, event.rounds[1]) if match.games[0].stage == "final")
    assert is_over(event) and champion(event) == final.winner == final.players[0]
    assert final.score(final.players[0]) == "2.5–0.5"
    rows = standings(event).rows
    assert [row.rank for row in rows] == [1, 2, 3, 4] and rows[0].id == champion(event)
    assert [row.wins for row in rows] == [2, 1, 1, 0]  # matches
    first, further = write_elo(event).split("%%Added results")
    assert [first.count(f"%Round: {number}") for number in (1, 2)] == [1, 1]
    assert first.count(" B\n") == 4 and further.count(" B\n") == 8
