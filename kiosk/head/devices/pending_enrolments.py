"""Devices that wait for a key, and their approval by an arbiter (docs/reference/link-and-journal.md, "Enrolment").

An offer is accepted once, waits for a limited time and is approved by a signed-in person for one table; the key is the
table's only after the person at the device agreed too. Every step is in the audit trail before the device is informed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from engine.i18n import Text, say, text_of
from kiosk.head.access.passwords_and_codes import bare_code
from kiosk.head.current_user import acting, as_user
from kiosk.head.devices.replaced_devices import ENROLLED, ReplacedDevices, last_match
from kiosk.head.errors import Conflict, HeadError, NotFound
from kiosk.head.store import Store
from kiosk.link.endpoints.head_endpoint import LinkEndpoint, WebSocketChannel
from kiosk.link.enrolment import OFFER_S, HeadEnrolment
from kiosk.link.errors import KeyFileError, RemoteProtocolError
from kiosk.link.link_messages import TableRecord
from kiosk.link.message_macs_versions_handshake import MAX_TABLE
from kiosk.link.table_keys import KeyRing, check_word
from kiosk.stoppable_thread import call_soon

log = logging.getLogger(__name__)

#: most open offers, in all and from one address
MAX_WAITING, MAX_FROM_ADDRESS = 256, 64
#: names of offers that are remembered, so that none is accepted twice
REMEMBERED = 100_000
#: letters of an offer's name that are typed by hand: 40 bits, for an offer valid for ten minutes
SHORT_NAME = 8
#: seconds allowed for the delivery of a closing message
FAREWELL_S = 5.0
CODE_OVER, CODE_USED, CODE_BUSY, CODE_EXPIRED = 1000, 4409, 4429, 4408


@dataclass(slots=True, eq=False)
class PendingEnrolment:
    """One offer. ``approved_for``: the table, once the arbiter assigned one; ``problem``: why it ended
    without a key; ``replaces``: the arbiter said that it takes the place of the table's device.
    """

    address: str
    enrolment: HeadEnrolment = field(default_factory=HeadEnrolment)
    approved_for: int | None = None
    replaces: bool = False
    person: str = ""
    given: bool = False
    problem: Text | None = None
    news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def name(self) -> str:
        return self.enrolment.name


class Enrolments:
    """An ASGI application for the route ``/enrol``, and the desk's acts on the offers.

    ``heard(table)``: wall clock of the last record, and how many records the old device had reported beyond those that
    arrived. ``seat_of(game)``: the table that the desk has given a game, None if unknown. ``on_table``: a table has a
    key that may have had none before. ``sent(table, epoch)``: how far a journal was sent to the federation, None if
    unknown now.
    """

    def __init__(
        self,
        store: Store,
        ring: KeyRing | None,
        link: LinkEndpoint,
        returned: ReplacedDevices,
        *,
        last_received: Callable[[int], tuple[str, int]] = lambda table: ("", 0),
        seat_of: Callable[[str], int | None] = lambda game: None,
        sent: Callable[[int, str], int | None] = lambda table, epoch: 0,
        on_table: Callable[[int], None] = lambda table: None,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self._store, self._ring, self._link, self._returned = store, ring, link, returned
        self._last_received, self._seat_of, self._sent = last_received, seat_of, sent
        self._on_table, self._on_change = on_table, on_change
        self._lock, self._giving = threading.Lock(), threading.Lock()
        self._waiting: list[PendingEnrolment] = []
        self._names: dict[str, None] = {}  # in the order of arrival
        self._ended: deque[PendingEnrolment] = deque(maxlen=20)
        self._loop: asyncio.AbstractEventLoop | None = None

    # --- the desk --------------------------------------------------------------------------------------------------

    def find(self, letters: str) -> PendingEnrolment:
        """Return the offer whose name begins so, also for a short time after it ended.

        :raises NotFound: there is none, or the letters are too few.
        """
        wanted = bare_code(letters)
        with self._lock:
            found = [one for one in (*self._waiting, *self._ended) if one.name.startswith(wanted)]
        if len(wanted) < SHORT_NAME or len(found) != 1:
            raise NotFound.saying(
                "no waiting device has these letters; check the table's screen again, they change after a while"
            )
        return found[0]

    def approve(self, letters: str, table: int, replace: bool) -> None:
        """Approve an offer: the acting person confirms that both codes are equal, and which table the device becomes.

        :raises HeadError: there is no such offer, the device is configured as another table, or that table has a
            device.
        """
        waiting = self.find(letters)
        if self._ring is None:
            raise Conflict.saying("this head has no file of keys; name one in its configuration")
        if waiting.problem or waiting.given or waiting.enrolment.code is None:
            raise Conflict.saying("this device is no longer waiting; read the new letters on its screen")
        if not 1 <= table <= MAX_TABLE:
            raise HeadError.saying(
                "{table} is not a table number; numbers go from 1 to {max_table}", table=table, max_table=MAX_TABLE
            )
        if waiting.enrolment.wish and waiting.enrolment.wish != table:
            raise Conflict.saying(
                "this device is set to be table {wish}, not {table}; look which table it stands at",
                wish=waiting.enrolment.wish,
                table=table,
            )
        with self._lock:
            others = [
                one
                for one in self._waiting
                if one.approved_for == table and one is not waiting and not (one.problem or one.given)
            ]
            if (table in self._ring or others) and not replace:
                raise Conflict.saying(
                    "table {table} has a device already; mark that this one takes its place, if it does", table=table
                )
            for one in others:
                one.problem = say("another device takes the place of table {table}", table=table)
            waiting.approved_for, waiting.replaces, waiting.person = table, replace, acting()
        for one in (*others, waiting):
            self._wake(one)

    def refuse(self, letters: str) -> None:
        """Refuse an offer: the codes differ, or the device is unknown."""
        waiting = self.find(letters)
        self._store.append("device-refused", {"offer": waiting.name, "wish": waiting.enrolment.wish}).result()
        waiting.problem = say("it was refused at the desk")
        self._wake(waiting)

    def _wake(self, waiting: PendingEnrolment) -> None:
        call_soon(self._loop, waiting.news.set)
        self._on_change()

    # --- the connections -------------------------------------------------------------------------------------------

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._loop = asyncio.get_running_loop()
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        channel = WebSocketChannel(socket)
        waiting = PendingEnrolment(socket.client.host if socket.client else "")
        code = CODE_BUSY
        if self._admit(waiting):
            try:
                code = await self._exchange_messages(channel, waiting)
            finally:
                self._leave(waiting)
        with contextlib.suppress(OSError):
            async with asyncio.timeout(FAREWELL_S):
                await channel.close(code)

    def _admit(self, waiting: PendingEnrolment) -> bool:
        with self._lock:
            here = sum(one.address == waiting.address for one in self._waiting)
            if len(self._waiting) >= MAX_WAITING or here >= MAX_FROM_ADDRESS:
                return False
            self._waiting.append(waiting)
            return True

    def _leave(self, waiting: PendingEnrolment) -> None:
        with self._lock:
            self._waiting.remove(waiting)
            if waiting.name:
                self._ended.append(waiting)
        self._on_change()

    async def _exchange_messages(self, channel: WebSocketChannel, waiting: PendingEnrolment) -> int:
        """Run the exchange from the offer to the end; return the code to close with."""
        try:
            async with asyncio.timeout(OFFER_S):
                listening = asyncio.create_task(self._listen(channel, waiting))
                deciding = asyncio.create_task(self._decide(channel, waiting))
                try:
                    await asyncio.wait({listening, deciding}, return_when=asyncio.FIRST_COMPLETED)
                    return (deciding if deciding.done() else listening).result()
                finally:
                    for task in (listening, deciding):
                        task.cancel()
                    await asyncio.gather(listening, deciding, return_exceptions=True)
        except TimeoutError:
            waiting.problem = waiting.problem or say("nobody approved it in time")
            return CODE_EXPIRED
        except (RemoteProtocolError, HeadError, KeyFileError) as error:
            log.warning("a device at %s gets no key: %s", waiting.address, error)
            waiting.problem = waiting.problem or text_of(error)
            return CODE_USED if waiting.enrolment.closed else CODE_OVER
        except OSError:
            if not waiting.enrolment.done:
                waiting.problem = waiting.problem or say("the device went away")
            return CODE_OVER

    async def _listen(self, channel: WebSocketChannel, waiting: PendingEnrolment) -> int:
        enrolment = waiting.enrolment
        while not enrolment.done:
            named = bool(enrolment.name)
            enrolment.receive(await channel.receive())
            if enrolment.name and not named and not self._first(enrolment.name):
                enrolment.closed = True
                raise RemoteProtocolError.saying("this offer was made before; a device makes a new one each time")
            await self._flush(channel, enrolment)
            waiting.news.set()
            self._on_change()
        return CODE_OVER

    def _first(self, name: str) -> bool:
        with self._lock:
            if name in self._names:
                return False
            if len(self._names) == REMEMBERED:
                del self._names[next(iter(self._names))]
            self._names[name] = None
            return True

    async def _decide(self, channel: WebSocketChannel, waiting: PendingEnrolment) -> int:
        """Wait for both people, in either order, and give the key."""
        while not (waiting.approved_for and waiting.enrolment.agreed):
            await waiting.news.wait()
            waiting.news.clear()
            if waiting.problem:
                return CODE_OVER
        table = waiting.approved_for
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, self._give_key, table, waiting)
        # From here on the old device's records do not count; those in transit are committed before this is read.
        epoch, records = await self._link.in_worker(table, lambda: self._record_enrolment(table, waiting))
        channel.note_key_proved()  # from here on it may receive as much as a table
        waiting.enrolment.grant(table, epoch, records)
        await self._flush(channel, waiting.enrolment)
        waiting.given = True
        self._on_change()
        await asyncio.Event().wait()  # the device reports when it has saved everything
        raise AssertionError

    async def _flush(self, channel: WebSocketChannel, enrolment: HeadEnrolment) -> None:
        for frame in enrolment.outgoing():
            await channel.send(frame)

    # --- giving ----------------------------------------------------------------------------------------------------

    def _give_key(self, table: int, waiting: PendingEnrolment) -> None:
        """:raises Conflict: the table has got a device since the approval."""
        assert self._ring is not None
        with self._giving:  # not the other lock, for which the event loop waits
            if waiting.problem is not None:
                raise Conflict(waiting.problem)
            if table in self._ring and not waiting.replaces:
                raise Conflict.saying("table {table} has a device by now; scan the new QR code", table=table)
            self._ring.put(table, waiting.enrolment.key)
        self._on_table(table)

    def _record_enrolment(self, table: int, waiting: PendingEnrolment) -> tuple[str, list[TableRecord]]:
        """Return the journal that the device continues; empty if the device has it itself or the table
        never had one.
        """
        enrolment = waiting.enrolment
        epoch, records = self._journal_of(table)
        if epoch == enrolment.epoch:
            epoch, records = "", []
        game, match = last_match(records)
        at, last_reported_seq = self._last_received(table)
        body = {
            "table": table,
            "offer": waiting.name,
            "check": check_word(enrolment.key),
            "address": waiting.address,
            "seconds": round(time.time()),
            "epoch": epoch,
            "have": len(records),
            "game": game,
            "move": 0 if match is None else len(match.turns),
            "at": at if records else "",
            "missing": max(0, last_reported_seq - len(records)) if records else 0,
        }
        with as_user(waiting.person):
            self._store.append(ENROLLED, body).result()
        self._returned.apply_enrolment(body)
        log.info("table %d has a new device", table, extra={"table": table, "records": len(records)})
        if epoch and ((sent := self._sent(table, epoch)) is None or sent > len(records)):
            # This head lost records that it had sent on; two records of one number would make one journal contradict
            # itself.
            epoch = secrets.token_hex(8)
            self._store.commit_records(table, epoch, records).result()
        return epoch, records

    def _journal_of(self, table: int) -> tuple[str, list[TableRecord]]:
        """Return the journal to continue: of those that fit best the one with the most games of this table, and of
        these the newest. A former holder of the key may have written one of his own.
        """
        journals: dict[str, list[TableRecord]] = {}
        newest: dict[str, int] = {}
        for at, one in enumerate(self._store.records(table=table)):
            journals.setdefault(one.epoch, []).append(one.as_sent())
            newest[one.epoch] = at
        fits = {epoch: self._fits(table, records) for epoch, records in journals.items()}
        best = max(fits, key=lambda epoch: (*fits[epoch], newest[epoch]), default="")
        return (best, journals[best]) if best and fits[best][0] else ("", [])

    def _fits(self, table: int, records: list[TableRecord]) -> tuple[int, int]:
        """Return how well the records' games fit those that the desk has given this table (3: they do; 2: the desk
        knows none of them; 1: others have some of them; 0: only others have), and how many are this table's.
        """
        games = {_game_of(record.body) for record in records if record.type == "assigned"}
        seats = [seat for game in games if game and (seat := self._seat_of(game)) is not None]
        here = seats.count(table)
        if not seats:
            return 2, 0
        return 3 if here == len(seats) else int(here > 0), here


def _game_of(body: dict[str, Any]) -> str | None:
    """Return the game that an ``assigned`` record names; the body is untrusted, as any holder of the
    key may write it.
    """
    match body:
        case {"assignment": {"game": str(game)}}:
            return game
    return None
