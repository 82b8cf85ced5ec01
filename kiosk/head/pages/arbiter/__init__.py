"""The arbiter's pages for a phone: all tables, the most urgent first, and one table with its orders."""

from __future__ import annotations

from kiosk.head.pages.arbiter import (
    photograph_upload_and_correction_page,
    table_and_order_forms_page,
    table_list_and_stop_all_page,
)

ADDRESSES = [
    *table_list_and_stop_all_page.ADDRESSES,
    *photograph_upload_and_correction_page.ADDRESSES,
    *table_and_order_forms_page.ADDRESSES,
]
