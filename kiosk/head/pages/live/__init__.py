"""The broadcast: each board large under an address that stays, all of them on one page, overlays, and the same for
programs.

The law: what is shown is a document of ``Broadcast``, so it has passed the one door (``hall.public_cards``); a page has
what it shows in itself, and its stream tells what changes.
"""

from __future__ import annotations

from kiosk.head.pages.live import boards, overlays, venues

ADDRESSES = [*boards.ADDRESSES, *overlays.ADDRESSES, *venues.ADDRESSES]
