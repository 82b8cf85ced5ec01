"""Import of player lists, pasted from a spreadsheet or read from any program's file.

Nothing is guessed silently: every line shows what was understood, or why it was not, before anything is applied. A
known player is recognised and merged, never entered twice. Lists and lines above a length limit are refused before they
are parsed.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from engine.tournament.event_model import Player
from engine.translatable_text import Text, say
from kiosk.head.registration.player_list_cells import (
    MAX_COLUMNS,
    MAX_LINE,
    MAX_PLAYERS,
    UnreadableList,
    name_key,
    read_cell,
    to_half_width,
)
from kiosk.head.registration.player_list_columns import COLUMNS, detect_columns, heading
from kiosk.records.csv_escape import plain_text

_TOTAL = re.compile(r"(合計|総計|小計|計|総数|全員|以上|total)[\s::]*([0-9]+\s*[名人]?)?", re.IGNORECASE)
_LONG = re.compile(rf"[^\n]{{{MAX_LINE + 1}}}")
#: rows of a long list by which its columns are detected
_LOOKED_AT = 1_000


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """Why a line is not imported. ``line`` counts from 1, as shown."""

    line: int
    text: str
    why: Text


@dataclass(frozen=True, slots=True)
class ImportedPlayer:
    """One parsed line. ``known``: the id of the player it is; ``changes``: the fields in which it differs from him."""

    line: int
    player: Mapping[str, object]
    known: str | None = None
    changes: Mapping[str, object] = field(default_factory=dict)
    note: Text | None = None


@dataclass(frozen=True, slots=True)
class ImportResult:
    """Result of parsing a list. ``columns``: the field of each column, "" for an ignored one; ``headings``: its
    heading, or an example value.
    """

    columns: tuple[str, ...]
    entries: tuple[ImportedPlayer, ...]
    problems: tuple[ImportProblem, ...]
    has_header: bool
    headings: tuple[str, ...] = ()

    @property
    def dropped(self) -> tuple[str, ...]:
        """Return the headings of the ignored columns."""
        return tuple(said for field, said in zip(self.columns, self.headings, strict=True) if not field and said)

    @property
    def new(self) -> tuple[ImportedPlayer, ...]:
        return tuple(entry for entry in self.entries if entry.known is None)

    @property
    def changed(self) -> tuple[ImportedPlayer, ...]:
        return tuple(entry for entry in self.entries if entry.known is not None and entry.changes)


def decode(content: bytes) -> str:
    """Return the text of a file as spreadsheets save it: UTF-8, UTF-16 or Windows-31J.

    :raises UnreadableList: none of them, or a line of it is too long.
    """
    wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    for encoding in ("utf-16",) if wide else ("utf-8-sig", "cp932"):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return _short_lines(text)
    raise UnreadableList(say("the file is not text in UTF-8 or Windows-31J; save it as CSV from the spreadsheet"))


def parse_list(text: str, known: Sequence[Player] = (), said: Sequence[str | None] = ()) -> ImportResult:
    """Parse a pasted list of at most ``MAX_PLAYERS`` lines. ``known``: the division's players; ``said``: the field that
    a person assigned to each column, None if not assigned.

    :raises UnreadableList: it is no list.
    """
    rows = list(_rows(text, MAX_PLAYERS))
    if not rows:
        return ImportResult((), (), (), False)
    header, columns = detect_columns(rows)
    data = rows[1:] if header else rows
    width = max(len(cells) for _, cells in rows)
    columns += ("",) * width
    columns = tuple(columns[at] if one is None else one for at, one in enumerate([*said, *[None] * width][:width]))
    headings = tuple(heading(at, rows[0][1] if header else (), data) for at in range(width))
    entries: list[ImportedPlayer] = []
    problems: list[ImportProblem] = []
    for line, cells in data:
        try:
            player = _player(columns, cells)
        except UnreadableList as error:
            problems.append(ImportProblem(line, " ".join(filter(None, cells))[:60], error.text))
            continue
        if player:
            entries.append(ImportedPlayer(line, player))
    merged, twice = _recognised(entries, known)
    return ImportResult(columns, tuple(merged), tuple(sorted((*problems, *twice), key=lambda one: one.line)),
    bool(header),
                   headings)  # fmt: skip


def iter_players(text: str, most: int) -> Iterator[dict[str, object]]:
    """Yield the players of a list that is too long to be parsed as a whole, each person once. The columns are detected
    from its first lines, and lines that are not understood are skipped.

    :raises UnreadableList: it is no list.
    """
    rows = _rows(text, most)
    if not (first := list(islice(rows, _LOOKED_AT))):
        return
    header, columns = detect_columns(first)
    seen: set[int] = set()
    for _, cells in chain(first[1:] if header else first, rows):
        try:
            player = {name: one for name, one in _player(columns, cells).items() if one not in ("", None)}
        except UnreadableList:
            continue
        if (person := hash((name_key(str(player["name"])), player.get("birth_year")))) not in seen:
            seen.add(person)
            yield player


def import_parsed(players: Sequence[Mapping[str, object]], known: Sequence[Player]) -> ImportResult:
    """Return the import of a list that another program wrote and that is parsed already."""
    entries, twice = _recognised([ImportedPlayer(line, player) for line, player in enumerate(players, start=1)], known)
    return ImportResult((), tuple(entries), tuple(twice), False)


def _rows(text: str, most: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not empty, each with the number of its last line."""
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
            if any(cells := [to_half_width(plain_text(cell)) for cell in cells]):
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


def _short_lines(text: str) -> str:
    """Return the text with one kind of line end. Line lengths are checked first, because later steps are slow on long
    lines.

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


def _player(columns: Sequence[str], cells: Sequence[str]) -> dict[str, object]:
    player: dict[str, object] = {}
    for name, cell in zip(columns, cells, strict=False):
        if name and cell:
            player[name] = read_cell(COLUMNS[name], cell)
    family, given = player.pop("family", ""), player.pop("given", "")
    if family or given:
        player["name"] = f"{family} {given}".strip()
    if not player.get("name"):
        raise UnreadableList(say("there is no name"))
    if _TOTAL.fullmatch(str(player["name"])) or re.fullmatch(r"[0-9]+\s*[名人]", str(player["name"])):
        raise UnreadableList(say("this line is a count of players, not a player"))
    if len(str(player["name"])) > COLUMNS["name"].letters:
        raise UnreadableList(say("the name is too long; is the list split into columns?"))
    return player


def _recognised(
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
    earlier: dict[tuple[str, object], int] = {}
    for entry in entries:
        player = {name: value for name, value in entry.player.items() if value not in ("", None)}
        key = name_key(str(player["name"]))
        person = key, player.get("birth_year")
        if person in earlier:
            why = say("the same person as in line {person}", person=earlier[person])
            problems.append(ImportProblem(entry.line, str(player["name"]), why))
            continue
        earlier[person] = entry.line
        same = [one for one in by_key.get(key, ()) if not _differ(one, player)]
        if (others := _taken(player, known, same)) is not None:
            problems.append(ImportProblem(entry.line, str(player["name"]), others))
            continue
        if len(same) > 1:
            why = say("two players have that name; give the birth year")
            problems.append(ImportProblem(entry.line, str(player["name"]), why))
            continue
        if not same:
            note = say("another person of the same name") if by_key.get(key) else None
            found.append(ImportedPlayer(entry.line, player, note=note))
            continue
        changes = {
            name: value
            for name, value in player.items()
            if name not in ("id", "name", "team") and getattr(same[0], name) != value
        }
        found.append(ImportedPlayer(entry.line, player, same[0].id, changes))
    return found, problems


#: fields that identify one person each
_OWN = {"id": say("the id {number} belongs to {name}"),
        "national": say("the membership number {number} belongs to {name}"),
        "wof": say("the number {number} of the world rating list belongs to {name}")}  # fmt: skip


def _taken(player: Mapping[str, object], known: Sequence[Player], same: Sequence[Player]) -> Text | None:
    """Return why the numbers of a line belong to somebody else; None if they are free or the player's own."""
    for field_, sentence in _OWN.items():
        for one in known if field_ in player else ():
            if str(getattr(one, field_)) == str(player[field_]) and one not in same:
                return sentence(number=str(player[field_]), name=one.name or one.id)
    return None


def _differ(one: Player, other: Mapping[str, object]) -> bool:
    """Check whether two entries of the same name are two people."""
    years = one.birth_year, other.get("birth_year")
    return None not in years and years[0] != years[1]
