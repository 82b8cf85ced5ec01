"""Detection of the columns of a player list, by its header or by the look of most of their cells."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence

from engine.translatable_text import Text, say, say_in
from kiosk.head.registration.player_list_cells import GRADE, KANA, NUMBER, SEXES

#: accepted headings of each field
_HEADERS: Mapping[str, tuple[str, ...]] = {
    "id": ("id",),
    "national": ("national", "会員番号", "会員no", "会員no.", "membership number"),
    "number": ("number", "選手番号", "エントリー番号", "ゼッケン"),
    "name": ("name", "氏名", "名前", "選手", "選手名", "player", "お名前", "full name", "players",
             "参加者", "参加者名", "参加者氏名"),
    "kana": (
        "kana", "ふりがな", "フリガナ", "よみ", "ヨミ", "よみがな", "ヨミガナ", "読み", "カナ", "reading",
    ),
    "latin": ("latin", "ローマ字", "ローマ字氏名", "ローマ字表記", "英字氏名", "英語名", "name in latin letters"),
    "wof": ("wof", "wof番号", "世界レーティングの番号", "wof no.", "wof number", "number in the world rating list"),
    "family": ("姓", "苗字", "名字", "last name", "family name", "surname", "last"),
    "given": ("名", "first name", "given name", "first"),
    "grade": ("grade", "段位", "段級位", "級位", "段級", "dan", "級", "段", "棋力", "rank"),
    "birth_year": (
        "birth_year", "birth year", "生年", "生年月日", "誕生年", "born", "year of birth", "誕生日", "生まれ", "出生年",
        "西暦", "birthday", "date of birth",
    ),
    "sex": ("sex", "gender", "性別"),
    "country": ("country", "国", "国籍", "nation", "federation"),
    "club": ("club", "所属", "クラブ", "学校", "所属クラブ", "学校名", "都道府県", "支部"),
    "rating": ("rating", "レーティング", "レート", "elo"),
    "seed": ("seed", "シード"),
    "lot": ("lot", "抽選番号", "くじ", "抽選"),
    "fee": ("fee", "会費", "参加費", "年会費"),
    "remark": ("remark", "remarks", "備考", "note", "notes", "学年"),
    "team": ("team", "チーム", "チーム名", "団体名"),
}  # fmt: skip
#: patterns within headings of forms ("お名前（漢字）を入力してください"); the first match counts
_SAID: tuple[tuple[str, str], ...] = (
    ("latin", "ローマ字|英字|英語表記"),
    ("kana", "ふりがな|フリガナ|よみがな|ヨミガナ|読み仮名|カナ"), ("team", "チーム|team"),
    ("birth_year", "生年|生まれ|誕生|birth"), ("grade", "段位|段級|級位|棋力"), ("sex", "性別"),
    ("club", "所属|学校|クラブ"), ("name", "氏名|お名前|選手名|full name"), ("remark", "学年|備考"),
)  # fmt: skip
#: fields that a person may assign to a column; the first: the column is ignored
FIELDS: Mapping[str, Text] = {
    "": say("is not taken"), "name": say("Name"), "family": say("Family name"), "given": say("Given name"),
    "kana": say("Reading (kana)"), "latin": say("Name in Latin letters"),
    "wof": say("Number in the world rating list"), "grade": say("Grade"), "birth_year": say("Born"), "sex": say("Sex"),
    "club": say("Club"), "country": say("Country"), "team": say_in("of a player", "Team"), "rating": say("Rating"),
    "seed": say("Seed"), "lot": say("Lot"), "national": say("Membership number"), "number": say("Number in this event"),
    "id": say("Key in the event file"), "remark": say("Remark"), "fee": say_in("of a player", "Fee"),
}  # fmt: skip
#: the columns of the empty list that is offered for filling in
TEMPLATE = ("name", "kana", "latin", "grade", "birth_year", "sex", "club", "country", "team", "wof", "remark")


def detect_columns(rows: Sequence[tuple[int, Sequence[str]]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the fields that a header names (none without a header), and those of the columns."""
    header = _header(rows[0][1])
    return header, header or _guessed([cells for _, cells in rows])


def _header(cells: Sequence[str]) -> tuple[str, ...]:
    """Return the fields of the columns if this line is a header: one cell means "name", and no other cell is data."""
    names = {word: field for field, words in _HEADERS.items() for word in words}
    found: list[str] = []
    for cell in cells:
        word, _, inside = re.sub(r"[【\[]", "(", unicodedata.normalize("NFKC", cell).lower()).partition("(")
        script = _said_in(inside)  # 氏名（ふりがな）, 名前（ローマ字）
        field = names.get(cell.lower().strip(":*")) or (script if script in ("kana", "latin") else "")
        field = field or names.get(re.sub(r"[\s・:*※/]", "", word)) or _said_in(cell)
        found.append("" if field in found else field)
    return tuple(found) if "name" in found or {"family", "given"} <= set(found) else ()


def _said_in(cell: str) -> str:
    return next((field for field, words in _SAID if re.search(words, cell, re.IGNORECASE)), "")


def heading(at: int, header: Sequence[str], data: Sequence[tuple[int, Sequence[str]]]) -> str:
    """Return a column's heading; without one, its first value. Empty: the column is empty."""
    held = next((cells[at] for _, cells in data if at < len(cells) and cells[at]), "")
    return (header[at] if at < len(header) and header[at] else held) if held else ""


def _guessed(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the fields of columns without a header, judged by most of their cells."""
    width = max(len(cells) for cells in rows)
    tests: tuple[tuple[str, Callable[[str], bool]], ...] = (
        ("grade", lambda cell: GRADE.fullmatch(cell) is not None),
        ("birth_year", lambda cell: bool(re.fullmatch(r"(19|20)\d\d([/.-]\d+[/.-]\d+)?", cell))),
        ("sex", lambda cell: cell.casefold() in SEXES),
        ("rating", lambda cell: bool(re.fullmatch(r"[5-9]\d\d|[1-2]\d\d\d", cell))),
        ("country", lambda cell: bool(re.fullmatch(r"[A-Z]{3}", cell))),
        ("", lambda cell: bool(NUMBER.fullmatch(cell))),
    )
    columns: list[str | None] = []
    for index in range(width):
        cells = [row[index] for row in rows if index < len(row) and row[index]]
        fits = (name for name, test in tests if cells and sum(map(test, cells)) * 2 > len(cells))
        found = next((name for name in fits if not name or name not in columns), None)
        columns.append(found)
    names = [index for index, name in enumerate(columns) if name is None]
    kana = [index for index in names if all(KANA.fullmatch(row[index]) for row in rows if index < len(row))]
    if kana and len(kana) < len(names):
        columns[kana[0]] = "kana"
    for index, name in zip([index for index in names if columns[index] is None], ("name", "club"), strict=False):
        columns[index] = name
    return tuple(name or "" for name in columns)
