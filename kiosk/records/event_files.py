"""Which file extension holds an event, and how it is read and written.

The law: a reader makes the object of an event file, and ``kiosk.records.event_file`` alone decides whether it is
good; a writer gets an event that has passed it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from engine.text import Text
from engine.tournament import Event
from kiosk.records.elo import read_elo
from kiosk.records.elo_writing import write_elo
from kiosk.records.event_csv import read_csv, write_csv
from kiosk.records.event_file import to_dict
from kiosk.records.papp import read_players, write_players


def _write_json(event: Event) -> str:
    return json.dumps(to_dict(event), ensure_ascii=False, indent=1) + "\n"


def _write_csv(event: Event) -> str:
    # spreadsheets recognise UTF-8 by the byte order mark
    return "\ufeff" + write_csv(to_dict(event))


def _write_players(event: Event) -> str:
    return write_players(to_dict(event))


def _whole(read: Callable[[str], Any]) -> Callable[[str, list[Text]], Any]:
    """A reader that takes a file as a whole or refuses it."""
    return lambda text, _: read(text)


#: extension -> (text, what was left out of it) in, object of an event file out; every error is a ValueError that names
#: the line
READERS: dict[str, Callable[[str, list[Text]], Any]] = {
    ".json": _whole(json.loads),
    ".elo": read_elo,
    ".csv": _whole(read_csv),
    ".txt": _whole(read_players),
}
#: extension -> event in, text out
WRITERS: dict[str, Callable[[Event], str]] = {
    ".json": _write_json,
    ".elo": write_elo,
    ".csv": _write_csv,
    ".txt": _write_players,
}
