"""Tests that over any faulty transport the head gets every record once and in order, and the table every command.

An in-memory transport loses frames, duplicates them, delays them behind later ones, cuts connections at any frame,
changes bytes, replays old frames and forges new ones. No forged frame may be accepted; a duplicated or late frame has
its effect at most once, and ends no connection.
"""

from __future__ import annotations

import os
from collections import deque
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from links.world import MemoryOutbox

from kiosk.link.errors import RemoteProtocolError
from kiosk.link.link_messages import Command, Health, TableRecord
from kiosk.link.link_session import (
    CommandReceived,
    HeadSession,
    Opened,
    PingReceived,
    RecordsAcknowledged,
    RecordsReceived,
    TableProven,
    TableSession,
)
from kiosk.link.link_states_and_checked_envelopes import ConnectionState

KEY = b"k" * 32
TABLE = 5
S = HeadSession | TableSession
Queue = deque[tuple[bytes, bool]]  # a frame, and whether the other side really sent it on this connection


class Hall:
    """A table that keeps its outbox and a head that keeps its rows, over successive connections."""

    def __init__(self, batch: int) -> None:
        self.outbox = MemoryOutbox()
        self.rows: list[TableRecord] = []
        self.commands: list[Command] = []
        self.applied: list[str] = []
        self.seen: list[bytes] = [b"seed"]  # frames that the transport can replay
        self.batch = batch
        self.connect()

    def connect(self) -> None:
        self.table = TableSession(TABLE, self.outbox.epoch, KEY)
        self.head = HeadSession({TABLE: KEY}.get)
        self.to_table: Queue = deque()
        self.to_head: Queue = deque()
        self.heard: dict[object, set[bytes]] = {self.table: set(), self.head: set()}
        self.misled = False
        self.carry()

    def carry(self) -> None:
        self.to_table.extend((frame, True) for frame in self.head.outgoing())
        self.to_head.extend((frame, True) for frame in self.table.outgoing())

    def pending(self) -> list[Command]:
        return [command for command in self.commands if command.id not in self.applied]

    def table_step(self) -> None:
        if self.to_table:
            frame, genuine = self.to_table.popleft()
            self.seen.append(frame)
            if not genuine and self.table.state is ConnectionState.START:
                self.misled = True  # a challenge proves nothing: the head will not accept the answer
            elif not genuine:
                self.without_effect(self.table, frame)
            for event in self.hear(self.table, frame):
                match event:
                    case Opened(have) | RecordsAcknowledged(have):
                        assert have <= len(self.rows)
                        self.outbox.acknowledged(have)
                    case CommandReceived(command):
                        if command.id not in self.applied:
                            self.applied.append(command.id)
        if want := self.table.sendable_records():
            self.table.send_records(self.outbox.records_after(want[0], self.batch))
        self.carry()

    def head_step(self) -> None:
        if self.to_head:
            frame, genuine = self.to_head.popleft()
            self.seen.append(frame)
            if not genuine:
                self.without_effect(self.head, frame)
            for event in self.hear(self.head, frame):
                match event:
                    case TableProven(table, epoch):
                        assert (table, epoch) == (TABLE, self.outbox.epoch)
                        self.head.welcome(len(self.rows))
                        self.head.send_commands(self.pending())
                    case RecordsReceived(records):
                        assert records[0].seq == len(self.rows) + 1  # only N + 1
                        self.rows += records
                        self.head.committed(len(self.rows))
                    case PingReceived():
                        self.head.send_commands(self.pending(), again=True)
        self.carry()

    def hear(self, session: S, frame: bytes) -> list[Any]:
        events = session.receive(frame)
        self.heard[session].add(frame)
        return events

    def without_effect(self, session: S, frame: bytes) -> None:
        """Deliver a frame that must be refused unless the session received it on this connection."""
        if frame not in self.heard[session]:
            refused(session, frame)
        state, waiting = session.state, list(session._outgoing)
        assert session.receive(frame) == []
        assert (session.state, session._outgoing) == (state, waiting)

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.table_step()
            self.head_step()

    def ping(self) -> None:
        if self.table.state is ConnectionState.OPEN:
            self.table.ping(Health())
            self.carry()

    def settle(self, fresh: bool) -> None:
        """Deliver without faults; the connection continues unless it was broken or tampered with."""
        if fresh or self.misled or not all(genuine for _, genuine in (*self.to_head, *self.to_table)):
            self.connect()
        for _ in range(4):
            self.run(2 * len(self.outbox.records) + 2 * len(self.commands) + 40)
            if self.table.state is not ConnectionState.OPEN:
                self.connect()  # the transport lost the handshake; a read timeout would end the connection
            self.ping()


def refused(session: TableSession | HeadSession, frame: bytes) -> None:
    with pytest.raises(RemoteProtocolError):
        session.receive(frame)
    assert session.state is ConnectionState.CLOSED
    raise RemoteProtocolError("as it should be")


def disturb(hall: Hall, what: str, how: int) -> None:
    queue = hall.to_head if what.endswith("to head") else hall.to_table
    match what.removesuffix(" to head").removesuffix(" to table"):
        case "grow":
            hall.outbox.grow(4 + how % 16)
        case "run":
            hall.run(1 + how % 5)
        case "table":
            for _ in range(1 + how % 5):
                hall.table_step()
        case "head":
            for _ in range(1 + how % 5):
                hall.head_step()
        case "issue":
            hall.commands.append(Command(f"c{len(hall.commands) + 1}", "hold"))
        case "ping":
            hall.ping()
        case "cut":
            hall.connect()
        case "lose" if hall.head.state is hall.table.state is ConnectionState.OPEN:
            if queue:
                queue.popleft()
        case "lose":
            hall.connect()  # a read timeout would end a handshake that lost a frame
        case "double" if queue:
            queue.insert(min(len(queue), how % 4), queue[0])
        case "delay" if queue and hall.head.state is hall.table.state is ConnectionState.OPEN:
            frame = queue.popleft()
            queue.insert(min(len(queue), 1 + how % 6), frame)
        case "change" if queue and queue[0][1]:  # a frame changed twice might be unchanged
            frame = bytearray(queue.popleft()[0])
            frame[how % len(frame)] ^= 1 + how % 255
            queue.appendleft((bytes(frame), False))
        case "replay":
            queue.appendleft((hall.seen[-1 - how % min(8, len(hall.seen))], False))
        case "forge":
            queue.appendleft((Random(how).randbytes(how % 90), False))


#: most steps deliver or lose frames; those that end a connection are rarer
STEPS = [
    *3 * ["run", "table", "head", "grow", "ping"],
    *2 * ["lose to head", "lose to table", "issue"],
    *2 * ["double to head", "double to table", "delay to head", "delay to table"],
    *(
        "cut",
        "change to head",
        "change to table",
        "replay to head",
        "replay to table",
        "forge to head",
        "forge to table",
    ),
]
#: FAULTS.md 18: `make faults` runs the long form
EXAMPLES = 10_000 if os.environ.get("FAULTS") == "long" else 300
steps = st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 10_000)), min_size=20, max_size=100)


@pytest.mark.slow
@pytest.mark.fault(
    18,
    f"two sessions over a transport that loses, doubles, delays, reorders, corrupts, cuts, forges: {EXAMPLES} examples",
)
@settings(max_examples=EXAMPLES, deadline=None)
@given(steps, st.integers(1, 7), st.booleans())
def test_exactly_once_in_order_over_any_faulty_transport(steps: list[tuple[str, int]], batch: int, fresh: bool) -> None:
    hall = Hall(batch)
    hall.outbox.grow(20)
    hall.run(3)
    for what, how in steps:
        try:
            disturb(hall, what, how)
        except RemoteProtocolError:
            hall.connect()
        assert hall.rows == hall.outbox.records[: len(hall.rows)]
    hall.settle(fresh)
    assert hall.rows == hall.outbox.records
    assert sorted(hall.applied) == sorted(command.id for command in hall.commands)

