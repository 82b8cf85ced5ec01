"""The desk's pages: the tournament, its divisions, their players, lots, rounds, results and prints."""

from __future__ import annotations

from kiosk.head.pages.desk import (
    desk_home_page,
    fees_page,
    lots_page,
    player_list_import_page,
    players_page,
    print_pages,
    registrations_page,
    result_slip_entry,
    results_page,
    rounds_page,
    teams_page,
    timetable_page,
    tournament_and_division_settings,
    unrecorded_games_page,
)

ADDRESSES = [
    address
    for area in (
        desk_home_page,
        unrecorded_games_page,
        tournament_and_division_settings,
        players_page,
        player_list_import_page,
        registrations_page,
        fees_page,
        lots_page,
        teams_page,
        rounds_page,
        results_page,
        result_slip_entry,
        timetable_page,
        print_pages,
    )
    for address in area.ADDRESSES
]
