"""A simulated federation above the halls: its head's store and collector, and each hall's line to it.

What it has acknowledged it keeps, also after it was killed. A push and its answer take no time; either may be lost, and
an attacker who has seen a push may repeat it, also in his own name.
"""

from __future__ import annotations

import json
from collections import deque
from functools import partial
from pathlib import Path
from random import Random

import httpx
import msgspec
from simulate.drifting_clock import DriftingClock
from sqlalchemy import select

from hardware.real_and_simulated_time import now_s
from kiosk.demo.virtual_time_loop_and_connection import VirtualTime
from kiosk.head.errors import Forbidden, HeadError
from kiosk.head.federation.player_list_transfer import PlayerListPublisher
from kiosk.head.federation.push_protocol import SEAL_HEADER, VENUE_HEADER, PushResponse, read_push, read_sealed, sign
from kiosk.head.federation.push_receiver_and_venue_quarantine import FederationCollector
from kiosk.head.federation.venue_keys import load_venue, save_venues
from kiosk.head.head_config import FederationConfig
from kiosk.head.store import Store, store_schema
from kiosk.head.store.hash_chain import canonical
from kiosk.head.store.store_writer import InlineWriter

#: a venue that sends nothing of its own but has seen the others' pushes
COPYIST = "copyist"
URL = "http://federation"
#: pushes remembered by the attacker on the line
HEARD = 20


class SimulatedFederation:
    """The federation. ``collector`` None: its head is off. ``lines``: of ``venues`` halls."""

    def __init__(self, time: VirtualTime, directory: Path, chance: Random, venues: int) -> None:
        self.crystal = DriftingClock(time)
        self.collector: FederationCollector | None = None
        self._directory = directory
        directory.mkdir()
        self.keys = directory / "venues.json"
        names = ["hall", *(f"hall-{number}" for number in range(2, 1 + venues))]
        save_venues(self.keys, {name: chance.randbytes(32) for name in (*names, COPYIST)})
        self.lines = [VenueLink(self, name, chance) for name in names]

    def switch_on(self) -> None:
        self.store = Store(self._directory / "data", writer=InlineWriter, wall_clock=self.crystal.wall_clock)
        self.collector = FederationCollector(
            self.store,
            self.keys,
            self.crystal,
            PlayerListPublisher(self.keys.with_name("roster.json")),
            monotonic_s=partial(now_s, self.crystal),
        )

    def kill(self) -> None:
        """Kill the head; committed data stays."""
        if self.collector is not None:
            self.store.close()
            self.collector = None

    def receive(self, venue: str, sealed: str, body: bytes) -> httpx.Response:
        assert self.collector is not None, "it is on"
        try:
            answer, own = self.collector.collect(venue, sealed, body)
        except Forbidden:
            raise  # nobody else has a venue's key, and no venue is barred
        except HeadError as error:
            return httpx.Response(error.status, json={"error": str(error)})
        return httpx.Response(200, content=answer, headers={SEAL_HEADER: own})


class VenueLink:
    """The line of one hall. ``loss``: the share of lost pushes, and of lost answers. ``config``: the federation
    settings of the hall's head. ``committed``: what the machines of the hall had committed when they sent, by position:
    entries by life and number, records by table, epoch and number; two machines may differ at one position.
    """

    def __init__(self, federation: SimulatedFederation, venue: str, chance: Random) -> None:
        self.federation, self.venue, self.loss = federation, venue, 0.0
        self.config = FederationConfig(URL, venue, federation.keys)
        self.committed: dict[tuple[str | int, ...], set[str]] = {}
        self._chance = chance
        self._heard: deque[httpx.Request] = deque(maxlen=HEARD)

    def client(self, store: Store) -> httpx.Client:
        """Return the HTTP client of a machine with this store."""
        read: dict[str, tuple[int, int]] = {}

        def carry(request: httpx.Request) -> httpx.Response:
            read[store.trail] = self._note(store, *read.get(store.trail, (0, 0)))
            return self._carry(request)

        return httpx.Client(base_url=URL, transport=httpx.MockTransport(carry), trust_env=False)

    def replay_push(self) -> bool:
        """Repeat an old push; return whether there was one."""
        if not self._heard or self.federation.collector is None:
            return False
        self._bring(self._chance.choice(self._heard))
        return True

    def replay_as_copyist(self) -> bool:
        """Send an old push as the copyist, with a valid key, unchanged and rewritten as his own: life, journals,
        entries and all. Return whether there was one.
        """
        if not self._heard or self.federation.collector is None:
            return False
        heard = self._chance.choice(self._heard).content
        key, ticket = load_venue(self.federation.keys, COPYIST), ""
        try:
            self.federation.receive(COPYIST, sign(key, "", heard), heard)
        except Forbidden:
            pass
        else:
            raise AssertionError("the copyist's key does not speak for another hall")
        push = msgspec.structs.replace(read_push(heard), venue=COPYIST, sender="c")
        for _ in range(2):  # the first is a question, which gets the ticket of the second
            body = msgspec.msgpack.encode(msgspec.structs.replace(push, ticket=ticket))
            said = self.federation.receive(COPYIST, sign(key, "", body), body)
            ticket = read_sealed(key, push.nonce, said.content, said.headers[SEAL_HEADER], PushResponse).ticket
        return True

    def _carry(self, request: httpx.Request) -> httpx.Response:
        if self.federation.collector is None:
            raise httpx.ConnectError("the federation's head is off")
        if self._chance.random() < self.loss:
            raise httpx.ConnectTimeout("the line is down")
        self._heard.append(request)
        answer = self._bring(request)
        if self._chance.random() < self.loss:
            raise httpx.ReadTimeout("the answer is lost")
        return answer

    def _bring(self, request: httpx.Request) -> httpx.Response:
        return self.federation.receive(request.headers[VENUE_HEADER], request.headers[SEAL_HEADER], request.content)

    def _note(self, store: Store, entries: int, arrival: int) -> tuple[int, int]:
        """Note what was committed since this machine last sent; return how far it has read."""
        for event in store.operator_events(after=entries):
            entries = event.number
            self.committed.setdefault((store.trail, entries), set()).add(event.hash)
        column = store_schema.records.c
        news = select(store_schema.records).where(column.arrival > arrival).order_by(column.arrival)
        with store.reading() as connection:
            for row in connection.execute(news):
                arrival = row.arrival
                place = row.table_no, row.epoch, row.seq
                self.committed.setdefault(place, set()).add(content_of(row.type, json.loads(row.body)))
        return entries, arrival


def content_of(type: str, body: dict[str, object]) -> str:
    return f"{type} {canonical(body)}"
