"""Settings made on the device itself, stored as ``club.json`` beside the journal: the preset of a free clock, and at
every table the orientation and text size of the display.

The file is written atomically, between games. If it cannot be read, the defaults apply.
"""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from engine.board.variants import PLAYABLE, STANDARD
from engine.match.rulesets import rule_set
from kiosk.locale import players_languages
from kiosk.msgspec_thread_preparation import warm_up
from kiosk.table.state.free_clock_presets import OWN, PRESETS, Club, Preset, club_from_config
from kiosk.table.table_config import TableConfig

log = logging.getLogger(__name__)

NAME = "club.json"


def load(config: TableConfig) -> Club:
    """Return the stored settings, with the table's configuration for those that are not set. ``stand`` None: neither
    has it.
    """
    club, screen = _kept(config), config.screen
    if club.stand is None and screen.facing is not None:
        club = replace(club, stand=screen.facing == "same")
    return replace(club, large=True) if club.large is None and screen.figures == "large" else club


def _kept(config: TableConfig) -> Club:
    path = config.data / NAME
    main_s = rule_set(config.rules).main_s if config.main_s is None else config.main_s
    try:
        club = msgspec.convert(_with_boards(msgspec.json.decode(path.read_bytes())), warm_up(Club))
    except FileNotFoundError:
        return club_from_config(config.rules, main_s)
    except (OSError, ValueError) as error:
        log.warning("%s cannot be used, the clock starts as it came: %s", path, error)
        return club_from_config(config.rules, main_s)
    known = len(club.own) == OWN and 0 <= club.chosen < len(PRESETS) + OWN and all(map(_is_whole, club.own))
    known = known and len(club.languages) in (0, 2) and set(club.languages) <= set(players_languages())
    return club if known else club_from_config(config.rules, main_s)


def _with_boards(stored: Any) -> Any:
    """Return stored settings in which Black's corners are part of the board; earlier versions stored them apart."""
    for preset in stored.get("own", ()) if isinstance(stored, dict) else ():
        if isinstance(preset, dict) and (corners := preset.pop("handicap", 0)):
            if preset.get("board", STANDARD.name) == STANDARD.name:
                preset["board"] = f"handicap-{corners}"
            else:
                log.warning("corners are given on the board of 8x8 only: %s keeps its size", preset["board"])
    return stored


def _is_whole(preset: Preset) -> bool:
    return preset.board in PLAYABLE and 1 <= preset.target <= 99


def save(directory: Path, club: Club) -> None:
    """Save the settings. If the disk fails, they are only missing at the next start."""
    new = directory / f"{NAME}.new"
    try:
        with new.open("wb") as file:
            file.write(msgspec.json.encode(club))
            file.flush()
            os.fsync(file.fileno())
        new.replace(directory / NAME)
    except OSError as error:
        log.warning("the clock's settings were not saved in %s: %s", directory, error)
