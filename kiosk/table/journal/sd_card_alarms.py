"""Alarms for the arbiter about a table's SD card (promise 4: shown, never hidden)."""

from __future__ import annotations

import errno
import logging

from engine.i18n import say
from kiosk.link.link_messages import TroubleInfo

log = logging.getLogger(__name__)

DISK_FULL = TroubleInfo(
    "journal-disk-full",
    say("The disk is full. Play can go on but is not being saved. Delete files that are not needed."),
)
CARD_FAILING = TroubleInfo(
    "journal-card-failing",
    say("The card cannot be written. Play can go on but is not being saved. Do not switch the table off."),
)
CARD_READ_ONLY = TroubleInfo(
    "journal-card-read-only",
    say("The card is now read-only. Play can go on but is not being saved. Do not switch the table off."),
)
CARD_SUSPECT = TroubleInfo(
    "journal-card-suspect",
    say("The card failed once. Everything has been saved again. Replace the card after the game."),
)
RECORDS_LOST = TroubleInfo(
    "journal-records-lost",
    say("The card has lost saved records. Compare the results with the head table and replace the card."),
)
JOURNAL_GONE = TroubleInfo(
    "journal-gone",
    say(
        "What this table had saved is gone from its card. Take results and the game in play from the head table, and "
        "replace the card."
    ),
)
_OF_ERROR = {errno.ENOSPC: DISK_FULL, errno.EDQUOT: DISK_FULL, errno.EROFS: CARD_READ_ONLY}


class JournalAlarms:
    """Alarms of one journal, each at most once."""

    def __init__(self) -> None:
        self._now: dict[str, TroubleInfo] = {}

    def __call__(self) -> tuple[TroubleInfo, ...]:
        return tuple(self._now.values())

    def lost(self, trouble: TroubleInfo) -> None:
        log.error("%s", trouble.text)
        self._now[trouble.kind] = trouble

    def failed(self, error: OSError) -> bool:
        """Record a failure. Return whether the alarms changed."""
        trouble = _OF_ERROR.get(error.errno or 0, CARD_FAILING)
        if trouble is CARD_READ_ONLY:  # a kernel that is about to mount a card read-only lets one sync fail first
            self._now.pop(CARD_FAILING.kind, None)
        news = trouble.kind not in self._now
        self._now[trouble.kind] = trouble
        return news

    def saved(self) -> bool:
        """Record that everything is durable again. A card that failed once stays suspect. Return whether the alarms
        changed.
        """
        full = self._now.pop(DISK_FULL.kind, None)
        failing = self._now.pop(CARD_FAILING.kind, None) or self._now.pop(CARD_READ_ONLY.kind, None)
        if failing is not None:
            self._now[CARD_SUSPECT.kind] = CARD_SUSPECT
        return full is not None or failing is not None
