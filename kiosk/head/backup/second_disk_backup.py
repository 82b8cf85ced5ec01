"""The thread that keeps the head's backup up to date on a second disk.

A backup is made after every published round, and at most every 30 s when something else changed. Every failure of the
disk (removed, full, write-protected, hanging) becomes a message for the desk; the head continues, and the next attempt
follows automatically.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.i18n import Text, say, text_of
from kiosk.errors import InputError
from kiosk.head.backup.signed_backup_creation import back_up
from kiosk.head.head_config import HeadConfig
from kiosk.stoppable_thread import StoppableThread

log = logging.getLogger(__name__)

#: longest time from a change to its backup, in seconds; a backup that takes longer counts as failed
PERIOD_S = 30.0
STUCK_S = 120.0
#: seconds between checks
LOOK_S = 1.0
#: seconds that a stopping head waits for its last backup
GOODBYE_S = 8.0


@dataclass(frozen=True, slots=True)
class BackupProgress:
    """Progress of the head. ``written`` grows with everything that is written; ``rounds`` are published."""

    rounds: int
    written: int


class AutoBackup(StoppableThread):
    """The backup thread of one head. It makes a last backup when it is closed; a hanging disk delays that only for a
    short time. ``folder``: where the backup is; ``trouble``: the desk's message in Japanese and English, or None.
    """

    def __init__(
        self,
        config: HeadConfig,
        folder: Path,
        progress: Callable[[], BackupProgress],
        on_change: Callable[[], None] = lambda: None,
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__("head-backup", GOODBYE_S)
        self._config = config
        self._folder = folder
        self._progress = progress
        self._on_change = on_change
        self._monotonic_s = monotonic_s
        self._saved: BackupProgress | None = None
        self._tried_s = -PERIOD_S
        self._busy_since_s: float | None = None
        self._trouble: Text | None = None
        self._failed = False

    @property
    def trouble(self) -> Text | None:
        busy_s = self._busy_since_s
        if busy_s is not None and self._monotonic_s() - busy_s > STUCK_S:
            return _sentence(self._folder, say("it does not answer; pull it out and put another one in"))
        return self._trouble

    def is_due(self) -> bool:
        """Check whether a backup should be made now."""
        present, saved = self._progress(), self._saved
        if saved is not None and present.rounds != saved.rounds and not self._failed:
            return True
        return present != saved and self._monotonic_s() - self._tried_s >= PERIOD_S

    def save(self) -> None:
        """Make a backup now; an error is noted."""
        present = self._progress()
        self._tried_s = self._busy_since_s = self._monotonic_s()
        try:
            made = back_up(self._config, self._folder)
            same_disk = made.file.stat().st_dev == self._config.data.stat().st_dev
        except (InputError, OSError) as error:
            self._failed = True
            self._note(_sentence(self._folder, text_of(error)))
        else:
            self._saved, self._failed = present, False
            text = say("The backup folder {folder} is on the same disk as the head's own store. Is the USB stick in?")
            self._note(text(folder=self._folder) if same_disk else None)
        finally:
            self._busy_since_s = None

    def _note(self, trouble: Text | None) -> None:
        if trouble != self._trouble:
            self._trouble = trouble
            if trouble is None:
                log.info("the backup in %s is up to date again", self._folder)
            else:
                log.warning("%s", trouble)
            self._on_change()

    def _run(self) -> None:
        while not self._stopping.wait(LOOK_S):
            if self.is_due():
                self.save()
        if self._progress() != self._saved:
            self.save()


def _sentence(folder: Path, why: Text) -> Text:
    text = say("No backup can be made in {folder}: {why}. Look at the USB stick. The event goes on meanwhile.")
    return text(folder=folder, why=why)
