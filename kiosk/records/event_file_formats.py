"""Event formats by file extension, with their readers and writers.

A reader makes the object of an event file, which only ``kiosk.records.event_file`` validates; a writer gets a validated
event.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from engine.i18n import Text
from engine.tournament import Event
from kiosk.records.elo_reader import read_elo
from kiosk.records.elo_writer import write_elo
from kiosk.records.event_csv import read_csv, write_csv
from kiosk.records.event_file import to_dict
from kiosk.records.papp_players import read_players, write_players


def _write_json(event: Event) -> str:
    return json.dumps(to_dict(event), ensure_ascii=False, indent=1) + "\n"


def _write_csv(event: Event) -> str:
    # spreadsheets recognise UTF-8 by the byte order mark
    return "\ufeff" + write_csv(to_dict(event))


def _write_players(event: Event) -> str:
    return write_players(to_dict(event))


def _whole(read: Callable[[str], Any]) -> Callable[[str, list[Text]], Any]:
    """Return a reader that reads a file completely or rejects it."""
    return lambda text, _: read(text)


#: extension -> reader of (text, list for what was left out) that returns the object of an event file; every error is a
#: ValueError that names the line
READERS: dict[str, Callable[[str, list[Text]], Any]] = {
    ".json": _whole(json.loads),
    ".elo": read_elo,
    ".csv": _whole(read_csv),
    ".txt": _whole(read_players),
}
#: extension -> writer from an event to text
WRITERS: dict[str, Callable[[Event], str]] = {
    ".json": _write_json,
    ".elo": write_elo,
    ".csv": _write_csv,
    ".txt": _write_players,
}
