"""Publishing of the tournament to a remote target, on request and after each round.

- Only what is public is sent (``public_book``), and what may no longer be seen is removed before anything else is sent.
- A file is noted before it is sent, and its digest afterwards: a broken connection costs the file in transit, and
  nothing is published that is not noted.
- An error becomes a message, and the next attempt follows automatically. The head never waits for it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from engine.i18n import Text, raised_as, say, text_of
from engine.tournament import TournamentError
from kiosk.errors import InputError
from kiosk.head.desk import Desk
from kiosk.head.errors import HeadError
from kiosk.head.event.publication_redaction_and_latin_names import named_players
from kiosk.head.export.publish_targets import Opener, PublishTarget, open_place
from kiosk.head.export.published_event_builder import public_book
from kiosk.head.head_config import Publishing
from kiosk.head.publish.export_files import ExportError
from kiosk.head.publish.static_site import Site
from kiosk.platform_compat import write_secret
from kiosk.stoppable_thread import StoppableThread

log = logging.getLogger(__name__)

#: seconds between checks whether a round is over, and before another attempt after an error
LOOK_S, RETRY_S = 2.0, 30.0
#: number of files after which the notes are saved
_NOTED = 20
#: the notes of published files, in the head's data directory
FILE = "published.json"


@dataclass(frozen=True, slots=True)
class PublishStatus:
    """Status of publishing. ``up``: files published in their current state; ``waiting``: files of the last check that
    are not. ``trouble``: the error of the connection. ``left_out``: what a format refused.
    """

    to: str
    up: int = 0
    waiting: tuple[str, ...] = ()
    running: bool = False
    trouble: Text | None = None
    left_out: tuple[Text, ...] = ()


class Publisher(StoppableThread):
    """A background publisher. Call ``start``, ``publish_soon`` to publish, ``close``; ``status`` may be read
    from any thread.
    """

    def __init__(
        self,
        desk: Desk,
        config: Publishing,
        data: Path,
        changed: Callable[[], None] = lambda: None,
        opener: Opener = open_place,
        retry_s: float = RETRY_S,
    ) -> None:
        super().__init__("head-publisher", 5.0)
        self._desk, self._config, self._changed, self._opener = desk, config, changed, opener
        self._file, self._retry_s = data / FILE, retry_s
        self._known = self._read()
        self._due = threading.Event()
        self._seen = self._results(), self._public_data()
        self.status = PublishStatus(config.to, self._up())

    def publish_soon(self) -> None:
        """Publish what has changed, now."""
        self._due.set()

    def close(self) -> None:
        self._stopping.set()
        self._due.set()
        super().close()

    def _results(self) -> Mapping[str, object]:
        """Return the finished rounds of each division."""
        divisions = self._desk.state.divisions.values()
        return {one.slug: one.rounds if one.round_is_complete else one.rounds[:-1] for one in divisions}

    def _public_data(self) -> Mapping[str, object]:
        """Return the public data, and the players whose names are shown."""
        state = self._desk.state
        return {
            one.slug: (one.spectators, frozenset(named_players(one.event, one.spectators.naming, state.date)))
            for one in state.divisions.values()
        }

    def _up(self) -> int:
        return sum(map(bool, self._known.values()))

    def _run(self) -> None:
        tried = time.monotonic() - self._retry_s
        while True:
            if pressed := self._due.wait(LOOK_S):
                self._due.clear()
            if self._stopping.is_set():
                return
            now = self._results(), self._public_data()
            news = self._config.each_round and now[0] != self._seen[0]
            forbidden = bool(self._known) and now[1] != self._seen[1]
            again = self.status.trouble is not None and time.monotonic() - tried >= self._retry_s
            if pressed or news or forbidden or again:
                tried, self._seen = time.monotonic(), now
                self.publish()

    def publish(self) -> None:
        """Make one attempt: remove what may no longer be seen, then send what has changed."""
        self._set_status(replace(self.status, running=True))
        trouble, place = None, None
        try:
            place = self._opener(self._config)
            try:
                self._upload_changes(place)
            finally:
                self._write()
        except (OSError, HeadError, TournamentError, InputError) as error:
            trouble = say("the current record is not published: {why}", why=text_of(error))
            log.warning("%s", trouble)
        finally:
            if place is not None:
                place.close()
            self._set_status(replace(self.status, running=False, trouble=trouble, up=self._up()))

    def _upload_changes(self, place: PublishTarget) -> None:
        allowed, site = self._public_data(), Site(public_book(self._desk))
        paths = list(site.files)
        for path in sorted(set(self._known) - set(paths)):
            place.remove(path)
            del self._known[path]
        left_out: list[Text] = []
        # changed files first: their old version may contain what must no longer be seen
        paths.sort(key=lambda path: not self._known.get(path))
        self._known = {path: self._known.get(path, "") for path in paths}
        self._write()
        self._set_status(replace(self.status, waiting=tuple(paths), left_out=()))
        for number, path in enumerate(paths, start=1):
            if self._stopping.is_set():
                return
            if self._public_data() != allowed:
                raise HeadError.saying("what spectators may see has changed; publishing starts again")
            try:
                data = site.files[path]().data
            except ExportError as error:
                left_out.append(error.text)
                if self._known[path]:
                    place.remove(path)
                del self._known[path]
                continue
            digest = hashlib.sha256(data).hexdigest()
            if self._known.get(path) != digest:
                place.put(path, data)
                self._known[path] = digest
            if number % _NOTED == 0:
                self._write()
                self._set_status(replace(self.status, waiting=tuple(paths[number:]), up=self._up()))
        self._set_status(replace(self.status, waiting=(), left_out=tuple(left_out)))

    def _set_status(self, now: PublishStatus) -> None:
        self.status = now
        self._changed()

    def _read(self) -> dict[str, str]:
        """Read the notes of this target; if they are unreadable, everything is sent again."""
        try:
            noted = json.loads(self._file.read_text(encoding="utf-8"))
            return dict(noted["files"]) if noted["to"] == self._config.to else {}
        except (OSError, ValueError, LookupError, TypeError):
            return {}

    def _write(self) -> None:
        with raised_as(
            HeadError, say("the list of published files cannot be written to {file}: {why}", file=self._file), OSError
        ):
            write_secret(self._file, json.dumps({"to": self._config.to, "files": self._known}).encode())
