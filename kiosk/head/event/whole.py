"""Projection of a whole store outside the head: for its backup and for ``kiosk audit verify``.

It reports what a head that starts from this store would set aside.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.text import Text, say
from kiosk.head.event.cards import READ
from kiosk.head.event.fold import fold
from kiosk.head.event.state import SetAside
from kiosk.head.store.place import Place
from kiosk.head.store.rows import read_events, read_records, withheld_of
from kiosk.head.store.snapshot import reading


def set_aside_in(source: Path | Place) -> tuple[SetAside, ...]:
    """Return what cannot be folded of a store or a backup.

    :raises StoreError: it cannot be read at all.
    """
    with reading(source) as connection:
        events = list(read_events(connection))
        return fold(events, read_records(connection, READ, withheld_of(events))).aside


def as_json(aside: SetAside) -> dict[str, Any]:
    """Return the form that commands print with ``--json``."""
    return asdict(aside) | {"why": str(aside.why)}


def spoken(aside: SetAside) -> Text:
    """Return a sentence for the console, with the arguments of ``kiosk audit set-aside``."""
    notice = aside.notice().text
    if aside.number is not None:
        return notice
    return say("{notice} Its journal is {epoch}.", notice=notice, epoch=aside.epoch)
