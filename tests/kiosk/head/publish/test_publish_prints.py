"""Tests of printed pages: every player once, in the right order, and no slip for a table with a kiosk."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from events.recorded_events import recorded_event

from kiosk.head.publish.labels_and_formatting import day_name, grade_name
from kiosk.head.publish.print_sheets import KINDS, numbers_of, seats_of, sheet, slips_of
from kiosk.head.publish.published_event import PublishedDivision, book_of
from kiosk.locale import jinja_names, languages
from kiosk.records.event_file import from_dict


@pytest.fixture(scope="module")
def divisions() -> list[PublishedDivision]:
    first, second = recorded_event("m43-open", players=11, rounds=2), recorded_event("m40-17-32", players=17, rounds=1)
    for at, game in enumerate(game for game in second["rounds"][0]["games"] if "black" in game):
        game["table"] = 50 + at
    return [
        PublishedDivision("open", ("一般", "Open"), from_dict(first)),
        PublishedDivision("women", ("女子", "Women"), from_dict(second)),
    ]


def test_everybody_of_the_round_has_one_seat(divisions: list[PublishedDivision]) -> None:
    seats = seats_of(divisions)
    last = [division.event.rounds[-1] for division in divisions]
    assert len(seats) == sum(len(round_.players) for round_ in last)
    assert [seat.name for seat in seats] == sorted(seat.name for seat in seats)
    for seat in seats:
        if seat.division.key == "women":
            assert seat.colour == ""  # M40-1: a hidden disc decides


def test_slips_are_sorted_by_table_and_only_for_plain_tables(divisions: list[PublishedDivision]) -> None:
    tables = [slip.game.table for slip in slips_of(divisions)]
    assert tables == sorted(tables, key=lambda table: table or 0)
    kiosks = [table for table in tables if table and table < 50]
    assert [slip.game.table for slip in slips_of(divisions, tables=kiosks)] == [t for t in tables if t and t >= 50]


def test_an_earlier_round_can_be_printed_again(divisions: list[PublishedDivision]) -> None:
    assert {slip.round for slip in slips_of(divisions[:1], 1)} == {1}
    assert slips_of(divisions, 9) == []
    headings = {1: "Open Round 1 · Women Round 1", 2: "Open Round 2", None: "Open Round 2 · Women Round 1"}
    for round_, heading in headings.items():
        page = sheet(book_of(divisions), "seats", "en", style="print.css", round_=round_)
        assert f'<p class="note">{heading}</p>' in page


@pytest.mark.parametrize("lang", ["ja", "en"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_print_is_a_page_of_its_own(divisions: list[PublishedDivision], kind: str, lang: str) -> None:
    page = sheet(book_of(divisions), kind, lang, style="print.css")  # type: ignore[arg-type]
    assert f'<html lang="{lang}">' in page and "<script" not in page and " style=" not in page
    if kind in ("cards", "slips"):
        games = sum(len(division.event.rounds[-1].games) for division in divisions)
        assert len(re.findall(r'<article class="(?:card|slip)">', page)) == games


def test_the_registration_poster_has_both_names_of_the_event(divisions: list[PublishedDivision]) -> None:
    book = book_of(divisions, "春の大会", name_en="Spring Open")
    for lang in languages():
        assert "<h1>Spring Open<br>春の大会</h1>" in sheet(book, "register", lang, style="print.css")


def test_readings_stand_beside_names_where_they_are_called_out(divisions: list[PublishedDivision]) -> None:
    """On seat lists, slips and the check-in list, which has everybody with the remark, also before round 1."""
    players = [replace(one, kana=f"ヨミ{one.id}") for one in divisions[0].event.players]
    players[0] = replace(players[0], remark="車いす")
    rounds = divisions[0].event.rounds
    for event in (replace(divisions[0].event, players=tuple(players), rounds=each) for each in (rounds, ())):
        division = PublishedDivision("open", divisions[0].title, event)
        for kind in ("seats", "slips", "checkin"):
            in_round = {"seats": rounds[-1].players, "slips": [g for game in rounds[-1].games for g in game.players]}
            called = in_round.get(kind, [one.id for one in players]) if event.rounds or kind == "checkin" else []
            page = sheet(book_of([division]), kind, "ja", style="print.css")
            assert {one.id for one in players if f"<small>ヨミ{one.id}</small>" in page} == {*called}
            assert ("車いす" in page) is (kind == "checkin")
            assert "ヨミ" not in sheet(book_of([division]), kind, "en", style="print.css")


def test_namesakes_are_told_apart_in_lists_and_not_on_their_own_papers(divisions: list[PublishedDivision]) -> None:
    clubs = dict(zip([row.id for row in divisions[0].standings.rows], ("東小", "西小"), strict=False))
    players = [
        replace(one, name="山田 太郎", club=clubs[one.id]) if one.id in clubs else one
        for one in divisions[0].event.players
    ]
    event = replace(divisions[0].event, players=tuple(players))
    book = book_of([PublishedDivision("open", ("一般", "Open"), event)])
    for kind in ("standings", "prizes", "seats"):
        page = sheet(book, kind, "ja", style="print.css")
        assert "山田 太郎 (" in page and not re.search(r"山田 太郎(?! \()", page), kind
    assert "山田 太郎 (" not in sheet(book, "badges", "ja", style="print.css")


def test_tables_have_numbers_before_the_first_round_and_without_a_kiosk(divisions: list[PublishedDivision]) -> None:
    waiting = [PublishedDivision(one.key, one.title, replace(one.event, rounds=())) for one in divisions]
    assert numbers_of(waiting, ()) == [*range(1, 14)]
    assert numbers_of(waiting, (3, 30)) == [*range(1, 13), 30]
    assert numbers_of(waiting, tuple(range(20, 40))) == [*range(20, 40)]


def test_a_print_that_does_not_exist_is_refused(divisions: list[PublishedDivision]) -> None:
    with pytest.raises(KeyError):
        sheet(book_of(divisions), "money", "ja", style="print.css")


def test_grades_and_dates_are_written_in_the_usual_form() -> None:
    assert [jinja_names("ja")["say"](grade_name(g)) for g in ("7d", "1d", "10d", "3k", None, "Meijin")] == [
        "七段", "初段", "十段", "3級", "", "Meijin",
    ]  # fmt: skip
    assert [jinja_names("en")["say"](grade_name(g)) for g in ("7d", "1k")] == ["7 dan", "1 kyu"]
    day = day_name("2031-04-05")
    assert jinja_names("ja")["say"](day) == "2031年4月5日" and jinja_names("en")["say"](day) == "5 April 2031"
    assert day_name("spring") == "spring"
