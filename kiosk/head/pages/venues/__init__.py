"""The venues of a federation: their events, standings and tables, and how far their rows have come.

The law: a spectator sees of a venue what its own division lets spectators see. Clocks are not shown: they run at the
venue, and here their records are late.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from engine.text import say
from kiosk.head.desk import Desk
from kiosk.head.errors import NotFound
from kiosk.head.event.pairing import Ranking
from kiosk.head.event.state import DivisionState
from kiosk.head.federation.venue import Venue
from kiosk.head.tables.hall import Card, public_cards
from kiosk.head.web.address import live
from kiosk.head.web.render import Item
from kiosk.head.web.times import local
from kiosk.head.web.visit import Visit

#: a venue that was not heard for so long is shown as late
LATE_S = 120
_LEADERS = 5
#: so many rows that were set aside are named
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Line:
    """A division of a venue. ``ranking`` None: there is none yet."""

    division: DivisionState
    ranking: Ranking | None

    @property
    def finished(self) -> int:
        return sum(not game.is_open for game in self.division.current)


def _lines(venue: Venue) -> list[Line]:
    return [Line(division, venue.ranking(slug)) for slug, division in venue.state.divisions.items()]


def _boards(venue: Venue) -> list[Card]:
    cards = public_cards(cast(Desk, venue), venue.live)
    return [card for card in cards if card.game is not None and card.game.is_open and card.view.board]


def _is_late(venue: Venue) -> bool:
    if venue.heard is None:
        return False
    return (datetime.now(UTC) - datetime.fromisoformat(venue.heard.at)).total_seconds() > LATE_S


def _progress(venue: Venue) -> dict[str, object]:
    return {"late": _is_late(venue), "local": local, "shown": _SHOWN}


def _all(visit: Visit) -> list[Item]:
    pusher, collector = visit.head.pusher, visit.head.collector
    items = []
    if pusher is not None:
        items.append(("sending", visit.draw("venues/_sending.html", sent=pusher.status, local=local)))
    for venue in collector.venues() if collector else ():
        html = visit.draw("venues/_venue.html", venue=venue, lines=_lines(venue), leaders=_LEADERS, **_progress(venue))
        items.append((f"venue-{venue.name}", html))
    return items or [("none", visit.draw("venues/_none.html"))]


def _one(visit: Visit) -> list[Item]:
    collector, name = visit.head.collector, visit.path["venue"]
    venue = collector.venue(name) if collector else None
    if venue is None:
        raise NotFound(
            say("there is no venue '{name}'; choose one of the list of venues", name=name[:40]),
        )
    head = visit.draw("venues/_head.html", venue=venue, **_progress(venue))
    items = [("head", head)]
    items += [
        (f"division-{line.division.slug}", visit.draw("venues/_division.html", line=line)) for line in _lines(venue)
    ]
    return [*items, ("boards", visit.draw("venues/_boards.html", cards=_boards(venue)))]


ADDRESSES = [
    live("/venues", _all, title="venues", template="venues/venues.html"),
    live("/venues/{venue}", _one, title="venues", template="venues/one.html", back="/venues"),
]
