"""The desk's pages: the tournament, its divisions, their players, lots, rounds and results."""

from __future__ import annotations

from kiosk.head.pages.desk import (
    claims_page,
    division_settings,
    fees,
    lots_page,
    overview,
    player_lists,
    players_page,
    result_entry,
    results_page,
    rounds_page,
    teams_page,
    timetable_page,
)

ADDRESSES = [
    address
    for area in (
        overview,
        claims_page,
        division_settings,
        players_page,
        player_lists,
        fees,
        lots_page,
        teams_page,
        rounds_page,
        results_page,
        result_entry,
        timetable_page,
    )
    for address in area.ADDRESSES
]
