"""The record of the tournament: published pages, files, closing, and the OpenAPI description."""

from __future__ import annotations

from kiosk.head.pages.published import (
    close_event_page,
    federation_list_files,
    public_json_api,
    publication_and_visibility_settings,
    published_site_pages,
    remote_publishing_page,
)

ADDRESSES = [
    *published_site_pages.ADDRESSES,
    *federation_list_files.ADDRESSES,
    *close_event_page.ADDRESSES,
    *remote_publishing_page.ADDRESSES,
    *publication_and_visibility_settings.ADDRESSES,
    *public_json_api.ADDRESSES,
]
