"""Settings made on the device itself, stored as ``club.json`` beside the journal: the preset of a free clock, and at
every table the orientation and text size of the display.

The file is written atomically, between games. If it cannot be read, the defaults apply.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from engine.board.variants import PLAYABLE, STANDARD
from engine.match.rule_sets_and_options import rule_set
from kiosk.json_validation import warm_up
from kiosk.locale import players_languages
from kiosk.table.state.free_clock_presets_settings_games import FIRST_PRESETS, OWN, PRESETS, Club, club_from_config
from kiosk.table.table_config import TableConfig

log = logging.getLogger(__name__)

NAME = "club.json"
#: the longest of the files of a device, fifty games, has about a tenth of it
MOST_BYTES = 1_000_000

T = TypeVar("T")


def load(config: TableConfig) -> Club:
    """Return the stored settings, with the table's configuration for those that are not set. ``stand`` None: neither
    has it.
    """
    screen, main_s = config.screen, rule_set(config.rules).main_s if config.main_s is None else config.main_s
    fresh = club_from_config(config.rules, main_s)
    club = read_file(config.data / NAME, lambda content: _club(msgspec.json.decode(content), fresh), fresh)
    if club.stand is None and screen.facing is not None:
        club = replace(club, stand=screen.facing == "same")
    if club.volume is None:
        club = replace(club, volume=config.sound.volume)
    return replace(club, large=True) if club.large is None and screen.figures == "large" else club


def _club(stored: Any, fresh: Club) -> Club:
    club = msgspec.convert(_convert_settings(stored), warm_up(Club))
    return club if _is_valid(club) else fresh


def read_file(path: Path, decode: Callable[[bytes], T], fresh: T) -> T:
    """Return what ``decode`` makes of a file; ``fresh`` if there is none or, with a line in the log, if it cannot be
    used."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(f"it is larger than {MOST_BYTES} bytes")
        return decode(path.read_bytes())
    except FileNotFoundError:
        return fresh
    except (OSError, ValueError) as error:
        log.warning("%s cannot be used: %s", path, error)
        return fresh


def _is_valid(club: Club) -> bool:
    presets = len(club.own) == OWN and 0 <= club.chosen < len(PRESETS) + OWN
    boards = all(preset.board in PLAYABLE and 1 <= preset.target <= 99 for preset in club.own)
    languages = len(club.languages) in (0, 2) and set(club.languages) <= set(players_languages())
    percents = all(0 <= percent <= 100 for percent in (club.brightness or 0, club.volume or 0))
    return presets and boards and languages and percents


def _convert_settings(stored: Any) -> Any:
    """Return stored settings in the form of this version. Earlier ones stored Black's corners apart from the board, and
    the first had fewer presets.
    """
    if not isinstance(stored, dict):
        return stored
    for preset in stored.get("own", ()):
        if isinstance(preset, dict) and (corners := preset.pop("handicap", 0)):
            if preset.get("board", STANDARD.name) == STANDARD.name:
                preset["board"] = f"handicap-{corners}"
            else:
                log.warning("corners are given on the board of 8x8 only: %s keeps its size", preset["board"])
    had, chosen = stored.pop("builtin", len(FIRST_PRESETS)), stored.get("chosen", 0)
    if had == len(FIRST_PRESETS) and isinstance(chosen, int) and chosen >= 0:
        first = chosen < had
        stored["chosen"] = FIRST_PRESETS[chosen] if first else chosen - had + len(PRESETS)
    return stored


def save(directory: Path, club: Club) -> None:
    """Save the settings. If the disk fails, they are only missing at the next start."""
    replace_file(directory / NAME, msgspec.json.encode(club))


def replace_file(path: Path, content: bytes) -> None:
    """Replace a file atomically. If the disk fails, the old file remains, and the error is logged."""
    new = path.with_name(f"{path.name}.new")
    try:
        with new.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError as error:
        log.warning("%s was not saved: %s", path, error)
