"""FAULTS.md 16: forged, replayed and mutated frames change nothing and fill no memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from random import Random

import pytest
from links.world import record

from kiosk.link.errors import RemoteProtocolError
from kiosk.link.link_messages import Command, Health
from kiosk.link.link_session import HeadSession, TableSession
from kiosk.link.link_states_and_checked_envelopes import ConnectionState

KEYS = {table: bytes([table]) * 32 for table in range(1, 9)}


def conversation(table: int, random: Random) -> tuple[TableSession, HeadSession, list[bytes], list[bytes]]:
    """Return an open pair of sessions, and the next genuine frames to the head and to the table."""
    at_table, at_head = TableSession(table, "epoch", KEYS[table]), HeadSession(KEYS.get)
    handshake = at_head.outgoing()
    at_table.receive(handshake[0])
    handshake += at_table.outgoing()
    at_head.receive(handshake[1])
    at_head.welcome(0)
    handshake += at_head.outgoing()
    at_table.receive(handshake[2])
    at_table.send_records([record(seq) for seq in range(1, random.randint(2, 5))])
    at_table.ping(Health())
    at_head.send_commands([Command("c1", "hold")])
    return at_table, at_head, at_table.outgoing(), at_head.outgoing()


def mutated(frame: bytes, old: list[bytes], random: Random) -> bytes:
    data = bytearray(frame)
    match random.randrange(7):
        case 0:
            data[random.randrange(len(data))] ^= random.randrange(1, 256)
        case 1:
            del data[random.randrange(len(data)) :]
        case 2:
            data += random.randbytes(random.randint(1, 40))
        case 3:
            return random.choice(old)
        case 4:
            data[:8] = random.randbytes(8)  # another counter
        case 5:
            return random.randbytes(random.choice((0, 1, 24, 80, 5000)))
        case _:
            start = random.randrange(len(data))
            data[start : start + 4] = random.randbytes(4) + b"\xc1"
    return bytes(data)


@pytest.mark.fault(16, "forged, replayed, mutated frames")
def test_no_forged_replayed_or_mutated_frame_is_accepted(
    times: Callable[[int, int], int], record_property: Callable[[str, object], None]
) -> None:
    random = Random(16)
    old: list[bytes] = []
    for _ in range(20):
        _, _, to_head, to_table = conversation(random.choice(list(KEYS)), random)
        old += to_head + to_table
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        refused = 0
        for _ in range(times(1_000, 100_000)):
            table, head, to_head, to_table = conversation(random.choice(list(KEYS)), random)
            session, genuine = random.choice(((head, to_head), (table, to_table)))
            fresh = HeadSession(KEYS.get)  # one that has no proof at all
            frame = mutated(random.choice(genuine), old, random)
            for target in (session, fresh):
                with pytest.raises(RemoteProtocolError):
                    target.receive(frame)
                assert target.state is ConnectionState.CLOSED
                assert target.outgoing() == []
                refused += 1
        assert refused == times(2_000, 200_000)
        record_property("tried", refused)
        assert tracemalloc.get_traced_memory()[0] - before < 10_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.fault(16, "one session fed without end: memory")
def test_the_memory_of_a_long_session_is_bounded(times: Callable[[int, int], int]) -> None:
    """A table that sends duplicates without end, as a faulty one may, uses no more memory."""
    table, head, to_head, _ = conversation(1, Random(0))
    for frame in to_head:
        head.receive(frame)
    head.outgoing()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(times(2_000, 100_000)):
            table.ping(Health())
            for frame in table.outgoing():
                head.receive(frame)
            head.send_commands([Command("c1", "hold")], again=True)
            head.outgoing()
        assert tracemalloc.get_traced_memory()[0] - before < 200_000
    finally:
        tracemalloc.stop()
