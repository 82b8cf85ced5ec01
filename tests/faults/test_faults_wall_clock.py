"""FAULTS.md 15: the wall clock of a running head and a running table jumps ten years forward and back, and no game
clock changes.

Both are real processes with a replaced wall clock (``tests/tools/faults/wall_clock.py``).
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from halls.many_tables import prepare_hall
from heads.process import HeadProcess, free_port
from heads.world import event
from waiting import HANGS_S, until

YEARS_S = 10 * 365 * 86_400
TOOLS = Path(__file__).parents[1] / "tools"
OTHER_CLOCK = """
import pathlib, sys
sys.path.insert(0, {tools!r})
from faults.wall_clock import install
install(pathlib.Path({offset!r}))
"""

TABLE = """
import json, os, sys, threading, time
from pathlib import Path
from engine.match.match_value_types import Phase
from hardware.simulated_pins_and_buttons import SimulatedFactory
from hardware.real_and_simulated_time import SystemTime
from kiosk.table.table_assembly import build_table
from kiosk.table.table_config import ButtonsConfig, HeadAddress, ScreenConfig, TableConfig
from kiosk.table.state import LinkState

data, url, presses = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
factory = SimulatedFactory(SystemTime())
head = HeadAddress(url=url, key_file=data / "keys.json")
config = TableConfig(table=1, data=data / "table", head=head, screen=ScreenConfig(enabled=False),
                     buttons=ButtonsConfig(lockout_ms=3, glitch_ms=1, proof_ms=1))
table = build_table(config, factory=factory)
program, links = table.program, set()

def press(gpio):
    before = program.state.match
    edge_ns, version = factory.button(gpio).press(hold_ns=2_000_000), program.version
    while program.state.match is before:
        version = program.wait_for_change(version, 5)
    links.add(program.state.link)
    time.sleep(0.02)
    return edge_ns

def play():
    version = program.version
    while program.state.match is None or program.state.link is not LinkState.UP:
        version = program.wait_for_change(version, 5)
    press(17)
    edges = [press(27)]
    started = program.state.match.clock
    start_ns = started.left.left_ns + started.right.left_ns
    for number in range(presses):
        if sys.stdin.readline() == "":
            break
        edges.append(press((17, 27)[number % 2]))
        match = program.state.match
        clock = match.clock
        charged_ns = start_ns - clock.left.left_ns - clock.right.left_ns
        print(json.dumps({"wall_s": time.time(), "off_ns": charged_ns - (edges[-1] - edges[0]),
                          "move": match.move_number, "links": sorted(map(str, links))}), flush=True)
    table.stop()

threading.Thread(target=play).start()
table.run()
"""


@pytest.mark.fault(15, "wall clock of head and table ten years on and back, in play: clocks moved {off_ns} ns")
def test_a_wall_clock_jump_changes_no_game_clock(
    tmp_path: Path, times: Callable[[int, int], int], record_property: Callable[[str, object], None]
) -> None:
    port, offset, draft = free_port(), tmp_path / "offset", tmp_path / "offset.draft"
    offset.write_text("0", encoding="ascii")
    clock = OTHER_CLOCK.format(tools=str(TOOLS), offset=str(offset))
    prepare_hall(tmp_path, event(2, "m43-open"), 1, port, auto=True)
    head = HeadProcess(tmp_path / "head.toml", prelude=clock)
    jumps, worst_ns, progress = times(4, 40), 0, {"move": 0}
    command = [sys.executable, "-c", clock + TABLE, str(tmp_path), f"ws://127.0.0.1:{port}/link", str(2 * jumps)]
    table = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        for number in range(jumps):
            years = (1, -1, 0)[number % 3]
            before = _settled(head.url, progress["move"]) if number else None
            draft.write_text(str(years * YEARS_S), encoding="ascii")
            draft.replace(offset)
            if before is not None:
                assert _tables(head.url) == before  # the head's view of the clocks
            for _ in range(2):
                table.stdin.write("press\n")
                table.stdin.flush()
                progress = json.loads(table.stdout.readline())
                assert abs(progress["wall_s"] - time.time() - years * YEARS_S) < 60  # the program sees another date
                assert progress["off_ns"] == 0
                assert progress["links"] == ["up"]
                worst_ns = max(worst_ns, abs(progress["off_ns"]))
    finally:
        table.stdin.close()
        table.wait(HANGS_S)
        table.stdout.close()
        head.stop()
    record_property("tried", jumps)
    record_property("off_ns", worst_ns)


def _settled(url: str, move: int) -> object:
    """Return the head's clocks once it has received the last press."""
    until(lambda: [table["move_number"] for table in _tables(url)] == [move])
    return _tables(url)


def _tables(url: str) -> Any:
    """Return the head's view of the clocks: the time left at the last record, and when that came."""
    return httpx.get(f"{url}/tables.json").json()["tables"]
