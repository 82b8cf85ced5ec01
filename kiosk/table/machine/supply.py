"""Voltage and temperature of this table's machine, as troubles for an arbiter.

The law: the firmware is asked in a thread of its own, so nobody waits for it; a machine that cannot tell says nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from hardware.power import Firmware, Supply, read_supply
from kiosk.link.messages import TroubleInfo

ASK_EVERY_S = 10.0
#: so much cooler than hot before it is no trouble any more
COOLER_C = 5


class SupplyWatch:
    """``tell`` hears all troubles of the supply whenever they change."""

    def __init__(
        self,
        firmware: Firmware,
        hot_c: int,
        tell: Callable[[tuple[TroubleInfo, ...]], None],
        every_s: float = ASK_EVERY_S,
    ) -> None:
        self._firmware, self._hot_c, self._tell, self._every_s = firmware, hot_c, tell, every_s
        self._closed = threading.Event()
        self._told: tuple[TroubleInfo, ...] = ()
        self._hot = False
        self.supply: Supply | None = None
        self._thread = threading.Thread(target=self._watch, name="supply", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(5)

    def _watch(self) -> None:
        while True:
            self.look()
            if self.supply is None or self._closed.wait(ASK_EVERY_S):
                return  # a machine without this firmware will not get one

    def look(self) -> None:
        """Asks once."""
        self.supply = supply = read_supply(self._firmware)
        found = () if supply is None else tuple(self._troubles(supply))
        if found != self._told:
            self._told = found
            self._tell(found)

    def _troubles(self, supply: Supply) -> list[TroubleInfo]:
        troubles = []
        if supply.low_voltage:
            troubles.append(
                TroubleInfo(
                    "supply-low-voltage",
                    "電圧が不足しています。電源アダプターとケーブルを替えてください。",
                    "The voltage is too low. Change the power supply or its cable.",
                )
            )
        degrees = supply.celsius
        if degrees is not None:
            self._hot = degrees >= (self._hot_c - COOLER_C if self._hot else self._hot_c)
        if self._hot:
            troubles.append(
                TroubleInfo(
                    "supply-hot",
                    "本体が熱くなっています。風通しを良くしてください。",
                    "The machine is hot. Give it air.",
                )
            )
        return troubles
