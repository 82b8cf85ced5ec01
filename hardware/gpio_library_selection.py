"""Selection of the GPIO library (pin factory).

- The table gets the library that its configuration names, or an error with the reason. gpiozero by itself would only
  warn and try the next library, and times would come from another clock than the arbiter assumes.
- The global ``gpiozero.Device.pin_factory`` is never set; every device is given its factory.
- An opened factory has two additional attributes: ``edge_source``, and ``pin_errors``, the errors its pins raise
  (lgpio's own error is neither a gpiozero nor an operating system error).
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib import metadata
from pathlib import Path
from typing import Any

from gpiozero import GPIOZeroError

from hardware.button_edges_and_time_accuracy import LGPIO, RPI_LGPIO, RPIGPIO, EdgeSource
from hardware.errors import PinFactoryError, raised_as, say

#: Since Linux 5.7 GPIO edges are stamped with CLOCK_MONOTONIC, before with the wall clock.
_FIRST_MONOTONIC_KERNEL = (5, 7)

DEVICES = Path("/dev")

#: The kernel's labels of the chips whose lines are the 40 pins: Pi Zero to 3 and Zero 2; Pi 4, 400; Pi 5, 500.
HEADER_LABELS = frozenset({"pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"})


def open_factory(kind: str) -> Any:
    """Return the pin factory of that name, ready for ``Buttons``, ``Lamps`` and ``Buzzer``.

    :param kind: lgpio, rpigpio or rpi-lgpio. The last is a drop-in replacement of the second with the same module name:
        only one of them can be installed.
    :raises PinFactoryError: if the library cannot be used here.
    """
    match kind:
        case "rpigpio":
            return _open_rpigpio(RPIGPIO, "RPi.GPIO")
        case "rpi-lgpio":
            return _open_rpigpio(RPI_LGPIO, "rpi-lgpio")
        case _:
            return _open_lgpio()


def _open_lgpio() -> Any:
    require_monotonic_edges(platform.release())
    # Importing lgpio makes a FIFO there, and starts the thread that reads it.
    require_writable(Path(os.environ.get("LG_WD", os.curdir)))
    with _loading("lgpio", AttributeError):  # PyPI's lgpio 0.0.0.2 for Python 3.13 is an empty file
        import lgpio
        from gpiozero.pins.lgpio import LGPIOFactory
    return _open(lambda: LGPIOFactory(chip=_header_chip(lgpio)), "lgpio", LGPIO, lgpio.error)


def _header_chip(lgpio: Any) -> int:
    """Return the number of the chip that has the 40 pins, found by its label.

    The kernel's numbering varies: on a Pi 5 the header is gpiochip4 up to Linux 6.6.44, then gpiochip0, and from
    6.12.96 one of 11 to 15. gpiozero uses a fixed number, and opens a chip without pins or none.

    :raises PinFactoryError: if no chip that can be opened has such a label.
    """
    there = []
    for number in sorted(int(path.name.removeprefix("gpiochip")) for path in DEVICES.glob("gpiochip[0-9]*")):
        try:
            handle = lgpio.gpiochip_open(number)
            try:
                _, _, name, label = lgpio.gpio_get_chip_info(handle)
            finally:
                lgpio.gpiochip_close(handle)
        except lgpio.error as error:
            there.append(f"gpiochip{number}: {error}")
            continue
        if label in HEADER_LABELS:
            return number
        there.append(f"{name}: {label}")
    text = say(
        "none of the GPIO chips here has a Raspberry Pi's 40 pins ({chips}); this must be a Raspberry Pi and the "
        "user in the group gpio"
    )
    raise PinFactoryError(text(chips=", ".join(there) or "-"))


def _open_rpigpio(source: EdgeSource, library: str) -> Any:
    """Return the factory of either of the two libraries whose module is called ``RPi.GPIO``."""
    with _loading(library, RuntimeError):  # RPi.GPIO raises RuntimeError where there is no Pi
        from gpiozero.pins.rpigpio import RPiGPIOFactory
    _require_distribution(library)
    return _open(RPiGPIOFactory, library, source, RuntimeError)


def _open(make: Callable[[], Any], library: str, source: EdgeSource, own_error: type[Exception]) -> Any:
    """Return the factory that ``make`` opens, with its attributes. ``own_error``: the library's own."""
    pin_errors = (GPIOZeroError, OSError, own_error)
    cannot_open = say(
        "{library} cannot open the GPIO lines ({error}); this must be a Raspberry Pi and the user in the group gpio"
    )
    with raised_as(PinFactoryError, cannot_open(library=library), *pin_errors):
        factory = make()
    factory.edge_source, factory.pin_errors = source, pin_errors
    return factory


def _require_distribution(library: str) -> None:
    """Check that the configured one of the two libraries is installed, because the arbiter is shown which one takes the
    time.

    :raises PinFactoryError: if another distribution provides the module.
    """
    found = {name.lower() for name in metadata.packages_distributions().get("RPi", [])}
    if found and library.lower() not in found:
        text = say(
            "the table file asks for {library}, but the module RPi.GPIO here is {there}; they cannot "
            "share an environment: name the one that is installed, or install the other in its place"
        )
        raise PinFactoryError(text(library=library, there=", ".join(sorted(found))))


def require_monotonic_edges(kernel_release: str) -> None:
    """Check that the kernel does not stamp edges with the wall clock, as ``"4.19.118-v7l+"`` does.

    :raises PinFactoryError: if the kernel is older than 5.7, or its version is unknown.
    """
    try:
        version = tuple(int(part) for part in kernel_release.split("-")[0].split(".")[:2])
    except ValueError:
        version = ()
    if version < _FIRST_MONOTONIC_KERNEL:
        text = say("Linux {kernel_release} stamps button presses with the wall clock; update to Linux 5.7 or later")
        raise PinFactoryError(text(kernel_release=kernel_release))


def require_writable(directory: Path) -> None:
    """Check that lgpio can make its FIFO in a directory.

    :raises PinFactoryError: if it is not a directory that this user may write to.
    """
    if not (directory.is_dir() and os.access(directory, os.W_OK | os.X_OK)):
        text = say(
            "lgpio must make a FIFO in {absolute}, which this user cannot write to; start the table in a "
            "writable directory (WorkingDirectory= or RuntimeDirectory= in the unit, or LG_WD)"
        )
        raise PinFactoryError(text(absolute=directory.absolute()))


def _loading(library: str, own_error: type[Exception]) -> AbstractContextManager[None]:
    """Explain that a library cannot be loaded. ``own_error``: what it raises besides the usual errors."""
    cannot_load = say(
        "the pin library {library} cannot be loaded ({error}); install it with: pip install '.[pi]'; "
        "from Python 3.13 on it is built: apt install swig gcc python3-dev, then PYPI=1 pip install …"
    )
    return raised_as(PinFactoryError, cannot_load(library=library), ImportError, OSError, own_error)
