"""Whatever a carrier does, the head gets every record once and in order, and the table every command.

A carrier in memory loses frames, cuts connections at any frame, changes bytes, replays old frames and forges new ones.
"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from link_world import MemoryCollector, MemoryOutbox

from kiosk.link.errors import RemoteProtocolError
from kiosk.link.messages import Command, Health
from kiosk.link.session import (
    Acknowledged,
    CommandReceived,
    HeadSession,
    Opened,
    PingReceived,
    RecordsReceived,
    TableProven,
    TableSession,
)

KEY = b"k" * 32
TABLE = 5


class Hall:
    """A table that keeps its outbox and a head that keeps its rows, over one connection after another."""

    def __init__(self, batch: int) -> None:
        self.outbox = MemoryOutbox()
        self.collector = MemoryCollector({TABLE: KEY})
        self.applied: list[str] = []
        self.issued = 0
        self.seen: list[bytes] = [b"seed"]  # every frame ever sent, for replays
        self.batch = batch
        self.connect()

    def connect(self) -> None:
        self.table = TableSession(TABLE, self.outbox.epoch, KEY)
        self.head = HeadSession(self.collector.key)
        self.to_table = self.head.outgoing()
        self.to_head: list[bytes] = []

    def issue(self) -> None:
        self.issued += 1
        self.collector.commands.setdefault(TABLE, []).append(Command(f"c{self.issued}", "hold"))

    def table_step(self) -> None:
        if self.to_table:
            frame = self.to_table.pop(0)
            self.seen.append(frame)
            for event in self.table.receive(frame):
                match event:
                    case Opened(have) | Acknowledged(have):
                        assert have <= self.collector.have(TABLE, self.outbox.epoch)
                        self.outbox.acknowledged(have)
                    case CommandReceived(command):
                        if command.id not in self.applied:
                            self.applied.append(command.id)
        if want := self.table.wants():
            self.table.send_records(self.outbox.records_after(want[0], self.batch))
        self.to_head += self.table.outgoing()

    def head_step(self) -> None:
        if self.to_head:
            frame = self.to_head.pop(0)
            self.seen.append(frame)
            for event in self.head.receive(frame):
                match event:
                    case TableProven(table, epoch):
                        self.head.welcome(self.collector.have(table, epoch))
                        self.head.send_commands(self.pending())
                    case RecordsReceived(records):
                        self.head.committed(self.collector.commit(TABLE, self.outbox.epoch, records))
                    case PingReceived():
                        self.head.send_commands(self.pending(), again=True)
        self.to_table += self.head.outgoing()

    def pending(self) -> list[Command]:
        return [c for c in self.collector.pending(TABLE) if c.id not in self.applied]

    def ping(self) -> None:
        if self.table.wants() is not None:
            self.table.ping(Health())
            self.to_head += self.table.outgoing()

    def settle(self) -> None:
        """The carrier is well again: a fresh connection, and pings."""
        self.connect()
        for _ in range(3):
            for _ in range(2 * len(self.outbox.records) + 80):
                self.table_step()
                self.head_step()
            self.ping()


faults = st.one_of(
    st.tuples(st.just("grow"), st.integers(1, 9)),
    st.tuples(st.just("run"), st.integers(1, 12)),
    st.tuples(st.sampled_from(["cut", "issue", "ping", "lose to head", "lose to table", "die"]), st.just(0)),
    st.tuples(st.sampled_from(["change to head", "change to table"]), st.integers(0, 10_000)),
    st.tuples(st.sampled_from(["replay to head", "replay to table"]), st.integers(0, 10_000)),
    st.tuples(st.sampled_from(["forge to head", "forge to table"]), st.binary(max_size=80)),
)


def disturb(hall: Hall, what: str, how: int | bytes) -> None:
    queue = hall.to_head if what.endswith("to head") else hall.to_table
    match what.split(" ")[0], how:
        case "grow", int(count):
            hall.outbox.grow(count)
        case "run", int(steps):
            for _ in range(steps):
                hall.table_step()
                hall.head_step()
        case "issue", _:
            hall.issue()
        case "ping", _:
            hall.ping()
        case "cut" | "die", _:
            hall.connect()
        case "lose", _:
            del queue[:1]
        case "change", int(at) if queue:
            frame = bytearray(queue[0])
            frame[at % len(frame)] ^= 1 + at % 255
            queue[0] = bytes(frame)
        case "replay", int(which):
            queue.insert(0, hall.seen[which % len(hall.seen)])
        case "forge", bytes(frame):
            queue.insert(0, frame)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(faults, st.booleans()), max_size=60), st.integers(1, 7))
def test_exactly_once_in_order_whatever_the_carrier_does(
    steps: list[tuple[tuple[str, object], bool]], batch: int
) -> None:
    hall = Hall(batch)
    for (what, how), run in steps:
        try:
            disturb(hall, what, how)  # type: ignore[arg-type]
            if run:
                hall.table_step()
                hall.head_step()
        except RemoteProtocolError:
            hall.connect()
        rows = hall.collector.rows.get((TABLE, hall.outbox.epoch), [])
        assert rows == hall.outbox.records[: len(rows)]
    hall.settle()
    assert hall.collector.rows.get((TABLE, hall.outbox.epoch), []) == hall.outbox.records
    assert hall.collector.accepted == len(hall.outbox.records)
    assert sorted(hall.applied) == sorted(f"c{number}" for number in range(1, hall.issued + 1))
    assert set(hall.collector.rows) <= {(TABLE, hall.outbox.epoch)}
