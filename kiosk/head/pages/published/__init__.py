"""The record of the tournament: published pages, files, prints, closing, and the OpenAPI description."""

from __future__ import annotations

from kiosk.head.pages.published import api, closing, elsewhere, lists, prints, settings, site

ADDRESSES = [
    *site.ADDRESSES,
    *prints.ADDRESSES,
    *lists.ADDRESSES,
    *closing.ADDRESSES,
    *elsewhere.ADDRESSES,
    *settings.ADDRESSES,
    *api.ADDRESSES,
]
