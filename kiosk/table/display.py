"""Keeps the picture on the screen true to the table's state.

The law: runs in the main thread, because a window belongs there; the loop never waits for it. It sleeps until the state
changes or the next digit is due, and draws nothing while nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable

from hardware.timebase import TimeBase
from kiosk.table.config import Screen as ScreenConfig
from kiosk.table.program import TableProgram
from kiosk.table.scene import Theme
from kiosk.table.screen import Output, Screen
from kiosk.table.views import Facing, Layout, next_change_ns, table_scene

#: how often a window's keys are looked at, and fingers where the picture has something to touch
KEYS_S = 0.01
FINGERS_S = 0.03
IDLE_S = 1.0


class Display:
    """``on_key(line, pressed)`` hears a window's keys, ``on_touch(panel, action, down)`` fingers."""

    def __init__(
        self,
        config: ScreenConfig,
        program: TableProgram,
        time_base: TimeBase,
        on_key: Callable[[str, bool], None],
        on_close: Callable[[], None],
        on_touch: Callable[[str, str, bool], None],
    ) -> None:
        output = Output.WINDOW if config.window else Output.FULL_SCREEN
        theme = Theme(config.theme)
        self._screen = Screen(config.size, output, on_key=on_key, on_close=on_close, on_touch=on_touch, theme=theme)
        touch = self._screen.can_be_touched if config.touch == "auto" else config.touch == "yes"
        self._layout = Layout(*self._screen.size, Facing(config.facing), touch)
        self._touchable = False
        self._program = program
        self._time = time_base

    def run(self, stopped: Callable[[], bool]) -> None:
        """Draws until ``stopped``."""
        seen = -1
        while not stopped():
            self._screen.pump()
            seen = self._program.version
            state, now_ns = self._program.state, self._time.now_ns()
            scene = table_scene(state, now_ns, self._layout)
            self._screen.draw(scene)
            self._touchable = self._layout.touch and scene.can_be_touched
            self._program.wait_for_change(seen, self._pause_s(now_ns))
        self._screen.close()

    def _pause_s(self, now_ns: int) -> float:
        due_ns = next_change_ns(self._program.state, now_ns)
        pause_s = IDLE_S if due_ns is None else min(IDLE_S, self._time.real_s(due_ns - now_ns))
        if self._screen.output is Output.WINDOW:
            return min(pause_s, KEYS_S)
        return min(pause_s, FINGERS_S) if self._touchable else pause_s
