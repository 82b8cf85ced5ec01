"""Tests of irregular player lists: titles, names in two columns, ditto marks, invisible characters."""

from __future__ import annotations

import io

import pytest
import xlsxwriter

from engine.tournament.event_model import Player
from engine.tournament.player_entry_fields import name_key
from kiosk.head.registration.player_list_columns_and_cells import (
    COLUMNS,
    UnreadableList,
    parse_grade,
    parse_year,
    read_cell,
    to_half_width,
)
from kiosk.head.registration.player_list_import import (
    ImportResult,
    ListedDivision,
    decode,
    parse_list,
    with_repeats_written_out,
)
from kiosk.head.registration.workbook_reader import sheets_of
from kiosk.locale import JAPANESE, render


def _entries(listing: ImportResult) -> list[dict[str, object]]:
    return [dict(one.player) for one in listing.entries]


#: what is shown, the list, its players, and the beginning of the reason why each line is refused, by its number
LISTS: list[tuple[str, str, list[dict[str, object]], dict[int, str]]] = [
    ("headings below a title, and a footer",
     "第7回 みどり市オセロ大会 参加者名簿,,,\n2026年11月1日,会場:公民館,,\n\nNo.,氏名,ふりがな,所属\n"
     "1,山田 太郎,やまだ たろう,緑石会\n2,佐藤 花,さとう はな,市立小\n,※欠席は前日までに連絡,,\n,参加者 2名,,\n",
     [{"name": "山田 太郎", "kana": "やまだ たろう", "club": "緑石会"},
      {"name": "佐藤 花", "kana": "さとう はな", "club": "市立小"}],
     {7: "this line is a note", 8: "this line is a count"}),
    ("players above the headings", "山田 太郎,三段,緑石会\n氏名,段位\n佐藤 花,初段\n",
     [{"name": "佐藤 花", "grade": "1d"}], {1: "this line is above the headings"}),
    ("a ditto mark with nothing above", "氏名,所属\n山田 太郎,同上\n", [], {2: "'同上' has nothing above"}),
    ("dashes in any column, and sex under a short heading",
     "氏名,性,生年,段位,レート,所属\n山田 太郎,男子,ー,ー,なし,－\n佐藤 花,女子,2010,,,緑石\n",
     [{"name": "山田 太郎", "sex": "M"}, {"name": "佐藤 花", "sex": "F", "birth_year": 2010, "club": "緑石"}], {}),
    ("players who are named by a number", "選手1\n選手2\n選手計 2名\n参加者 2名",
     [{"name": "選手1"}, {"name": "選手2"}], {3: "this line is a count", 4: "this line is a count"}),
    ("an English list with numbers of the world list, and a count below",
     "No;Surname;Forename;WOF ID;Rating\n1;Lund;Bea;5301;1,565\nTotal: 1 players;;;;\n",
     [{"name": "Lund Bea", "wof": 5301, "rating": 1565}], {3: "this line is a count of players, not a player"}),
    ("names in Latin letters and numbers of the world list",
     "氏名\t名前（ローマ字で）\tWOF番号\n青木 みどり\tAOKI Midori\t5301\n",
     [{"name": "青木 みどり", "latin": "AOKI Midori", "wof": 5301}], {}),
    ("fees as amounts", 'name,fee\nAnn,"3,000円"\nBea,2000\nCai,20 EUR\n',
     [{"name": "Ann", "fee": 3000}, {"name": "Bea", "fee": 2000}, {"name": "Cai", "fee": "20 EUR"}], {}),
    ("a number beyond its limits, which an event file would refuse", "name,rating\nAnn,1500\nBea,999999\n",
     [{"name": "Ann", "rating": 1500}], {3: "Rating: '999999' is not a whole number from -10000 to 100000"}),
    ("a column of names with their reading", "氏名,氏名（ふりがな）\n山田 太郎,やまだ たろう\n",
     [{"name": "山田 太郎", "kana": "やまだ たろう"}], {}),
    *((f"two columns: {headings}", f"{headings}\n{cells}\n", [player], {}) for headings, cells, player in (
        ("姓,名,姓（フリガナ）,名（フリガナ）", "山田,太郎,ヤマダ,タロ", {"name": "山田 太郎", "kana": "ヤマダ タロ"}),
        ("姓,名,セイ,メイ", "山田,太郎,ヤマダ,タロウ", {"name": "山田 太郎", "kana": "ヤマダ タロウ"}),
        ("姓,名,姓カナ,名カナ", "山田,太郎,ヤマダ,タロウ", {"name": "山田 太郎", "kana": "ヤマダ タロウ"}),
        ("氏,名", "山田,太郎", {"name": "山田 太郎"}),
        ("姓,名前,段位", "山田,太郎,三段", {"name": "山田 太郎", "grade": "3d"}),
        ("Surname,Forename", "Lund,Beatrix", {"name": "Lund Beatrix"}),
        ("First name,Name", "Beatrix,Lund", {"name": "Lund Beatrix"}),
        ("姓,名,姓（ローマ字）,名（ローマ字）", "山田,太郎,YAMADA,Taro", {"name": "山田 太郎", "latin": "YAMADA Taro"}),
    )),
    *((f"the question {asked}", f"Timestamp,{asked},Club\n2026/11/01 9:00,Lund Beatrix,Example\n",
       [{"name": "Lund Beatrix", "club": "Example"}], {})
      for asked in ("Your name", "Player's name", "What is your name?", "氏名を入力してください")),
    *((f"the ditto mark {mark}", f"氏名\t所属\n山田 太郎\t緑石会\n佐藤 花\t{mark}\n鈴木 一\t{mark}\n",
       [{"name": name, "club": "緑石会"} for name in ("山田 太郎", "佐藤 花", "鈴木 一")], {})
      for mark in ("同上", "〃", "″", "同じ", "ditto")),
    *((f"{name} as a name", f"氏名,段位\n山田 太郎,三段\n{name},初段\n",
       [{"name": "山田 太郎", "grade": "3d"}], {3: ""})
      for name in ("12", "１２", "3-4", "氏名", "ふりがな", "Surname")),
    *((f"{cell}, a reading or a title behind a name", f"氏名,段位\n{cell},三段\n", [{"grade": "3d", **player}], {})
      for cell, player in (
        ("山田 太郎（やまだ たろう）", {"name": "山田 太郎", "kana": "やまだ たろう"}),
        ("山田 太郎 様", {"name": "山田 太郎"}), ("山田太郎様", {"name": "山田太郎"}),
        ("山田 花さん", {"name": "山田 花さん"}), ("山田 花 さん", {"name": "山田 花"}),
        ("山田 太郎（弟）", {"name": "山田 太郎(弟)"}))),
    *((f"one column {heading}", f"第5回教室大会,\n{heading},所属\n山田 太郎（やまだ たろう）様,緑石会\n佐藤 花,\n",
       [{"name": "山田 太郎", "kana": "やまだ たろう", "club": "緑石会"}, {"name": "佐藤 花"}], {})
      for heading in ("氏名（ふりがな）", "お名前・フリガナ", "名前 (かな)")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "players", "refused"), [one[1:] for one in LISTS], ids=[one[0] for one in LISTS])
def test_a_list_is_read(text: str, players: list[dict[str, object]], refused: dict[int, str]) -> None:
    listing = parse_list(text)
    assert _entries(listing) == players
    assert [one.line for one in listing.problems] == [*refused]
    assert all(str(one.why).startswith(refused[one.line]) for one in listing.problems)


def test_a_seed_has_no_decimals() -> None:
    with pytest.raises(UnreadableList, match="not a whole number"):
        read_cell(COLUMNS["seed"], "1.5")


def test_merged_cells_of_a_workbook_are_filled() -> None:
    written = io.BytesIO()
    with xlsxwriter.Workbook(written) as book:
        sheet = book.add_worksheet("名簿")
        sheet.merge_range("B2:E2", "みどり市オセロ大会 選手名簿")
        sheet.write_row("B3", ["No.", "氏名", "", "所属"])
        sheet.merge_range("C3:D3", "氏名")
        for row, (family, given) in enumerate([("山田", "太郎"), ("佐藤", "花"), ("鈴木", "一")]):
            sheet.write_row(3 + row, 1, [row + 1, family, given])
        sheet.merge_range("E4:E5", "緑石会")
    ((_, text),) = sheets_of(written.getvalue())
    assert _entries(parse_list(text)) == [
        {"name": "山田 太郎", "club": "緑石会"},
        {"name": "佐藤 花", "club": "緑石会"},
        {"name": "鈴木 一"},
    ]


def test_headings_in_two_merged_rows_make_no_player() -> None:
    written = io.BytesIO()
    with xlsxwriter.Workbook(written) as book:
        sheet = book.add_worksheet("名簿")
        sheet.merge_range("A1:E1", "みどり市オセロ大会 選手名簿")
        sheet.merge_range("A3:A4", "No.")
        sheet.merge_range("B3:C3", "氏名")
        sheet.write_row("B4", ["姓", "名"])
        sheet.merge_range("D3:D4", "フリガナ")
        sheet.write("E3", "段級")
        sheet.write_row("A5", [1, "山田", "太郎", "ヤマダ タロウ", "３段"])
    ((_, text),) = sheets_of(written.getvalue())
    listing = parse_list(text)
    assert _entries(listing) == [{"name": "山田 太郎", "kana": "ヤマダ タロウ", "grade": "3d"}]
    assert not listing.problems and listing.ignored_headings == ("No.",)


def test_headings_in_two_rows_of_a_text_say_what_the_lower_row_says() -> None:
    listing = parse_list("No,氏名,,フリガナ,\n,姓,名,セイ,メイ\n1,山田,太郎,ヤマダ,タロウ\n")
    assert _entries(listing) == [{"name": "山田 太郎", "kana": "ヤマダ タロウ"}]
    assert not listing.problems and listing.header_lines == (1, 2)


def test_headings_repeated_further_down_are_reported() -> None:
    listing = parse_list("氏名,所属\n山田 太郎,緑石会\n氏名,所属\n佐藤 花,緑石会\n")
    assert [one.player["name"] for one in listing.entries] == ["山田 太郎", "佐藤 花"]
    assert [one.line for one in listing.problems] == [3]


def test_invisible_characters_make_no_second_person() -> None:
    """Variation selectors stay in a name as shown; zero-width spaces, direction marks and a BOM do not."""
    assert name_key("葛\U000e0100西 一") == name_key("葛西一") == name_key("葛\ufe00西\u200b一")
    listing = parse_list("\ufeff氏名\n\u200b葛\U000e0100西\u2060 一\u200e\n", [Player("p1", "葛西 一")])
    assert listing.header_lines and [one.known for one in listing.entries] == ["p1"]
    assert to_half_width("\u200b葛\U000e0100西\ufeff 一") == "葛\U000e0100西 一"


@pytest.mark.parametrize(
    ("cell", "grade"),
    [("無", ""), ("級位なし", ""), ("段位なし", ""), ("未取得", ""), ("初心者", ""), ("ー", ""), ("―", ""),
     ("無し", ""), ("3だん", "3d"), ("しょだん", "1d"), ("２きゅう", "2k"), ("三ダン", "3d"), ("なし", ""),
     ("三段", "3d"), ("３段", "3d"), ("初段", "1d"), ("十段", "10d"), ("5級", "5k"), ("3d", "3d"), ("2K", "2k")],
)  # fmt: skip
def test_grades_in_every_spelling(cell: str, grade: str) -> None:
    assert parse_grade(to_half_width(cell)) == grade


@pytest.mark.parametrize(
    "content",
    [b"<html><table><tr><td>A</td></tr></table></html>", b"\r\n<!DOCTYPE html><p>A", b"{\\rtf1\\ansi A}",
     b"%PDF-1.7\nA", b'<?xml version="1.0"?><Workbook/>', "<table><tr><td>山田</td></tr></table>".encode("cp932"),
     b"MIME-Version: 1.0\r\nA"],
)  # fmt: skip
def test_other_kinds_of_files_are_refused_with_a_message(content: bytes) -> None:
    with pytest.raises(UnreadableList, match="save it as an Excel workbook or CSV") as refused:
        decode(content)
    assert render(refused.value.text, JAPANESE) != str(refused.value)


def test_one_person_with_and_without_a_birth_year_is_asked_about() -> None:
    listing = parse_list("氏名,生年\n山田 太郎,2010\n佐藤 花,\n山田太郎,\n佐藤 花,2012\n")
    assert [one.line for one in listing.entries] == [2, 3]
    assert [(one.line, "birth year" in str(one.why)) for one in listing.problems] == [(4, True), (5, True)]
    alike = parse_list("氏名,段位\n山田 太郎,初段\n山田太郎,初段\n山田 太郎,５級\n")
    assert [(one.line, "birth year" in str(one.why)) for one in alike.problems] == [(3, False), (4, True)]
    two = parse_list("氏名,生年\n山田 太郎,2010\n山田 太郎,1980\n")
    assert len(two.entries) == 2 and not two.problems


@pytest.mark.parametrize(
    ("cell", "year"),
    [("2014", 2014), ("20140402", 2014), ("２０１４", 2014),
     ("2014/4/2", 2014), ("平成26年", 2014), ("H26", 2014), ("令和元年", 2019), ("昭和63", 1988)],
)  # fmt: skip
def test_birth_years_in_every_spelling(cell: str, year: int) -> None:
    assert parse_year(to_half_width(cell)) == year


@pytest.mark.parametrize(
    ("heading", "cells", "years"),
    [
        ("生年", ["20018"], [None]),
        ("生年", ["2010", "20018", "2012"], [2010, None, 2012]),
        ("生年月日", ["2010", "20018", "2012"], [2010, None, 2012]),
        ("生年", ["31037", "20145", "41731"], [1984, 1955, 2014]),
        ("生年月日", ["31037"], [1984]),
        ("生年月日", ["2014/4/2", "31037", "1990-05-06"], [2014, 1984, 1990]),
        ("Date of birth", ["31037", "1990"], [None, 1990]),
    ],
)
def test_a_number_of_five_digits_is_a_day_in_a_column_of_dates_only(
    heading: str, cells: list[str], years: list[int | None]
) -> None:
    """A spreadsheet saves a date as such a number; among years it is a slip of the hand."""
    names = ["山田 太郎", "佐藤 花", "鈴木 一"]
    text = "\n".join(f"{name}\t{cell}" for name, cell in zip(["氏名", *names], [heading, *cells], strict=False))
    listing = parse_list(text)
    found = {one.player["name"]: one.player["birth_year"] for one in listing.entries}
    assert [found.get(name) for name in names[: len(cells)]] == years
    assert [str(one.why) for one in listing.problems] == [
        f"the birth year '{cell}' cannot be read; write 2014"
        for cell, year in zip(cells, years, strict=True)
        if year is None
    ]


def test_japan_becomes_its_code_by_each_of_its_names() -> None:
    listing = parse_list("氏名,国籍\n山田 太郎,日本\n佐藤 花,日本国\n鈴木 一,Japan\n林 守,swe\n森 葉,韓国\n")
    assert [one.player["country"] for one in listing.entries] == ["JPN", "JPN", "JPN", "SWE", "韓国"]


def test_a_typed_birth_year_has_four_digits() -> None:
    with pytest.raises(UnreadableList, match="'20018' cannot be read"):
        read_cell(COLUMNS["birth_year"], "20018")


def test_half_width_kana_are_those_of_any_other_list() -> None:
    listing = parse_list("姓,名,セイ,メイ,所属\n佐藤,花,ｻﾄｳ,ﾊﾅ,横浜ｵｾﾛｸﾗﾌﾞ\n")
    assert _entries(listing) == [{"name": "佐藤 花", "kana": "サトウ ハナ", "club": "横浜オセロクラブ"}]
    assert listing.fields == {"family", "given", "family_kana", "given_kana", "name", "kana", "club"}


def test_a_division_is_known_by_its_name_without_the_word_division() -> None:
    divisions = [ListedDivision("open", ("無差別の部", "Open"), ()), ListedDivision("kids", ("小学生の部", "Kids"), ())]
    text = "氏名,部門\n山田 太郎,無差別\n佐藤 花,小学生部門\n鈴木 一,Kids Division\n林 守,級位者\n森 葉,級位者\n"
    listing = parse_list(text, divisions=divisions, slug="open")
    assert [one.division for one in listing.entries] == ["open", "kids", "kids"]
    assert listing.unknown_divisions == ("級位者",) and len(listing.problems) == 2


def test_blank_rows_of_a_workbook_are_counted_and_merged_cells_make_no_player_of_them() -> None:
    written = io.BytesIO()
    with xlsxwriter.Workbook(written) as book:
        sheet = book.add_worksheet("申込")
        sheet.write_row("A3", ["部門", "氏名", "所属"])
        sheet.merge_range("A4:A7", "無差別")
        for row, cells in enumerate([("山田 太郎", "緑石会"), (), ("佐藤 花", "〃"), ("1234", "同上")]):
            sheet.write_row(3 + row, 1, cells)
        sheet.write("A8", "以上 3名")
    ((_, text),) = sheets_of(written.getvalue())
    listing = parse_list(with_repeats_written_out(text))
    assert [(one.line, one.player["name"]) for one in listing.entries] == [(4, "山田 太郎"), (6, "佐藤 花")]
    assert [(one.line, str(one.why)[:25]) for one in listing.problems] == [
        (7, "'1234' is not a name; is "), (8, "this line is a count of p")
    ]  # fmt: skip


def test_a_line_break_in_a_cell_leaves_whole_lines_to_correct() -> None:
    text = with_repeats_written_out('氏名,"段位\n(級位)",生年\n青木 緑,3段,2012\n"千葉\n海斗",3x,2010\n')
    listing, lines = parse_list(text), text.split("\n")
    assert [(one.line, one.player["name"]) for one in listing.entries] == [(3, "青木 緑")]
    left = [lines[line - 1] for line in (*listing.header_lines, *(one.line for one in listing.problems))]
    corrected = parse_list("\n".join(left).replace("3x", "3d"))
    assert _entries(corrected) == [{"name": "千葉 海斗", "grade": "3d", "birth_year": 2010}] and not corrected.problems


@pytest.mark.parametrize(
    ("cell", "rating"),
    [("1,450", 1450), ("1.450", 1450), ("1'450", 1450), ("1450.6", 1451), ("1450,2", 1450), ("unr.", ""),
     ("Unrated", ""), ("-12.5", -12)],
)  # fmt: skip
def test_ratings_are_read_as_rating_lists_write_them(cell: str, rating: object) -> None:
    assert read_cell(COLUMNS["rating"], cell) == rating


def test_a_comma_in_a_name_is_noted() -> None:
    """It moves the cells after it, and the country becomes a number; a column that somebody chose is none too many."""
    text = "name,country,national,rating\nAoki Midori,JPN,1001,1900\nO'Neil, Sean,IRL,1005,1650\n"
    assert [one.note is not None for one in parse_list(text).entries] == [False, True]
    quoted = text.replace("O'Neil, Sean", '"O\'Neil, Sean"')
    assert [(one.player["name"], one.note) for one in parse_list(quoted).entries][1] == ("O'Neil, Sean", None)
    chosen = parse_list(text, assigned=("name", "", "country", "national", "rating"))
    assert not any(one.note for one in chosen.entries)
