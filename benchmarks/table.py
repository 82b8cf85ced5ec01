"""The table's figures of DESIGN.md 8: press to switched clock while the disk stalls, press to frame, a table at rest.

``python -m benchmarks.table [--presses N] [--runs N] [--rest-s S]`` prints JSON; the target applies to ``--runs 10``,
ten in a row on an idle machine. The real program runs in this process on simulated pins, with its loop, its journal
writer and its screen (SDL's dummy driver, so the transfer to the display is left out). Every fdatasync stalls: 8 ms
median, 1 % 250 ms, 0.1 % 2 s. The latency is from a button's edge to the state in which the clock is switched,
published by the loop (press_to_clock), and until another thread that competes with the screen for the interpreter has
seen it (press_to_seen). The time charged is compared with the edges to the nanosecond.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import quantiles
from typing import Any

from benchmarks.journal import stalls

SMALLEST = ("--presses", "20", "--rest-s", "0.1")
LEFT, RIGHT = 17, 27
GAP_S = 0.006
HOLD_NS = 1_500_000
MAIN_S = 3600


def spread_ms(latencies_ns: list[int]) -> dict[str, float]:
    cuts = quantiles(latencies_ns, n=1000)
    return {
        "p50_ms": round(cuts[499] / 1e6, 3),
        "p99_ms": round(cuts[989] / 1e6, 3),
        "max_ms": round(max(latencies_ns) / 1e6, 3),
    }


class StallingDisk:
    """Storage whose syncs take as long as on a bad SD card."""

    def __init__(self) -> None:
        self.syncs, self._random = 0, Random(8)

    def before(self, operation: str, number: int) -> None:
        if operation == "sync":
            self.syncs += 1
            time.sleep(stalls(self._random))


class LatencyProbe:
    """Times at which a revision of the match was first published by the loop, and first drawn."""

    def __init__(self) -> None:
        self.published: dict[int, int] = {}
        self.drawn: dict[int, int] = {}
        self._looking_at = 0

    def start(self) -> None:
        """Record from now on everything that this process publishes and draws."""
        self._watch_loop()
        self._watch_screen()

    def _watch_loop(self) -> None:
        from kiosk.table.game.journaled_state_and_recovery import JournaledTable

        publish = JournaledTable.publish

        def published(table: Any) -> None:
            if table.state.match is not None:
                self.published.setdefault(table.state.match.revision, time.monotonic_ns())
            publish(table)

        JournaledTable.publish = published  # type: ignore[assignment, method-assign]

    def _watch_screen(self) -> None:
        from importlib import import_module

        display: Any = import_module("kiosk.table.device.display_loop")

        looked, drawn = display.table_scene, display.PygameScreen.draw

        def look(state: Any, now_ns: int, layout: Any) -> Any:
            self._looking_at = state.match.revision
            return looked(state, now_ns, layout)

        def draw(screen: Any, scene: Any) -> Any:
            dirty = drawn(screen, scene)
            self.drawn.setdefault(self._looking_at, time.monotonic_ns())
            return dirty

        display.table_scene, display.PygameScreen.draw = look, draw


class SimulatedPresses:
    """Two players who press in turn; ``seen`` is what another thread sees of it."""

    def __init__(self, table: Any, factory: Any) -> None:
        self._table, self._program, self._factory = table, table.program, factory
        self._random = Random(9)
        self.edges: list[int] = []
        self.seen: list[tuple[int, int]] = []  # when the clock was seen switched, in which revision

    def play(self, presses: int) -> None:
        self._factory.button(LEFT).press(hold_ns=HOLD_NS)
        self._until(lambda match: match is not None and match.phase == "READY")
        for number in range(presses + 1):
            time.sleep(GAP_S * self._random.uniform(0.7, 1.3))
            gpio, runs = ((RIGHT, "left"), (LEFT, "right"))[number % 2]
            button = self._factory.button(gpio)
            self.edges.append(button.press(release=False))
            self._until(lambda match, runs=runs: match.clock.running == runs)  # type: ignore[misc]
            self.seen.append((time.monotonic_ns(), self._program.state.match.revision))
            button.release(self.edges[-1] + HOLD_NS)
        time.sleep(0.1)
        self._table.stop()

    def _until(self, reached: Callable[[Any], bool]) -> None:
        version = self._program.version
        while not reached(self._program.state.match):
            version = self._program.wait_for_change(version, 1.0)


def presses(count: int) -> dict[str, Any]:
    """Measure ``count`` presses in turn on one table, its screen redrawing, its disk stalling."""
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    from devices.faulty_pins import FaultyFactory
    from simulate.storage_faults import FaultyStorage

    from hardware.real_and_simulated_time import SystemTime
    from kiosk.locale import JAPANESE
    from kiosk.table.loop.gc_control import configure_gc
    from kiosk.table.table_assembly import build_table
    from kiosk.table.table_config import ButtonsConfig, ScreenConfig, TableConfig

    time_base, disk, watch = SystemTime(), StallingDisk(), LatencyProbe()
    factory = FaultyFactory(time_base)
    buttons = ButtonsConfig(lockout_ms=3, glitch_ms=1, proof_ms=1)
    config = TableConfig(
        table=1, data=Path("/bench"), buttons=buttons, screen=ScreenConfig(facing="opposite"), main_s=MAIN_S
    )
    table = build_table(config, time_base=time_base, factory=factory, storage=FaultyStorage(before=disk.before))
    watch.start()
    fingers = SimulatedPresses(table, factory)
    configure_gc({JAPANESE})
    player = threading.Thread(target=fingers.play, args=(count,))
    player.start()
    table.run()
    player.join()
    return _measured(count, disk, watch, fingers, table.program.state.match)


def _measured(
    count: int, disk: StallingDisk, watch: LatencyProbe, fingers: SimulatedPresses, match: Any
) -> dict[str, Any]:
    charged_ns = 2 * MAIN_S * 1_000_000_000 - match.clock.left.left_ns - match.clock.right.left_ns
    pressed = [(edge, seen, revision) for edge, (seen, revision) in zip(fingers.edges, fingers.seen, strict=True)]
    drawn = [watch.drawn[revision] - edge for edge, _, revision in pressed if revision in watch.drawn]
    return {
        "presses": count,
        "syncs_stalled": disk.syncs,
        "press_to_clock": spread_ms([watch.published[revision] - edge for edge, _, revision in pressed]),
        "press_to_seen": spread_ms([seen - edge for edge, seen, _ in pressed]),
        # With few presses, a busy machine may draw none in time: the next picture shows several at once.
        "press_to_frame": (spread_ms(drawn) if len(drawn) > 1 else {}) | {"frames": len(drawn)},
        "drift_ns": charged_ns - (fingers.edges[-1] - fingers.edges[0]),
    }


def at_rest(seconds: float) -> dict[str, Any]:
    """Measure a table with a running clock and nobody pressing, in its own process: CPU, memory, start to first
    frame.
    """
    code = f"""
import time; began = time.monotonic()
import os, resource, sys, tempfile, threading
os.environ["SDL_VIDEODRIVER"] = "dummy"
from pathlib import Path
from hardware.simulated_pins_and_buttons import SimulatedFactory
from hardware.real_and_simulated_time import SystemTime
from kiosk.table.table_assembly import build_table
from kiosk.table.table_config import ScreenConfig, TableConfig
from kiosk.table.screen import PygameScreen as Display
first, drawn = [], Display.draw
def draw(self, scene):
    dirty = drawn(self, scene)
    first.append(time.monotonic())
    return dirty
Display.draw = draw
factory = SimulatedFactory(SystemTime())
config = TableConfig(table=1, data=Path(tempfile.mkdtemp()), screen=ScreenConfig(facing="opposite"))
table = build_table(config, factory=factory)
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
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--rest-s", type=float, default=10.0)
    options = parser.parse_args()
    runs = []
    for number in range(1, options.runs + 1):
        runs.append(presses(options.presses))
        print(f"run {number} of {options.runs}: {runs[-1]}", file=sys.stderr, flush=True)
    print(json.dumps({"at_rest": at_rest(options.rest_s), "presses": runs[0] if len(runs) == 1 else runs}, indent=1))


if __name__ == "__main__":
    main()
