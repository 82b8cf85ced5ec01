"""Pages for the hall's screens, which rotate by themselves, and "where do I play?" for the players' own phones."""

from __future__ import annotations

from kiosk.head.pages.wall import own, screens, where

ADDRESSES = [*screens.ADDRESSES, *where.ADDRESSES, *own.ADDRESSES]
