"""Spreadsheet files (.xlsx, .xlsb, .xls, .ods): reading each sheet as the text of a list, and writing an empty list.

A workbook is read in a child process, and its macros are never run.
"""

from __future__ import annotations

import io
from collections.abc import Sequence

import xlsxwriter

from kiosk import sandbox
from kiosk.head.registration.player_list_cells import UnreadableList
from kiosk.head.registration.sandboxed_workbook_reader import OLD, ZIP, read_sheets

#: ten times the needs of the longest list
_LIMITS = sandbox.Limits(memory=256 * 1024 * 1024, processor_s=10, deadline_s=20)


def is_workbook(content: bytes) -> bool:
    return content.startswith((ZIP, OLD))


def sheets_of(content: bytes) -> list[tuple[str, str]]:
    """Return the sheets that are not empty: name, and text with tabs.

    :raises UnreadableList: it is no workbook, or it cannot be read within the limits.
    """
    try:
        return [(name, text) for name, text in sandbox.run(read_sheets, content, _LIMITS)]
    except sandbox.SandboxError as error:
        raise UnreadableList(error.text) from error


def empty_list(title: str, headings: Sequence[str]) -> bytes:
    """Return a workbook of one sheet with these headings and empty lines for players."""
    written = io.BytesIO()
    with xlsxwriter.Workbook(written, {"in_memory": True}) as book:
        sheet = book.add_worksheet(title)
        sheet.write_row(0, 0, headings, book.add_format({"bold": True, "bottom": 1}))
        sheet.set_column(0, len(headings) - 1, 16, book.add_format({"num_format": "@"}))  # keeps 001 as text
        sheet.freeze_panes(1, 0)
    return written.getvalue()
