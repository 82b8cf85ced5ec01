"""The desk's pages: the event, its rounds, results and tables."""

from __future__ import annotations

from kiosk.head.pages.desk import actions, overview

ADDRESSES = [*overview.ADDRESSES, *actions.ADDRESSES]
