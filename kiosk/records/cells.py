"""Cells of a CSV that somebody opens in a spreadsheet.

The law: a text that a spreadsheet would take as a formula (``=1+1``, ``@SUM``, also in full-width letters, also after a
tab or a line break) has an apostrophe in front of it, and so has one that begins with such an apostrophe; who reads our
tables takes one away. So every text comes back as it was. Numbers are no texts and stay as they are.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")


def plain_text(cell: str) -> str:
    """A cell as the text that it stands for."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """A table whose lines end with a line feed; what looks like another end of line is quoted."""
    out = io.StringIO(newline="")
    for row in rows:
        line = io.StringIO(newline="")
        csv.writer(line, lineterminator="\r\n").writerow([_safe(cell) for cell in row])
        out.write(line.getvalue().removesuffix("\r\n") + "\n")
    return out.getvalue()


def _safe(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell
