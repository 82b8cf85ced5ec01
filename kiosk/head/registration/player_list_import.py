"""Import of player lists, pasted from a spreadsheet or read from any program's file.

Nothing is guessed silently: every line shows what was understood, or why it was not, before anything is applied. A
known player is recognised and merged, never entered twice. Lists and lines above a length limit are refused before they
are parsed.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice, zip_longest

from engine.i18n import Text, say
from engine.tournament.event_model import Player
from engine.tournament.player_entry_fields import birth_years_differ, name_key
from kiosk.head.registration.player_list_columns_and_cells import (
    COLUMNS,
    KANA,
    MAX_COLUMNS,
    MAX_LINE,
    MAX_PLAYERS,
    PARTS,
    UnreadableList,
    are_spreadsheet_days,
    detect_columns,
    heading,
    is_heading,
    join_heading_rows,
    read_cell,
    to_half_width,
)
from kiosk.records.event_file_formats_and_csv import plain_text

_TOTAL = re.compile(
    r"(参加者?|選手|出席者?)?(合計|総計|小計|計|総数|全員|以上|total|人数)"
    r"[\s::]*([0-9]+\s*(?:[名人]|players?|entries)?)?"
    r"|(参加者?|選手|出席者?)[\s::]*[0-9]+\s*[名人]",
    re.IGNORECASE,
)
#: beginnings of a line below the list that is no player
_NOTE = re.compile(r"[※*]|(注意?|備考|作成日?|更新日?|担当者?|連絡先|問い?合わ?せ先?|note)\s*[::]", re.IGNORECASE)
#: cells that repeat the cell above
_DITTO = frozenset(("同上", "〃", "″", "''", '"', "”", "゛", "同じ", "上に同じ", "ditto", "↑", "々"))
_DITTO_CELL = re.compile(rf"(?:^|[\t,;])\s*(?:{'|'.join(_DITTO)})\s*(?:$|[\t,;])", re.MULTILINE | re.IGNORECASE)
#: beginnings of files that are no table, whatever they are called: HTML, XML, RTF, PDF, a saved web page
_OTHER_FILES = re.compile(
    rb"\s*(<(!doctype|html|head|meta|table|style|body|div|\?xml)|\{\\rtf|%PDF-|MIME-Version:)", re.IGNORECASE
)
#: a title behind a name, and a name with its reading behind it
_TITLE = re.compile(r"(?<=.)\s*(様|殿|(?<=\s)(さん|くん|ちゃん|君|氏|選手))$")
_WITH_KANA = re.compile(rf"([^()]+?)\s*\(({KANA.pattern})\)")
#: ends of a division's name that a list leaves out, or says instead
_DIVISION_ENDING = re.compile(r"(?<=.)(の?部門?|クラス|組|division|section|class)$")
_LONG_LINE = re.compile(rf"[^\n]{{{MAX_LINE + 1}}}")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_LONG = say("more cells than headings; if a comma in a name has moved them, put the name in quotes")
#: rows of a long list by which its columns are detected
_SAMPLE_ROWS = 1_000


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """Why a line is not imported. ``line`` counts from 1, as shown."""

    line: int
    text: str
    why: Text


@dataclass(frozen=True, slots=True)
class ImportedPlayer:
    """One parsed line. ``division``: the slug of its division; ``known``: the id of the player it is; ``changes``: the
    fields in which it differs from him.
    """

    line: int
    player: Mapping[str, object]
    division: str = ""
    known: str | None = None
    changes: Mapping[str, object] = field(default_factory=dict)
    note: Text | None = None


@dataclass(frozen=True, slots=True)
class ListedDivision:
    """A division of the event, for lists that say who plays where; ``names``: in the languages that it has."""

    slug: str
    names: tuple[str, ...]
    players: Sequence[Player]


@dataclass(frozen=True, slots=True)
class ImportResult:
    """Result of parsing a list. ``columns``: the field of each column, "" for an ignored one; ``header_lines``: the
    lines of the headings; ``headings``: the heading of each column, or an example value; ``unknown_divisions``: the
    names of divisions that the event has not.
    """

    columns: tuple[str, ...]
    entries: tuple[ImportedPlayer, ...]
    problems: tuple[ImportProblem, ...]
    header_lines: tuple[int, ...]
    headings: tuple[str, ...] = ()
    unknown_divisions: tuple[str, ...] = ()

    @property
    def fields(self) -> set[str]:
        """Return the fields that the list has; a field in two columns is one, and the kana may follow the name."""
        joined = {whole for whole, parts in PARTS.items() if {*parts} & {*self.columns}}
        return {*self.columns} | joined | {"kana" for one in self.entries if "kana" in one.player}

    @property
    def ignored_headings(self) -> tuple[str, ...]:
        """Return the headings of the ignored columns."""
        return tuple(said for field, said in zip(self.columns, self.headings, strict=True) if not field and said)

    @property
    def new(self) -> tuple[ImportedPlayer, ...]:
        return tuple(entry for entry in self.entries if entry.known is None)

    @property
    def changed(self) -> tuple[ImportedPlayer, ...]:
        return tuple(entry for entry in self.entries if entry.known is not None and entry.changes)


class _UnknownDivision(UnreadableList):
    """A line that names a division which the event has not."""

    def __init__(self, named: str, divisions: Sequence[ListedDivision]) -> None:
        names = ", ".join(one.names[0] for one in divisions)
        super().__init__(say("there is no division '{slug}'; choose one of {divisions}",
                             slug=named[:40], divisions=names))  # fmt: skip
        self.named = named


def decode(content: bytes) -> str:
    """Return the text of a file as spreadsheets save it: UTF-8, UTF-16 or Windows-31J.

    :raises UnreadableList: none of them, or a line of it is too long.
    """
    if _OTHER_FILES.match(content.removeprefix(b"\xef\xbb\xbf")):
        raise UnreadableList(
            say("the file is a web page, a text document or a PDF; save it as an Excel workbook or CSV")
        )
    wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    for encoding in ("utf-16",) if wide else ("utf-8-sig", "cp932"):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return _checked_lines(text)
    raise UnreadableList.saying("the file is not text in UTF-8 or Windows-31J; save it as CSV from the spreadsheet")


def parse_list(
    text: str,
    known: Sequence[Player] = (),
    assigned: Sequence[str | None] = (),
    divisions: Sequence[ListedDivision] = (),
    slug: str = "",
) -> ImportResult:
    """Parse a pasted list of at most ``MAX_PLAYERS`` lines.

    ``slug``, ``known``: the division that takes the lines which name none, and its players; ``divisions``: those that a
    line may name; ``assigned``: the field that a person assigned to each column, None if not assigned.

    :raises UnreadableList: it is no list.
    """
    lines = list(_rows(text, MAX_PLAYERS))
    rows = join_heading_rows(lines)
    if not rows:
        return ImportResult((), (), (), ())
    above, columns = detect_columns(rows)
    header, data = rows[above - 1][1] if above else (), rows[above:]
    width = max(len(cells) for _, cells in rows)
    columns += ("",) * width
    columns = tuple(columns[at] if one is None else one for at, one in enumerate([*assigned, *[None] * width][:width]))
    headings = tuple(heading(at, header, data) for at in range(width))
    days = _has_spreadsheet_days(columns, header, data)
    entries: list[ImportedPlayer] = []
    unknown: list[str] = []
    problems = [
        ImportProblem(line, " ".join(filter(None, cells))[:60], say("this line is above the headings"))
        for line, cells in rows[: max(above - 1, 0)]
        if not _is_title(cells, header)
    ]
    for line, cells in data:
        try:
            player = _parse_player(columns, cells, days)
            division = _division_of(player, divisions) or slug
        except UnreadableList as error:
            problems.append(ImportProblem(line, " ".join(filter(None, cells))[:60], error.text))
            unknown += [error.named] if isinstance(error, _UnknownDivision) else []
            continue
        if player:
            entries.append(ImportedPlayer(line, player, division))
    matched, repeated = match_entries(entries, divisions or [ListedDivision(slug, (slug,), known)])
    if above:
        named = max((at for at, cell in enumerate(header, start=1) if cell), default=0)
        left = [at for at in range(named, width) if not columns[at]]
        long = {line for line, cells in data if any(cells[at : at + 1] not in ([], [""]) for at in left)}
        matched = [replace(one, note=one.note or _LONG) if one.line in long else one for one in matched]
    problems = sorted([*problems, *repeated], key=lambda one: one.line)
    others = {line for line, _ in [*rows[: max(above - 1, 0)], *data]}
    header_lines = tuple(line for line, _ in lines if line not in others)
    unknown_divisions = tuple(dict.fromkeys(unknown))
    return ImportResult(columns, tuple(matched), tuple(problems), header_lines, headings, unknown_divisions)


def match_entries(
    entries: Sequence[ImportedPlayer], divisions: Sequence[ListedDivision]
) -> tuple[list[ImportedPlayer], list[ImportProblem]]:
    """Match entries with the players of their divisions; note who may be entered in two of them."""
    matched: list[ImportedPlayer] = []
    problems: list[ImportProblem] = []
    for one in divisions:
        found, wrong = match_with_known([entry for entry in entries if entry.division == one.slug], one.players)
        matched += found
        problems += wrong
    years = _birth_years(entries, divisions)
    matched = [replace(one, note=_other_division_note(one, years, divisions) or one.note) for one in matched]
    return sorted(matched, key=lambda one: one.line), problems


def _division_of(player: Mapping[str, object], divisions: Sequence[ListedDivision]) -> str:
    """Return the slug of the division that a line names; empty: it names none.

    :raises UnreadableList: there is no such division.
    """
    named = str(player.get("division", ""))
    if not named or not divisions:
        return ""
    for one in divisions:
        if _division_key(named) in map(_division_key, (*one.names, one.slug)):
            return one.slug
    raise _UnknownDivision(named, divisions)


def _division_key(name: str) -> str:
    """Return a key that is equal for the ways to say one division: "無差別", "無差別の部"."""
    return _DIVISION_ENDING.sub("", name_key(name))


#: birth years of everybody who is listed or entered, by division and by the key of the name
_BirthYears = Mapping[tuple[str, str], Sequence[object]]


def _birth_years(entries: Sequence[ImportedPlayer], divisions: Sequence[ListedDivision]) -> _BirthYears:
    years: dict[tuple[str, str], list[object]] = {}
    for entry in entries:
        key = entry.division, name_key(str(entry.player["name"]))
        years.setdefault(key, []).append(entry.player.get("birth_year"))
    for one in divisions:
        for player in one.players:
            years.setdefault((one.slug, name_key(player.name or player.id)), []).append(player.birth_year)
    return years


def _other_division_note(entry: ImportedPlayer, years: _BirthYears, divisions: Sequence[ListedDivision]) -> Text | None:
    """Return that the person of a line is in another division too, or may be; None if not."""
    key, own = name_key(str(entry.player["name"])), entry.player.get("birth_year")
    for one in divisions:
        others = () if one.slug == entry.division else years.get((one.slug, key), ())
        if any(not birth_years_differ(year, own) for year in others):
            return say("also entered in {division}; nobody can play at two tables at once", division=one.names[0])
    return None


def with_repeats_written_out(text: str) -> str:
    """Return a list with the cells that its ditto marks repeat, and without line breaks in cells, so that its lines can
    be taken one by one; each keeps its number.

    :raises UnreadableList: it is no list.
    """
    if _DITTO_CELL.search(text) is None and not any(line.count('"') % 2 for line in text.split("\n")):
        return text
    written, last = io.StringIO(), 0
    writer = csv.writer(written, delimiter="\t", lineterminator="\n")
    for line, cells in _rows(text, MAX_PLAYERS):
        writer.writerows([*[[""]] * (line - last - 1), cells])
        last = line
    return written.getvalue()


def _is_title(cells: Sequence[str], header: Sequence[str]) -> bool:
    """Check whether a line above the headings has fewer cells than they; merged cells are equal and count once."""
    return len({*cells} - {""}) < len({*header} - {""})


def iter_players(text: str, most: int) -> Iterator[dict[str, object]]:
    """Yield the players of a list that is too long to be parsed as a whole, each person once. The columns are detected
    from its first lines, and lines that are not understood are skipped.

    :raises UnreadableList: it is no list.
    """
    rows = _rows(text, most)
    if not (first := join_heading_rows(list(islice(rows, _SAMPLE_ROWS)))):
        return
    above, columns = detect_columns(first)
    days = _has_spreadsheet_days(columns, first[above - 1][1] if above else (), first[above:])
    seen: set[int] = set()
    for _, cells in chain(first[above:], rows):
        try:
            parsed = _parse_player(columns, cells, days)
            player = {name: one for name, one in parsed.items() if one not in ("", None)}
        except UnreadableList:
            continue
        if (person := hash((name_key(str(player["name"])), player.get("birth_year")))) not in seen:
            seen.add(person)
            yield player


def _rows(text: str, most: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not empty, each with the number of its last line."""
    lines = _checked_lines(text).strip("\n")
    if lines.count("\n") >= most:
        raise UnreadableList.saying("the list has more than {most} lines; take it in parts", most=most)
    some = [line[:MAX_LINE] for line in lines.split("\n", 20)[:20]]
    delimiter = max(
        "\t,;", key=lambda mark: (sum(mark in line for line in some), sum(line.count(mark) for line in some))
    )
    reader, at = csv.reader((line[0] for line in _LINE.finditer(lines)), delimiter=delimiter), 0
    above: list[str] = []
    try:
        for cells in reader:
            at = reader.line_num
            if len(cells) > MAX_COLUMNS or sum(map(len, cells)) > MAX_LINE:
                raise UnreadableList(_too_long(at))
            if any(cells := [to_half_width(plain_text(cell)) for cell in cells]):
                pairs = zip_longest(cells, above[: len(cells)], fillvalue="")
                above = [_resolve_ditto(cell, over) for cell, over in pairs]
                yield at, above
    except csv.Error as error:
        why = say("the list cannot be read after line {line}; save it again as CSV", line=at)
        raise UnreadableList(why) from error


def _resolve_ditto(cell: str, over: str) -> str:
    """Return the cell above for a ditto mark, but no heading."""
    return over if cell.lower() in _DITTO and over and not is_heading(over) else cell


def _checked_lines(text: str) -> str:
    """Return the text with one kind of line end. Line lengths are checked first, because later steps are slow on long
    lines.

    :raises UnreadableList: a line is too long.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if (long := _LONG_LINE.search(text)) is not None:
        raise UnreadableList(_too_long(text.count("\n", 0, long.start()) + 1))
    return text


def _too_long(line: int) -> Text:
    text = say("line {line} is longer than {letters} letters or {columns} columns; is a quote not closed?")
    return text(line=line, letters=MAX_LINE, columns=MAX_COLUMNS)


def _has_spreadsheet_days(
    columns: Sequence[str], header: Sequence[str], data: Sequence[tuple[int, Sequence[str]]]
) -> bool:
    """Check whether births are a spreadsheet's days; ``header``: the cells of the headings, if there are any."""
    if "birth_year" not in columns:
        return False
    at = columns.index("birth_year")
    births = [cells[at] for _, cells in data if at < len(cells) and cells[at]]
    return are_spreadsheet_days(header[at] if at < len(header) else "", births)


def _parse_player(columns: Sequence[str], cells: Sequence[str], days: bool) -> dict[str, object]:
    player: dict[str, object] = {}
    for name, cell in zip(columns, cells, strict=False):
        if name and cell.lower() in _DITTO:
            raise UnreadableList.saying("'{cell}' has nothing above it to repeat; write it out", cell=cell)
        if name and cell:
            player[name] = read_cell(COLUMNS[name], cell, days)
    for whole, parts in PARTS.items():
        if joined := " ".join(str(part) for one in parts if (part := player.pop(one, ""))):
            player.setdefault(whole, joined)
    name = _TITLE.sub("", str(player.get("name", "")))
    if "kana" not in player and (both := _WITH_KANA.fullmatch(name)) is not None:
        name, player["kana"] = _TITLE.sub("", both[1]), both[2].strip()
    if name:
        player["name"] = name
    filled = [cell for cell in cells if cell]
    only = name or (filled[0] if len(filled) == 1 else "")  # a line below the list may begin in any column
    if _TOTAL.fullmatch(only) or re.fullmatch(r"[0-9]+\s*[名人]", only):
        raise UnreadableList.saying("this line is a count of players, not a player")
    if _NOTE.match(only):
        raise UnreadableList.saying("this line is a note, not a player")
    if not name:
        raise UnreadableList.saying("there is no name")
    if re.fullmatch(r"[\d\s./-]+", name):
        raise UnreadableList.saying("'{name}' is not a name; is the right column taken as the name?", name=name[:20])
    if is_heading(name):
        raise UnreadableList.saying("'{name}' is a heading, not a name", name=name)
    if len(name) > COLUMNS["name"].letters:
        raise UnreadableList.saying("the name is too long; is the list split into columns?")
    return player


def match_with_known(
    entries: Sequence[ImportedPlayer], known: Sequence[Player]
) -> tuple[list[ImportedPlayer], list[ImportProblem]]:
    """Match each entry with the known player it is, if any; a line that repeats an earlier one is reported and left
    out.
    """
    by_key: dict[str, list[Player]] = {}
    for one in known:
        by_key.setdefault(name_key(one.name or one.id), []).append(one)
    found: list[ImportedPlayer] = []
    problems: list[ImportProblem] = []
    #: by the key of the name, and then by the year of birth
    earlier: dict[str, dict[object, ImportedPlayer]] = {}
    for entry in entries:
        player = {name: value for name, value in entry.player.items() if value not in ("", None)}
        key, year = name_key(str(player["name"])), player.get("birth_year")
        years = earlier.setdefault(key, {})
        alike = by_key.get(key, [])
        same = [one for one in alike if not birth_years_differ(one.birth_year, year)]
        why = _repetition(entry, year, years)
        if why is None:
            years[year] = entry
            why = _number_conflict(player, known, same)
        if why is None and len(same) > 1:
            why = say("two players have that name; give the birth year")
        if why is not None:
            problems.append(ImportProblem(entry.line, str(player["name"]), why))
        elif not same:
            note = say("another person of the same name") if alike else None
            found.append(ImportedPlayer(entry.line, player, entry.division, note=note))
        else:
            changes = {
                name: value
                for name, value in player.items()
                if name not in ("id", "name", "team", "division") and getattr(same[0], name) != value
            }
            found.append(ImportedPlayer(entry.line, player, entry.division, same[0].id, changes))
    return found, problems


def _repetition(entry: ImportedPlayer, year: object, years: Mapping[object, ImportedPlayer]) -> Text | None:
    """Return that a line repeats an earlier one of that name, or may do so; None if not. ``years``: the earlier ones by
    their year of birth."""
    if year not in years and not (years and None in (year, *years)):
        return None
    first = years.get(year) or next(iter(years.values()))
    if None in (year, *years) and {**first.player, "name": ""} != {**entry.player, "name": ""}:
        return say(
            "is this the person of line {line}? if so, leave one line out; if not, give both their birth year",
            line=first.line,
        )
    return say("the same person as in line {person}", person=first.line)


#: fields that identify one person each
_UNIQUE_NUMBERS = {"id": say("the id {number} belongs to {name}"),
        "national": say("the membership number {number} belongs to {name}"),
        "wof": say("the number {number} of the world rating list belongs to {name}")}  # fmt: skip


def _number_conflict(player: Mapping[str, object], known: Sequence[Player], same: Sequence[Player]) -> Text | None:
    """Return why the numbers of a line belong to somebody else; None if they are free or the player's own."""
    for field_, sentence in _UNIQUE_NUMBERS.items():
        for one in known if field_ in player else ():
            if str(getattr(one, field_)) == str(player[field_]) and one not in same:
                return sentence(number=str(player[field_]), name=one.name or one.id)
    return None
