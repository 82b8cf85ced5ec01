"""The arbiter's pages for a phone: all tables, the most urgent first, and one table with its orders."""

from __future__ import annotations

from kiosk.head.pages.arbiter import board_photograph, order_forms, table_detail, table_list_and_stop_all

ADDRESSES = [
    *table_list_and_stop_all.ADDRESSES,
    *table_detail.ADDRESSES,
    *board_photograph.ADDRESSES,
    *order_forms.ADDRESSES,
]
