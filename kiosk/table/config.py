"""The configuration file of one table (TOML; docs/table.md shows one with every field)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec


class HeadAddress(msgspec.Struct, forbid_unknown_fields=True):
    """Where the head is: ``url`` on the network, ``serial`` at the end of a cable, or both; the first that works is
    used. ``key_file`` holds this table's key."""

    key_file: Path
    url: str = ""
    serial: str = ""
    baud: int = 115_200

    def __post_init__(self) -> None:
        if not (self.url or self.serial):
            raise ValueError("head needs a url, a serial device, or both")
        if self.baud < 115_200:
            raise ValueError(f"head.baud is {self.baud}, but a line to the head has 115200 baud or more")


class Buttons(msgspec.Struct, forbid_unknown_fields=True):
    """BCM numbers of the three buttons, and the lamps if there are any; what counts as a bounce, a spike, a stuck
    button."""

    factory: Literal["lgpio", "rpigpio", "none"] = "lgpio"
    left: int = 17
    right: int = 27
    arbiter: int = 22
    lamp_left: int | None = None
    lamp_right: int | None = None
    lockout_ms: int = 30
    glitch_ms: int = 2
    stuck_s: int = 10


class Board(msgspec.Struct, forbid_unknown_fields=True):
    """Who reports the physical board: nobody, or a sensor board on a serial line."""

    source: Literal["none", "sensor"] = "none"
    device: str = ""
    settle_ms: int = 300


class Screen(msgspec.Struct, forbid_unknown_fields=True):
    enabled: bool = True
    window: bool = False
    size: tuple[int, int] = (800, 480)
    facing: Literal["opposite", "same"] = "opposite"
    left_language: Literal["ja", "en"] = "ja"
    right_language: Literal["ja", "en"] = "ja"


class TableConfig(msgspec.Struct, forbid_unknown_fields=True):
    """One table. Without ``head`` it is a free Othello clock: ``main_s`` each, rule set ``rules``."""

    table: int
    data: Path
    head: HeadAddress | None = None
    buttons: Buttons = msgspec.field(default_factory=Buttons)
    board: Board = msgspec.field(default_factory=Board)
    screen: Screen = msgspec.field(default_factory=Screen)
    rules: str = "m43"
    main_s: int = 1200
