"""The table's rows of DESIGN.md 8: press to switched clock while the disk stalls, press to frame, a table at rest.

``python -m benchmarks.table [--presses N] [--rest-s S]`` prints JSON. The real program runs in this process on
simulated pins, with its loop, its journal writer and its screen (SDL's dummy driver, so the display's own transfer is
left out). Every fdatasync stalls: 8 ms median, 1 % 250 ms, 0.1 % 2 s. The latency is from a button's edge to the state
in which the clock is switched, as another thread sees it; the time charged is compared with the edges to the ns.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from random import Random
from statistics import quantiles
from typing import Any

from benchmarks.journal import stalls

LEFT, RIGHT = 17, 27
GAP_S = 0.006


def spread_ms(latencies_ns: list[int]) -> dict[str, float]:
    cuts = quantiles(latencies_ns, n=1000)
    return {
        "p50_ms": round(cuts[499] / 1e6, 3),
        "p99_ms": round(cuts[989] / 1e6, 3),
        "max_ms": round(max(latencies_ns) / 1e6, 3),
    }


def presses(count: int) -> dict[str, Any]:
    """``count`` presses in turn on one table, its screen redrawing, its disk stalling."""
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    from hardware.simulated import SimulatedFactory
    from hardware.timebase import SystemTime
    from kiosk.table import display
    from kiosk.table.assembly import Table
    from kiosk.table.config import Buttons, Screen, TableConfig
    from kiosk.table.journal.storage_faults import FaultyStorage
    from kiosk.table.screen import Screen as Display

    random, syncs = Random(8), 0

    def before(operation: str, number: int) -> None:
        nonlocal syncs
        if operation == "sync":
            syncs += 1
            time.sleep(stalls(random))

    time_base = SystemTime()
    factory = SimulatedFactory(time_base)
    buttons = Buttons(lockout_ms=3, glitch_ms=1)
    config = TableConfig(table=1, data=Path("/bench"), buttons=buttons, screen=Screen(enabled=True), main_s=3600)
    table = Table(config, time_base=time_base, factory=factory, storage=FaultyStorage(before=before))
    program = table.program
    frames: list[tuple[int, int]] = []  # revision of the match in the picture, time at which it was drawn
    drawn, looked, shown = Display.draw, display.table_scene, [0]

    def look(state: Any, now_ns: int, layout: Any) -> Any:
        shown[0] = state.match.revision
        return looked(state, now_ns, layout)

    def draw(self: Any, scene: Any) -> Any:
        dirty = drawn(self, scene)
        frames.append((shown[0], time.monotonic_ns()))
        return dirty

    display.table_scene, Display.draw = look, draw  # type: ignore[assignment, method-assign]
    switched: list[int] = []
    revisions: list[int] = []
    edges: list[int] = []

    def fingers() -> None:
        seen = program.version
        factory.button(LEFT).press(hold_ns=1_500_000)
        while program.state.match is None or program.state.match.phase != "READY":
            seen = program.wait_for_change(seen, 0.1)
        for number in range(count + 1):
            time.sleep(GAP_S * random.uniform(0.7, 1.3))
            gpio, seat = ((RIGHT, "left"), (LEFT, "right"))[number % 2]
            edges.append(factory.button(gpio).press(hold_ns=1_500_000))
            while program.state.match.clock.running != seat:
                seen = program.wait_for_change(seen, 1.0)
            switched.append(time.monotonic_ns())
            revisions.append(program.state.match.revision)
        time.sleep(0.1)
        table.stop()

    player = threading.Thread(target=fingers)
    player.start()
    table.run()
    player.join()
    match = program.state.match
    assert match is not None
    charged = 2 * 3_600_000_000_000 - match.clock.left.left_ns - match.clock.right.left_ns
    latencies = [seen - edge for edge, seen in zip(edges, switched, strict=True)]
    first_shown = dict(reversed(frames))
    to_frame = [first_shown[rev] - edge for rev, edge in zip(revisions, edges, strict=True) if rev in first_shown]
    return {
        "presses": count,
        "syncs_stalled": syncs,
        "press_to_clock": spread_ms(latencies),
        "press_to_frame": spread_ms(to_frame) | {"frames": len(to_frame)},
        "drift_ns": charged - (edges[-1] - edges[0]),
    }


def at_rest(seconds: float) -> dict[str, Any]:
    """A table with a running clock and nobody pressing, in a process of its own: CPU, memory, start to first frame."""
    code = f"""
import time; began = time.monotonic()
import os, resource, sys, tempfile, threading
os.environ["SDL_VIDEODRIVER"] = "dummy"
from pathlib import Path
from hardware.simulated import SimulatedFactory
from hardware.timebase import SystemTime
from kiosk.table.assembly import Table
from kiosk.table.config import Screen, TableConfig
from kiosk.table.screen import Screen as Display
first, drawn = [], Display.draw
def draw(self, scene):
    dirty = drawn(self, scene)
    first.append(time.monotonic())
    return dirty
Display.draw = draw
factory = SimulatedFactory(SystemTime())
table = Table(TableConfig(table=1, data=Path(tempfile.mkdtemp()), screen=Screen(enabled=True)), factory=factory)
def rest():
    for gpio in (17, 27):
        time.sleep(0.3)
        factory.button(gpio).press()
    time.sleep(0.5)
    assert table.program.state.match.clock.running
    cpu, began = time.process_time(), time.monotonic()
    time.sleep({seconds})
    print((time.process_time() - cpu) / (time.monotonic() - began))
    table.stop()
threading.Thread(target=rest).start()
table.run()
print(first[0] - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    cpu, start_and_memory = run.stdout.splitlines()
    start_s, memory_mb = start_and_memory.split()
    return {
        "cpu_of_one_core": round(float(cpu), 4),
        "start_to_first_frame_s": round(float(start_s), 2),
        "memory_mb": round(float(memory_mb)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--presses", type=int, default=10_000)
    parser.add_argument("--rest-s", type=float, default=10.0)
    options = parser.parse_args()
    print(json.dumps({"at_rest": at_rest(options.rest_s), "presses": presses(options.presses)}, indent=1))


if __name__ == "__main__":
    main()
