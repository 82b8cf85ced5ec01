"""Valid pushes of venues, for tests that alter them, and the federation store's content of each venue."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import msgspec
from heads.world import running_head
from sqlalchemy import Connection

from hardware.real_and_simulated_time import SystemTime
from kiosk.head.errors import HeadError
from kiosk.head.federation import venue_trail_and_game_index
from kiosk.head.federation.federation_push_thread_and_outbox import Pusher
from kiosk.head.federation.live_venue_state_and_sender_checks import Venue
from kiosk.head.federation.player_list_transfer import PlayerListPublisher
from kiosk.head.federation.push_protocol import (
    PATH,
    SEAL_HEADER,
    VENUE_HEADER,
    EventRow,
    Push,
    PushResponse,
    RecordRow,
    sign,
)
from kiosk.head.federation.push_receiver_and_venue_quarantine import FederationCollector
from kiosk.head.federation.venue_keys import save_venues
from kiosk.head.head_config import FederationConfig, LeaveOut
from kiosk.head.program import HeadApplication
from kiosk.head.store import Store
from kiosk.head.store.hash_chain import OperatorEvent, append_link
from kiosk.head.store.store_rows import wall_clock
from kiosk.head.store.store_schema import venue_events, venue_records

KEY = b"o" * 32
AT = "2031-04-05T00:00:00.000+00:00"
#: a valid chain of acts: an event, its first round, the tables, a result
STORY: tuple[tuple[str, dict[str, Any]], ...] = (
    (
        "event-created",
        {
            "event": {
                "schema": "othello-event/1",
                "name": "春のオセロ大会 Spring Open",
                "date": "2031-04-05",
                "format": "m43-open",
                "options": {"random_seed": 7},
                "players": [{"id": f"p{number}", "name": f"選手{number}", "grade": "1d"} for number in range(1, 9)],
            },
            "table": {"rules": "m43", "main_s": 1200},
            "title": {"ja": "無差別", "en": "Open"},
        },
    ),
    ("order-given", {"id": "o1", "table": 1, "order": "stop"}),
    ("players-arrived", {"players": ["p1", "p2"], "arrived": True}),
)


def rows_of(
    story: Sequence[tuple[str, Any]] = STORY, after: OperatorEvent | None = None, at: str = AT
) -> list[EventRow]:
    """Return the next entries of the audit trail, correctly chained."""
    found, last = [], after
    for kind, body in story:
        last = append_link(last, at, kind, body, "Lund")
        found.append(EventRow(last.number, last.at, last.person, last.kind, body, last.previous, last.hash))
    return found


def rows_of_store(store: Store) -> tuple[list[EventRow], list[RecordRow]]:
    """Return a venue's whole audit trail and all records of its tables."""
    events = [
        EventRow(e.number, e.at, e.person, e.kind, dict(e.body), e.previous, e.hash) for e in store.operator_events()
    ]
    return events, [RecordRow(r.table, r.epoch, r.seq, r.type, r.body, r.arrival) for r in store.records()]


def record(seq: int, table: int = 1, epoch: str = "e", type: str = "card", **body: Any) -> RecordRow:
    return RecordRow(table, epoch, seq, type, {"n": seq} | body, seq)


@dataclass
class Federation:
    """A federation's collector in this process, without its pages."""

    store: Store
    collector: FederationCollector
    keys: dict[str, bytes]

    @classmethod
    def open(cls, folder: Path, url: str = "", names: Sequence[str] = ("osaka", "sapporo")) -> Federation:
        """Open a federation; the same folder again is a restart on its data."""
        folder.mkdir(exist_ok=True)
        keys = {name: (name.encode() * 32)[:32] for name in names}
        save_venues(folder / "venues.json", keys)
        store = Store(folder / "data", url)
        lists = PlayerListPublisher(folder / "roster.json")
        return cls(store, FederationCollector(store, folder / "venues.json", SystemTime(), lists), keys)

    def close(self) -> None:
        self.store.close()

    def send(self, venue: str, body: bytes) -> PushResponse:
        """Return the answer to a push.

        :raises HeadError: it was not accepted as a push of this venue.
        """
        response, _ = self.collector.collect(venue, sign(self.keys[venue], "", body), body)
        return msgspec.msgpack.decode(response, type=PushResponse)

    def answer(self, request: httpx.Request) -> httpx.Response:
        """Answer a push as over the network."""
        seal = request.headers[SEAL_HEADER]
        try:
            said, own = self.collector.collect(request.headers[VENUE_HEADER], seal, request.content)
        except HeadError as error:
            return httpx.Response(error.status, json={"error": str(error)})
        return httpx.Response(200, content=said, headers={SEAL_HEADER: own})

    def pusher(
        self,
        store: Store,
        folder: Path,
        leave_out: Sequence[LeaveOut] = (),
        answer: Callable[[httpx.Request], httpx.Response] | None = None,
    ) -> Pusher:
        """Return the pusher of osaka's store; ``folder``: for its key; ``answer``: instead of this federation's."""
        save_venues(folder / "osaka.json", {"osaka": self.keys["osaka"]})
        config = FederationConfig("http://f.example", "osaka", folder / "osaka.json", leave_out=list(leave_out))
        return Pusher(store, config, client=lambda config: mock_client(answer or self.answer))

    def push(
        self, venue: str, events: Sequence[EventRow] = (), records: Sequence[RecordRow] = (), **other: Any
    ) -> PushResponse:
        """Push rows in the way of a venue: with a ticket requested first."""
        return answered(lambda body: self.send(venue, body), push_of(venue, events, records, **other))

    def venue(self, name: str = "osaka") -> Venue:
        found = self.collector.venue(name)
        assert found is not None
        return found

    def rows(self, venue: str) -> list[tuple[Any, ...]]:
        return rows_in(self.store, venue)


@contextmanager
def served_federation(folder: Path) -> Iterator[tuple[HeadApplication, str]]:
    """Yield the head of a federation, which knows the venue osaka by ``KEY``, and its address; the same folder again is
    a restart."""
    folder.mkdir(exist_ok=True)
    save_venues(folder / "venues.json", {"osaka": KEY})
    with running_head(folder, tables=0, event=None, venues=folder / "venues.json") as found:
        yield found


def push_all(pusher: Pusher) -> None:
    """Push until no row is left."""
    for _ in range(200):
        if not pusher.push():
            return
    raise AssertionError("it sends on and on")


def mock_client(answer: Callable[[httpx.Request], httpx.Response]) -> httpx.Client:
    return httpx.Client(transport=httpx.MockTransport(answer), base_url="http://f.example")


def post_push(url: str, venue: str, key: bytes, body: bytes, **headers: str) -> httpx.Response:
    """Send a signed push to a head."""
    own = {VENUE_HEADER: venue, SEAL_HEADER: sign(key, "", body)}
    return httpx.post(url + PATH, content=body, headers=own | headers)


def posted(url: str, key: bytes, push: Push) -> PushResponse:
    """Return the answer of a head to a push of a new machine."""

    def send(body: bytes) -> PushResponse:
        answer = post_push(url, push.venue, key, body)
        assert answer.status_code == 200, answer.text
        return msgspec.msgpack.decode(answer.content, type=PushResponse)

    return answered(send, push)


def rows_in(store: Store, venue: str) -> list[tuple[Any, ...]]:
    """Return every column of every row of a venue."""
    with store.reading() as connection:
        return [
            tuple(row)
            for table in (venue_events, venue_records)
            for row in connection.execute(table.select().where(table.c.venue == venue).order_by(*table.primary_key))
        ]


def notes_in(connection: Connection) -> list[tuple[Any, ...]]:
    """Return the whole index of the rows and of the games in them."""
    return [
        tuple(row)
        for table in venue_trail_and_game_index._metadata.sorted_tables
        for row in connection.execute(table.select().order_by(*table.primary_key))
    ]


def answered(send: Callable[[bytes], PushResponse], push: Push) -> PushResponse:
    """Return the answer to a push of a new machine, sent again with the ticket it gets."""
    push = msgspec.structs.replace(push, sender=push.sender or secrets.token_hex(8))
    response = send(msgspec.msgpack.encode(msgspec.structs.replace(push, events=[], records=[])))
    return send(msgspec.msgpack.encode(msgspec.structs.replace(push, ticket=response.ticket)))


def push_of(venue: str, events: Sequence[EventRow] = (), records: Sequence[RecordRow] = (), **other: Any) -> Push:
    fields: dict[str, Any] = {"trail": "trail", "nonce": "nonce", "sent_at": wall_clock(), "waiting": 0} | other
    return Push(venue, events=list(events), records=list(records), **fields)
