"""Spreadsheets as programs save them (.xlsx, .xls, .ods): each sheet as the text of a list; and one to fill in.

The law: a workbook is read by a library and never runs anything; one that unpacks to more than a list can be is refused
before it is unpacked.
"""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Sequence
from datetime import date

import xlsxwriter
from python_calamine import CalamineError, CalamineWorkbook

from engine.text import say
from kiosk.head.entry.cells import UnreadableList
from kiosk.head.entry.listing import MAX_COLUMNS, MAX_PLAYERS

_ZIP, _OLD = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_MOST = 64 * 1024 * 1024


def is_workbook(content: bytes) -> bool:
    return content.startswith((_ZIP, _OLD))


def sheets_of(content: bytes) -> list[tuple[str, str]]:
    """The sheets that hold anything: name, and text with tabs.

    :raises UnreadableList: it is no workbook.
    """
    try:
        if content.startswith(_ZIP):
            with zipfile.ZipFile(io.BytesIO(content)) as packed:
                if sum(one.file_size for one in packed.infolist()) > _MOST:
                    raise UnreadableList(say("the workbook is too large; save its list as CSV"))
        book = CalamineWorkbook.from_filelike(io.BytesIO(content))
        found = [(name, _text(book.get_sheet_by_name(name).to_python(nrows=MAX_PLAYERS))) for name in book.sheet_names]
    except (CalamineError, zipfile.BadZipFile, OSError, ValueError) as error:
        if isinstance(error, UnreadableList):
            raise
        raise UnreadableList(say("the workbook cannot be read ({error}); save its list as CSV", error=error)) from error
    return [(name, text) for name, text in found if text.strip()]


def empty_list(title: str, headings: Sequence[str]) -> bytes:
    """A workbook of one sheet with these headings, and room for players below them."""
    written = io.BytesIO()
    with xlsxwriter.Workbook(written, {"in_memory": True}) as book:
        sheet = book.add_worksheet(title)
        sheet.write_row(0, 0, headings, book.add_format({"bold": True, "bottom": 1}))
        sheet.set_column(0, len(headings) - 1, 16, book.add_format({"num_format": "@"}))  # 001 stays 001
        sheet.freeze_panes(1, 0)
    return written.getvalue()


def _text(rows: Sequence[Sequence[object]]) -> str:
    written = io.StringIO()
    writer = csv.writer(written, delimiter="\t", lineterminator="\n")
    for row in rows:
        writer.writerow([_cell(cell) for cell in row[:MAX_COLUMNS]])
    return written.getvalue()


def _cell(cell: object) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, date):
        return cell.isoformat()[:10]
    return " ".join(str(cell).split())
