"""Public pages: live tables, pairings, standings, the published site, and the same as JSON for other programs."""

from __future__ import annotations

from kiosk.head.pages.public import public_json_and_openapi, published_site_pages, tables_pairings_and_standings_pages

ADDRESSES = [
    *tables_pairings_and_standings_pages.ADDRESSES,
    *published_site_pages.ADDRESSES,
    *public_json_and_openapi.ADDRESSES,
]
