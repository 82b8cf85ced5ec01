"""Detection of the columns of a player list, by its header or by the look of most of their cells."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

from engine.i18n import Text, say
from engine.tournament.player_entry_fields import (
    DIVISION,
    LISTED,
    PLAYER_FIELDS,
    TEAM,
    PlayerField,
)
from kiosk.head.registration.player_list_cell_parsing import KANA

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
