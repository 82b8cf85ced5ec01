"""Tests that ``.ELO`` files become event files: nothing invented, nothing lost."""

from __future__ import annotations

import random

import pytest
from events.random_events import event_of, play_round
from known_answers import known_text

from engine.i18n import Text
from engine.tournament import standings
from engine.tournament.event_model import Stage, Winner
from kiosk.records.elo_result_file_reader import EloError, read_elo
from kiosk.records.elo_result_file_writer import rejection_reason, write_elo
from kiosk.records.event_file import from_dict
from kiosk.records.rating_list_numbers_and_names import latin_name

SMALL = """\
%%Tournament: Little open
%%Country: Nowhere
%%Date: 06/11/2014 - 08/11/2014

%        ID, NAME, Firstname, COUNTRY, score, disc-count, rating
%_%       1, ALPHA, Ann, AAA,  2.5, 143, 2000
%_%       2, BETA, Bo, BBB,  2, 112, 0
%_%       3, GAMMA, Cy, AAA, 1, 64, 1500
%_%       4, DELTA, Di, CCC, 0.5, 49,

%Round: 1

     1 (40)>(24)      2  B
     3 (32)=(32)      4  B

%Round: 2

     4 (17)<(47)      1  W
     3 (32)>(32)      2

%Round 3
     1 (32)=(32)      3  B

%%Added results
     1 (30)<(34)      2  B
     2 (30)<(34)      1  B
     3 (40)>(24)      4  B
"""


def test_a_small_file():
    event = from_dict(read_elo(SMALL))
    assert (event.name, event.date, event.format) == ("Little open", "2014-11-06", "swiss")
    ann, bo, _, di = event.players
    assert (ann.id, ann.name, ann.country, ann.rating) == ("1", "ALPHA Ann", "AAA", 2000)
    assert (bo.rating, di.rating) == (None, None)
    first = event.rounds[0].games
    assert (first[0].black, first[0].winner, first[0].black_discs) == ("1", Winner.BLACK, 40)
    assert first[1].winner is Winner.DRAW


def test_the_games_of_later_rounds():
    """The player named first may have White; 32 each with a winner says only who won. Added results, which are finals
    played after the Swiss, become later rounds, in each of which a player has one game."""
    second, _, *later = from_dict(read_elo(SMALL)).rounds[1:]
    assert [(game.black, game.white, game.black_discs, game.white_discs, game.winner) for game in second.games] == [
        ("1", "4", 47, 17, Winner.BLACK), ("3", "2", None, None, Winner.BLACK),
    ]  # fmt: skip
    assert [[game.players for game in r.games] for r in later] == [[("1", "2"), ("3", "4")], [("2", "1")]]
    assert {game.stage for r in later for game in r.games} == {Stage.KNOCKOUT}


def test_a_missing_round_is_a_bye_only_if_the_points_say_so():
    """Player 2 has a point more than his games gave him; player 4 has none for round 3 and has left."""
    event = from_dict(read_elo(SMALL.replace("BBB,  2,", "BBB,  1,")))
    assert [bye.player for bye in event.rounds[2].byes] == ["2"]
    assert event.player("4").withdrawn_after_round == 2
    assert event.player("2").withdrawn_after_round is None


def test_finals_listed_as_last_rounds_are_no_rounds_of_the_league():
    """The other players have no byes or withdrawals for them, and the league's points are unchanged."""
    players = [f"%_% {i}, N{i}, F, AAA, 1, 32, 0" for i in range(1, 13)]
    league = [f"{i} (40)>(24) {i + 6} B" for i in range(1, 7)]
    text = "\n".join([*players, "%Round: 1", *league, "%Round: 2", "1 (40)>(24) 4 B", "2 (20)<(44) 3 B", "%Round: 3",
                      "1 (33)>(31) 3 B", "2 (33)>(31) 4 B"])  # fmt: skip
    event = from_dict(read_elo(text))
    assert [{game.stage for game in r.games} for r in event.rounds] == [{Stage.LEAGUE}, *[{Stage.KNOCKOUT}] * 2]
    assert all(p.withdrawn_after_round is None for p in event.players) and not any(r.byes for r in event.rounds)
    assert [row.wins for row in standings(event).rows] == [1] * 6 + [0] * 6


def test_where_no_points_are_credited_a_missing_round_is_a_bye():
    event = from_dict(read_elo(SMALL.replace("BBB,  2,", "BBB,  0,")))
    assert [bye.player for bye in event.rounds[2].byes] == ["2", "4"]
    assert event.player("4").withdrawn_after_round is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "ELO results file"),
        (SMALL.replace("     3 (32)=(32)      4  B", "     3 (32)=(32)      9  B"), "line 14: player 9"),
        (SMALL.replace("     3 (32)=(32)      4  B", "     3 32-32 4"), "line 14: not a game"),
        (SMALL.replace("%Round: 2", "%Round: 3"), "line 16: round 3 follows round 1"),
        (SMALL.replace("%_%       2, BETA, Bo, BBB,  2", "%_%       2, BETA, Bo, BBB,  two"), "line 7"),
        (SMALL.replace("%_%       2, BETA", "%_%       1, BETA"), "line 7: player 1 is listed twice"),
        (SMALL.replace("%_%       2, BETA, Bo, BBB,  2, 112, 0", "%_%       2, BETA"), "line 7"),
        (SMALL.replace("%Round: 1\n", "\n"), "before the first"),
    ],
)
def test_refusals_name_the_line(text: str, words: str):
    with pytest.raises(EloError, match=words):
        read_elo(text)


@pytest.mark.parametrize(
    ("path", "players", "rounds", "games", "byes"),
    [
        ("woc_2014", 64, 13, 13 * 32, 0),
        ("woc_2018", 82, 13, 13 * 41, 0),
        ("stockholm_2018", 29, 11, 11 * 14, 11),
        ("meijin40_women", 30, 6, 88, 4),
    ],
)
def test_real_files(path: str, players: int, rounds: int, games: int, byes: int):
    event = from_dict(read_elo(known_text(f"events/{path}.ELO")))
    league = [r for r in event.rounds if any(game.stage is Stage.LEAGUE for game in r.games)]
    assert len(event.players) == players
    assert [r.number for r in league] == list(range(1, rounds + 1))
    assert sum(len(r.games) for r in league) == games
    assert sum(len(r.byes) for r in league) == byes


def test_papp_credits_byes_so_a_missing_round_without_points_is_an_absence():
    """A player who left after round 1 of a PAPP file gets no wins for it, even if the header credits nobody."""
    text = "%%Creator: PAPP 1.33\n" + SMALL.replace("BBB,  2,", "BBB,  0,")
    event = from_dict(read_elo(text))
    assert not any(round_.byes for round_ in event.rounds)
    assert (event.player("2").withdrawn_after_round, event.player("4").withdrawn_after_round) == (2, 2)


def test_an_impossible_score_is_omitted_with_a_warning():
    warnings: list[Text] = []
    text = SMALL.replace("     3 (40)>(24)      4  B", "     3 (32)>(31)      4  B")
    event = from_dict(read_elo(text, warnings))
    (wrong,) = [g for r in event.rounds for g in r.games if set(g.players) == {"3", "4"} and g.stage is Stage.KNOCKOUT]
    assert (wrong.winner, wrong.black_discs) == (Winner.BLACK, None)
    (warning,) = warnings
    line = 1 + text.splitlines().index("     3 (32)>(31)      4  B")
    assert f"line {line}:" in str(warning)


def test_discs_may_be_written_with_a_decimal_point():
    assert from_dict(read_elo(SMALL.replace("(40)>(24)", "(40.0)>(24.0)"))) == from_dict(read_elo(SMALL))


def test_an_absence_in_the_last_round_is_read_as_absence():
    data = event_of("swiss", 6)
    rng = random.Random(1)
    for number, player in enumerate(data["players"], start=1):
        player["wof"] = number
    data["options"]["absences"] = {"3": ["p2"]}
    data["players"][3]["withdrawn_after_round"] = 2
    for _ in range(3):
        play_round(data, rng)
    back = from_dict(read_elo(write_elo(from_dict(data))))
    assert back.options.absences == {"3": ("2",)}
    assert {p.id: p.withdrawn_after_round for p in back.players if p.withdrawn_after_round is not None} == {"4": 2}


def test_a_forfeit_is_not_rated_and_is_read_again() -> None:
    """M43-13.3: a game that one player, or both, did not attend is in a comment, which a rating program ignores; so
    is a game that an arbiter excluded from the rating. It is read back the same."""
    results: list[dict[str, object]] = [
        {"black_discs": 64, "white_discs": 0, "winner": "black", "end": "forfeit", "rated": False},
        {"black_discs": 0, "white_discs": 0, "end": "forfeit", "rated": False},
        {"black_discs": 40, "white_discs": 24, "winner": "black", "rated": False},
        {"black_discs": 40, "white_discs": 24, "winner": "black"},
    ]
    players = [{"id": f"p{n}", "name": f"Anna N{n}", "latin": f"Anna N{n}"} for n in range(1, 9)]
    games = [
        {"black": f"p{2 * n + 1}", "white": f"p{2 * n + 2}", "stage": "league", **r} for n, r in enumerate(results)
    ]
    rounds = [{"round": 1, "games": games}]
    data = {"schema": "othello-event/1", "format": "swiss", "players": players, "rounds": rounds}
    text = write_elo(from_dict(data))
    lines = [line for line in text.splitlines() if ")" in line and "(" in line]
    assert [line.startswith("%") for line in lines] == [True, True, True, False]
    again = from_dict(read_elo(text)).rounds[0].games
    assert [(g.winner, g.end, g.rated is False, g.black_discs) for g in again] == [
        (g.winner, g.end, g.rated is False, g.black_discs) for g in from_dict(data).rounds[0].games
    ]


@pytest.mark.parametrize(
    ("name", "written"),
    [("BJØRN Søren", "BJORN, Soren"), ("WEIß Jörg", "WEIss, Jorg"), ("ŁUKASZ Ewa", "LUKASZ, Ewa"),
     ("ÞÓR Ása", "ThOR, Asa")],
)  # fmt: skip
def test_letters_without_an_ascii_form_are_transliterated(name: str, written: str) -> None:
    players = [{"id": "p1", "name": name}, {"id": "p2", "name": "Lund Bea"}]
    event = from_dict({"schema": "othello-event/1", "format": "swiss", "name": "E", "players": players})
    assert latin_name(name, "", "ascii").replace(" ", ", ") == written
    assert rejection_reason(event) is None
