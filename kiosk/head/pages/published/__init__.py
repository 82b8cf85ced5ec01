"""The record of the tournament: published pages, files, closing, and the OpenAPI description."""

from __future__ import annotations

from kiosk.head.pages.published import (
    close_event_page,
    federation_lists_page,
    public_json_api,
    publication_settings_page,
    published_site_pages,
    remote_publishing_page,
)

ADDRESSES = [
    *published_site_pages.ADDRESSES,
    *federation_lists_page.ADDRESSES,
    *close_event_page.ADDRESSES,
    *remote_publishing_page.ADDRESSES,
    *publication_settings_page.ADDRESSES,
    *public_json_api.ADDRESSES,
]
