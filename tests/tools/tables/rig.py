"""One real table on simulated pins, for tests: its loop runs in a thread, its journal on a real disk."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

from devices.faulty_pins import FaultyFactory
from waiting import HANGS_S, until

from engine.match.match_state import MatchState
from engine.match.match_value_types import Phase
from hardware.debounce_and_button_faults import LOCKOUT_NS
from hardware.real_and_simulated_time import SystemTime, TimeBase
from kiosk.link.link_messages import Command
from kiosk.table.state import TableState
from kiosk.table.table_assembly import build_table
from kiosk.table.table_config import BoardConfig, ButtonsConfig, ScreenConfig, TableConfig

LEFT, RIGHT, ARBITER = 17, 27, 22


class TableRig:
    """One table. ``press`` and ``hold`` are button presses; ``until`` waits for what a person would see."""

    def __init__(self, data: Path, time_base: TimeBase | None = None, board_device: str = "", **config: object) -> None:
        self.time = time_base or SystemTime()
        self.factory = FaultyFactory(self.time)
        board = BoardConfig(source="sensor", device=board_device, settle_ms=200) if board_device else BoardConfig()
        fields: dict[str, object] = {"buttons": ButtonsConfig(arbiter=ARBITER), "rules": "m43", **config}
        self.config = TableConfig(table=1, data=data, board=board, screen=ScreenConfig(enabled=False), **fields)  # type: ignore[arg-type]
        self.table = build_table(self.config, time_base=self.time, factory=self.factory)
        self._thread = threading.Thread(target=self.table.run, name="table under test")
        self._thread.start()

    @property
    def state(self) -> TableState:
        return self.table.program.state

    @property
    def match(self) -> MatchState:
        match = self.state.match
        assert match is not None
        return match

    def press(self, gpio: int, at_ns: int | None = None, hold_ns: int = 100_000_000) -> int:
        pressed_ns = self.factory.button(gpio).press(at_ns, hold_ns=hold_ns)
        time.sleep(self.time.real_s(2 * LOCKOUT_NS))  # the next press must come after the lockout
        return pressed_ns

    def call(self, gpio: int) -> None:
        """Press briefly and then long: the waiting player stops the clock (M43-11)."""
        pressed_ns = self.press(gpio)
        self.press(gpio, pressed_ns + 300_000_000, hold_ns=1_100_000_000)

    def order(self, command: Command) -> None:
        self.table.program.inbox.put(command)

    def until(self, seen: Callable[[TableState], bool], what: str) -> None:
        until(lambda: seen(self.state), lambda: f"waiting for: {what}; {self.state}")

    def phase(self, phase: Phase) -> None:
        self.until(lambda state: state.match is not None and state.match.phase is phase, phase)

    def close(self) -> None:
        self.table.stop()
        self._thread.join(HANGS_S)
        assert not self._thread.is_alive()
