"""Format ``swiss`` from entries to the champion: rounds, finals, the play-off for the 4th seat."""

from __future__ import annotations

import random

import pytest
from events.lines import next_round
from events.random_events import Json, event_of, play_round, played
from known_answers import known_text

from engine.tournament import EventError, champion, is_over, standings
from kiosk.records.elo_result_file_reader import read_elo
from kiosk.records.event_file import from_dict


def test_the_play_off_for_the_fourth_seat():
    played = skipped = 0
    for seed in range(12):
        data = event_of("swiss", 12, seed, rounds=4, finals="1-4", play_off=True)
        rng = random.Random(seed)
        for _ in range(4):
            play_round(data, rng)
        order = [row.id for row in standings(from_dict(data)).rows]
        wins = {row.id: row.wins for row in standings(from_dict(data)).rows}
        level = wins[order[3]] == wins[order[4]]
        paired = play_round(data, rng)
        if not level:
            skipped += 1
            assert {g["stage"] for g in paired["games"]} == {"semi-final"}
            continue
        played += 1
        (game,) = paired["games"]
        assert (game["stage"], game["black"], game["white"]) == ("knockout", order[3], order[4])
        last = data["rounds"][-1]["games"][0]
        fourth = last[last["winner"]]
        rows = standings(from_dict(data)).rows
        assert [row.id for row in rows[:4]] == [*order[:3], fourth]
        assert {row.id: row.keys for row in rows} == {row.id: row.keys for row in standings(from_dict(data), 4).rows}
        semis = play_round(data, rng)["games"]
        assert [(g["black"], g["white"]) for g in semis] == [(order[0], fourth), (order[1], order[2])]
        # whoever leaves now does not change what was played
        next(p for p in data["players"] if p["id"] == order[4])["absent"] = True
        assert [g["stage"] for g in play_round(data, rng)["games"]] == ["final", "third-place"]
        assert is_over(from_dict(data))
    assert played > 2 and skipped > 2


@pytest.mark.parametrize(
    ("path", "fourth_and_fifth", "seats"),
    [
        ("woc_2014.ELO", ["126", "155"], ["122", "104", "142", "126"]),
        ("woc_2018.ELO", ["125", "120"], ["163", "136", "144", "125"]),
    ],
)
def test_the_real_championships(path: str, fourth_and_fifth: list[str], seats: list[str]):
    """Several players have the points of the 4th; the best two of them play for the seat, then 1-4, 2-3."""
    data = read_elo(known_text(f"events/{path}"))
    data["options"] = {"rounds": 13, "finals": "1-4", "play_off": True, "random_seed": 1}
    rounds = data["rounds"]
    assert isinstance(rounds, list)
    play_off, semis = rounds[13]["games"], rounds[14]["games"]
    del rounds[13:]
    (game,) = next_round(from_dict(data)).games
    assert [game["black"], game["white"]] == fourth_and_fifth
    (played,) = [g for g in play_off if {g["black"], g["white"]} == set(fourth_and_fifth)]
    rounds.append({"round": 14, "games": [played]})
    games = next_round(from_dict(data)).games
    assert [games[0]["black"], games[1]["black"], games[1]["white"], games[0]["white"]] == seats
    real = [{g["black"], g["white"]} for g in semis]
    assert all({g["black"], g["white"]} in real for g in games)


def test_the_next_player_replaces_an_absent_finalist():
    data = event_of("swiss", 9, rounds=3, finals="1-2")
    rng = random.Random(1)
    for _ in range(3):
        play_round(data, rng)
    order = [row.id for row in standings(from_dict(data)).rows]
    next(p for p in data["players"] if p["id"] == order[0])["absent"] = True
    paired = next_round(from_dict(data))
    assert [(g["black"], g["white"]) for g in paired.games] == [(order[1], order[2])]
    assert any(order[0] in str(warning) for warning in paired.warnings)


@pytest.mark.parametrize("format_", ["swiss", "adjacent", "m43-division"])
def test_an_event_is_not_over_while_its_semi_finals_are_played(format_: str):
    options = {} if format_ == "m43-division" else {"rounds": 2, "finals": "1-4"}
    data, rng = event_of(format_, 8, **options), random.Random(1)
    while not any(game.get("stage") == "semi-final" for game in data["rounds"][-1:] and data["rounds"][-1]["games"]):
        play_round(data, rng)
    for game in data["rounds"][-1]["games"]:
        for name in ("winner", "black_discs", "white_discs", "end"):
            game.pop(name, None)
    assert not is_over(from_dict(data))


def test_a_swiss_without_a_number_of_rounds_does_not_end():
    data = event_of("swiss", 8)
    rng = random.Random(1)
    for _ in range(3):
        play_round(data, rng)
        assert not is_over(from_dict(data))
        assert champion(from_dict(data)) is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"finals": "1-4"}, "options.rounds is missing"),
        ({"play_off": True}, "options.rounds is missing"),
        ({"play_off": True, "rounds": 3}, "needs options.finals '1-4'"),
        ({"play_off": True, "rounds": 3, "finals": "1-2"}, "needs options.finals '1-4'"),
        ({"finals": "1-8", "rounds": 3}, "options.finals is '1-8'"),
        ({"rounds": 0}, "options.rounds is 0"),
        ({"round": 3}, "unknown field 'round'"),
    ],
)
def test_options_are_checked(options: Json, words: str):
    with pytest.raises(EventError, match=words):
        next_round(from_dict(event_of("swiss", 8, **options)))


@pytest.mark.parametrize("rounds", [4, 5])
def test_a_drawn_semi_final_or_final_of_a_file_is_refused_in_pairing_and_in_standings(rounds: int):
    data = played("swiss", 8, rounds, rounds=3, finals="1-4")
    data["rounds"][-1]["games"][0] |= {"winner": "draw", "black_discs": 32, "white_discs": 32}
    for refuse in (standings, next_round):
        with pytest.raises(EventError, match="no draws here"):
            refuse(from_dict(data))
