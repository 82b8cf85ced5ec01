"""Detection of the columns of a player list, by its header or by the look of most of their cells."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

from engine.tournament.player import LISTED, PLAYER_FIELDS, TEAM, PlayerField
from engine.translatable_text import Text, say
from kiosk.head.registration.player_list_cells import KANA

#: columns of lists that are no fields of a player
_LIST_ONLY = {
    "family": PlayerField(say("Family name"), ("姓", "苗字", "名字", "last name", "family name", "surname", "last")),
    "given": PlayerField(say("Given name"), ("名", "first name", "given name", "first")),
    "team": TEAM,
}  # fmt: skip
#: what a column of a list may hold
COLUMNS: Mapping[str, PlayerField] = {key: PLAYER_FIELDS[key] for key in LISTED} | _LIST_ONLY
_HEADINGS = {word: key for key, one in COLUMNS.items() for word in one.headings}
#: patterns within headings of forms ("お名前（漢字）を入力してください"); the first match counts
_PHRASES = [(key, phrase) for key in ("team", *LISTED[1:], "name") if (phrase := COLUMNS[key].phrase)]
#: fields that a person may assign to a column; the first: the column is ignored
FIELDS: Mapping[str, Text] = {"": say("is not taken")} | {key: one.label for key, one in COLUMNS.items()}


#: what most cells of a column are like that has no heading; mere numbers are ignored
_CELLS = [(key, re.compile(one.cells).fullmatch) for key, one in PLAYER_FIELDS.items() if one.cells]
_CELLS.append(("", re.compile("[0-9]+").fullmatch))


def detect_columns(rows: Sequence[tuple[int, Sequence[str]]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the fields that a header names (none without a header), and those of the columns."""
    header = _header(rows[0][1])
    return header, header or _guessed([cells for _, cells in rows])


def _header(cells: Sequence[str]) -> tuple[str, ...]:
    """Return the fields of the columns if this line is a header: one cell means "name", and no other cell is data."""
    found: list[str] = []
    for cell in cells:
        word, _, inside = re.sub(r"[【\[]", "(", unicodedata.normalize("NFKC", cell).lower()).partition("(")
        script = _said_in(inside)  # 氏名（ふりがな）, 名前（ローマ字）
        field = _HEADINGS.get(cell.lower().strip(":*")) or (script if script in ("kana", "latin") else "")
        field = field or _HEADINGS.get(re.sub(r"[\s・:*※/]", "", word)) or _said_in(cell)
        found.append("" if field in found else field)
    return tuple(found) if "name" in found or {"family", "given"} <= set(found) else ()


def _said_in(cell: str) -> str:
    return next((field for field, words in _PHRASES if re.search(words, cell, re.IGNORECASE)), "")


def heading(at: int, header: Sequence[str], data: Sequence[tuple[int, Sequence[str]]]) -> str:
    """Return a column's heading; without one, its first value. Empty: the column is empty."""
    held = next((cells[at] for _, cells in data if at < len(cells) and cells[at]), "")
    return (header[at] if at < len(header) and header[at] else held) if held else ""


def _guessed(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
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
