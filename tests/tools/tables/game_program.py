"""A real table in play, for tests that kill it: ``python game_program.py DIRECTORY SEED``.

The program is the real one with a real journal; two players press simulated buttons, think for a moment or for seconds,
and an arbiter resumes a restored game. On stdout, one JSON line each: first the state recovered at the start, then
every state that was shown as saved.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path
from random import Random
from typing import Any

from engine.match.match_value_types import Phase, Seat
from hardware.real_and_simulated_time import SystemTime
from hardware.simulated_pins_and_buttons import SimulatedFactory
from kiosk.link.link_messages import Command
from kiosk.table.table_assembly import TableApp, build_table
from kiosk.table.table_config import ButtonsConfig, ScreenConfig, TableConfig

PINS = {Seat.LEFT: 17, Seat.RIGHT: 27}
#: waiting times of a player, in seconds; the last is longer than a tick
THINKING_S = (0.01, 0.03, 0.1, 1.8)
LOCKOUT_MS, HOLD_NS = 3, 2_000_000


def print_state(kind: str, match: Any) -> None:
    line: dict[str, Any] = {"kind": kind, "revision": None}
    if match is not None:
        clock = match.clock
        line |= {
            "revision": match.revision,
            "phase": str(match.phase),
            "running": None if clock.running is None else str(clock.running),
            "left_ns": [clock.left.left_ns, clock.right.left_ns],
        }
    os.write(1, json.dumps(line).encode() + b"\n")


def play(table: TableApp, factory: SimulatedFactory, random: Random) -> None:
    program, orders = table.program, 0
    while True:
        match = program.state.match
        assert match is not None
        seat = match.clock.running
        if match.phase is Phase.HOLD:
            orders += 1
            name = f"resume-{os.getpid()}-{orders}"
            program.inbox.put(Command(name, "arbiter", body={"action": "resume", "reason": "goes on"}))
        elif seat is None:  # Black sits left, White starts the clock
            factory.button(PINS[Seat.LEFT if match.phase is Phase.SETUP else Seat.RIGHT]).press(hold_ns=HOLD_NS)
        else:
            factory.button(PINS[seat]).press(hold_ns=HOLD_NS)
        program.wait_for_change(program.version, 0.2)
        time.sleep(random.choice(THINKING_S) + 2 * LOCKOUT_MS / 1000)


def report(table: TableApp) -> None:
    """Print every state that is shown as saved."""
    version, reported = -1, -1
    while True:
        version = table.program.wait_for_change(version, None)
        state = table.program.state
        if state.saved and state.match is not None and state.match.revision > reported:
            reported = state.match.revision
            print_state("saved", state.match)


def main() -> None:
    directory, seed = Path(sys.argv[1]), int(sys.argv[2])
    factory = SimulatedFactory(SystemTime())
    buttons = ButtonsConfig(lockout_ms=LOCKOUT_MS, glitch_ms=1, proof_ms=1)
    config = TableConfig(table=1, data=directory, buttons=buttons, screen=ScreenConfig(enabled=False))
    table = build_table(config, factory=factory)
    print_state("back", table.program.state.match)
    for work in (lambda: report(table), lambda: play(table, factory, Random(seed))):
        threading.Thread(target=work, daemon=True).start()
    table.run()


if __name__ == "__main__":
    main()
