"""Tests of events in other programs' files: .ELO written and read back, PAPP's player list, CSV."""

from __future__ import annotations

from operator import itemgetter

import pytest
from events.event_generator import GeneratorSettings, simulate
from known_answers import known_text
from oracles.rating_list import strictly

from engine.tournament import standings
from engine.tournament.event_model import Player
from kiosk.records.elo_result_file_reader import EloError, read_elo
from kiosk.records.elo_result_file_writer import EloHeader, file_name, missing_data, write_elo
from kiosk.records.event_file import from_dict, to_dict
from kiosk.records.event_file_formats_and_csv import CsvError, read_csv, write_csv
from kiosk.records.papp_files import PappError, read_players, write_players
from kiosk.records.rating_list_numbers_and_names import rating_list_numbers, split_name

FORMATS = ["swiss", "m43-open", "adjacent", "m40-open"]


@pytest.mark.parametrize("file", ["woc_2014", "stockholm_2018", "woc_2018", "meijin40_women", "meijin40_masters"])
def test_a_real_event_written_for_the_rating_list_is_equal(file: str):
    """Rounds, points, discs, ranks, byes and absences are as in the archive; the strict reader accepts it; written
    again it is the same text."""
    event = from_dict(read_elo(known_text(f"events/{file}.ELO")))
    text = write_elo(event)
    again = from_dict(read_elo(text))
    assert again.rounds == event.rounds and again.options.absences == event.options.absences
    assert sorted(again.players, key=lambda p: p.id) == sorted(event.players, key=lambda p: p.id)
    assert from_dict(read_csv(write_csv(to_dict(event)))) == event
    rows, rows_again = standings(event).rows, standings(again).rows
    assert [(row.id, row.rank, row.wins, row.discs) for row in rows_again] == [
        (row.id, row.rank, row.wins, row.discs) for row in rows
    ]
    read = strictly(text.encode())
    assert sum(map(len, (*read.rounds, read.added))) == sum(len(round_.games) for round_ in event.rounds)
    assert write_elo(again) == text


@pytest.mark.parametrize("format_", [*FORMATS, "team", "chouchou", "m40-9-12", "round-robin", "knockout"])
def test_csv_loses_nothing_of_an_event(format_: str):
    event = from_dict(simulate(GeneratorSettings(format_, 12, 3, restless=True)))
    text = write_csv(to_dict(event))
    assert from_dict(read_csv(text)) == event
    assert from_dict(read_csv(text.replace("\n", "\r\n"))) == event


def test_elo_keeps_scores_of_rounds_and_puts_finals_after_them():
    event = from_dict(simulate(GeneratorSettings("m43-open", 13, 3)))
    text = write_elo(event)
    swiss = from_dict(read_elo(text))
    rounds = [r for r in event.rounds if any(g.stage.value in ("league", "placement") for g in r.games)]
    assert text.count("%Round:") == len(rounds) == 7
    assert "%%Added results" in text
    numbers = rating_list_numbers(event.players)
    for mine, read in zip(rounds, swiss.rounds, strict=False):
        # colours, discs and winners as they were, and the byes derived from the points of the header
        games = {(str(numbers[g.black]), str(numbers[g.white]), g.black_discs, g.winner) for g in mine.games
                 if g.stage.value in ("league", "placement")}  # fmt: skip
        assert {(g.black, g.white, g.black_discs, g.winner) for g in read.games if g.black_discs != 32} == {
            game for game in games if game[2] != 32
        }
    first = standings(event, 6).rows[0]
    assert f"{numbers[first.id]:>6}," in text


def test_the_player_list_of_papp():
    text = """% players by country
pays = FRA

  5001 DE MARTIN, Jean Paul         %_<1565>
280057 O'NEIL, Abril                 %_<-729>  # a comment
  4157 SOLO
Federation of something
pays = ITA
    12 ROSSI, Bice {USA} <1800>
    13 BIANCHI, Carlo
20038 Ruby, Kevin\t{USA}
    13 {SMR}
"""
    data = read_players("\ufeff"[1:] + text)
    assert data["players"] == [
        {"id": "5001", "name": "DE MARTIN Jean Paul", "wof": 5001, "country": "FRA", "rating": 1565},
        {"id": "280057", "name": "O'NEIL Abril", "wof": 280057, "country": "FRA", "rating": -729},
        {"id": "4157", "name": "SOLO", "wof": 4157, "country": "FRA"},
        {"id": "12", "name": "ROSSI Bice", "wof": 12, "country": "USA", "rating": 1800},
        {"id": "13", "name": "BIANCHI Carlo", "wof": 13, "country": "SMR"},
        {"id": "20038", "name": "Ruby Kevin", "wof": 20038, "country": "USA"},
    ]
    again, by_id = read_players(write_players(from_dict(data)))["players"], itemgetter("id")
    assert sorted(again, key=by_id) == sorted(data["players"], key=by_id)
    assert from_dict(data).rounds == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no player"),
        ("12 A, B\n12 C, D\n", "line 2: player 12 is listed twice"),
        ("\nnot a player\n", "line 2"),
        ("12 A, B <18x>\n", "line 1"),
    ],
)
def test_a_player_list_that_cannot_be_read(text: str, words: str):
    with pytest.raises(PappError, match=words):
        read_players(text)


def test_a_list_of_players_is_an_event():
    data = read_csv('id,name,grade,birth_year,absent\np1,長谷川 太郎,6d,1990,no\np2,"Rossi, B.",,,yes\n')
    event = from_dict(data)
    assert event.format == "swiss" and event.players[0].name == "長谷川 太郎" and event.players[1].absent
    assert event.players[1].name == "Rossi, B."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no table of players"),
        ("name,id\nx,y\n", "first column is 'field', 'id' or 'round'"),
        ("id,nmae\np1,x\n", "unknown column 'nmae'"),
        ("id,rating\np1,high\n", "line 2, rating: 'high'"),
        ("id,name\np1,a,b\n", "3 cells under 2 columns"),
        ("id,absent\np1,perhaps\n", "must be yes or no"),
        ("field,value\nplace,Paris\n\nid\np1\n", "unknown field 'place'"),
        ("field,value\noptions,{\n\nid\np1\n", "not JSON"),
        ("id\np1\n\nround,black,white\n2,p1,p1\n", "round 2; list the rounds in order"),
        ("id,name,name\np1,a,b\n", "twice"),
        (f"id,name\np1,{'x' * 200_000}\n", "cannot be read after line 1; save it again"),
    ],
)
def test_csv_that_cannot_be_read_names_line_and_column(text: str, words: str):
    with pytest.raises(CsvError, match=words):
        read_csv(text)


def test_names_and_numbers_for_rating_lists():
    assert split_name(Player("p1", "DE MARTIN Jean Paul")) == ("DE MARTIN", "Jean Paul")
    assert split_name(Player("p1", "Kevin Ruby")) == ("Kevin", "Ruby")
    assert split_name(Player("p1", "van der Berg Pieter")) == ("van der Berg", "Pieter")
    assert split_name(Player("p1", "van den BERG Jan Willem")) == ("van den BERG", "Jan Willem")
    assert split_name(Player("p1", "de la Cruz, Juan Carlos")) == ("de la Cruz", "Juan Carlos")
    assert split_name(Player("p1", "Garcia Lopez, Ana")) == ("Garcia Lopez", "Ana")
    assert split_name(Player("p1", "SOLO")) == ("SOLO", "")
    assert split_name(Player("p1")) == ("p1", "")
    assert split_name(Player("p1", "佐藤 花子", latin="SATO Hanako")) == ("SATO", "Hanako")


def test_a_game_is_credited_to_the_number_of_the_list_or_to_a_newcomer():
    """An id is the event's own key: '1' is another person's number in the rating list."""
    players = [Player("p1"), Player("1"), Player("p2", wof=5301), Player("007", wof="698"), Player("p3", wof="")]
    assert rating_list_numbers(players) == {"p1": 990_001, "1": 990_002, "p2": 5301, "007": 698, "p3": 990_003}


ASKED = {"schema": "othello-event/1", "format": "swiss", "name": "Café Cup", "date": "2026-11-22", "players": [
    {"id": "1", "name": "佐藤 花子", "latin": "SATO Hanako", "wof": 5301, "country": "JPN"},
    {"id": "2", "name": "MÜLLER Jörg", "country": "DEU"},
], "rounds": [{"round": 1, "games": [
    {"black": "1", "white": "2", "black_discs": 40, "white_discs": 24, "winner": "black"}]}]}  # fmt: skip


def test_the_header_and_newcomers_are_in_the_rating_list_s_form():
    """Four lines first, ASCII alone, a plus before a newcomer's number (worldothellofederation.com/ratinglist.html)."""
    text = write_elo(from_dict(ASKED), EloHeader("Japan", "Ann SMITH"))
    assert text.isascii()
    assert text.splitlines()[:5] == [
        "%%Tournament: Cafe Cup", "%%Country: Japan", "%%Date: 22/11/2026", "%%Sender: Ann SMITH", "",
    ]  # fmt: skip
    assert "%_%    5301, SATO, Hanako, JPN, 1, 40\n" in text
    assert "%_% +990001, MULLER, Jorg, DEU, 0, 24\n" in text
    assert "  5301 (40)>(24) 990001  B\n" in text
    sato, muller = from_dict(read_elo(text)).players
    assert (sato.wof, muller.wof) == (5301, None)
    assert file_name(from_dict(ASKED), "open") == "20261122_Cafe_Cup.ELO"


def test_data_missing_for_the_rating_list_are_named():
    missing, newcomer = missing_data(from_dict(ASKED))
    assert "country of the tournament in Latin letters, name of the sender in Latin letters" in str(missing)
    assert missing_data(from_dict(ASKED), EloHeader("韓国", "大会 花子"))[0] == missing, "the file would say ??"
    assert "1 player" in str(newcomer) and "MÜLLER" in str(newcomer)
    assert len(missing_data(from_dict(ASKED), EloHeader("Japan", "Ann SMITH"))) == 1


@pytest.mark.parametrize("country", ["日本", "日本国"])
def test_japan_is_known_by_its_japanese_names(country: str):
    """At the head of the file by its English name, with each player by its code."""
    players = [ASKED["players"][0] | {"country": country}, ASKED["players"][1] | {"country": "韓国"}]  # type: ignore[index]
    event, sending = from_dict(ASKED | {"players": players}), EloHeader(country, "Ann SMITH")
    text = write_elo(event, sending)
    assert text.isascii() and "%%Country: Japan\n" in text
    assert "SATO, Hanako, JPN, 1, 40\n" in text and "MULLER, Jorg, , 0, 24\n" in text
    assert len(missing_data(event, sending)) == 1, "the newcomer alone"
    assert "pays = JPN\n" in write_players(event)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"latin": None}, "1 player has no name in Latin letters.*佐藤 花子"),
        ({"wof": 698}, "698 .* 佐藤 花子 and with MÜ"),
    ],
)
def test_events_with_wrong_rating_data_are_refused(change: dict[str, object], words: str):
    players = [ASKED["players"][0] | change, ASKED["players"][1] | {"wof": 698}]  # type: ignore[index]
    with pytest.raises(EloError, match=words):
        write_elo(from_dict(ASKED | {"players": players}))
