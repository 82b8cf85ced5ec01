"""A list of players as people have it: pasted from a spreadsheet, or a file of any program.

The law: nothing is guessed silently. Every line says what was understood, or why it was not, before anything is taken;
a player who is known already is recognised and merged, never entered twice. A list is as long as a person's list can
be, and so is each of its lines; a longer one is refused before it is read.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from engine.text import Text, TextError, say, say_in
from engine.tournament.model import Player
from kiosk.records.cells import plain_text

#: what a header may say for each field
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
#: what the headings of forms ("お名前（漢字）を入力してください") say somewhere, the first that fits
_SAID: tuple[tuple[str, str], ...] = (
    ("latin", "ローマ字|英字|英語表記"),
    ("kana", "ふりがな|フリガナ|よみがな|ヨミガナ|読み仮名|カナ"), ("team", "チーム|team"),
    ("birth_year", "生年|生まれ|誕生|birth"), ("grade", "段位|段級|級位|棋力"), ("sex", "性別"),
    ("club", "所属|学校|クラブ"), ("name", "氏名|お名前|選手名|full name"), ("remark", "学年|備考"),
)  # fmt: skip
#: what a column may be said to be; the first: it is not taken
FIELDS: Mapping[str, Text] = {
    "": say("is not taken"), "name": say("Name"), "family": say("Family name"), "given": say("Given name"),
    "kana": say("Reading (kana)"), "latin": say("Name in Latin letters"),
    "wof": say("Number in the world rating list"), "grade": say("Grade"), "birth_year": say("Born"), "sex": say("Sex"),
    "club": say("Club"), "country": say("Country"), "team": say_in("of a player", "Team"), "rating": say("Rating"),
    "seed": say("Seed"), "lot": say("Lot"), "national": say("Membership number"), "number": say("Number in this event"),
    "id": say("Key in the event file"), "remark": say("Remark"), "fee": say_in("of a player", "Fee"),
}  # fmt: skip
#: the columns of the list that is given away to be filled in
TEMPLATE = ("name", "kana", "latin", "grade", "birth_year", "sex", "club", "country", "team", "wof", "remark")
_KANJI = {kanji: number for number, kanji in enumerate("〇一二三四五六七八九")} | {"初": 1, "十": 10}
_KANJI |= {"壱": 1, "弐": 2, "参": 3}
#: the year before each era, and its last year
_ERAS = {
    "明治": (1867, 45), "大正": (1911, 15), "昭和": (1925, 64), "平成": (1988, 31), "令和": (2018, 99),
    "T": (1911, 15), "S": (1925, 64), "H": (1988, 31), "R": (2018, 99),
}  # fmt: skip
_TOTAL = re.compile(r"(合計|総計|小計|計|総数|全員|以上|total)[\s::]*([0-9]+\s*[名人]?)?", re.IGNORECASE)
_KANA = re.compile(r"[ぁ-ゖァ-ヺー･・ｦ-ﾟ ]+")
_GRADE = re.compile(r"(?:([0-9]{1,2})|([初〇一二三四五六七八九十壱弐参]))\s*([段級])|([0-9]{1,2})\s*([dkDK])(?:an|yu)?")
_NUMBER = re.compile(r"[0-9]+")
#: of one list: more than any event has, and than any federation; of one line: letters and columns
MAX_PLAYERS, MAX_LINE, MAX_COLUMNS = 5_000, 2_000, 60
_LONG = re.compile(rf"[^\n]{{{MAX_LINE + 1}}}")
#: rows of a long list by which its columns are told
_LOOKED_AT = 1_000


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a line is not taken. ``line`` counts from 1 as the person sees them."""

    line: int
    text: str
    why: Text


@dataclass(frozen=True, slots=True)
class Entry:
    """One understood line. ``known``: the id of the player it is; ``changes``: what it says differently about him."""

    line: int
    player: Mapping[str, object]
    known: str | None = None
    changes: Mapping[str, object] = field(default_factory=dict)
    note: Text | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """``columns``: the field of each column, "" for one that is not taken; ``headings``: what stands above it, or an
    example of what it holds."""

    columns: tuple[str, ...]
    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...]
    has_header: bool
    headings: tuple[str, ...] = ()

    @property
    def dropped(self) -> tuple[str, ...]:
        """What is not taken of every line."""
        return tuple(said for field, said in zip(self.columns, self.headings, strict=True) if not field and said)

    @property
    def new(self) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if entry.known is None)

    @property
    def changed(self) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if entry.known is not None and entry.changes)


def decode(content: bytes) -> str:
    """The text of a file as spreadsheets save it: UTF-8, UTF-16 or Windows-31J.

    :raises UnreadableList: none of them, or a line of it is too long.
    """
    wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    for encoding in ("utf-16",) if wide else ("utf-8-sig", "cp932"):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return _short_lines(text)
    raise UnreadableList(say("the file is no text in UTF-8 or Windows-31J; save it as CSV from the spreadsheet"))


def plain(text: str) -> str:
    """Full-width letters, digits and blanks as half-width ones; names in kanji stay letter for letter."""
    half = (
        unicodedata.normalize("NFKC", char) if "\uff01" <= char <= "\uff5e" else char
        for char in text.replace("\u3000", " ")
    )
    return " ".join("".join(half).split())


def name_key(name: str) -> str:
    """What two spellings of one name have in common."""
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())


def read_list(
    text: str, known: Sequence[Player] = (), most: int = MAX_PLAYERS, said: Sequence[str | None] = ()
) -> Listing:
    """Understands a pasted list of ``most`` lines at most. ``known``: the players that the division has; ``said``: what
    somebody said that a column is, None where he said nothing.

    :raises UnreadableList: it is no list.
    """
    rows = list(_rows(text, most))
    if not rows:
        return Listing((), (), (), False)
    header, columns = _columns(rows)
    data = rows[1:] if header else rows
    width = max(len(cells) for _, cells in rows)
    columns += ("",) * width
    columns = tuple(columns[at] if one is None else one for at, one in enumerate([*said, *[None] * width][:width]))
    headings = tuple(_heading(at, rows[0][1] if header else (), data) for at in range(width))
    entries: list[Entry] = []
    problems: list[Problem] = []
    for line, cells in data:
        try:
            player = _player(columns, cells)
        except UnreadableList as error:
            problems.append(Problem(line, " ".join(filter(None, cells))[:60], error.text))
            continue
        if player:
            entries.append(Entry(line, player))
    merged, twice = _recognised(entries, known)
    return Listing(columns, tuple(merged), tuple(sorted((*problems, *twice), key=lambda one: one.line)), bool(header),
                   headings)  # fmt: skip


def each_player(text: str, most: int) -> Iterator[dict[str, object]]:
    """The players of a list that is too long to be looked at as a whole: one after the other, each person once. What
    the columns are is told by its first lines, and lines that are not understood are passed over.

    :raises UnreadableList: it is no list.
    """
    rows = _rows(text, most)
    if not (first := list(islice(rows, _LOOKED_AT))):
        return
    header, columns = _columns(first)
    seen: set[int] = set()
    for _, cells in chain(first[1:] if header else first, rows):
        try:
            player = {name: one for name, one in _player(columns, cells).items() if one not in ("", None)}
        except UnreadableList:
            continue
        if (person := hash((name_key(str(player["name"])), player.get("birth_year")))) not in seen:
            seen.add(person)
            yield player


def listed(players: Sequence[Mapping[str, object]], known: Sequence[Player]) -> Listing:
    """A list that another program wrote, already understood."""
    entries, twice = _recognised([Entry(line, player) for line, player in enumerate(players, start=1)], known)
    return Listing((), tuple(entries), tuple(twice), False)


class UnreadableList(TextError, ValueError):  # noqa: N818 - it says what is the matter, as the pages do
    """A list, or a cell of it, that is not understood."""


def _rows(text: str, most: int) -> Iterator[tuple[int, list[str]]]:
    """The rows that say something, one after the other, each with the line that it ends in."""
    lines = _short_lines(text).strip("\n")
    if lines.count("\n") >= most:
        raise UnreadableList(say("the list has more than {most} lines; take it in parts", most=most))
    some = [line[:MAX_LINE] for line in lines.split("\n", 20)[:20]]
    delimiter = max(
        "\t,;", key=lambda mark: (sum(mark in line for line in some), sum(line.count(mark) for line in some))
    )
    reader, at = csv.reader(_each_line(lines), delimiter=delimiter), 0
    try:
        for cells in reader:
            at = reader.line_num
            if len(cells) > MAX_COLUMNS or sum(map(len, cells)) > MAX_LINE:
                raise UnreadableList(_too_long(at))
            if any(cells := [plain(plain_text(cell)) for cell in cells]):
                yield at, cells
    except csv.Error as error:
        raise UnreadableList(
            say("the list cannot be read after line {line} ({error}); save it again as CSV", line=at, error=error)
        ) from error


def _each_line(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _columns(rows: Sequence[tuple[int, Sequence[str]]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fields that a header names, none if there is no header, and those of the columns."""
    header = _header(rows[0][1])
    return header, header or _guessed([cells for _, cells in rows])


def _short_lines(text: str) -> str:
    """The text with one kind of line end. Looked at first: whatever else is done with a long line takes long.

    :raises UnreadableList: a line is too long.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if (long := _LONG.search(text)) is not None:
        raise UnreadableList(_too_long(text.count("\n", 0, long.start()) + 1))
    return text


def _too_long(line: int) -> Text:
    return say(
        "line {line} is longer than {letters} letters or {columns} columns; is a quote not closed?",
        line=line,
        letters=MAX_LINE,
        columns=MAX_COLUMNS,
    )


def _header(cells: Sequence[str]) -> tuple[str, ...]:
    """The fields of the columns, if this line is a header: it says "name" in some way, and no other column is data."""
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


def _heading(at: int, header: Sequence[str], data: Sequence[tuple[int, Sequence[str]]]) -> str:
    """What a column is called; without a heading, what it holds first. Empty: it holds nothing."""
    held = next((cells[at] for _, cells in data if at < len(cells) and cells[at]), "")
    return (header[at] if at < len(header) and header[at] else held) if held else ""


def _guessed(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The fields of columns without a header, by what most of their cells look like."""
    width = max(len(cells) for cells in rows)
    tests: tuple[tuple[str, Callable[[str], bool]], ...] = (
        ("grade", lambda cell: _GRADE.fullmatch(cell) is not None),
        ("birth_year", lambda cell: bool(re.fullmatch(r"(19|20)\d\d([/.-]\d+[/.-]\d+)?", cell))),
        ("sex", lambda cell: cell.casefold() in _SEXES),
        ("rating", lambda cell: bool(re.fullmatch(r"[5-9]\d\d|[1-2]\d\d\d", cell))),
        ("country", lambda cell: bool(re.fullmatch(r"[A-Z]{3}", cell))),
        ("", lambda cell: bool(_NUMBER.fullmatch(cell))),
    )
    columns: list[str | None] = []
    for index in range(width):
        cells = [row[index] for row in rows if index < len(row) and row[index]]
        fits = (name for name, test in tests if cells and sum(map(test, cells)) * 2 > len(cells))
        found = next((name for name in fits if not name or name not in columns), None)
        columns.append(found)
    names = [index for index, name in enumerate(columns) if name is None]
    kana = [index for index in names if all(_KANA.fullmatch(row[index]) for row in rows if index < len(row))]
    if kana and len(kana) < len(names):
        columns[kana[0]] = "kana"
    for index, name in zip([index for index in names if columns[index] is None], ("name", "club"), strict=False):
        columns[index] = name
    return tuple(name or "" for name in columns)


_SEXES = {"男": "M", "女": "F", "男性": "M", "女性": "F", "m": "M", "f": "F", "male": "M", "female": "F"}


def _player(columns: Sequence[str], cells: Sequence[str]) -> dict[str, object]:
    player: dict[str, object] = {}
    for name, cell in zip(columns, cells, strict=False):
        if name and cell:
            player[name] = _READERS[name](cell) if name in _READERS else cell
    family, given = player.pop("family", ""), player.pop("given", "")
    if family or given:
        player["name"] = f"{family} {given}".strip()
    if not player.get("name"):
        raise UnreadableList(say("there is no name"))
    if _TOTAL.fullmatch(str(player["name"])) or re.fullmatch(r"[0-9]+\s*[名人]", str(player["name"])):
        raise UnreadableList(say("this counts players and is none"))
    if len(str(player["name"])) > 60:
        raise UnreadableList(say("the name is too long; is the list split into columns?"))
    return player


def read_grade(cell: str) -> str:
    """ "三段", "参段", "3段", "3d" -> "3d"; "5級" -> "5k"."""
    match = _GRADE.fullmatch(cell)
    if cell in ("無段", "なし", "-", "無級"):
        return ""
    if match is None:
        raise UnreadableList(
            say("the grade '{cell}' cannot be read; write 3d", cell=cell[:20]),
        )
    number = match[1] or match[4] or str(_KANJI[match[2]])
    return f"{int(number)}{'d' if (match[3] or match[5]) in ('段', 'd', 'D') else 'k'}"


def read_year(cell: str) -> int:
    """ "2014", "2014/4/2", "平成26年" -> 2014."""
    if (match := re.match(r"(明治|大正|昭和|平成|令和|[TSHR])\s*(\d{1,2}|元)", cell)) is not None:
        (before, last), year = _ERAS[match[1]], 1 if match[2] == "元" else int(match[2])
        if not 1 <= year <= last:
            raise UnreadableList(say("there was no year {cell}; {era} ended with its year {last}",
                                     cell=match[0], era=match[1], last=last))  # fmt: skip
        return before + year
    if (match := re.match(r"(\d{4})\D?", cell)) is not None and 1900 <= int(match[1]) <= 2100:
        return int(match[1])
    raise UnreadableList(say("the birth year '{cell}' cannot be read; write 2014", cell=cell[:20]))


def _sex(cell: str) -> str:
    if cell.casefold() not in _SEXES:
        raise UnreadableList(
            say("the sex '{cell}' cannot be read; write M or F", cell=cell[:20]),
        )
    return _SEXES[cell.casefold()]


def _whole(what: Text) -> Callable[[str], int]:
    def read(cell: str) -> int:
        if not _NUMBER.fullmatch(cell) or len(cell) > 6:
            raise UnreadableList(
                say("{what}: '{cell}' is no whole number", what=what, cell=cell[:20]),
            )
        return int(cell)

    return read


_READERS: Mapping[str, Callable[[str], object]] = {
    "grade": read_grade,
    "birth_year": read_year,
    "sex": _sex,
    "country": lambda cell: {"日本": "JPN"}.get(cell, cell.upper() if cell.isascii() else cell),
    "rating": _whole(say("Rating")),
    "wof": _whole(say("Number in the world rating list")),
    "seed": _whole(say("Seed")),
    "lot": _whole(say("Lot")),
}


def _recognised(entries: Sequence[Entry], known: Sequence[Player]) -> tuple[list[Entry], list[Problem]]:
    """Each entry with the player it is, if he is known; a line that repeats an earlier one is named and left out."""
    by_key: dict[str, list[Player]] = {}
    for one in known:
        by_key.setdefault(name_key(one.name or one.id), []).append(one)
    found: list[Entry] = []
    problems: list[Problem] = []
    earlier: dict[tuple[str, object], int] = {}
    for entry in entries:
        player = {name: value for name, value in entry.player.items() if value not in ("", None)}
        key = name_key(str(player["name"]))
        person = key, player.get("birth_year")
        if person in earlier:
            why = say("the same person as in line {person}", person=earlier[person])
            problems.append(Problem(entry.line, str(player["name"]), why))
            continue
        earlier[person] = entry.line
        same = [one for one in by_key.get(key, ()) if not _differ(one, player)]
        if (others := _taken(player, known, same)) is not None:
            problems.append(Problem(entry.line, str(player["name"]), others))
            continue
        if len(same) > 1:
            why = say("two players have that name; give the birth year")
            problems.append(Problem(entry.line, str(player["name"]), why))
            continue
        if not same:
            note = say("another person of the same name") if by_key.get(key) else None
            found.append(Entry(entry.line, player, note=note))
            continue
        changes = {
            name: value
            for name, value in player.items()
            if name not in ("id", "name", "team") and getattr(same[0], name) != value
        }
        found.append(Entry(entry.line, player, same[0].id, changes))
    return found, problems


#: the fields that name one person each
_OWN = {"id": say("the id {number} belongs to {name}"),
        "national": say("the membership number {number} belongs to {name}"),
        "wof": say("the number {number} of the world rating list belongs to {name}")}  # fmt: skip


def _taken(player: Mapping[str, object], known: Sequence[Player], same: Sequence[Player]) -> Text | None:
    """Why the numbers of a line are somebody else's; None if they are nobody's, or his own."""
    for field_, sentence in _OWN.items():
        for one in known if field_ in player else ():
            if str(getattr(one, field_)) == str(player[field_]) and one not in same:
                return sentence(number=str(player[field_]), name=one.name or one.id)
    return None


def _differ(one: Player, other: Mapping[str, object]) -> bool:
    """Whether two entries of the same name are two people."""
    years = one.birth_year, other.get("birth_year")
    return None not in years and years[0] != years[1]
