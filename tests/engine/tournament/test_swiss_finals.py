"""Format ``swiss`` from entries to the champion: rounds, finals, the play-off for the 4th seat."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from events.lines import next_round
from events.random_events import Json, event_of, play_round, played, rounds_of
from known_answers import known_text
from oracles import swiss as oracle

from engine.tournament import EventError, champion, is_over, standings
from kiosk.records.elo_result_file_reader import read_elo
from kiosk.records.event_file import from_dict


def international(data: Json, rounds: int, c: int = 6) -> dict[str, tuple[int, Fraction, int]]:
    """Return (half points, Brightwell, discs) over the league rounds, computed independently (PAIRING.md 2)."""
    scores = {p["id"]: oracle.score(data, p["id"], rounds + 1) for p in data["players"]}
    table = {}
    for name, score in scores.items():
        brightwell, discs = Fraction(0), 0
        for number in range(1, rounds + 1):
            game = oracle.game_in(data, name, number)
            if game is None or "bye" in game:
                brightwell += 32 + Fraction(c * score, 2)
                discs += 40 if game else 0
                continue
            side = "black" if game["black"] == name else "white"
            other = game["white" if side == "black" else "black"]
            discs += game[f"{side}_discs"]
            brightwell += game[f"{side}_discs"] + Fraction(c * scores[other], 2)
        table[name] = (score, brightwell, discs)
    return table


@pytest.mark.parametrize(("finals", "more"), [("none", 0), ("1-2", 1), ("1-4", 2)])
@pytest.mark.parametrize("count", [10, 15])
def test_whole_events(count: int, finals: str, more: int):
    data = event_of("swiss", count, rounds=5, finals=finals)
    for before, paired in rounds_of(data, random.Random(count)):
        if paired["round"] <= 5:
            names = [n for g in paired["games"] for n in (g.get("black"), g.get("white"), g.get("bye")) if n]
            assert sorted(names) == sorted(p["id"] for p in data["players"])
            continue
        table = international(before, 5)
        best = sorted(table.values(), reverse=True)
        games = {g["stage"]: (g["black"], g["white"]) for g in paired["games"]}
        assert all(g["designated"] is False for g in paired["games"])
        if "semi-final" in games:
            first, second = paired["games"]
            seats = [first["black"], second["black"], second["white"], first["white"]]
            assert [table[name] for name in seats] == best[:4], "1-4, 2-3"
        elif finals == "1-2":
            assert [table[name] for name in games["final"]] == best[:2]
    assert len(data["rounds"]) == 5 + more
    rows = standings(from_dict(data)).rows
    table = international(data, 5)
    assert {row.id: (2 * row.wins, row.keys[1], row.discs) for row in rows} == table
    decided = 2 * more  # the places that the finals gave
    assert [table[row.id] for row in rows[decided:]] == sorted((table[r.id] for r in rows[decided:]), reverse=True)
    if finals == "none":
        assert champion(from_dict(data)) in {row.id for row in rows if row.rank == 1}
    else:
        final = data["rounds"][-1]["games"][0]
        assert champion(from_dict(data)) == rows[0].id == final[final["winner"]]
        assert {rows[0].id, rows[1].id} == {final["black"], final["white"]}
    with pytest.raises(EventError, match="over"):
        next_round(from_dict(data))


def test_the_play_off_for_the_fourth_seat():
    played = skipped = 0
    for seed in range(12):
        data = event_of("swiss", 12, seed, rounds=4, finals="1-4", play_off=True)
        rng = random.Random(seed)
        for _ in range(4):
            play_round(data, rng)
        order = [row.id for row in standings(from_dict(data)).rows]
        table = international(data, 4)
        level = table[order[3]][0] == table[order[4]][0]
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
