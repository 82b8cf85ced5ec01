"""Tests of creating a division: presets, player lists in every spelling, lots."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tournament.event_model import EventOptions, Player
from engine.tournament.format_spec_and_options import GROUPS
from engine.tournament.lots_and_leagues import draw_lots
from kiosk.head.errors import HeadError
from kiosk.head.event.act_reducers import apply
from kiosk.head.event.act_types import PlayerRemoved
from kiosk.head.event.round_timetable import plan_of
from kiosk.head.event.tournament_state import DayPlan, DivisionState, TableRules
from kiosk.head.registration.lot_drawing import draw_trace_of, lots_from_ballots, lots_from_seed
from kiosk.head.registration.player_list_import import ImportedPlayer, decode, match_with_known, parse_list
from kiosk.head.registration.rating_and_member_lookup import PlayerList, read_file
from kiosk.head.registration.tournament_format_options import CHOICES, KINDS, choices_of
from kiosk.locale import JAPANESE, render
from kiosk.records.event_file import from_dict, player_of

FORMATS = (
    "m43-open", "m43-division", "m40-open", "m40-33-64", "m40-17-32", "m40-13-16", "m40-9-12", "m40-elementary",
    "team", "chouchou", "swiss", "round-robin", "knockout", "adjacent", "othello-pool",
)  # fmt: skip


def division(players: list[dict[str, Any]], format: str = "m40-open", **more: Any) -> DivisionState:
    event = {"schema": "othello-event/1", "format": format, "options": {}, "players": players}
    return DivisionState("open", from_dict(event), "e", TableRules("m40", 1200), **more)


def people(count: int) -> list[dict[str, Any]]:
    return [{"id": f"p{number}", "name": f"Name {number}"} for number in range(1, count + 1)]


def test_every_format_has_a_usable_preset() -> None:
    assert {kind.format for kind in KINDS} == set(FORMATS)
    assert len({kind.key for kind in KINDS}) == len(KINDS) and {kind.group for kind in KINDS} == set(GROUPS)
    for kind in KINDS:
        event = {"schema": "othello-event/1", "format": kind.format, "options": dict(kind.options), "players": []}
        from_dict(event)
        if kind.plan is not None:
            assert plan_of(DayPlan(*kind.plan))


def test_every_choice_gives_a_valid_option_of_its_formats() -> None:
    for format in FORMATS:
        for choice in choices_of(format):
            ends = ("32", "64") if choice.name == "bye_discs" else (str(choice.low), str(choice.high))  # AMB-48: of 8x8
            for typed in [value for value, _ in choice.values] or ends:
                options = {choice.name: choice.read_form(dict.fromkeys(choice.fields, "") | {choice.fields[0]: typed})}
                from_dict({"schema": "othello-event/1", "format": format, "options": options, "players": []})
    for choice in CHOICES.values():
        assert choice.read_form(dict.fromkeys(choice.fields, "")) is None
        with pytest.raises(ValueError, match=r"must be|none of"):
            choice.read_form(dict.fromkeys(choice.fields, "x"))
        if choice.places:
            twice = dict.fromkeys(choice.fields, "") | dict.fromkeys(choice.fields[1:3], choice.values[0][0])
            with pytest.raises(ValueError, match="once"):
                choice.read_form(twice)


def test_numbers_of_a_choice_may_have_full_width_digits() -> None:
    choice = next(choice for choice in choices_of("adjacent") if choice.name == "rounds")
    assert choice.read_form({"choice-rounds": "４"}) == 4


def test_a_number_of_a_choice_with_thousands_of_digits_is_refused() -> None:
    choice = next(choice for choice in choices_of("adjacent") if choice.name == "rounds")
    with pytest.raises(HeadError, match=r"'1{20}' must be a whole number from 1"):
        choice.read_form({"choice-rounds": "1" * 5000})


# lists


@pytest.mark.parametrize(
    "text",
    [
        "氏名\t段位\t生年\n青木 みどり\t３段\t２０１４\n千葉　海斗\t初段\t平成20年\n",
        "No.,選手名,段級位,生年月日\r\n1,青木 みどり,3段,2014/4/2\r\n2,千葉 海斗,1d,2008-05-06\r\n",
        "青木 みどり\t三段\t2014\n千葉 海斗\t初段\t2008",
        "1;青木 みどり;3d;2014\n2;千葉 海斗;1d;2008\n",
        "姓,名,段位,生年\n青木,みどり,3段,H26\n千葉,海斗,初段,H20\n",
        '"青木 みどり","3d","2014"\n\n"千葉 海斗","1d","2008"\n',
    ],
    ids=["excel", "csv", "no header", "semicolons", "two name columns", "quoted"],
)
def test_one_list_in_every_spelling(text: str) -> None:
    listing = parse_list(text)
    assert listing.problems == ()
    assert [dict(entry.player) for entry in listing.entries] == [
        {"name": "青木 みどり", "grade": "3d", "birth_year": 2014},
        {"name": "千葉 海斗", "grade": "1d", "birth_year": 2008},
    ]


def test_an_unreadable_line_is_named_and_the_others_are_imported() -> None:
    text = "氏名,段位,性別\n青木 みどり,三段,女\n,初段,男\n千葉 海斗,強い,男\n遠藤 さくら,2d,?\n後藤 大和,,男\n"
    listing = parse_list(text)
    assert [entry.player["name"] for entry in listing.entries] == ["青木 みどり", "後藤 大和"]
    assert [problem.line for problem in listing.problems] == [3, 4, 5]
    assert "強い" in render(listing.problems[1].why, JAPANESE) and "強い" in str(listing.problems[1].why)


def test_a_double_import_is_recognised_and_merged() -> None:
    """Players are matched by name, regardless of spaces and character widths; the birth year distinguishes
    namesakes."""
    known = [Player("p1", "青木みどり", "2d"), Player("p2", "Lund Bea", birth_year=1988)]
    listing = parse_list("青木　みどり\t3段\nＬＵＮＤ bea\t5d\n".replace("\t", ","), known)
    assert [entry.known for entry in listing.entries] == ["p1", "p2"] and listing.new == ()
    assert [dict(entry.changes) for entry in listing.changed] == [{"grade": "3d"}, {"grade": "5d"}]
    other = parse_list("名前,生年\nLund Bea,2001\n", known)
    assert len(other.new) == 1 and other.new[0].note is not None
    twice = parse_list("青木 みどり\n青木みどり\n")
    assert len(twice.new) == 1 and "1" in str(twice.problems[0].why)
    _, (problem,) = match_with_known([ImportedPlayer(1, {"id": "p2", "name": "Another"})], known)
    assert str(problem.why).startswith("the id p2")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp932"])
def test_files_of_every_spreadsheet(encoding: str) -> None:
    assert decode("氏名,段位\n髙木 ①郎,3段".encode(encoding)) == "氏名,段位\n髙木 ①郎,3段"


def test_a_file_that_is_no_text_is_refused() -> None:
    with pytest.raises(ValueError, match="CSV"):
        decode(b"\x89PNG\r\n\x1a\n\x00\xff\xfe\xfd\x81")


@given(st.text(max_size=200))
def test_no_text_makes_the_reader_fail(text: str) -> None:
    listing = parse_list(text)
    assert all(entry.player["name"] for entry in listing.entries)


@given(st.lists(st.tuples(st.text("青木千葉ab", min_size=1, max_size=5), st.integers(1950, 2020)), max_size=12))
def test_imported_players_are_not_new_at_the_next_import(rows: list[tuple[str, int]]) -> None:
    text = "name\tbirth_year\n" + "\n".join(f"{name}\t{year}" for name, year in rows)
    taken = [player_of({**entry.player, "id": f"p{n}"}) for n, entry in enumerate(parse_list(text).new)]
    again = parse_list(text, taken)
    assert again.new == () and again.changed == ()


def test_a_membership_number_is_unique() -> None:
    """会員番号 keeps its leading zeros; one that another player has is refused with his name."""
    listing = parse_list("会員番号,選手番号,氏名\n00731,12,青木 みどり\n")
    assert listing.new[0].player == {"national": "00731", "number": "12", "name": "青木 みどり"}
    known = [Player("p1", "森 千尋", national="00731", wof=5301)]
    for text in ("会員番号,氏名\n00731,青木 みどり\n", "WOF番号,氏名\n5301,青木 みどり\n"):
        (problem,) = parse_list(text, known).problems
        assert "森 千尋" in str(problem.why)


def test_a_rating_number_identifies_a_player_and_a_name_is_a_question(tmp_path: Path) -> None:
    roster = PlayerList(tmp_path / "roster.json")
    papp = 'pays = "SWE"\n5301 LUND, Bea %_<1565>\n5302 LUND, Nils\n5303 MÖRK, Ida\n'
    roster.replace(read_file(papp.encode()))
    for roster in (roster, PlayerList(tmp_path / "roster.json")):  # noqa: B020
        assert (roster.find_by_number(5301) or {})["name"] == "LUND Bea"
        assert roster.find_by_number(1) is None and roster.find_by_number(None) is None
        assert [one["wof"] for one in roster.suggest("Bea Lund")] == [5301]
        assert [one["wof"] for one in roster.suggest("Lund Eva")] == [5301, 5302]
        assert [one["wof"] for one in roster.suggest("Ida Mork")] == [5303]
        assert roster.suggest("森 千尋") == [] and roster.suggest("") == []


def test_only_its_owner_may_read_a_list_of_players(tmp_path: Path) -> None:
    """The mode of a list that an earlier version left readable is corrected at the next start."""
    file = tmp_path / "roster.json"
    before = os.umask(0o022)
    try:
        PlayerList(file).replace([{"name": "青木 みどり", "birth_year": 2018}])
        assert file.stat().st_mode & 0o777 == 0o600
        file.chmod(0o644)
        assert len(PlayerList(file)) == 1 and file.stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)


def test_players_are_found_in_a_list_of_another_program(tmp_path: Path) -> None:
    roster = PlayerList(tmp_path / "roster.json")
    papp = 'pays = "SWE"\n5301 LUND, Bea %_<1565>\n5302 ORRE, Nils {NOR} <1820>\n'
    roster.replace(read_file(papp.encode()))
    roster.replace(
        read_file("氏名,国,レーティング\nLUND Bea,SWE,1565\nORRE Nils,NOR,1820\nLund Carl,SWE,900\n".encode("cp932"))
    )
    again = PlayerList(tmp_path / "roster.json")
    assert [player["name"] for player in again.find("lund")] == ["LUND Bea", "Lund Carl"]
    assert [player["name"] for player in again.find("nils or")] == ["ORRE Nils"]
    assert again.find("") == [] and len(again) == 3
    found = again.find_by_name("ｌｕｎｄ　ｂｅａ")
    assert found is not None and (found["country"], found["rating"]) == ("SWE", 1565)
    (tmp_path / "roster.json").write_text("[{")
    assert len(PlayerList(tmp_path / "roster.json")) == 0
    assert [player["name"] for player in read_file(papp.encode())] == ["LUND Bea", "ORRE Nils"]
    with pytest.raises(HeadError):
        read_file(b"\n\n")


# lots

BALLOTS = ["12345", "67890", "00042"]


def test_ballots_give_the_lots_of_the_rule_book() -> None:
    """M40L: what the desk writes is what the engine draws from the same ballots."""
    open_ = division([{**player, "seed": 1} if player["id"] == "p7" else player for player in people(70)])
    drawn = lots_from_ballots(open_, BALLOTS)
    event = replace(open_.event, options=EventOptions(lot_ballots=tuple(BALLOTS)))
    assert drawn.lots == draw_lots(event, leagues=False).lots
    assert drawn.lots["p7"] == 1 and drawn.options == {"lot_ballots": BALLOTS}


def test_the_draw_can_be_followed_step_by_step() -> None:
    open_ = division(people(9), "adjacent")
    draw = draw_trace_of(apply(open_, lots_from_ballots(open_, BALLOTS)))
    assert draw is not None and draw.ballots == tuple(BALLOTS)
    assert draw.initial == 123456789000042 % 8_388_608
    number = draw.initial
    for _, before, after in draw.rolls:
        assert before == number and after == (65_793 * before + 4_282_663) % 8_388_608
        number = after
    assert [line.lot for line in draw.lines] == list(range(1, 10))
    assert [line.number for line in draw.lines] == sorted(after for _, _, after in draw.rolls)


def test_the_numbers_of_a_draw_stay_when_one_of_its_players_is_deleted() -> None:
    open_ = division(people(9), "adjacent")
    drawn = apply(open_, lots_from_ballots(open_, BALLOTS))
    before, after = draw_trace_of(drawn), draw_trace_of(apply(drawn, PlayerRemoved("open", player="p4")))
    assert before is not None and after is not None and before.rolls == after.rolls
    assert after.lines == tuple(line for line in before.lines if line.player != "p4")


def test_leagues_are_shown_with_the_lots() -> None:
    open_ = division(people(40), "m40-33-64")
    drawn = lots_from_seed(open_, 5)
    assert lots_from_seed(open_, 5).lots == drawn.lots != lots_from_seed(open_, 6).lots
    draw = draw_trace_of(apply(open_, drawn))
    assert draw is not None and draw.seed == 5
    assert [line.league for line in draw.lines[:5]] == ["A", "B", "C", "D", "A"]


@pytest.mark.parametrize("ballots", [["1", "2", "3"], ["12345", "67890"], ["12345", "67890", "1234x"]])
def test_invalid_ballots_are_refused(ballots: list[str]) -> None:
    with pytest.raises(HeadError, match="five digits"):
        lots_from_ballots(division(people(8)), ballots)


def test_places_in_a_bracket_are_not_drawn_from_ballots() -> None:
    with pytest.raises(HeadError, match="bracket"):
        lots_from_ballots(division(people(20), "m40-17-32"), BALLOTS)
