"""The score sheet of a ChouChou event as a workbook (CC-SCO-1): title and date; rounds across, players down; ○ or × and
below it plus or minus points; at the right wins and the sum of the points.

A point is a captured piece above (plus) or short of (minus) the target (CC-WIN-3). A pair has one row; its points are
the sum of its two players' (CC-RANK-6).
"""

from __future__ import annotations

import io
from datetime import UTC, datetime

from engine.i18n import Text, say
from engine.tournament import Event, EventError, standings
from engine.tournament.event_model import WIN, Bye
from engine.tournament.formats.chouchou import points_of
from kiosk.locale import render_both


def sheet(event: Event) -> list[list[str | Text]]:
    """Return the table of CC-SCO-1 as lines of cells: the title and date, the header, then two lines per row, in the
    order of the standings. A bye is a win without points.

    :raises EventError: the event counts no captured pieces.
    """
    if not event.facts.captures:
        raise EventError.saying("only ChouChou has a score sheet of captured pieces; take .csv")
    rounds = event.rounds[: event.last_finished_round]
    points_by_round = points_of(event, len(rounds))
    table: list[list[str | Text]] = [
        [event.name or "", event.date or ""],
        ["", *(say("Round {n}", n=round_.number) for round_ in rounds), say("Total")],
    ]
    for row in standings(event).rows:
        results, points = list[str](), list[str]()
        for round_ in rounds:
            entry = next((entry for entry in round_.entries if row.id in entry.players), None)
            won = entry is not None and (isinstance(entry, Bye) or entry.half_points(row.id) == WIN)
            results.append("" if entry is None else "○" if won else "×")
            points.append("" if entry is None else _signed(points_by_round[row.id].get(round_.number, 0)))
        table.append([event.called(row.id), *results, str(results.count("○"))])
        table.append(["", *points, _signed(sum(points_by_round[row.id].values()))])
    return table


def _signed(points: int) -> str:
    return f"{points:+}" if points else "0"


def write_sheet(event: Event) -> bytes:
    """Return the score sheet as an .xlsx file.

    :raises EventError: the event counts no captured pieces.
    """
    import xlsxwriter  # not needed by a table

    (title, date), head, *lines = sheet(event)
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
