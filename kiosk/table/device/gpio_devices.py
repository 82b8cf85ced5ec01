"""Devices on a table's 40-pin header: buttons, lamps, buzzer, the power-fail signal.

- Only the two players' buttons are always claimed; other lines only if the configuration names them, because an unwired
  line picks up noise.
- A line that cannot be claimed ends the start with an error that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hardware.button_edges_and_time_accuracy import ButtonEdge
from hardware.debounce_and_button_faults import Debouncer
from hardware.errors import GpioError
from hardware.gpio_buttons import ButtonInput
from hardware.lamps_buzzer_and_backlight import Buzzer, Lamps
from hardware.power_failure_pin_and_supply_status import PowerEdge, PowerSignal
from hardware.real_and_simulated_time import NS_PER_MS, NS_PER_S, TimeBase
from kiosk.table import table_config

#: input source of a window's keys, timed when they are polled
KEYS = "keys"


def edges_of(factory: Any) -> dict[str, object]:
    """Return the source of button times and their accuracy, for the journal."""
    if factory is None:
        return {"edges": KEYS}
    return {"edges": factory.edge_source.name, "edge_accuracy_ns": factory.edge_source.accuracy_ns}


def lines_of(buttons: table_config.ButtonsConfig) -> dict[str, int]:
    """Return the lines of the buttons that are wired."""
    arbiter = {} if buttons.arbiter is None else {"arbiter": buttons.arbiter}
    return {"left": buttons.left, "right": buttons.right, **arbiter}


def debouncer_of(buttons: table_config.ButtonsConfig) -> Debouncer:
    ms = NS_PER_MS
    return Debouncer(buttons.lockout_ms * ms, buttons.glitch_ms * ms, buttons.stuck_s * NS_PER_S, buttons.proof_ms * ms)


class Pins:
    """The claimed pins. ``factory`` None: nothing is wired; only a window's keys and touch exist.

    :raises hardware.errors.GpioError: a line cannot be claimed; those claimed before are released.
    """

    def __init__(
        self,
        buttons: table_config.ButtonsConfig,
        power: table_config.PowerConfig,
        factory: Any,
        time_base: TimeBase,
        sink: Callable[[ButtonEdge | PowerEdge], None],
    ) -> None:
        self.buttons: ButtonInput | None = None
        self.lamps: Lamps | None = None
        self.buzzer: Buzzer | None = None
        self.power: PowerSignal | None = None
        if factory is None:
            return
        lit = {"left": buttons.lamp_left, "right": buttons.lamp_right}
        wired = {line: gpio for line, gpio in lit.items() if gpio is not None}
        try:
            self.buttons = ButtonInput(lines_of(buttons), factory, sink)
            self.lamps = Lamps(wired, factory) if wired else None
            self.buzzer = None if buttons.buzzer is None else Buzzer(buttons.buzzer, factory, time_base)
            if power.signal is not None:
                self.power = PowerSignal(power.signal, factory, sink, power.low_is_failing)
        except GpioError:
            self.close()
            raise
        # the signal was active before the start, so there will be no edge
        if self.power is not None and self.power.failing:
            sink(PowerEdge(True, time_base.now_ns()))

    @property
    def edge_source(self) -> str:
        return KEYS if self.buttons is None else self.buttons.source.name

    @property
    def edge_accuracy_ns(self) -> int | None:
        return None if self.buttons is None else self.buttons.source.accuracy_ns

    def recheck(self, now_ns: int, believed: Mapping[str, bool]) -> None:
        """Send the missing edge of each line whose level differs from its ``believed`` level."""
        if self.buttons is not None:
            self.buttons.recheck(now_ns, believed)

    def close(self) -> None:
        for part in (self.power, self.buzzer, self.lamps, self.buttons):
            if part is not None:
                part.close()
