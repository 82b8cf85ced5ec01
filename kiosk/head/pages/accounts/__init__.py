"""Pages for signing in and for managing the staff accounts."""

from __future__ import annotations

from kiosk.head.pages.accounts import sign_in, staff_accounts

ADDRESSES = [*sign_in.ADDRESSES, *staff_accounts.ADDRESSES]
