"""Who may sign in, and signing in."""

from __future__ import annotations

from kiosk.head.pages.accounts import signing, staff

ADDRESSES = [*signing.ADDRESSES, *staff.ADDRESSES]
