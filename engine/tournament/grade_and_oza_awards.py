"""Grades and Oza qualification awarded by a finished event: tables M43C and M40C (RULES.md 7).

- A player gets the highest row that applies. Nobody is demoted (M43C-11): a player who already holds that grade or a
  better one keeps it and pays nothing.
- Grades are written as in the event file: ``7d`` is 7 dan, ``1k`` is 1 kyu.
- The sources do not print the kyu table of the elementary divisions ("by number of entrants"), so it is the option
  ``kyu_by_entrants``; without it those places have no grade.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.tournament.event_model import WIN, Event, Player, event_error
from engine.tournament.format_spec_and_options import DIVISION, PRIZE
from engine.tournament.formats import format_of
from engine.tournament.pairing_history_and_constraints import who_came
from engine.tournament.player_entry_fields import JAPAN, country_code, grade_height
from engine.tournament.standings_and_tie_breaks import StandingsRow


@dataclass(frozen=True, slots=True)
class CertificateTable:
    """Award rules of one division. ``places``: grade by place from the winner. ``prize``: grade of the "prize"
    (AMB-29). ``fourth``: grade of 4th place. ``wins``: (half points, grade), best first. ``oza``: half points, or
    ``oza_place`` a place."""

    places: tuple[str, str, str]
    prize: str | None = None
    fourth: str | None = None
    wins: tuple[tuple[int, str], ...] = ()
    oza: int | None = None
    oza_place: int | None = None


@dataclass(frozen=True, slots=True)
class Award:
    """Grade and qualification of one player. ``fee``: whether the certificate is charged. ``oza``: qualified for the
    Oza. ``rule``: the row applied."""

    id: str
    grade: str | None
    rule: str
    fee: bool
    oza: bool


_FIVE_DAN = CertificateTable(("5d", "4d", "3d"), fourth="2d", wins=((10, "2d"), (8, "1d"), (6, "1k")), oza=8)
_ELEMENTARY = CertificateTable(("3d", "2d", "1d"), oza_place=8)

#: by division, which ``options.division`` names where the format leaves it open
M43C: Mapping[str, CertificateTable] = {
    "open": CertificateTable(
        ("7d", "6d", "6d"), prize="5d", fourth="5d", wins=((12, "5d"), (11, "4d"), (9, "3d"), (7, "2d")), oza=10
    ),
    "master": _FIVE_DAN,
    "students": _FIVE_DAN,
    "elementary": _ELEMENTARY,
}
M40C: Mapping[str, CertificateTable] = {
    "open": CertificateTable(("7d", "6d", "6d"), prize="5d", wins=((12, "4d"), (10, "3d"), (8, "2d")), oza=10),
    "women": _FIVE_DAN,
    "master": _FIVE_DAN,
    "high-school": _FIVE_DAN,
    "junior-high": CertificateTable(("4d", "3d", "2d"), fourth="1d", wins=((10, "1d"), (8, "1k"), (6, "2k")), oza=8),
    "elementary": _ELEMENTARY,
}
#: M40C-9: three wins of a foreign player in the open division
FOREIGN_WINS, FOREIGN_GRADE = 3 * WIN, "1d"


def awards(event: Event) -> tuple[Award, ...]:
    """Return all awards of a grade or the Oza, in rank order.

    :raises EventError: if the format has no certification table, or the table has no such division
    """
    table, column = _column(event)
    table_of_all = format_of(event).standings(event)
    came = who_came(event)  # who only failed to come has played for nothing
    rows = [row for row in table_of_all.rows if row.id in came]
    result = []
    for row in rows:
        player = event.player(row.id)
        grade, rule = _grade(event, table, column, row, len(rows))
        score = round(row.wins * WIN)
        oza = (column.oza is not None and score >= column.oza) or row.rank <= (column.oza_place or 0)
        if row.id == table_of_all.womens_champion:
            rule = rule or "M43R-6"  # the title is listed regardless of her grade
        if rule is None and not oza:
            continue
        keeps = player.grade is not None and grade is not None and grade_height(player.grade) >= grade_height(grade)
        # M40C-10: dan grades are charged, kyu grades are not; M43C-9: both are
        exempt = table == "M40C" and (_foreign(player) or (grade or "").endswith("k"))
        free = row.rank == 1 or keeps or grade is None or exempt
        result.append(Award(row.id, player.grade if keeps else grade, rule or f"{table}-8", not free, oza))
    return tuple(result)


def _column(event: Event) -> tuple[str, CertificateTable]:
    if event.facts.certificate is None:
        raise event_error("format {format!r} has no certification table; M43 and M40 formats have", format=event.format)
    table, usual = event.facts.certificate
    columns = M43C if table == "M43C" else M40C
    division = DIVISION.of(event) or usual
    if division not in columns:
        names = ", ".join(columns)
        raise event_error(
            "options.division is {value!r}, which table {table} does not have; it has {names}",
            value=division,
            table=table,
            names=names,
        )
    return table, columns[division]


def _grade(
    event: Event, table: str, column: CertificateTable, row: StandingsRow, entrants: int
) -> tuple[str | None, str | None]:
    """Return (grade, rule id) of the highest row that applies (M43C-11); (None, None) without one."""
    if row.rank <= len(column.places):
        return column.places[row.rank - 1], f"{table}-{row.rank}"
    score = round(row.wins * WIN)
    if column.oza_place is not None:  # "4th and below: kyu by number of entrants"
        return _kyu(event, row.rank, entrants), f"{table}-4"
    if row.rank == 4 and column.fourth is not None:
        return column.fourth, f"{table}-4"
    # AMB-29: in M40 the prize is 6-1; in M43 it is 4th place and six wins, or by option 4th place alone
    by_place = PRIZE.of(event) == "place"
    by_wins = [(wins, grade) for wins, grade in column.wins if not by_place or grade != column.prize]
    prize = None if by_place or table != "M40C" else column.prize
    if prize is not None and score == 6 * WIN and _losses(event, row.id) == 1:
        return prize, f"{table}-4"
    # the row of the fewest wins is the last of the column; equal grades of one row (4th or 5 wins) share its number
    grades = list(dict.fromkeys(grade for _, grade in by_wins))
    first = 4 if grades and grades[0] in (column.fourth, column.prize) else 5
    for wins, grade in by_wins:
        if score >= wins:
            return grade, f"{table}-{first + grades.index(grade)}"
    if table == "M40C" and column.prize is not None and _foreign(event.player(row.id)) and score >= FOREIGN_WINS:
        return FOREIGN_GRADE, "M40C-9"
    return None, None


def _kyu(event: Event, rank: int, entrants: int) -> str | None:
    """Return the grade of a place from 4th, in the row of the most entrants reached; its last grade applies to all
    places below."""
    reached = [row for row in event.options.kyu_by_entrants if row[0] <= entrants]
    if not reached:
        return None
    _, grades = max(reached)
    return grades[min(rank - 4, len(grades) - 1)]


def _losses(event: Event, name: str) -> int:
    """Return the number of games lost; a round without a game is no loss, so 6 wins without a loss keep the 6-win
    row."""
    games = [game for round_ in event.rounds for game in round_.games if name in game.players]
    return sum(game.winner is not None and game.half_points(name) == 0 for game in games)


def _foreign(player: Player) -> bool:
    """Check whether a player is not of Japan (M40C-9, M40C-10)."""
    return player.country is not None and country_code(player.country) != JAPAN
