"""The arbiter's pages for a phone in one hand: all tables, the worst first, and one table with its orders."""

from __future__ import annotations

from kiosk.head.pages.floor import orders, table, tables

ADDRESSES = [*tables.ADDRESSES, *table.ADDRESSES, *orders.ADDRESSES]
