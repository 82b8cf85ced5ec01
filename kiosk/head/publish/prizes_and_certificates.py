"""Prizes of a division: places, grades, Oza qualification, and the certificates that are printed for them.

The engine's tables decide (M43C, M40C); nothing here grants anything. A format without a table has places only.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.i18n import Text, say, say_in
from engine.tournament.grade_and_oza_awards import Award
from engine.tournament.pairing_history_and_constraints import who_came
from kiosk.head.publish.published_event import Book, PublishedDivision

#: M43C-10, M40C-11: the prizes of a division, named as in the rules
HASEGAWA = say("Hasegawa Goro prize")
MEGAHOUSE = say("MegaHouse prize")
EXTRA = say("Extra prize")
WOMENS_MEIJIN = say("Women's Meijin")
PLACES = (say_in("a place", "Winner"), say("Runner-up"), say("3rd place"))


@dataclass(frozen=True, slots=True)
class Prize:
    """One row of the prize list. ``award`` None: a place without a grade. ``place`` None: a grade without a place."""

    id: str
    rank: int
    place: Text | None
    prizes: tuple[Text, ...]
    award: Award | None


def prizes_of(division: PublishedDivision) -> tuple[Prize, ...]:
    """Return places 1 to 3, then every player with a grade, a qualification or the women's title (M43R-6), in rank
    order. Players with a shared rank share the place. A player who never came has none, whatever the bracket says
    (AMB-49)."""
    came = who_came(division.event)
    by_id = {award.id: award for award in division.awards}
    lines = []
    for row in division.standings.rows if division.standings.after_round else ():
        has_place = row.rank <= len(PLACES) and came.intersection(_members(division, row.id))
        place = PLACES[row.rank - 1] if has_place else None
        award = by_id.get(row.id)
        prizes = _named_prizes(division, row.rank)
        if row.id == division.standings.womens_champion:
            prizes = (WOMENS_MEIJIN, *prizes)
        if place is not None or award is not None:
            lines.append(Prize(row.id, row.rank, place, prizes, award))
    return tuple(lines)


def _members(division: PublishedDivision, id: str) -> tuple[str, ...]:
    """Return the players of a team; of any other id, the player himself."""
    return next((team.players for team in division.event.teams if team.id == id), (id,))


def _named_prizes(division: PublishedDivision, rank: int) -> tuple[Text, ...]:
    table = division.event.facts.certificate
    if table is None or rank > len(PLACES):  # only the Meijin's rules name prizes
        return ()
    if rank > 1:
        return (EXTRA,)
    return (HASEGAWA, MEGAHOUSE) if table[1] == "open" else (HASEGAWA,)


@dataclass(frozen=True, slots=True)
class Certificate:
    """One certificate. ``kind``: ``place`` (a prize), ``title`` (the women's Meijin), ``grade`` (dan or kyu) or
    ``oza``. ``honour``: what it grants, unless ``award`` says it. ``members``: of a team.
    """

    kind: str
    division: PublishedDivision
    id: str
    rank: int
    honour: Text | None
    award: Award | None
    members: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.division.name(self.id)


KINDS = ("place", "title", "grade", "oza")


def certificates_of(book: Book, kinds: tuple[str, ...] = KINDS, only: str | None = None) -> tuple[Certificate, ...]:
    """Return the certificates of all finished divisions, or of the division ``only``, in the order of the ceremony:
    grades and qualifications first, then the women's title (M43R-6), places last. A grade that was kept is no new
    certificate (M43C-11).
    """
    certificates = []
    for division in book.divisions:
        if not division.is_over or only not in (None, division.key):
            continue
        lines = prizes_of(division)
        for kind in ("grade", "oza", "title", "place"):
            if kind in kinds:
                deserving = [line for line in reversed(lines) if _deserves(kind, division, line)]
                certificates += [_certificate(kind, division, line) for line in deserving]
    return tuple(certificates)


def _deserves(kind: str, division: PublishedDivision, line: Prize) -> bool:
    match kind:
        case "place":
            return line.place is not None
        case "title":
            return WOMENS_MEIJIN in line.prizes
        case "oza":
            return line.award is not None and line.award.oza
        case _:
            return division.promotes(line.award)


def _certificate(kind: str, division: PublishedDivision, line: Prize) -> Certificate:
    members = tuple(division.name(id) for id in _members(division, line.id) if id != line.id)
    honour = WOMENS_MEIJIN if kind == "title" else line.place
    return Certificate(kind, division, line.id, line.rank, honour, line.award, members)
