"""The venue's end: the thread that sends the federation what it does not have yet.

The law: the store is the outbox. What to send follows from the store and the federation's last answer, so nothing is
noted and nothing can be lost; after days without a network it goes on where the federation is. The venue never waits
for it, and trouble is a sentence.
"""

from __future__ import annotations

import json
import logging
import secrets
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import httpx
import msgspec
from sqlalchemy import Connection, Row, Select, func, select

from kiosk.head.config import Federation
from kiosk.head.errors import HeadError
from kiosk.head.federation.keys import load_venue
from kiosk.head.federation.wire import (
    PATH,
    SEAL_HEADER,
    VENUE_HEADER,
    Answer,
    EventRow,
    Push,
    RecordRow,
    read_answer,
    seal,
)
from kiosk.head.store import Store
from kiosk.head.store.rows import wall_clock
from kiosk.head.store.schema import operator_events, records

log = logging.getLogger(__name__)

#: how often it looks for news, tells that it is there, and tries again after trouble (longer and longer)
LOOK_S = 2.0
SIGN_S = 30.0
RETRY_S, LONGEST_S = 5.0, 60.0
#: rows of one push
BATCH = 400
_TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True)
class Sent:
    """How far the federation is. ``waiting``: rows that it does not have, as far as is known; ``last_at``: its last
    answer; ``trouble``: why nothing gets through now; ``refused``: why it does not take what we have."""

    url: str
    venue: str
    waiting: int = 0
    sent: int = 0
    last_at: str = ""
    trouble: str = ""
    refused: str = ""


class Pusher:
    """Start it, close it; ``status`` may be read from any thread."""

    def __init__(self, store: Store, config: Federation, on_change: Callable[[], None] = lambda: None) -> None:
        """:raises UnusableInput: the key file cannot be used."""
        self._store = store
        self._config = config
        self._key = load_venue(config.key, config.venue)
        self._on_change = on_change
        trust = ssl.create_default_context(cafile=config.certificate)
        self._client = httpx.Client(base_url=config.url, timeout=_TIMEOUT_S, trust_env=False, verify=trust)
        self._known: Answer | None = None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="head-federation", daemon=True)
        self.status = Sent(config.url, config.venue)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(_TIMEOUT_S)
        self._client.close()

    def sentences(self) -> tuple[str, str] | None:
        """What the desk should know, in Japanese and English."""
        status = self.status
        if status.refused:
            return (
                f"連盟の本部が記録を受け取りません({status.refused})。連盟に連絡してください。",
                f"The federation refuses this venue's rows: {status.refused}; call the federation.",
            )
        if status.trouble:
            return (
                "連盟の本部に送れません。会場の進行には影響ありません。つながればあとから送ります。",
                f"Nothing gets through to the federation ({status.trouble}). The venue goes on; it is sent later.",
            )
        return None

    def push(self) -> bool:
        """Sends one batch; gives whether there is more to send.

        :raises HeadError, httpx.HTTPError: nothing got through.
        """
        with self._store.reading() as connection:
            made, waiting = self._next(connection)
        body = msgspec.msgpack.encode(made)
        headers = {VENUE_HEADER: self._config.venue, SEAL_HEADER: seal(self._key, "", body)}
        answer = self._client.post(PATH, content=body, headers=headers)
        if answer.status_code != 200:
            raise HeadError(_sentence(answer))
        self._known = read_answer(self._key, made.nonce, answer.content, answer.headers.get(SEAL_HEADER, ""))
        with self._store.reading() as connection:
            left = self._waiting(connection, self._known)
        sent = self.status.sent + max(0, waiting - left)
        self._note(
            replace(self.status, waiting=left, sent=sent, last_at=wall_clock(), trouble="", refused=self._known.refused)
        )
        return left > 0 and not self._known.refused

    def _next(self, connection: Connection) -> tuple[Push, int]:
        """The first push of all asks only how far the federation is."""
        known = self._known
        waiting = self._waiting(connection, known) if known is not None else 0
        nonce = secrets.token_hex(16)
        if known is None:
            return Push(self._store.trail, nonce, wall_clock(), waiting), waiting
        events = [_event_row(row) for row in connection.execute(_events_after(known.events))]
        rows: list[RecordRow] = []
        for table, epoch, seq in self._behind(connection, known):
            if len(rows) >= BATCH:
                break
            rows += [
                _record_row(row) for row in connection.execute(_records_after(table, epoch, seq, BATCH - len(rows)))
            ]
        left = waiting - len(events) - len(rows)
        return Push(self._store.trail, nonce, wall_clock(), left, events, rows), waiting

    def _behind(self, connection: Connection, known: Answer) -> list[tuple[int, str, int]]:
        """The tables and epochs that the federation lacks records of, and how far it has them."""
        there = {(table, epoch): seq for table, epoch, seq in known.records}
        lasts = connection.execute(_lasts())
        return [
            (table, epoch, there.get((table, epoch), 0))
            for table, epoch, last in lasts
            if last > there.get((table, epoch), 0)
        ]

    def _waiting(self, connection: Connection, known: Answer) -> int:
        last: int = connection.execute(select(func.max(operator_events.c.number))).scalar() or 0
        there = {(table, epoch): seq for table, epoch, seq in known.records}
        behind: int = sum(
            max(0, seq - there.get((table, epoch), 0)) for table, epoch, seq in connection.execute(_lasts())
        )
        return max(0, last - known.events) + behind

    def _run(self) -> None:
        retry_s, seen = RETRY_S, -1
        while not self._stopping.is_set():
            jobs = self._store.writer.jobs
            try:
                more = self.push()
                retry_s, seen = RETRY_S, jobs
            except (HeadError, httpx.HTTPError) as error:
                why = str(error) if isinstance(error, HeadError) else f"{self._config.url} does not answer ({error})"
                self._note(replace(self.status, trouble=why))
                self._known, more = None, False
                if self._stopping.wait(retry_s):
                    return
                retry_s = min(LONGEST_S, 2 * retry_s)
                continue
            quiet_s = 0.0
            while not more and self._store.writer.jobs == seen and quiet_s < SIGN_S:
                if self._stopping.wait(LOOK_S):
                    return
                quiet_s += LOOK_S

    def _note(self, status: Sent) -> None:
        before, self.status = self.status, status
        if (before.trouble, before.refused) != (status.trouble, status.refused):
            if status.trouble or status.refused:
                log.warning("federation: %s", status.trouble or status.refused)
            else:
                log.info("federation: rows get through to %s", status.url)
        self._on_change()


def _events_after(number: int) -> Select[Any]:
    column = operator_events.c
    return select(operator_events).where(column.number > number).order_by(column.number).limit(BATCH)


def _records_after(table: int, epoch: str, seq: int, limit: int) -> Select[Any]:
    column = records.c
    here = column.table_no == table, column.epoch == epoch, column.seq > seq
    return select(records).where(*here).order_by(column.seq).limit(limit)


def _lasts() -> Select[Any]:
    column = records.c
    return select(column.table_no, column.epoch, func.max(column.seq)).group_by(column.table_no, column.epoch)


def _event_row(row: Row[Any]) -> EventRow:
    return EventRow(row.number, row.at, row.person, row.kind, json.loads(row.body), row.previous, row.hash)


def _record_row(row: Row[Any]) -> RecordRow:
    return RecordRow(row.table_no, row.epoch, row.seq, row.type, json.loads(row.body), row.arrival)


def _sentence(answer: httpx.Response) -> str:
    """The federation's own sentence, else what the server in between said."""
    try:
        return str(answer.json()["error"])
    except (ValueError, KeyError, TypeError):
        return f"{answer.url} answers {answer.status_code}; see that url is the address of the federation's head"
