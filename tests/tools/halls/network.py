"""Real hosts for fault tests: network namespaces on one machine, connected by simulated wires in this process.

A wire is two TUN devices, one in the head's namespace and one in the table's. IP packets from the kernels pass through
this process, which delays, duplicates or drops them; so a lost packet is a lost packet to a real TCP. A reset is the
kernel's own (nftables ``reject with tcp reset``). Needs root, ``ip`` and, for resets, ``nft``; ``missing()`` names what
is not available.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import heapq
import os
import select
import shutil
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TypeVar

T = TypeVar("T")
_TUNSETIFF, _IFF_TUN, _IFF_NO_PI, _CLONE_NEWNET = 0x400454CA, 0x0001, 0x1000, 0x40000000
PACKET = 2048


def missing() -> str:
    """Return why there can be no real hosts here; empty if there can."""
    if absent := [tool for tool in ("ip", "nft") if shutil.which(tool) is None]:
        return f"{' and '.join(absent)} not installed (apt: iproute2 nftables)"
    name = f"probe-{os.getpid()}"
    completed = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True)
    if completed.returncode:
        return f"network namespaces need root ({completed.stderr.strip()})"
    tun = subprocess.run(["ip", "-n", name, "tuntap", "add", "dev", "t", "mode", "tun"], capture_output=True, text=True)
    subprocess.run(["ip", "netns", "delete", name], check=True)
    return f"no TUN devices here ({tun.stderr.strip()})" if tun.returncode else ""


def inside(namespace: str, call: Callable[[], T]) -> T:
    """Run ``call`` in a new thread whose network is that namespace; threads it starts stay there."""
    found: list[T] = []

    def enter() -> None:
        with Path(f"/run/netns/{namespace}").open() as handle:
            if ctypes.CDLL(None, use_errno=True).setns(handle.fileno(), _CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), f"cannot enter {namespace}")
        found.append(call())

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    return found[0]


@dataclass
class WireConditions:
    """The current treatment of packets on a wire."""

    loss: float = 0.0
    duplication: float = 0.0
    delay_s: float = 0.0
    jitter_s: float = 0.0
    blocked_to_head: bool = False
    blocked_to_table: bool = False


@dataclass
class Wire:
    """One table's connection to the head. ``carried`` and ``dropped`` count packets."""

    namespace: str
    address: str
    head_end: int
    table_end: int
    random: Random
    conditions: WireConditions = field(default_factory=WireConditions)
    carried: int = 0
    dropped: int = 0

    def reset(self) -> None:
        """Answer every connection with a TCP reset from now on, until ``heal``."""
        rules = (
            "add table inet fault; add chain inet fault out { type filter hook output priority 0; };"
            "add rule inet fault out meta l4proto tcp reject with tcp reset"
        )
        _run("ip", "netns", "exec", self.namespace, "nft", rules)

    def heal(self) -> None:
        self.conditions = WireConditions()
        _run("ip", "netns", "exec", self.namespace, "nft", "add table inet fault; delete table inet fault")


class NetworkHall:
    """A namespace for the head and one for each table. Table n reaches the head at ``wires[n].address``."""

    def __init__(self, tables: int, seed: int) -> None:
        self._prefix = f"oth{os.getpid()}"
        self.head = f"{self._prefix}-head"
        self.wires: dict[int, Wire] = {}
        self._late: list[tuple[float, int, int, bytes]] = []
        self._stop_here, self._stop_there = os.pipe()
        try:
            _run("ip", "netns", "add", self.head)
            _run("ip", "-n", self.head, "link", "set", "lo", "up")
            for table in range(1, tables + 1):
                self.wires[table] = self._lay(table, Random(seed * 1000 + table))
        except BaseException:
            self._delete()
            raise
        self._thread = threading.Thread(target=self._carry, name="wires", daemon=True)
        self._thread.start()

    def close(self) -> None:
        os.write(self._stop_there, b"x")
        self._thread.join()
        self._delete()
        for wire in self.wires.values():
            os.close(wire.head_end)
            os.close(wire.table_end)
        os.close(self._stop_here)
        os.close(self._stop_there)

    def _delete(self) -> None:
        for name in (self.head, *(f"{self._prefix}-t{table}" for table in range(1, 100))):
            if Path(f"/run/netns/{name}").exists():
                _run("ip", "netns", "delete", name)

    def _lay(self, table: int, random: Random) -> Wire:
        namespace = f"{self._prefix}-t{table}"
        _run("ip", "netns", "add", namespace)
        ends = []
        for where, device, own, other in (
            (self.head, f"t{table}", f"10.66.{table}.1", f"10.66.{table}.2"),
            (namespace, "head", f"10.66.{table}.2", f"10.66.{table}.1"),
        ):
            ends.append(inside(where, lambda device=device: _open_tun(device)))  # type: ignore[misc]
            _run("ip", "-n", where, "address", "add", own, "peer", other, "dev", device)
            _run("ip", "-n", where, "link", "set", device, "up", "mtu", "1500")
        return Wire(namespace, f"10.66.{table}.1", ends[0], ends[1], random)

    def _carry(self) -> None:
        ways = {wire.head_end: (wire, False) for wire in self.wires.values()}
        ways |= {wire.table_end: (wire, True) for wire in self.wires.values()}
        poll = select.poll()
        for end in (self._stop_here, *ways):
            poll.register(end, select.POLLIN)
        while True:
            wait_ms = None if not self._late else max(0.0, (self._late[0][0] - time.monotonic()) * 1000)
            for end, _ in poll.poll(wait_ms):
                if end == self._stop_here:
                    return
                wire, to_head = ways[end]
                self._pass_on(wire, to_head, os.read(end, PACKET))
            while self._late and self._late[0][0] <= time.monotonic():
                _, _, there, packet = heapq.heappop(self._late)
                with contextlib.suppress(OSError):
                    os.write(there, packet)

    def _pass_on(self, wire: Wire, to_head: bool, packet: bytes) -> None:
        conditions, random = wire.conditions, wire.random
        wire.carried += 1
        if (
            conditions.blocked_to_head if to_head else conditions.blocked_to_table
        ) or random.random() < conditions.loss:
            wire.dropped += 1
            return
        there = wire.head_end if to_head else wire.table_end
        for _ in range(2 if random.random() < conditions.duplication else 1):
            due_s = time.monotonic() + conditions.delay_s + random.uniform(0, conditions.jitter_s)
            heapq.heappush(self._late, (due_s, wire.carried, there, packet))


def _open_tun(name: str) -> int:
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, _TUNSETIFF, struct.pack("16sH22x", name.encode(), _IFF_TUN | _IFF_NO_PI))
    return device


def _run(*command: str) -> None:
    completed = subprocess.run(command, capture_output=True, text=True)
    if completed.returncode:
        raise OSError(f"{' '.join(command)}: {completed.stderr.strip()}")


@contextlib.contextmanager
def network_hall(tables: int, seed: int) -> Iterator[NetworkHall]:
    hall = NetworkHall(tables, seed)
    try:
        yield hall
    finally:
        hall.close()
