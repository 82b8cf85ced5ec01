"""Pin numbers of the 40-pin header of a Raspberry Pi.

The header is the same on all models with 40 pins (from 2014). Messages name pins beside lines, because people count
pins.
"""

from __future__ import annotations

#: BCM number of a line -> number of its pin
PIN_OF = {
    2: 3, 3: 5, 4: 7, 14: 8, 15: 10, 17: 11, 18: 12, 27: 13, 22: 15, 23: 16, 24: 18, 10: 19, 9: 21, 25: 22, 11: 23,
    8: 24, 7: 26, 0: 27, 1: 28, 5: 29, 6: 31, 12: 32, 13: 33, 19: 35, 16: 36, 26: 37, 20: 38, 21: 40,
}  # fmt: skip
GROUNDS = (6, 9, 14, 20, 25, 30, 34, 39)


def pin_label(gpio: int) -> str:
    """Return the label for people: ``GPIO17 (pin 11)``."""
    return f"GPIO{gpio} (pin {PIN_OF[gpio]})" if gpio in PIN_OF else f"GPIO{gpio}"


def ground_near(gpio: int) -> int:
    """Return the nearest ground in the line's own row of the header: buttons that are wired as documented
    share one.
    """
    pin = PIN_OF.get(gpio, GROUNDS[0])
    return min((ground for ground in GROUNDS if (ground - pin) % 2 == 0), key=lambda ground: abs(ground - pin))
