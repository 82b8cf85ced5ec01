"""A real table program in its own process, whose pins are pressed by lines on its standard input.

    python tests/tools/tables/pins_program.py TABLE.toml       lines: left, right, both, arbiter

Each change of the display is a line of JSON on its standard output.
"""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from hardware.real_and_simulated_time import SystemTime
from hardware.simulated_pins_and_buttons import SimulatedFactory
from kiosk.table.device.pre_start_and_enrolment_screens import EnrolmentScreen
from kiosk.table.device.table_identity_and_takeover import needs_key, with_number
from kiosk.table.table_assembly import TableApp, build_table
from kiosk.table.table_config import TableConfig
from kiosk.typed_toml_reader import read_toml

LINES = {"left": (17,), "right": (27,), "both": (17, 27), "arbiter": (22,)}


def print_line(**what: object) -> None:
    sys.stdout.write(json.dumps(what, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def press(factory: SimulatedFactory) -> None:
    for line in sys.stdin:
        gpios = LINES[line.strip()]
        for gpio in gpios:
            factory.pin(gpio).drive(False, factory.time_base.now_ns())
        time.sleep(1.0 if len(gpios) > 1 else 0.1)
        for gpio in gpios:
            factory.pin(gpio).drive(True, factory.time_base.now_ns())
        time.sleep(0.1)


following = threading.Event()


def follow(print_display: Callable[[], None]) -> None:
    while not following.wait(0.05):
        print_display()


def main() -> None:
    config = read_toml(Path(sys.argv[1]), TableConfig)
    factory = SimulatedFactory(SystemTime())
    threading.Thread(target=press, args=(factory,), daemon=True).start()
    if needs_key(config):
        keyless = EnrolmentScreen(config, factory=factory)
        signal.signal(signal.SIGTERM, lambda *_: keyless.stop())
        told: list[object] = []

        def print_display() -> None:
            shown = keyless.view_model()
            if [shown] != told:
                told[:] = [shown]
                print_line(waits=shown.letters, code=shown.code, agreed=shown.agreed, problem=shown.problem)

        threading.Thread(target=follow, args=(print_display,), daemon=True).start()
        if not keyless.run(lambda: None):
            return
        following.set()
    config = with_number(config)
    table = build_table(config, factory=factory)
    signal.signal(signal.SIGTERM, lambda *_: table.stop())
    threading.Thread(target=watch, args=(table,), daemon=True).start()
    table.run()


def watch(table: TableApp) -> None:
    seen = -1
    while True:
        state = table.program.state
        match = state.match
        print_line(
            table=state.table,
            game=None if state.assignment is None else state.assignment.game,
            phase=None if match is None else str(match.phase),
            turns=0 if match is None else len(match.turns) + len(match.pending),
            link=str(state.link),
            saved=state.saved,
            unsynced=state.unsynced,
            troubles=[trouble.kind for trouble in state.troubles],
        )
        seen = table.program.wait_for_change(seen, 1.0)


if __name__ == "__main__":
    main()
