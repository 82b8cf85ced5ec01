"""Pages for signing in and for managing the staff accounts."""

from __future__ import annotations

from kiosk.head.pages.accounts import signing, staff

ADDRESSES = [*signing.ADDRESSES, *staff.ADDRESSES]
