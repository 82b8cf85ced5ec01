"""Display loop: keeps the screen up to date with the table's state.

It runs in the main thread, as windows require; the main loop never waits for it. It sleeps until the state changes or
the next digit is due, and draws only changes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

from engine.i18n import say
from engine.match.match_value_types import Seat
from hardware.lamps_buzzer_and_backlight import set_backlight
from hardware.real_and_simulated_time import NS_PER_S, TimeBase
from kiosk.link.link_messages import TroubleInfo
from kiosk.locale import ENGLISH, JAPANESE, own_name
from kiosk.table.loop.button_processing_and_inbox import AlarmsChanged
from kiosk.table.loop.main_loop import TableProgram
from kiosk.table.scene import Theme
from kiosk.table.screen import Output, PygameScreen, ScreenError, can_draw
from kiosk.table.state import TableState
from kiosk.table.table_config import BoardConfig
from kiosk.table.table_config import ScreenConfig as ScreenConfig
from kiosk.table.views import Facing, Layout, next_change_ns, table_scene
from kiosk.table.views.player_halves_layout import with_club_settings
from kiosk.table.views.transcriber_view import transcriber_scene

log = logging.getLogger(__name__)

NO_FONT = TroubleInfo(
    "font", say("No font has Japanese letters: sudo apt install fonts-noto-cjk, then start the table again")
)
#: polling intervals of a window's keys, and of fingers where the scene has something to touch
KEYS_S = 0.01
FINGERS_S = 0.03
IDLE_S = 1.0
IDLE_NS = NS_PER_S


class Display:
    """The displays of a table. ``on_key(line, pressed)`` receives a window's keys, ``on_touch(panel, action, down)``
    fingers. With ``board``, a transcriber has a second display.

    :raises kiosk.table.screen.ScreenError: the players' display cannot be opened.
    """

    def __init__(
        self,
        config: ScreenConfig,
        program: TableProgram,
        time_base: TimeBase,
        on_key: Callable[[str, bool], None],
        on_close: Callable[[], None],
        on_touch: Callable[[str, str, bool], None],
        board: BoardConfig | None = None,
    ) -> None:
        output = Output.WINDOW if config.window else Output.FULL_SCREEN
        theme = Theme(config.theme)
        self._screen = PygameScreen(
            config.size, output, on_key=on_key, on_close=on_close, on_touch=on_touch, theme=theme,
            quarters=config.rotate // 90,
        )  # fmt: skip
        touch = self._screen.can_be_touched if config.touch == "auto" else config.touch == "yes"
        self._layout = Layout(*self._screen.size, Facing(config.facing or "opposite"), touch, config.figures == "large")
        self._touchable = False
        self._board = board
        self._second: PygameScreen | None = None
        try:
            if board is not None:
                self._second = PygameScreen(
                    board.size, output, on_touch=on_touch, on_close=on_close, theme=theme, display=board.display,
                    title="Transcript",
                )  # fmt: skip
        except ScreenError as error:  # the clock continues without it (promise 4)
            log.error("the transcriber has no display: %s", error)
        self._japanese = can_draw(own_name(JAPANESE)[0])
        if not self._japanese:
            program.inbox.put(AlarmsChanged("fonts", (NO_FONT,)))
        self._program = program
        self._time = time_base
        self._brightness: int | None = None  # as it was set last

    @property
    def is_whole(self) -> bool:
        """Whether all configured displays are open."""
        return (self._board is None) == (self._second is None)

    def run(self, stopped: Callable[[], bool]) -> None:
        """Draw until ``stopped``."""
        seen, due_ns = -1, 0
        while not stopped():
            self._screen.pump(self._second)
            now_ns = self._time.now_ns()
            if self._program.version != seen or now_ns >= due_ns:
                seen = self._program.version
                due_ns = self._show(self._program.state, now_ns)
            self._program.wait_for_change(seen, self._pause_s(due_ns - now_ns))
        if self._second is not None:
            self._second.close()
        self._screen.close()

    def _show(self, state: TableState, now_ns: int) -> int:
        """Draw the present state; return when time alone changes it."""
        if not self._japanese:
            state = replace(state, languages=dict.fromkeys(Seat, ENGLISH), arbiter_language=ENGLISH)
        if state.club.brightness not in (None, self._brightness):
            self._set_brightness(state.club.brightness or 0)
        scene = table_scene(state, now_ns, with_club_settings(self._layout, state.club))
        self._screen.draw(scene)
        self._touchable = self._second is not None or (self._layout.touch and scene.can_be_touched)
        if self._second is not None and self._board is not None:
            self._second.draw(transcriber_scene(state, now_ns, self._second.size, self._board.language))
        due_ns = next_change_ns(state, now_ns)
        return now_ns + IDLE_NS if due_ns is None else due_ns

    def _set_brightness(self, percent: int) -> None:
        """Set the display's backlight; a display without one gets a darker picture."""
        self._brightness = percent
        lit = self._screen.output is Output.FULL_SCREEN and set_backlight(percent)
        self._screen.dim(100 if lit else percent)

    def _pause_s(self, wait_ns: int) -> float:
        pause_s = max(0.0, min(IDLE_S, self._time.real_s(wait_ns)))
        if self._screen.output is Output.WINDOW:
            return min(pause_s, KEYS_S)
        return min(pause_s, FINGERS_S) if self._touchable else pause_s
