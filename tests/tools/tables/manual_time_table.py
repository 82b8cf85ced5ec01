"""One real table with a manually advanced clock: the whole program without its threads, except the journal's writer.
Every run is the same.
"""

from __future__ import annotations

from pathlib import Path

from devices.faulty_pins import FaultyFactory
from simulate.storage_faults import FaultyStorage

from engine.match.match_state import MatchState
from engine.match.match_value_types import Seat
from hardware.debounce_and_button_faults import LOCKOUT_NS
from hardware.real_and_simulated_time import ManualTime
from kiosk.table.input.gesture_recognition import LONG_NS
from kiosk.table.loop.button_processing_and_inbox import TouchEvent
from kiosk.table.scene import Scene
from kiosk.table.state import AfterChoice, HoldChoice, TableState
from kiosk.table.table_assembly import build_table
from kiosk.table.table_config import BoardConfig, ButtonsConfig, ScreenConfig, TableConfig
from kiosk.table.views import Facing, Layout, table_scene

LEFT, RIGHT, ARBITER = 17, 27, 22
MS = 1_000_000
SECOND = 1_000 * MS


class StillTable:
    """One table. ``press`` advances time by the length of the press; ``wait`` by the given duration."""

    def __init__(self, storage: FaultyStorage | None = None, now_ns: int = SECOND, **config: object) -> None:
        self.storage = storage or FaultyStorage()
        self.time = ManualTime(now_ns)
        self.factory = FaultyFactory(self.time)
        fields: dict[str, object] = {
            "board": BoardConfig(source="transcriber"),
            "buttons": ButtonsConfig(arbiter=ARBITER),
            "rules": "m43",
            **config,
        }
        self.config = TableConfig(table=1, data=Path("/still"), screen=ScreenConfig(enabled=False), **fields)  # type: ignore[arg-type]
        self.table = build_table(self.config, time_base=self.time, factory=self.factory, storage=self.storage)
        self.table.journal.start()
        self.settle()

    @property
    def state(self) -> TableState:
        return self.table.program.state

    @property
    def match(self) -> MatchState:
        assert self.state.match is not None
        return self.state.match

    def settle(self) -> None:
        """Handle everything that is queued, then everything that is due."""
        program = self.table.program
        while not program.inbox.empty():
            program.work(program.inbox.get())
        program.work(None)

    def wait(self, duration_ns: int) -> None:
        self.time.advance(duration_ns)
        self.settle()

    def press(self, gpio: int, hold_ns: int = 100 * MS, at_ns: int | None = None) -> int:
        """Press a button. The edges carry their own times; the table receives them after the release."""
        pressed_ns = self.factory.button(gpio).press(at_ns, hold_ns=hold_ns)
        self.wait(max(0, pressed_ns + hold_ns - self.time.now_ns()) + 2 * LOCKOUT_NS)
        return pressed_ns

    def presses(self, keys: str) -> None:
        """Press the buttons one after the other: ``l`` and ``r`` briefly, ``L`` and ``R`` long."""
        for key in keys:
            self.press(LEFT if key in "lL" else RIGHT, 1_200 * MS if key.isupper() else 100 * MS)

    def mark(self, gpio: int, choice: HoldChoice | AfterChoice) -> None:
        """Press a button until its player's menu marks this choice."""
        state, seat = self.state, Seat.LEFT if gpio == LEFT else Seat.RIGHT
        choices = state.hold_choices if isinstance(choice, HoldChoice) else state.after_choices
        while choices[self.state.marked(seat)] is not choice:
            self.press(gpio)

    def choose(self, gpio: int, choice: HoldChoice | AfterChoice) -> None:
        self.mark(gpio, choice)
        self.press(gpio, 1_200 * MS)

    def call(self, gpio: int) -> int:
        """Press briefly and then long: the waiting player stops the clock (M43-11). Return the time at which it
        stops."""
        self.press(gpio)
        return self.press(gpio, 1_200 * MS) + LONG_NS

    def both(self, hold_ns: int = 1_200 * MS) -> int:
        """Hold both buttons; return the time at which that takes effect."""
        at_ns = self.time.now_ns()
        left, right = self.factory.button(LEFT), self.factory.button(RIGHT)
        left.press(at_ns, release=False)
        right.press(at_ns + 50 * MS, release=False)
        released_ns = left.release(at_ns + 50 * MS + hold_ns)
        right.release(released_ns + 20 * MS)
        self.wait(hold_ns + 200 * MS)
        return at_ns + 50 * MS + LONG_NS

    def spike(self, gpio: int, width_ns: int = 300_000) -> None:
        self.factory.button(gpio).spike(width_ns)
        self.wait(width_ns + 2 * LOCKOUT_NS)

    def touch(self, panel: str, action: str, hold_ns: int = 100 * MS) -> None:
        self.table.program.inbox.put(TouchEvent(panel, action, True, self.time.now_ns()))
        self.wait(hold_ns)
        self.table.program.inbox.put(TouchEvent(panel, action, False, self.time.now_ns()))
        self.wait(60 * MS)

    def scene(self, facing: Facing = Facing.OPPOSITE) -> Scene:
        return table_scene(self.state, self.time.now_ns(), Layout(facing=facing, touch=True))

    def save(self) -> None:
        assert self.table.journal.flush(60)
        self.settle()

    def killed(self, after_ns: int = 0) -> StillTable:
        """Return the table that is started again ``after_ns`` later. The journal's writer finishes first, so that every
        run is the same; the journal's own tests cover a half-written journal."""
        self.close()
        left = self.storage.after_kill()
        fields = {"board": self.config.board, "arbiter": self.config.arbiter, "rules": self.config.rules}
        return StillTable(left, self.time.now_ns() + after_ns, **fields)

    def close(self) -> None:
        self.table.close()
