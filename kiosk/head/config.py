"""The configuration file of the head (TOML; docs/head.md shows one with every field)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from kiosk.errors import UnusableInput
from kiosk.toml import read_toml


class TableRules(msgspec.Struct, forbid_unknown_fields=True):
    """What every table is told about its games. ``rules`` empty: as the event's format says."""

    rules: Literal["", "m43", "m40", "team", "chouchou", "wof", "casual"] = ""
    main_s: int = 1200
    options: dict[str, Any] = msgspec.field(default_factory=dict)


class HeadConfig(msgspec.Struct, forbid_unknown_fields=True):
    """One head. Relative paths are taken from the configuration file's folder.

    ``keys``: the tables' keys (``kiosk keys``); a table without a key is not heard. ``event``: an event file with the
    players; None: the event is entered on the desk page. ``port`` 0: any free one. ``serial``: the ports at which
    tables with a cable are heard; which table is at which does not matter. ``backup``: a folder on another disk that
    the head keeps a backup in. ``speed``: how many times faster than real time the tables' clocks run, which only a
    demo needs.
    """

    data: Path
    keys: Path
    event: Path | None = None
    host: str = "0.0.0.0"
    port: int = 8043
    serial: list[str] = msgspec.field(default_factory=list)
    baud: int = 115_200
    auto: bool = False
    setup_code: Path | None = None
    backup: Path | None = None
    speed: float = 1.0
    table: TableRules = msgspec.field(default_factory=TableRules)

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise ValueError(f"port is {self.port}, but a port is a number from 0 to 65535")
        if len(set(self.serial)) != len(self.serial):
            raise ValueError("serial names a port twice; name each once")
        if self.baud < 115_200:
            raise ValueError(f"baud is {self.baud}, but a line to a table has 115200 baud or more")
        if self.table.main_s <= 0:
            raise ValueError(f"table.main_s is {self.table.main_s}, but a game needs at least one second")
        if self.speed <= 0:
            raise ValueError(f"speed is {self.speed}, but it must be above 0")


def load_config(path: Path) -> HeadConfig:
    """Reads the configuration.

    :raises UnusableInput: the file cannot be read, or a field is missing, unknown or impossible.
    """
    config = read_toml(path, HeadConfig)
    base = path.resolve().parent
    names = ("event", "setup_code", "backup")
    optional = {name: base / value for name in names if (value := getattr(config, name)) is not None}
    located = msgspec.structs.replace(config, data=base / config.data, keys=base / config.keys, **optional)
    for name in ("keys", "event"):
        named: Path | None = getattr(located, name)
        if named is not None and not named.is_file():
            raise UnusableInput(f"{path}: {name} names {named}, which is not a file; create it or correct the path")
    return located
