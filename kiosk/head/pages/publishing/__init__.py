"""The desk's pages about what is published: settings, remote publishing, federation lists and the closing page."""

from __future__ import annotations

from kiosk.head.pages.publishing import (
    close_event_page,
    national_federation_lists_page,
    publication_settings_page,
)

ADDRESSES = [
    *national_federation_lists_page.ADDRESSES,
    *close_event_page.ADDRESSES,
    *publication_settings_page.ADDRESSES,
]
