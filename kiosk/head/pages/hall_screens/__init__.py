"""Pages for the hall's screens, which rotate by themselves, and registration and "where do I play?" for the players'
own phones."""

from __future__ import annotations

from kiosk.head.pages.hall_screens import qr_code_player_pages, rotating_screens, seat_lookup, self_registration

ADDRESSES = [
    *rotating_screens.ADDRESSES, *seat_lookup.ADDRESSES, *qr_code_player_pages.ADDRESSES, *self_registration.ADDRESSES,
]  # fmt: skip
