"""The desk's pages: the tournament, its divisions, their players, lots, rounds, results and prints."""

from __future__ import annotations

from kiosk.head.pages.desk import (
    desk_overview_page,
    player_list_import_page,
    players_fees_and_numbers_page,
    print_pages,
    results_and_corrections_page,
    round_draft_publish_amend_page,
    self_registration_review_page,
    teams_and_lots_page,
    tournament_and_divisions_page,
)

ADDRESSES = [
    *desk_overview_page.ADDRESSES,
    *tournament_and_divisions_page.ADDRESSES,
    *players_fees_and_numbers_page.ADDRESSES,
    *player_list_import_page.ADDRESSES,
    *self_registration_review_page.ADDRESSES,
    *teams_and_lots_page.ADDRESSES,
    *round_draft_publish_amend_page.ADDRESSES,
    *results_and_corrections_page.ADDRESSES,
    *print_pages.ADDRESSES,
]
