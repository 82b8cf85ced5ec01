"""The file of the last games of a table, ``games.json`` beside the journal.

It is written atomically by a thread of its own, after a game. If it cannot be read, no game is shown.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import msgspec

from kiosk.json_validation import warm_up
from kiosk.table.device.device_settings_file import read_file, replace_file
from kiosk.table.state.recent_games import MOST, KeptGame

NAME = "games.json"


def load_games(directory: Path) -> tuple[KeptGame, ...]:
    """Return the kept games, the last one at the end."""
    none: tuple[KeptGame, ...] = ()
    games = read_file(directory / NAME, msgspec.json.Decoder(warm_up(tuple[KeptGame, ...])).decode, none)
    return tuple(game for game in games if game.is_known)[-MOST:]


class GamesFile:
    """The file, to be written after each game. ``save`` never waits for the disk."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._thread = ThreadPoolExecutor(1, "games")

    def save(self, games: tuple[KeptGame, ...]) -> None:
        self._thread.submit(partial(replace_file, self._directory / NAME, msgspec.json.encode(games)))

    def close(self) -> None:
        self._thread.shutdown()
