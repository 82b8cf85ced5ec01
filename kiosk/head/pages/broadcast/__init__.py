"""The broadcast pages: each board large at a permanent address, all boards on one page, overlays, and the same for
programs.

All content is a document of ``Broadcast``, so it has been filtered for spectators by ``hall.public_cards``. A page
contains its first state, and its stream sends the changes.
"""

from __future__ import annotations

from kiosk.head.pages.broadcast import board_pages, overlays, venue_pages

ADDRESSES = [*board_pages.ADDRESSES, *overlays.ADDRESSES, *venue_pages.ADDRESSES]
