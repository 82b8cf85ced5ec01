"""Event formats by file extension, with their readers and writers; and the CSV format.

A reader makes the object of an event file, which only ``kiosk.records.event_file`` validates; a writer gets a validated
event.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, get_args

from engine.i18n import LocalizedError, Text, say
from engine.tournament import Event
from engine.tournament.player_entry_fields import PLAYER_FIELDS
from kiosk.records.elo_result_file_reader import read_elo
from kiosk.records.elo_result_file_writer import write_elo
from kiosk.records.event_file import parse_json, to_dict
from kiosk.records.papp_files import read_players, write_players

# --- CSV form of an event for spreadsheets: up to three tables in one file, separated by empty lines
#
# Each table begins with a header that identifies it: ``field,value`` (name, date, format, options), ``id,…`` (players),
# ``round,…`` (results). Any table may be missing, so a list of players alone is an event too. Column names are the
# fields of the event file; an unknown column is rejected by name.

_PLAYER = tuple(PLAYER_FIELDS)
_GAME = (
    "round", "table", "black", "black_discs", "white_discs", "white", "winner", "end", "rated", "stage", "league",
    "bye", "transcript",
)  # fmt: skip
#: whole numbers; list numbers and amounts, which may be texts as well ("007", "A-12"); flags
_NUMBERS = {key for key, one in PLAYER_FIELDS.items() if one.type == int | None} | {
    "round", "table", "black_discs", "white_discs",
}  # fmt: skip
_NUMBERED = {key for key, one in PLAYER_FIELDS.items() if {int, str} <= set(get_args(one.type))}
_FLAGS = {key for key, one in PLAYER_FIELDS.items() if one.type is bool} | {"rated"}
#: fields of the event that are objects or lists; their cells hold JSON
_JSON = ("options", "teams")


class CsvError(LocalizedError, ValueError):
    """Error for an unusable CSV event. The message names the line and the column."""


def write_csv(event: Mapping[str, Any]) -> str:
    """Return the three tables of an event file's object."""
    rows: list[Sequence[object]] = [("field", "value")]
    rows += [(name, event[name]) for name in ("name", "name_en", "date", "format") if name in event]
    rows += [(name, json.dumps(event[name], ensure_ascii=False)) for name in _JSON if event.get(name)]
    rows += [(), *_table(_PLAYER, event["players"])]
    games = [{"round": r["round"], **game} for r in event["rounds"] for game in r["games"]]
    if games:
        rows += [(), *_table(_GAME, games)]
    return csv_text(rows)


def _table(names: Sequence[str], records: Sequence[Mapping[str, Any]]) -> list[Sequence[object]]:
    used = [name for name in names if name in names[:2] or any(name in record for record in records)]
    return [used, *([_cell(record.get(name)) for name in used] for record in records)]


def _cell(value: object) -> object:
    return "" if value is None else "yes" if value is True else "no" if value is False else value


def read_csv(text: str) -> dict[str, object]:
    """Return the object of an event file from the tables of a CSV file. Without a format it is ``swiss``.

    :raises CsvError: naming line and column
    """
    event: dict[str, Any] = {"schema": "othello-event/1", "format": "swiss", "players": [], "rounds": []}
    header: list[str] = []
    for line, cells in _rows(text):
        if not any(cells):
            header = []
        elif not header:
            header = _header(cells, line)
        elif header[0] == "field":
            _add_field(event, cells, line)
        elif header[0] == "id":
            event["players"].append(_record(header, cells, line))
        else:
            _add_game(event, _record(header, cells, line), line)
    if not event["players"]:
        raise CsvError.saying("the file has no table of players; its header begins with 'id'")
    return event


def _header(cells: list[str], line: int) -> list[str]:
    known = {"field": ("field", "value"), "id": _PLAYER, "round": _GAME}.get(cells[0])
    if known is None:
        raise CsvError.saying(
            "line {line}: a table begins with a header whose first column is 'field', 'id' or 'round'", line=line
        )
    if unknown := [name for name in cells if name and name not in known]:
        text = say("line {line}: unknown column {unknown}; the columns are {known}")
        raise CsvError(text(line=line, unknown=repr(unknown[0]), known=", ".join(known)))
    if len(set(filter(None, cells))) != len(list(filter(None, cells))):
        raise CsvError.saying("line {line}: a column is there twice; remove one", line=line)
    return cells


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows, each with the number of its last line.

    :raises CsvError: a cell is longer than the module ``csv`` reads
    """
    reader, at = csv.reader(io.StringIO(text)), 0
    try:
        for row in reader:
            at = reader.line_num
            yield at, [plain_text(cell.strip()) for cell in row]
    except csv.Error as error:
        cannot = say("the list cannot be read after line {line}; save it again as CSV", line=at)
        raise CsvError(cannot) from error


def _record(header: Sequence[str], cells: Sequence[str], line: int) -> dict[str, Any]:
    if any(cells[len(header) :]):
        text = say("line {line}: {n} cells under {columns} columns; quote texts with commas")
        raise CsvError(text(line=line, n=len(cells), columns=len(header)))
    record: dict[str, Any] = {}
    for name, cell in zip(header, cells, strict=False):
        if cell and name:
            record[name] = _value(name, cell, line)
    return record


def _value(name: str, cell: str, line: int) -> object:
    if name in _FLAGS:
        if cell.lower() not in ("yes", "no"):
            raise CsvError.saying(
                "line {line}, {name}: {cell!r}; it must be yes or no", line=line, name=name, cell=cell
            )
        return cell.lower() == "yes"
    if name in _NUMBERED:
        return int(cell) if cell.isascii() and cell.isdecimal() and str(int(cell)) == cell else cell
    if name in _NUMBERS:
        try:
            return int(cell)
        except ValueError:
            raise CsvError.saying(
                "line {line}, {name}: {cell!r} is no whole number", line=line, name=name, cell=cell
            ) from None
    return cell


def _add_field(event: dict[str, Any], cells: Sequence[str], line: int) -> None:
    name, value = cells[0], ",".join(cells[1:2])
    if name in _JSON:
        try:
            event[name] = json.loads(value)
        except ValueError:
            raise CsvError.saying("line {line}, {name}: the value is not JSON", line=line, name=name) from None
    elif name in ("name", "name_en", "date", "format"):
        event[name] = value
    else:
        text = say("line {line}: unknown field {name}; the fields are name, name_en, date, format, options, teams")
        raise CsvError(text(line=line, name=repr(name)))


def _add_game(event: dict[str, Any], record: dict[str, Any], line: int) -> None:
    number = record.pop("round", None)
    rounds = event["rounds"]
    if number is None or number not in (len(rounds), len(rounds) + 1):
        raise CsvError.saying(
            "line {line}: round {number}; list the rounds in order, 1, 2, 3 …", line=line, number=number
        )
    if number > len(rounds):
        rounds.append({"round": number, "games": []})
    rounds[-1]["games"].append(record)


# --- cells that a spreadsheet may interpret as formulas
#
# A text that a spreadsheet would treat as a formula (``=1+1``, ``@SUM``, also in full-width letters, also after a tab
# or a line break), or that begins with an apostrophe before such a text, gets an apostrophe in front; the reader
# removes one. So every text is read back unchanged. Numbers are not escaped.

_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")


def plain_text(cell: str) -> str:
    """Return the text of a cell without its escape."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV with line feeds; cells with any other line break are quoted."""
    out = io.StringIO(newline="")
    for row in rows:
        line = io.StringIO(newline="")
        csv.writer(line, lineterminator="\r\n").writerow([_escape(cell) for cell in row])
        out.write(line.getvalue().removesuffix("\r\n") + "\n")
    return out.getvalue()


def _escape(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


#: extension -> reader of (text, list for what was left out) that returns the object of an event file; every error is a
#: ValueError that names the line
READERS: dict[str, Callable[[str, list[Text]], Any]] = {
    ".json": lambda text, _: parse_json(text),
    ".elo": read_elo,
    ".csv": lambda text, _: read_csv(text),
    ".txt": lambda text, _: read_players(text),
}
#: extension -> writer from an event to text
WRITERS: dict[str, Callable[[Event], str]] = {
    ".json": lambda event: json.dumps(to_dict(event), ensure_ascii=False, indent=1) + "\n",
    ".elo": write_elo,
    ".csv": lambda event: "\ufeff" + write_csv(to_dict(event)),  # spreadsheets recognise UTF-8 by this mark
    ".txt": write_players,
}
