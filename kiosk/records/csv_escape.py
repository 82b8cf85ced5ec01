"""Escaping of CSV cells that a spreadsheet may interpret as formulas.

A text that a spreadsheet would treat as a formula (``=1+1``, ``@SUM``, also in full-width letters, also after a tab or
a line break), or that begins with an apostrophe before such a text, gets an apostrophe in front; the reader removes
one. So every text is read back unchanged. Numbers are not escaped.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")


def plain_text(cell: str) -> str:
    """Return the text of a cell without its escape."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV with line feeds; cells with any other line break are quoted."""
    out = io.StringIO(newline="")
    for row in rows:
        line = io.StringIO(newline="")
        csv.writer(line, lineterminator="\r\n").writerow([_safe(cell) for cell in row])
        out.write(line.getvalue().removesuffix("\r\n") + "\n")
    return out.getvalue()


def _safe(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell
