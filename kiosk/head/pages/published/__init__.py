"""The record of the tournament: published pages, files, prints, closing, and the OpenAPI description."""

from __future__ import annotations

from kiosk.head.pages.published import (
    api,
    closing_page,
    federation_list_files,
    print_pages,
    publish_settings,
    publish_target,
    site_pages,
)

ADDRESSES = [
    *site_pages.ADDRESSES,
    *print_pages.ADDRESSES,
    *federation_list_files.ADDRESSES,
    *closing_page.ADDRESSES,
    *publish_target.ADDRESSES,
    *publish_settings.ADDRESSES,
    *api.ADDRESSES,
]
