"""Pages for the hall's screens, which rotate by themselves, and registration and "where do I play?" for the players'
own phones."""

from __future__ import annotations

from kiosk.head.pages.hall_screens import (
    player_page_and_result_report,
    rotating_hall_screens_page,
    seat_lookup_page,
    self_registration_page,
)

ADDRESSES = [
    *rotating_hall_screens_page.ADDRESSES, *seat_lookup_page.ADDRESSES, *player_page_and_result_report.ADDRESSES,
    *self_registration_page.ADDRESSES,
]  # fmt: skip
