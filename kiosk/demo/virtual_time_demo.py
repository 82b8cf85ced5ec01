"""The demo on virtual time: head, tables and players in this process, without waiting (docs/develop/testing.md).

The result does not depend on the machine or its load: the same event, tables, games and seed give the same event, down
to each disc.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from engine.match.match_value_types import Phase
from engine.tournament import is_over
from hardware.real_and_simulated_time import NS_PER_S
from kiosk.demo.hall_processes import HallPlan
from kiosk.demo.simulated_game_plan_and_board import HallScript, load_records
from kiosk.demo.virtual_time_head_and_arbiter import DeskArbiter, VirtualHead
from kiosk.demo.virtual_time_loop_and_connection import START_NS, DeadlockError, VirtualLoop, VirtualTime, Wire
from kiosk.demo.virtual_time_table import VirtualTable
from kiosk.errors import InputError
from kiosk.link.table_keys import save_keys
from kiosk.records.event_file import to_dict

#: seconds between two looks at the hall, and between two of the arbiter
LOOK_S, ARBITER_S = 10.0, 3.0
#: a player may think until his flag falls; a hall without progress for longer is stuck
STILL_MINUTES = 45
#: thresholds of the garbage collector: new objects before a collection, and how seldom older generations are collected
YOUNG = (100_000, 20, 100)
_IN_TURN = (Phase.TURN, Phase.CORR, Phase.HOLD)


def play(plan: HallPlan, on_look: Callable[[str], None]) -> dict[str, Any]:
    """Return the event file of the finished event; the hall's programs leave their data in the plan's directory.
    ``on_look`` is called now and then with the progress.

    :raises InputError: the hall came to a standstill, which is a bug in the program.
    """
    script = HallScript(plan.seed, plan.speed, plan.tables)
    plan_for = partial(script.plan_for, records=load_records(plan.games))
    time, seed, numbers = VirtualTime(), plan.seed, range(1, plan.tables + 1)
    with (
        _log(plan.directory / "hall.log"),
        tempfile.TemporaryDirectory(prefix="othello-hall-", dir=memory_folder()) as name,
        collected_seldom(),
    ):
        keys = {number: Random(f"key/{seed}/{number}").randbytes(32) for number in numbers}
        head = VirtualHead(time, Path(name), keys, [plan.event], plan.rules)
        tables = [
            VirtualTable(
                number, time, str(seed), key_file, Wire(Random(f"wire/{seed}/{number}"), head.answer), plan_for
            )
            for number, key_file in save_table_keys(Path(name), keys)
        ]
        hall = VirtualHall(seed, time, head, tables)
        try:
            with asyncio.Runner(loop_factory=lambda: VirtualLoop(time)) as runner:
                event = runner.run(hall.play(on_look))
        except DeadlockError as error:
            raise _standstill(str(error)) from error
        shutil.copytree(name, plan.directory, dirs_exist_ok=True)
    return event


def _standstill(why: str) -> InputError:
    return InputError.saying("the simulated hall stands still ({why}); please report this with the command", why=why)


def save_table_keys(directory: Path, keys: dict[int, bytes]) -> Iterator[tuple[int, Path]]:
    """Write each table's key into its own folder; yield the table's number and the file."""
    for number, key in keys.items():
        file = directory / f"table-{number}" / "key.json"
        file.parent.mkdir()
        save_keys(file, {number: key})
        yield number, file


class VirtualHall:
    """A head, its tables and an arbiter on virtual time."""

    def __init__(self, seed: int, time: VirtualTime, head: VirtualHead, tables: Iterable[VirtualTable]) -> None:
        self.time, self.head = time, head
        self.places = {table.number: table for table in tables}
        self.arbiter = DeskArbiter(head, time, Random(f"arbiter/{seed}"))

    @property
    def minute(self) -> float:
        return (self.time.now_ns() - START_NS) / (60 * NS_PER_S)

    def clock(self) -> str:
        """Return the time since the beginning of the day."""
        s = (self.time.now_ns() - START_NS) // NS_PER_S
        return f"{s // 3600}:{s // 60 % 60:02d}:{s % 60:02d}"

    def switch_on(self) -> None:
        self.head.switch_on()
        for place in self.places.values():
            place.switch_on()

    def end(self) -> None:
        for place in self.places.values():
            place.kill()
        self.head.kill()

    async def play(self, on_look: Callable[[str], None]) -> dict[str, Any]:
        """Run until the event is over; return its event file."""
        self.switch_on()
        arbiter = asyncio.get_running_loop().create_task(self._answer_calls())
        standing, moved_minute, state = "", 0.0, None
        try:
            while True:
                await asyncio.sleep(LOOK_S)
                self.raise_errors(arbiter)
                assert self.head.program is not None, "nobody switches it off"
                if self.head.program.desk.state is not state:
                    state = self.head.program.desk.state
                    (division,) = state.divisions.values()
                    event = division.whole()
                    games = [game for game in division.current if not game.is_bye]
                    if is_over(event):
                        break
                done = sum(not game.is_open for game in games)
                on_look(f"{self.clock()}  {len(division.rounds)}  {done}/{len(games)}")
                if (moved := self.standing()) != standing:
                    standing, moved_minute = moved, self.minute
                elif self.minute > moved_minute + STILL_MINUTES:
                    raise _standstill(moved)
            arbiter.cancel()
            await asyncio.sleep(60)  # what is under way arrives
            return to_dict(event)
        finally:
            journals = [place.table.journal for place in self.places.values() if place.table is not None]
            self.end()
            for journal in journals:
                journal.close()

    async def _answer_calls(self) -> None:
        while True:
            await asyncio.sleep(ARBITER_S)
            self.arbiter.answer_calls()

    def raise_errors(self, *tasks: asyncio.Task[None]) -> None:
        """Raise the unexpected error that ended a part of the hall."""
        errors = [place.failed() for place in self.places.values()]
        errors += [task.exception() for task in tasks if task.done()]
        for error in (*errors, self.head.died):
            if error is not None:
                raise error

    def standing(self) -> str:
        """Return how far the event and each table are, to see whether anything moves."""
        lines = []
        for place in self.places.values():
            state = None if place.table is None else place.table.program.state
            game = None if state is None or state.assignment is None else state.assignment.game
            match = None if state is None else state.match
            # Two players who challenge one turn for ever press and correct without progress.
            phase = None if match is None else "" if match.phase in _IN_TURN else match.phase.value
            lines.append(f"table {place.number}: {game} {phase} {None if match is None else len(match.turns)}")
        desk = None if self.head.program is None else self.head.program.desk
        problem = "" if desk is None else " ".join(map(str, desk.core.problems.values()))
        rounds = [] if desk is None else [len(division.rounds) for division in desk.state.divisions.values()]
        return f"round {rounds}; {'; '.join(lines)} {problem}".strip()


@contextlib.contextmanager
def collected_seldom() -> Iterator[None]:
    """Collect garbage less often: a day makes millions of objects and few cycles."""
    before = gc.get_threshold()
    gc.set_threshold(*YOUNG)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def memory_folder() -> str | None:
    """Return a folder in memory, if there is one: nothing here has to outlive a power cut."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


@contextlib.contextmanager
def _log(file: Path) -> Iterator[None]:
    """Write the programs' logs to ``file`` meanwhile."""
    handler = logging.FileHandler(file, encoding="utf-8")
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
        handler.close()
