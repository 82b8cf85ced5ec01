"""The score sheet of a ChouChou event as a workbook (CC-SCO-1): title and date; rounds across, players down; ○ or × and
below it plus or minus points; at the right wins and the sum of the points.
"""

from __future__ import annotations

import io
from datetime import UTC, datetime

from engine.chouchou.score_sheet_and_ranking import ScoreCell, ScoreRow, sheet
from engine.i18n import Text, say
from engine.tournament import Event, EventError, standings
from engine.tournament.event_model import WIN, Bye
from engine.tournament.formats.chouchou import points_of
from kiosk.locale import render_both


def score_rows(event: Event) -> list[ScoreRow]:
    """Return the rows of the sheet in the order of the standings. A bye is a win without points.

    :raises EventError: the event counts no captured pieces.
    """
    if not event.facts.captures:
        raise EventError(say("only ChouChou has a score sheet of captured pieces; take .csv"))
    rounds = event.rounds[: event.last_finished_round]
    points = points_of(event, len(rounds))
    rows = []
    for row in standings(event).rows:
        marks: list[ScoreCell | None] = []
        for round_ in rounds:
            entry = next((entry for entry in round_.entries if row.id in entry.players), None)
            if entry is None:
                marks.append(None)
            elif isinstance(entry, Bye):
                marks.append(ScoreCell(True, 0))
            else:
                marks.append(ScoreCell(entry.half_points(row.id) == WIN, points[row.id].get(round_.number, 0)))
        rows.append(ScoreRow(event.called(row.id), tuple(marks)))
    return rows


def write_sheet(event: Event) -> bytes:
    """Return the score sheet as an .xlsx file.

    :raises EventError: the event counts no captured pieces.
    """
    import xlsxwriter  # not needed by a table

    (title, date), head, *lines = sheet(event.name or "", event.date or "", score_rows(event))
    written = io.BytesIO()
    with xlsxwriter.Workbook(written, {"in_memory": True, "strings_to_formulas": False}) as book:
        book.set_properties({"created": datetime(2000, 1, 1, tzinfo=UTC)})  # the same event gives the same file
        page = book.add_worksheet("ChouChou")
        bold = book.add_format({"bold": True, "font_size": 14})
        cell = book.add_format({"border": 1, "align": "center", "valign": "vcenter"})
        name = book.add_format({"border": 1, "valign": "vcenter", "text_wrap": True})
        page.write_string(0, 0, str(title), bold)
        page.write_string(0, max(1, len(head) - 1), str(date))
        for column, text in enumerate(head):
            page.write_string(2, column, _cell_text(text), cell)
        for row, line in enumerate(lines, start=3):
            if row % 2:  # a player's two rows have one name
                page.merge_range(row, 0, row + 1, 0, str(line[0]), name)
            for column, text in enumerate(line[1:], start=1):
                page.write_string(row, column, _cell_text(text), cell)
        page.set_column(0, 0, 24)
        page.set_column(1, len(head) - 1, 14)
        page.fit_to_pages(1, 0)
        page.set_landscape()
    return written.getvalue()


def _cell_text(text: str | Text) -> str:
    return render_both(text) if isinstance(text, Text) else text
