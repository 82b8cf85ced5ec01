"""The broadcast pages: each board large at a permanent address, all boards on one page, overlays, and the same for
programs.

All content was filtered for spectators by ``public_and_arbiter_table_cards.public_cards``. A page contains its first
state, and its stream sends the changes.
"""

from __future__ import annotations

from kiosk.head.pages.broadcast import (
    federation_venue_broadcast_pages,
    live_board_pages_and_files,
    stream_overlay_pages,
)

ADDRESSES = [
    *live_board_pages_and_files.ADDRESSES,
    *stream_overlay_pages.ADDRESSES,
    *federation_venue_broadcast_pages.ADDRESSES,
]
