"""Reader of spreadsheet files (.xlsx, .xlsb, .xls, .ods): each sheet as the text of a list.

A workbook is read in a child process, and its macros are never run.
"""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Sequence
from datetime import date

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook

from kiosk import untrusted_file_sandbox
from kiosk.head.registration.player_list_columns_and_cells import MAX_COLUMNS, MAX_LINE, MAX_PLAYERS, UnreadableList

#: ten times the needs of the longest list
_LIMITS = untrusted_file_sandbox.Limits(memory=256 * 1024 * 1024, processor_s=10, deadline_s=20)


def is_workbook(content: bytes) -> bool:
    return content.startswith((XLSX, XLS))


def sheets_of(content: bytes) -> list[tuple[str, str]]:
    """Return the sheets that are not empty: name, and text with tabs.

    :raises UnreadableList: it is no workbook, or it cannot be read within the limits.
    """
    try:
        return [(name, text) for name, text in untrusted_file_sandbox.run(read_sheets, content, _LIMITS)]
    except untrusted_file_sandbox.SandboxError as error:
        raise UnreadableList(error.text) from error


# Reading of a workbook's sheets with a library, only in a child process (``kiosk.untrusted_file_sandbox``), because a
# workbook of a few hundred bytes can take any amount of memory and time.
#
# Imports little, because each child process imports it.

XLSX, XLS = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
#: most bytes of all files in a workbook, and most sheets
_MOST_BYTES, _MOST_SHEETS = 64 * 1024 * 1024, 50


def read_sheets(content: bytes) -> list[tuple[str, str]]:
    """Return the sheets that are not empty: name, and text with tabs. A cell is truncated to the longest line.

    :raises UnreadableList: it is no workbook.
    """
    try:
        if content.startswith(XLSX):
            with zipfile.ZipFile(io.BytesIO(content)) as packed:
                if sum(one.file_size for one in packed.infolist()) > _MOST_BYTES:
                    raise UnreadableList.saying("the workbook is too large; save its list as CSV")
        book = CalamineWorkbook.from_filelike(io.BytesIO(content))
        found = [(name, _text(_filled_rows(book.get_sheet_by_name(name)))) for name in book.sheet_names[:_MOST_SHEETS]]
    except (CalamineError, zipfile.BadZipFile, OSError, ValueError) as error:
        if isinstance(error, UnreadableList):
            raise
        raise UnreadableList.saying("the workbook cannot be read; save its list as CSV") from error
    return [(name, text) for name, text in found if text.strip()]


def _filled_rows(sheet: CalamineSheet) -> list[list[object]]:
    """Return the rows of a sheet from its first one; each part of a merged cell has its value where its row has another
    cell that is filled."""
    rows: list[list[object]] = [list(row) for row in sheet.to_python(nrows=MAX_PLAYERS)]
    top, left = sheet.start or (0, 0)
    filled = [any(cell not in ("", None) for cell in row) for row in rows]
    for (first, start), (last, end) in sheet.merged_cell_ranges or ():
        if not 0 <= first - top < len(rows) or not 0 <= start - left < len(rows[first - top]):
            continue
        value = rows[first - top][start - left]
        for row in (rows[at - top] for at in range(first, min(last, top + len(rows) - 1) + 1) if filled[at - top]):
            row[start - left : end - left + 1] = [value] * len(row[start - left : end - left + 1])
    blank: list[object] = [""]
    return [blank] * top + rows if top + len(rows) <= MAX_PLAYERS else rows


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
    return " ".join(str(cell)[: MAX_LINE + 1].split())
