"""FAULTS.md 1 and 2 on the whole table program.

Killed in play, it restarts paused with everything that it showed as saved, and its clock is at most one second off.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
from devices.faulty_pins import FaultyFactory
from simulate.storage_faults import FaultyStorage
from tables import game_program

from engine.match.match_state import MatchState
from engine.match.match_value_types import Phase, Seat
from hardware.real_and_simulated_time import SystemTime
from kiosk.table.game.journaled_state_changes_and_recovery import recover_state
from kiosk.table.journal.journal_and_link_outbox import Journal, JournalCallbacks
from kiosk.table.journal.segment_files_and_recovery import recover
from kiosk.table.state import TableState
from kiosk.table.table_assembly import TableApp, build_table
from kiosk.table.table_config import ButtonsConfig, ScreenConfig, TableConfig

Times = Callable[[int, int], int]
Note = Callable[[str, object], None]
NS_PER_S = 1_000_000_000


@dataclass
class KillStatistics:
    """Statistics of all kills of one table."""

    kills: int = 0
    in_play: int = 0
    worst_ns: int = 0


@dataclass(frozen=True)
class Expected:
    """The state in which a table must restart after it was killed between two instants."""

    revision: int
    phase: str
    most_ns: list[int]
    least_ns: list[int]

    @classmethod
    def at(cls, match: MatchState, earliest_ns: int, latest_ns: int) -> Expected:
        phase = str(match.phase) if match.clock.running is None else "HOLD"
        most, least = ([match.remaining_ns(seat, at_ns) for seat in Seat] for at_ns in (earliest_ns, latest_ns))
        return cls(match.revision, phase, most, least)

    def compared(self, restored_ns: list[int]) -> Iterator[tuple[int, int, int]]:
        return zip(restored_ns, self.most_ns, self.least_ns, strict=True)


def decoded(line: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(line)
    return found


def kill_again_and_again(directory: Path, kills: int, seed: int) -> KillStatistics:
    random, seen = Random(seed), KillStatistics()
    expected: Expected | None = None
    for number in range(kills):
        command = [sys.executable, game_program.__file__, str(directory), str(seed * 10_000 + number)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as table:
            back = decoded(table.stdout.readline())
            time.sleep(1.0 if number == 0 else random.choice((0.0, 0.1, 0.3, 0.8, 1.5)) * random.random())
            earliest_ns = time.monotonic_ns()
            table.kill()
            lines = table.stdout.read()
        latest_ns = time.monotonic_ns()
        if expected is not None:
            assert back["revision"] >= expected.revision
            assert back["running"] is None and back["phase"] == expected.phase
            for restored_ns, most_ns, least_ns in expected.compared(back["left_ns"]):
                assert restored_ns >= least_ns
                assert restored_ns - most_ns <= NS_PER_S, f"{(restored_ns - most_ns) / 1e6} ms out"
                seen.worst_ns = max(seen.worst_ns, restored_ns - most_ns)
        saved = [decoded(line) for line in lines[: lines.rfind(b"\n") + 1].splitlines()]
        found = recover(directory / "journal")
        assert not found.damaged
        match = recover_state(TableState(table=1), found.entries).state.match
        known = 0 if expected is None else expected.revision
        revision = 0 if match is None else match.revision
        assert revision >= (saved[-1]["revision"] if saved else known)  # the state it restarted with was not saved yet
        if match is not None and (expected is None or match.revision > expected.revision):
            expected = Expected.at(match, earliest_ns, latest_ns)  # else its clock is unchanged
        seen.kills += 1
        seen.in_play += match is not None and match.clock.running is not None
    return seen


@pytest.mark.fault(1, "kill -9 of the table program in play; restored clock at most {worst_ms} ms out")
def test_a_table_killed_in_play_comes_back_paused_with_all_that_was_saved(
    tmp_path: Path, times: Times, record_property: Note
) -> None:
    tables, kills = times(2, 8), times(3, 125)
    with ThreadPoolExecutor(tables) as pool:
        runs = [pool.submit(kill_again_and_again, tmp_path / str(seed), kills, seed) for seed in range(tables)]
        failed = [str(error) for run in runs if (error := run.exception()) is not None]
        assert failed == []
        seen = [run.result() for run in runs]
    assert sum(each.in_play for each in seen) > tables * kills / 4
    record_property("tried", sum(each.kills for each in seen))
    record_property("worst_ms", max(each.worst_ns for each in seen) // 1_000_000)


@dataclass
class Moment:
    """The state before one disk operation: what the table showed as saved, and what a kill and a power cut leave."""

    operation: str
    at_ns: int
    shown: int
    left: tuple[FaultyStorage, FaultyStorage]


def play_a_game(table: TableApp, factory: FaultyFactory, moves: int) -> None:
    """Play a game of quick presses and of two players who think longer than a tick."""
    program, loop = table.program, threading.Thread(target=table.run)
    loop.start()
    try:
        pins = {Seat.LEFT: 17, Seat.RIGHT: 27}
        for number in range(moves + 2):
            match = program.state.match
            seat = match.clock.running or (Seat.LEFT if match.phase is Phase.SETUP else Seat.RIGHT)
            version = program.version
            factory.button(pins[seat]).press(hold_ns=game_program.HOLD_NS)
            while program.state.match is match:
                version = program.wait_for_change(version, 5)
            time.sleep(1.8 if number in (10, 40) else 0.012)
    finally:
        table.stop()
        loop.join()


@pytest.mark.fault(2, "kill and power cut at every write and sync of a 60-move game; clock at most {worst_ms} ms out")
def test_a_kill_and_a_power_cut_at_every_operation_of_a_game_at_a_table(times: Times, record_property: Note) -> None:
    random, factory, moments = Random(2), FaultyFactory(SystemTime()), list[Moment]()
    here, saved, worst_ns = Path("/table"), 0, 0

    def look(operation: str, number: int) -> None:
        nonlocal saved
        if ready.is_set() and table.program.state.saved and table.program.state.match is not None:
            saved = max(saved, table.program.state.match.revision)
        left = storage.after_kill(), storage.after_power_cut(random)
        moments.append(Moment(operation, time.monotonic_ns(), saved, left))

    ready, storage = threading.Event(), FaultyStorage(before=look)
    buttons = ButtonsConfig(lockout_ms=game_program.LOCKOUT_MS, glitch_ms=1, proof_ms=1)
    config = TableConfig(table=1, data=here, buttons=buttons, screen=ScreenConfig(enabled=False))
    table = build_table(config, factory=factory, storage=storage)
    ready.set()
    moves = times(20, 60)
    play_a_game(table, factory, moves)
    for moment in moments:
        for left in moment.left:
            found = recover(here / "journal", left)
            match = recover_state(TableState(table=1), found.entries).state.match
            assert (0 if match is None else match.revision) >= moment.shown
            if match is None or match.clock.running is None:
                continue
            again = build_table(config, factory=FaultyFactory(SystemTime()), storage=left)
            back = again.program.state.match
            again.stop()
            again.run()
            assert back is not None and back.phase is Phase.HOLD and back.clock.running is None
            for seat in Seat:
                out_ns = back.remaining_ns(seat, moment.at_ns) - match.remaining_ns(seat, moment.at_ns)
                assert 0 <= out_ns <= NS_PER_S
                worst_ns = max(worst_ns, out_ns)
    assert len(moments) > 2 * moves
    assert {"write", "sync"} <= {moment.operation for moment in moments}
    record_property("tried", 2 * len(moments))
    record_property("worst_ms", worst_ns // 1_000_000)


@pytest.mark.fault(1, "killed again before the pause of the first restart was saved")
def test_the_time_between_two_starts_is_charged_to_nobody(tmp_path: Path) -> None:
    """The second start saved that it had started, and not yet that the clock is paused."""
    factory = FaultyFactory(SystemTime())
    config = TableConfig(table=1, data=tmp_path, screen=ScreenConfig(enabled=False))
    config.buttons.lockout_ms, config.buttons.glitch_ms, config.buttons.proof_ms = game_program.LOCKOUT_MS, 1, 1
    table = build_table(config, factory=factory)
    play_a_game(table, factory, 4)
    stored = recover_state(TableState(table=1), recover(tmp_path / "journal").entries).state.match
    assert stored is not None and stored.clock.running is not None
    lived_ns = recover(tmp_path / "journal").in_play_ns
    for minutes in (1, 2):
        later_ns = time.monotonic_ns() + minutes * 60 * NS_PER_S
        assert (
            Journal(tmp_path / "journal", calls=JournalCallbacks(now_ns=lambda now_ns=later_ns: now_ns))
            .start()
            .close()
        )  # type: ignore[misc]
    again = build_table(config, factory=FaultyFactory(SystemTime()))
    back = again.program.state.match
    again.stop()
    again.run()
    assert back is not None and back.phase is Phase.HOLD
    for seat in Seat:
        assert back.remaining_ns(seat, lived_ns) == stored.remaining_ns(seat, lived_ns)
