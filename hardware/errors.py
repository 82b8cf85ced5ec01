"""What can be wrong with the edges to the world; every message is for a person, in English and Japanese."""

from __future__ import annotations


class HardwareError(RuntimeError):
    """A device cannot be used: what, where, and what to do, as ``en`` and ``ja``; ``str()`` gives both."""

    def __init__(self, en: str, ja: str) -> None:
        super().__init__(f"{en} / {ja}")
        self.en = en
        self.ja = ja


class PinFactoryError(HardwareError):
    """The GPIO library that the configuration asks for cannot be used."""


class PinError(HardwareError):
    """A GPIO line cannot be taken or read."""


class LineError(HardwareError, ValueError):
    """A line of the serial protocol is not a message."""
