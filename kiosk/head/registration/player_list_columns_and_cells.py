"""Detection of the columns of a player list, by its header or by the look of most of their cells; and parsing of its
cells: a grade, a birth year, a number.

A cell that is not understood is refused with the spelling that is expected; nothing is guessed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from itertools import zip_longest

from engine.i18n import Text, say
from engine.tournament.player_entry_fields import (
    DIVISION,
    GRADE,
    INVISIBLE,
    LISTED,
    MOST_FEE,
    PLAYER_FIELDS,
    SEXES,
    TEAM,
    Cell,
    PlayerField,
    country_code,
)
from kiosk.head.errors import HeadError

_KANJI = {kanji: number for number, kanji in enumerate("〇一二三四五六七八九")} | {"初": 1, "十": 10}
_KANJI |= {"壱": 1, "弐": 2, "参": 3, "しょ": 1}
#: cells that say that there is no value, in any column, and those that say that there is no grade
_NO_VALUE = frozenset(("-", "--", "ー", "―", "—", "–", "‐", "なし", "無し", "無", "不明", "未定", "未記入", "n/a",
                       "none", "unrated", "unr", "unr."))  # fmt: skip
_NO_GRADE = _NO_VALUE | {
    "無段", "無級", "段位なし", "級位なし", "段級位なし", "段なし", "級なし", "未取得", "未認定", "初心者",
}  # fmt: skip
#: the year before each era, and its last year
_ERAS = {
    "明治": (1867, 45), "大正": (1911, 15), "昭和": (1925, 64), "平成": (1988, 31), "令和": (2018, 99),
    "T": (1911, 15), "S": (1925, 64), "H": (1988, 31), "R": (2018, 99),
}  # fmt: skip
#: limits of one list, above any event or federation; of one line in letters and in columns
MAX_PLAYERS, MAX_LINE, MAX_COLUMNS = 5_000, 2_000, 60
KANA = re.compile(r"[ぁ-ゖァ-ヺー･・ｦ-ﾟ ]+")
#: half-width kana and their marks
_HALF_WIDTH_KANA = re.compile("[\uff61-\uff9f]+")
#: day 0 of a spreadsheet's dates
_SPREADSHEET_EPOCH = date(1899, 12, 30)
#: number of a day from 1927 to 2091
_DAY = r"[1-6]\d{4}"
_ASKS_FOR_DATE = re.compile("月日|誕生日|birthday|date", re.IGNORECASE)
_NUMBER = re.compile(r"-?[0-9]{1,6}")
#: mark between thousands: "1,450", "1.450", "1 450", "1'450"
_THOUSANDS = re.compile(r"(?<=[0-9])[,. '](?=[0-9]{3}(?![0-9]))")
#: rating with decimals, which a rating list may have and an event has not
_DECIMALS = re.compile(r"(-?[0-9]{1,6}[.,][0-9]{1,2})")
#: an amount in yen, with at most one character before and one after its digits
_AMOUNT = re.compile(r"\D?([0-9][0-9,]{0,9})\D?")


class UnreadableList(HeadError):  # noqa: N818 - named after the condition
    """A list, or a cell of it, that cannot be parsed."""


def to_half_width(text: str) -> str:
    """Return full-width letters, digits and blanks as half-width ones, half-width kana as full-width ones, without
    invisible characters; kanji are unchanged.
    """
    half = (
        unicodedata.normalize("NFKC", char) if "\uff01" <= char <= "\uff5e" else char
        for char in INVISIBLE.sub("", text).replace("\u3000", " ")
    )
    joined = _HALF_WIDTH_KANA.sub(lambda kana: unicodedata.normalize("NFKC", kana[0]), "".join(half))
    return " ".join(joined.split())


def parse_grade(cell: str) -> str:
    """Parse a grade: "三段", "参段", "3段", "3d" -> "3d"; "5級" -> "5k"."""
    match = re.fullmatch(GRADE, cell)
    if cell in _NO_GRADE:
        return ""
    if match is None:
        raise UnreadableList.saying("the grade '{cell}' cannot be read; write 3d", cell=cell[:20])
    number = match[1] or match[4] or str(_KANJI[match[2]])
    return f"{int(number)}{'d' if (match[3] or match[5]) in ('段', 'だん', 'ダン', 'd', 'D') else 'k'}"


def are_spreadsheet_days(heading: str, cells: Sequence[str]) -> bool:
    """Check whether numbers of five digits in a column of births are a spreadsheet's days (41731: 2014/4/2), not slips.

    They are if they outnumber the bare years, and the heading asks for a date or most of the cells are such.
    """
    days = sum(re.fullmatch(_DAY, cell) is not None for cell in cells)
    years = sum(re.fullmatch(r"\d{4}年?", cell) is not None for cell in cells)
    return days > years and (_ASKS_FOR_DATE.search(heading) is not None or 1 < days > len(cells) / 2)


def parse_year(cell: str, days: bool = False) -> int:
    """Parse a birth year: "2014", "2014/4/2", "平成26年"; with ``days`` also "41731", a spreadsheet's day in 2014."""
    if days and re.fullmatch(_DAY, cell):
        return (_SPREADSHEET_EPOCH + timedelta(days=int(cell))).year
    if (match := re.match(r"(明治|大正|昭和|平成|令和|[TSHR])\s*(\d{1,2}|元)", cell)) is not None:
        (before, last), year = _ERAS[match[1]], 1 if match[2] == "元" else int(match[2])
        if not 1 <= year <= last:
            raise UnreadableList(say("there was no year {cell}; {era} ended with its year {last}",
                                     cell=match[0], era=match[1], last=last))  # fmt: skip
        return before + year
    if (match := re.match(r"(\d{4})(?!\d(\D|$))", cell)) is not None and 1900 <= int(match[1]) <= 2100:
        return int(match[1])
    raise UnreadableList.saying("the birth year '{cell}' cannot be read; write 2014", cell=cell[:20])


def _parse_sex(cell: str) -> str:
    if cell.casefold() not in SEXES:
        raise UnreadableList.saying("the sex '{cell}' cannot be read; write M or F", cell=cell[:20])
    return SEXES[cell.casefold()]


def _parse_number(field: PlayerField, cell: str) -> int:
    cell = _THOUSANDS.sub("", cell)
    if field is PLAYER_FIELDS["rating"] and _DECIMALS.fullmatch(cell):
        cell = f"{float(cell.replace(',', '.')):.0f}"
    low, high = field.limits or (0, None)
    high = 999_999 if high is None else high
    if not _NUMBER.fullmatch(cell) or not low <= int(cell) <= high:
        why = say("{what}: '{cell}' is not a whole number from {low} to {high}")
        raise UnreadableList(why(what=field.label, cell=cell[:20], low=low, high=high))
    return int(cell)


def _parse_amount(cell: str) -> int | str:
    """Parse an amount in yen, with or without a yen sign; another currency (20 EUR) stays as it was typed."""
    amount = _AMOUNT.fullmatch(cell)
    return cell if amount is None else min(int(amount[1].replace(",", "")), MOST_FEE)


def read_cell(field: PlayerField, cell: str, days: bool = False) -> object:
    """Return the value of a cell of a list, or of what was typed, in half width and not empty; "" if it says that there
    is none. ``days``: a birth year may be a spreadsheet's number of a day.

    :raises UnreadableList: it cannot be read.
    """
    if cell.lower() in _NO_VALUE:
        return ""
    match field.cell:
        case Cell.TEXT:
            return cell
        case Cell.NUMBER:
            return _parse_number(field, cell)
        case Cell.GRADE:
            return parse_grade(cell)
        case Cell.YEAR:
            return parse_year(cell, days)
        case Cell.SEX:
            return _parse_sex(cell)
        case Cell.COUNTRY:
            return country_code(cell)
        case Cell.AMOUNT:
            return _parse_amount(cell)


# columns

#: columns of lists that are no fields of a player
_LIST_ONLY = {
    "family": PlayerField(
        say("Family name"), ("姓", "氏", "苗字", "名字", "last name", "family name", "surname", "last", "family")
    ),
    "given": PlayerField(
        say("Given name"),
        ("名", "first name", "given name", "first", "forename", "first names", "given names", "given"),
    ),
    "family_kana": PlayerField(say("Family name (kana)"), ("せい", "セイ")),
    "given_kana": PlayerField(say("Given name (kana)"), ("めい", "メイ")),
    "family_latin": PlayerField(say("Family name in Latin letters")),
    "given_latin": PlayerField(say("Given name in Latin letters")),
    "team": TEAM,
    "division": DIVISION,
}  # fmt: skip
#: the two columns that together are one field, the family's first
PARTS = {"name": ("family", "given"), "kana": ("family_kana", "given_kana"), "latin": ("family_latin", "given_latin")}
#: rows among which the headings are looked for
_HEADER_ROWS = 10
#: columns that a list may have
COLUMNS: Mapping[str, PlayerField] = {key: PLAYER_FIELDS[key] for key in LISTED} | _LIST_ONLY
_HEADINGS = {word: key for key, one in COLUMNS.items() for word in one.headings}
_NAMES = {word for word, key in _HEADINGS.items() if key == "name"}
#: end of the first word of a heading
_WORD = re.compile(r"[\s(（・/／]")
#: patterns within headings of forms ("お名前（漢字）を入力してください"); the first match counts
_PHRASES = [(key, phrase) for key in ("team", "division", *LISTED[1:], "name") if (phrase := COLUMNS[key].phrase)]
#: fields that a person may assign to a column; the first: the column is ignored
FIELDS: Mapping[str, Text] = {"": say("not imported")} | {key: one.label for key, one in COLUMNS.items()}


#: patterns of most cells of a column without a heading; mere numbers are ignored
_CELLS = [(key, re.compile(one.cells).fullmatch) for key, one in PLAYER_FIELDS.items() if one.cells]
_CELLS.append(("", re.compile("[0-9]+").fullmatch))


def detect_columns(rows: Sequence[tuple[int, Sequence[str]]]) -> tuple[int, tuple[str, ...]]:
    """Return the number of rows up to the headings and with them (0: there are none), and the fields of the columns.

    Below other rows, such as a title, headings are those of two columns or more.
    """
    headers = [_header_fields(cells) for _, cells in rows[:_HEADER_ROWS]]
    sizes = [len({*fields} - {""}) for fields in headers]
    best = max(range(len(sizes)), key=lambda at: (sizes[at], -at))
    if best and sizes[best] < 2 and len(set(filter(None, rows[best][1]))) > 1:
        best = 0
    if headers[best]:
        return best + 1, headers[best]
    return 0, _guess_columns([cells for _, cells in rows])


def join_heading_rows(rows: Sequence[tuple[int, Sequence[str]]]) -> list[tuple[int, Sequence[str]]]:
    """Return the rows with headings in two rows as one, numbered as the lower: 氏名, with 姓 and 名 below it."""
    for at in range(min(len(rows) - 1, _HEADER_ROWS)):
        (_, upper), (line, lower) = rows[at : at + 2]
        pairs = list(zip_longest(upper, lower, fillvalue=""))
        below = [cell for over, cell in pairs if cell and cell != over]
        if any(map(is_heading, below)) and all(map(_field_of, below)) and _header_fields(upper):
            return [*rows[:at], (line, [cell or over for over, cell in pairs]), *rows[at + 2 :]]
    return list(rows)


def _header_fields(cells: Sequence[str]) -> tuple[str, ...]:
    """Return the fields of the columns if this line is a header: one cell means "name", and no other cell is data."""
    found: list[str] = []
    for at, cell in enumerate(cells):
        field = _field_of(cell)
        if field in PARTS and field in found and cell == cells[at - 1]:  # one heading above two columns
            found[found.index(field)], field = PARTS[field]
        found.append("" if field in found else field)
    if not {"name", "family", "given"} & {*found}:  # 氏名（ふりがな）, with both in each cell
        both = (at for at, one in enumerate(found) if one == "kana" and _WORD.split(cells[at].strip())[0] in _NAMES)
        if (kana_at := next(both, None)) is not None:
            found[kana_at] = "name"
    for one, other in (("family", "given"), ("given", "family")):  # 姓 and 名前; Name and First name
        whole = found.index("name") if one in found and other not in found and "name" in found else None
        if whole is not None and cells[whole].lower() in ("名前", "お名前", "name"):
            found[whole] = other
    return tuple(found) if "name" in found or {"family", "given"} <= set(found) else ()


def _field_of(cell: str) -> str:
    """Return the field that a heading names; empty: none."""
    word, _, inside = re.sub(r"[【\[]", "(", unicodedata.normalize("NFKC", cell).lower()).partition("(")
    word, inside = re.sub(r"[\s・:*※/]", "", word), inside.rstrip(")】]")
    if field := _HEADINGS.get(cell.lower().strip(":*")):
        return field
    script = _reading_field(inside)  # 氏名（ふりがな）, 名前（ローマ字）
    for kind in filter(None, (script, _reading_field(word))):  # 姓（フリガナ）, フリガナ（姓）, 姓カナ
        for rest in (word, inside, re.sub(COLUMNS[kind].phrase, "", word)):
            if (part := _HEADINGS.get(rest, "").partition("_")[0]) in PARTS["name"]:
                return f"{part}_{kind}"
    return script or _HEADINGS.get(word) or _field_by_phrase(cell)


def _reading_field(words: str) -> str:
    """Return the field of a reading that the words name: kana or latin; empty: neither."""
    field = _HEADINGS.get(words) or _field_by_phrase(words)
    return field if field in ("kana", "latin") else ""


def _field_by_phrase(cell: str) -> str:
    return next((field for field, words in _PHRASES if re.search(words, cell, re.IGNORECASE)), "")


def is_heading(text: str) -> bool:
    """Check whether a text is the heading of a column and cannot be a name, as "Dan" can."""
    field = _HEADINGS.get(re.sub(r"\s", "", text).lower())
    return field is not None and (not text.isascii() or field in ("name", "family", "given"))


def heading(at: int, header: Sequence[str], data: Sequence[tuple[int, Sequence[str]]]) -> str:
    """Return a column's heading; without one, its first value. Empty: the column is empty."""
    held = next((cells[at] for _, cells in data if at < len(cells) and cells[at]), "")
    return (header[at] if at < len(header) and header[at] else held) if held else ""


def _guess_columns(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the fields of columns without a header, judged by most of their cells."""
    width = max(len(cells) for cells in rows)
    columns: list[str | None] = []
    for index in range(width):
        cells = [row[index] for row in rows if index < len(row) and row[index]]
        fits = (name for name, test in _CELLS if cells and sum(map(bool, map(test, cells))) * 2 > len(cells))
        found = next((name for name in fits if not name or name not in columns), None)
        columns.append(found)
    names = [index for index, name in enumerate(columns) if name is None]
    kana = [index for index in names if all(KANA.fullmatch(row[index]) for row in rows if index < len(row))]
    if kana and len(kana) < len(names):
        columns[kana[0]] = "kana"
    for index, name in zip([index for index in names if columns[index] is None], ("name", "club"), strict=False):
        columns[index] = name
    return tuple(name or "" for name in columns)
