"""FAULTS.md 10 on real hosts: a head and its tables in network namespaces, real TCP, lost and delayed packets.

The timeouts are those of the program. ``test_faults_link_network`` has the form that needs no root.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from halls import network as network_hall
from halls.many_tables import prepare_hall
from halls.network import Wire, WireConditions, inside
from heads.process import HeadProcess, rows_of
from heads.world import event
from links.linked_table import LinkedTable
from links.world import MemoryOutbox
from waiting import until

from kiosk.link.websocket_transport import WebSocketTransport

LOSS = WireConditions(loss=0.2)
LATE = WireConditions(delay_s=0.2)
FAULTS: dict[str, WireConditions | None] = {
    "20 % loss": LOSS,
    "200 ms delay": LATE,
    "loss and delay": WireConditions(loss=0.2, delay_s=0.2, jitter_s=0.05),
    "duplicated and out of order": WireConditions(duplication=0.3, jitter_s=0.1),
    "black hole": WireConditions(blocked_to_head=True, blocked_to_table=True),
    "nothing to the table": WireConditions(blocked_to_table=True),
    "nothing to the head": WireConditions(blocked_to_head=True),
    "resets": None,
}


class FaultedTable:
    """One table, and the faults of its wire one after the other."""

    def __init__(self, number: int, key: bytes, wire: Wire, port: int) -> None:
        self.outbox = MemoryOutbox(f"hosts-{number}", 5)
        self.slowest_s, self.failure = 0.0, ""
        self._wire, self._random = wire, Random(number)
        transport = WebSocketTransport(f"ws://{wire.address}:{port}/link")
        self.table = inside(wire.namespace, lambda: LinkedTable([transport], key, self.outbox, number))

    def run_faults(self, faults: int) -> None:
        until(self.is_acknowledged)
        for number in range(faults):
            name = self._random.choice(list(FAULTS)) if number >= len(FAULTS) else list(FAULTS)[number]
            conditions = FAULTS[name]
            if conditions is None:
                self._wire.reset()
            else:
                self._wire.conditions = conditions
            end_s = time.monotonic() + (self._random.choice((0.5, 2.0, 2.0, 4.0, 9.0)) if faults > 1 else 1.0)
            while time.monotonic() < end_s:
                self.table.grow(self._random.randint(1, 20))
                time.sleep(self._random.uniform(0.05, 0.5))
            self._wire.heal()
            healed_s = time.monotonic()
            try:
                until(self.is_acknowledged)
            except AssertionError:
                self.failure = f"not converged after {name}: {self.table.statuses[-3:]}"
                return
            self.slowest_s = max(self.slowest_s, time.monotonic() - healed_s)

    def is_acknowledged(self) -> bool:
        return self.outbox.acknowledgements[-1:] == [self.outbox.last_seq()]


@pytest.mark.fault(10, "real hosts: 20 % loss, 200 ms delay, resets, black hole, one way; converged in {slowest_s} s")
@pytest.mark.timeout(330)
def test_every_fault_of_a_real_network_ends_in_the_same_rows(
    tmp_path: Path, times: Callable[[int, int], int], record_property: Callable[[str, object], None]
) -> None:
    if why := network_hall.missing():
        pytest.skip(f"{why}; the relay of test_faults_link_network is used instead")
    tables, faults = times(4, 8), times(1, 25)
    keys = prepare_hall(tmp_path, event(16), tables, 8000, host="0.0.0.0")
    with network_hall.network_hall(tables, seed=10) as hall:
        head = HeadProcess(tmp_path / "head.toml", before=["ip", "netns", "exec", hall.head])
        sufferers = [FaultedTable(number, keys[number], wire, 8000) for number, wire in hall.wires.items()]
        try:
            threads = [threading.Thread(target=sufferer.run_faults, args=(faults,)) for sufferer in sufferers]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            for sufferer in sufferers:
                sufferer.table.link.stop()
            head.kill()
        assert [sufferer.failure for sufferer in sufferers if sufferer.failure] == []
        expected = {
            (number, sufferer.outbox.epoch): [(r.seq, r.type, r.body) for r in sufferer.outbox.records]
            for number, sufferer in enumerate(sufferers, 1)
        }
        assert rows_of(tmp_path / "data") == expected
        assert all(wire.dropped for wire in hall.wires.values()) or faults < len(FAULTS)
    record_property("tried", tables * faults)
    record_property("slowest_s", round(max(sufferer.slowest_s for sufferer in sufferers), 1))
