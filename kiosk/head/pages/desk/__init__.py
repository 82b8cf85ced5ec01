"""The desk's pages: the tournament, its divisions, their players, lots, rounds, results and prints."""

from __future__ import annotations

from kiosk.head.pages.desk import (
    desk_overview_page,
    entry_numbers_and_fees_page,
    games_missing_after_restore_page,
    lot_drawing_page,
    player_list_import_page,
    players_and_rating_numbers_page,
    print_pages,
    result_slip_entry_page,
    results_and_corrections_page,
    round_draft_publish_amend_page,
    self_registration_review_page,
    teams_page,
    timetable_page,
    tournament_and_divisions_page,
)

ADDRESSES = [
    address
    for area in (
        desk_overview_page,
        games_missing_after_restore_page,
        tournament_and_divisions_page,
        players_and_rating_numbers_page,
        player_list_import_page,
        self_registration_review_page,
        entry_numbers_and_fees_page,
        lot_drawing_page,
        teams_page,
        round_draft_publish_amend_page,
        results_and_corrections_page,
        result_slip_entry_page,
        timetable_page,
        print_pages,
    )
    for address in area.ADDRESSES
]
