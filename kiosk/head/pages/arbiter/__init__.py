"""The arbiter's pages for a phone: all tables, the most urgent first, and one table with its orders."""

from __future__ import annotations

from kiosk.head.pages.arbiter import (
    arbiter_order_page,
    arbiter_photograph_page,
    table_detail_page,
    table_list_and_stop_all_page,
)

ADDRESSES = [
    *table_list_and_stop_all_page.ADDRESSES,
    *table_detail_page.ADDRESSES,
    *arbiter_photograph_page.ADDRESSES,
    *arbiter_order_page.ADDRESSES,
]
