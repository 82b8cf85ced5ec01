"""Lamps of the buttons: the button whose press is expected is lit. Pure.

It shows only what both players may know. While a clock runs, only the running side's button is lit, whatever else the
table knows (promise 3).
"""

from __future__ import annotations

from engine.match import Phase, Seat, awaits_count, proposed_result
from kiosk.table.state import TableState

NOBODY: frozenset[Seat] = frozenset()


def lit_seats(state: TableState) -> frozenset[Seat]:
    """Return the seats whose lamps are on."""
    match = state.match
    if match is None or state.arbiter is not None:
        return NOBODY
    if match.clock.running is not None:
        return frozenset({match.clock.running})
    if awaits_count(match) or match.phase in (Phase.SETUP, Phase.HOLD):
        return frozenset(Seat)
    if match.phase is Phase.READY:
        starts = match.seat_of(match.first.opponent)  # M43-5, OTH-HC-3
        return NOBODY if starts is None else frozenset({starts})
    if match.phase is Phase.CHOICE:
        return frozenset(seat for seat in Seat if match.color_at(seat) is match.side)
    if match.phase not in (Phase.ENDED, Phase.RESULT) or match.reading_open:
        return NOBODY
    if proposed_result(match) is None:
        return frozenset(Seat)
    return frozenset(seat for seat in Seat if match.color_at(seat) not in match.confirmed)
