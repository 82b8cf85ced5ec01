"""The head program on virtual time: without its threads and its servers; and an arbiter at its desk who answers calls.

Every commit is on the disk when the call that wrote it returns, as with SQLite's ``synchronous=FULL``. A head that is
killed leaves exactly the committed data.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from engine.match.match_value_types import Phase
from hardware.real_and_simulated_time import NS_PER_S
from kiosk.demo.virtual_time_loop_and_connection import VirtualTime
from kiosk.head.desk.desk_and_automatic_steps import STARTUP_SYNC_S, TICK_S, AutoAdvanceThread
from kiosk.head.errors import HeadError
from kiosk.head.head_config import HeadConfig, TableRulesConfig
from kiosk.head.program import HeadApplication, build_head
from kiosk.head.program.head_assembly_and_run import Runtime
from kiosk.head.store.store_writer import InlineWriter
from kiosk.json_validation import warm_up
from kiosk.link.table_keys import KeyRing, save_keys
from kiosk.link.transport_interfaces import HeadChannel

#: seconds until the arbiter reaches a calling table
WALK_S = (5.0, 40.0)


class _InlineWorker(AutoAdvanceThread):
    """Worker that runs in the event loop."""

    _due: asyncio.Handle | None = None

    def start(self) -> None:
        self._plan(False)

    def wake(self) -> None:
        self._plan(True)

    def close(self) -> None:
        if self._due is not None:
            self._due.cancel()

    def _plan(self, signalled: bool) -> None:
        if self._due is not None:
            if signalled and not isinstance(self._due, asyncio.TimerHandle):
                return
            self._due.cancel()
        loop = asyncio.get_running_loop()
        self._due = (
            loop.call_soon(self._due_turn, True) if signalled else loop.call_later(TICK_S, self._due_turn, False)
        )

    def _due_turn(self, signalled: bool) -> None:
        self._due = None
        self.turn(signalled)
        if self._due is None:
            self._plan(False)


class VirtualHead:
    """The head. ``program`` None: it is off. ``died``: the unexpected error that ended a connection."""

    def __init__(
        self,
        clock: VirtualTime,
        directory: Path,
        keys: dict[int, bytes],
        events: Sequence[Mapping[str, object]],
        rules: str = "",
    ) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        save_keys(directory / "keys.json", keys)
        names = ["event", *(f"event-{number}" for number in range(2, len(events) + 1))]
        files = [directory / f"{name}.json" for name in names]
        for file, event in zip(files, events, strict=True):
            file.write_text(json.dumps(event), encoding="utf-8")
        self.config = HeadConfig(
            data=directory / "head",
            keys=directory / "keys.json",
            event=[str(file) for file in files] if files[1:] else str(files[0]),
            auto=True,
            table=msgspec.convert({"rules": rules}, warm_up(TableRulesConfig)),
        )
        self.runtime = Runtime(
            time=clock,
            session_ns=clock.now_ns,
            wall_ns=clock.wall_ns,
            wall_clock=clock.wall_clock,
            store_writer=InlineWriter,
            worker=_InlineWorker,
            quick=float("inf"),
            reads_ahead=False,
        )
        self.program: HeadApplication | None = None
        self.died: BaseException | None = None
        self._connections: set[asyncio.Task[None]] = set()

    def switch_on(self) -> None:
        self.program = self.start_program(self.config)

    def start_program(self, config: HeadConfig) -> HeadApplication:
        assert config.keys is not None, "as it was set up"
        return build_head(config, KeyRing(config.keys), STARTUP_SYNC_S, self.runtime).start()

    def kill(self) -> None:
        """Kill the program, or cut its power, at once."""
        for connection in self._connections:
            connection.cancel()
        if self.program is not None:
            end_program(self.program)
            self.program = None

    def answer(self, channel: HeadChannel) -> asyncio.Task[None]:
        """Accept a connection.

        :raises ConnectionRefusedError: the head is off.
        """
        if self.program is None:
            raise ConnectionRefusedError("the head is off")
        return self.begin(self.program.devices.link.serve(channel))

    def begin(self, what: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        connection = asyncio.get_running_loop().create_task(what)
        self._connections.add(connection)
        connection.add_done_callback(self._ended)
        return connection

    def _ended(self, connection: asyncio.Task[None]) -> None:
        self._connections.discard(connection)
        if not connection.cancelled() and (error := connection.exception()) is not None:
            self.died = self.died or error


def end_program(program: HeadApplication) -> None:
    program.worker.close()
    if program.remote.pusher is not None:
        program.remote.pusher.close()
    program.store.close()


class DeskArbiter:
    """An arbiter who answers calls through the desk's own acts, as the pages do. He acts on what the head showed, which
    may be outdated by then.
    """

    def __init__(self, head: VirtualHead, time: VirtualTime, chance: Random) -> None:
        self._head, self._time, self._chance = head, time, chance
        self._there_ns: dict[tuple[int, str | None], int] = {}

    def answer_calls(self) -> None:
        """Go to each table on hold, and resume play."""
        program = self._head.program
        if program is None:
            return
        now_ns = self._time.now_ns()
        calls = {
            (view.number, view.game): view
            for view in program.live.views_without_health()
            if view.phase == Phase.HOLD.value
        }
        self._there_ns = {call: at_ns for call, at_ns in self._there_ns.items() if call in calls}
        for call, view in calls.items():
            walk_ns = round(self._chance.uniform(*WALK_S) * NS_PER_S)
            if self._there_ns.setdefault(call, now_ns + walk_ns) > now_ns:
                continue
            self._there_ns[call] = now_ns + walk_ns
            body = {"action": "resume", "reason": "play goes on"}
            with contextlib.suppress(HeadError):  # the game is over by now
                program.desk.orders.send(view.number, "arbiter", revision=view.revision, body=body)
