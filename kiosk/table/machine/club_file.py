"""Where a table keeps what was set on the device itself: ``club.json`` beside the journal. At a free clock that is what
is played; how the display stands, and how large it writes, at every table.

The law: it is written whole or not at all, between games; a file that cannot be read is the clock as it came.
"""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from pathlib import Path

import msgspec

from engine.match.boards import BOARDS
from engine.match.rulesets import rule_set
from kiosk.shapes import learned
from kiosk.table.config import TableConfig
from kiosk.table.state.club import OWN, PRESETS, Club, Preset, first_use

log = logging.getLogger(__name__)

NAME = "club.json"


def load(config: TableConfig) -> Club:
    """What was set; where nothing was, what the table's file says; ``stand`` None: neither says it."""
    club, screen = _kept(config), config.screen
    if club.stand is None and screen.facing is not None:
        club = replace(club, stand=screen.facing == "same")
    return replace(club, large=True) if club.large is None and screen.figures == "large" else club


def _kept(config: TableConfig) -> Club:
    path = config.data / NAME
    main_s = rule_set(config.rules).main_s if config.main_s is None else config.main_s
    try:
        club = msgspec.json.decode(path.read_bytes(), type=learned(Club))
    except FileNotFoundError:
        return first_use(config.rules, main_s)
    except (OSError, ValueError) as error:
        log.warning("%s cannot be used, the clock starts as it came: %s", path, error)
        return first_use(config.rules, main_s)
    known = len(club.own) == OWN and 0 <= club.chosen < len(PRESETS) + OWN and all(map(_is_whole, club.own))
    return club if known else first_use(config.rules, main_s)


def _is_whole(preset: Preset) -> bool:
    return preset.board in BOARDS and 0 <= preset.handicap <= 4 and 1 <= preset.target <= 99


def save(directory: Path, club: Club) -> None:
    """A disk that refuses it costs the setting at the next start, nothing else."""
    new = directory / f"{NAME}.new"
    try:
        with new.open("wb") as file:
            file.write(msgspec.json.encode(club))
            file.flush()
            os.fsync(file.fileno())
        new.replace(directory / NAME)
    except OSError as error:
        log.warning("the clock's settings were not saved in %s: %s", directory, error)
