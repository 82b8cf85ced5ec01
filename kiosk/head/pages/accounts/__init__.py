"""Pages for signing in and for managing the staff accounts."""

from __future__ import annotations

from kiosk.head.pages.accounts import sign_in_page, staff_accounts_page

ADDRESSES = [*sign_in_page.ADDRESSES, *staff_accounts_page.ADDRESSES]
