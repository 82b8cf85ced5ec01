"""The arbiter's pages for a phone: all tables, the most urgent first, and one table with its orders."""

from __future__ import annotations

from kiosk.head.pages.floor import all_tables, one_table, order_forms, photograph

ADDRESSES = [*all_tables.ADDRESSES, *one_table.ADDRESSES, *photograph.ADDRESSES, *order_forms.ADDRESSES]
