"""Lamps of the buttons: the button whose press is expected is lit. Pure.

It shows only what both players may know. While a clock runs, only the running side's button is lit, whatever else the
table knows (promise 3).
"""

from __future__ import annotations

from engine.match import awaits_count, proposed_result
from engine.match.match_value_types import Phase, Seat
from kiosk.table.state import TableState

NOBODY: frozenset[Seat] = frozenset()


def lit_seats(state: TableState) -> frozenset[Seat]:
    """Return the seats whose lamps are on."""
    match = state.match
    if match is None or state.arbiter is not None:
        return NOBODY
    if match.clock.running is not None:
        return frozenset({match.clock.running})
    if awaits_count(match):
        return frozenset(Seat)
    match match.phase:
        case Phase.SETUP:
            return frozenset(Seat)
        case Phase.READY:
            starts = match.seat_of(match.first.opponent)  # M43-5, OTH-HC-3
            return NOBODY if starts is None else frozenset({starts})
        case Phase.HOLD:
            return frozenset(Seat)
        case Phase.CHOICE if match.side is not None:
            return frozenset(seat for seat in Seat if match.color_at(seat) is match.side)
        case Phase.RESULT if match.reading_open:
            return NOBODY
        case Phase.ENDED | Phase.RESULT if proposed_result(match) is not None:
            return frozenset(seat for seat in Seat if match.color_at(seat) not in match.confirmed)
        case Phase.ENDED:
            return frozenset(Seat)
        case _:
            return NOBODY
