"""Public pages: live tables, pairings, standings, the published site, and the same as JSON for other programs."""

from __future__ import annotations

from kiosk.head.pages.public import hall_json_and_openapi, published_site_pages, tables_pairings_standings_and_json

ADDRESSES = [
    *tables_pairings_standings_and_json.ADDRESSES,
    *published_site_pages.ADDRESSES,
    *hall_json_and_openapi.ADDRESSES,
]
