"""Parsing of single cells of a player list: a grade, a birth year, a number.

A cell that is not understood is refused with the spelling that is expected; nothing is guessed.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date, timedelta

from engine.i18n import LocalizedError, say
from engine.tournament.player_entry_fields import GRADE, INVISIBLE, MOST_FEE, PLAYER_FIELDS, SEXES, Cell, PlayerField

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
_NUMBER = re.compile(r"-?[0-9]{1,6}")
#: mark between thousands: "1,450", "1.450", "1 450", "1'450"
_THOUSANDS = re.compile(r"(?<=[0-9])[,. '](?=[0-9]{3}(?![0-9]))")
#: rating with decimals, which a rating list may have and an event has not
_DECIMALS = re.compile(r"(-?[0-9]{1,6}[.,][0-9]{1,2})")
#: an amount in yen, with at most one character before and one after its digits
_AMOUNT = re.compile(r"\D?([0-9][0-9,]{0,9})\D?")


class UnreadableList(LocalizedError, ValueError):  # noqa: N818 - named after the condition
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
        raise UnreadableList(say("the grade '{cell}' cannot be read; write 3d", cell=cell[:20]))
    number = match[1] or match[4] or str(_KANJI[match[2]])
    return f"{int(number)}{'d' if (match[3] or match[5]) in ('段', 'だん', 'ダン', 'd', 'D') else 'k'}"


def parse_year(cell: str) -> int:
    """Parse a birth year: "2014", "2014/4/2", "平成26年", or a spreadsheet's number of that day, "41731" -> 2014."""
    if re.fullmatch(r"[1-6]\d{4}", cell):
        return (_SPREADSHEET_EPOCH + timedelta(days=int(cell))).year
    if (match := re.match(r"(明治|大正|昭和|平成|令和|[TSHR])\s*(\d{1,2}|元)", cell)) is not None:
        (before, last), year = _ERAS[match[1]], 1 if match[2] == "元" else int(match[2])
        if not 1 <= year <= last:
            raise UnreadableList(say("there was no year {cell}; {era} ended with its year {last}",
                                     cell=match[0], era=match[1], last=last))  # fmt: skip
        return before + year
    if (match := re.match(r"(\d{4})\D?", cell)) is not None and 1900 <= int(match[1]) <= 2100:
        return int(match[1])
    raise UnreadableList(say("the birth year '{cell}' cannot be read; write 2014", cell=cell[:20]))


def _parse_sex(cell: str) -> str:
    if cell.casefold() not in SEXES:
        raise UnreadableList(say("the sex '{cell}' cannot be read; write M or F", cell=cell[:20]))
    return SEXES[cell.casefold()]


def _parse_number(field: PlayerField, cell: str) -> int:
    cell = _THOUSANDS.sub("", cell)
    if field is PLAYER_FIELDS["rating"] and _DECIMALS.fullmatch(cell):
        cell = f"{float(cell.replace(',', '.')):.0f}"
    low, high = field.limits or (0, None)
    high = 999_999 if high is None else high
    if not _NUMBER.fullmatch(cell) or not low <= int(cell) <= high:
        raise UnreadableList(
            say("{what}: '{cell}' is not a whole number from {low} to {high}",
                what=field.label, cell=cell[:20], low=low, high=high)
        )  # fmt: skip
    return int(cell)


def _parse_amount(cell: str) -> int | str:
    """Parse an amount in yen, with or without a yen sign; another currency (20 EUR) stays as it was typed."""
    amount = _AMOUNT.fullmatch(cell)
    return cell if amount is None else min(int(amount[1].replace(",", "")), MOST_FEE)


def read_cell(field: PlayerField, cell: str) -> object:
    """Return the value of a cell of a list, or of what was typed, in half width and not empty; "" if it says that there
    is none.

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
            return parse_year(cell)
        case Cell.SEX:
            return _parse_sex(cell)
        case Cell.COUNTRY:
            return "JPN" if cell == "日本" else cell.upper() if cell.isascii() else cell
        case Cell.AMOUNT:
            return _parse_amount(cell)
