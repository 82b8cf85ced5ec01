"""One small module per format; a format is a function of the event file and nothing else.

The law: whoever wants to know how a tournament goes on asks the format of the event, and always gets the same answer.
"""

from __future__ import annotations

from engine.tournament.formats.adjacent import Adjacent
from engine.tournament.formats.base import Format, PairedRound
from engine.tournament.formats.chouchou import ChouChou
from engine.tournament.formats.knockout import Knockout
from engine.tournament.formats.m40_9_12 import M40_9_12
from engine.tournament.formats.m40_brackets import M40_13_16, M40_17_32
from engine.tournament.formats.m40_elementary import M40Elementary
from engine.tournament.formats.m40_leagues import M40_33_64, M40_OPEN
from engine.tournament.formats.m43_division import M43Division
from engine.tournament.formats.m43_open import M43Open
from engine.tournament.formats.othello_pool import OTHELLO_POOL
from engine.tournament.formats.round_robin import RoundRobin
from engine.tournament.formats.swiss import Swiss
from engine.tournament.formats.team import TeamSwiss
from engine.tournament.model import Event, EventError

__all__ = ["Format", "PairedRound", "format_of"]

_FORMATS: dict[str, Format] = {
    "swiss": Swiss(),
    "m43-open": M43Open(),
    "m43-division": M43Division(),
    "m40-open": M40_OPEN,
    "m40-33-64": M40_33_64,
    "m40-17-32": M40_17_32,
    "m40-13-16": M40_13_16,
    "m40-9-12": M40_9_12,
    "m40-elementary": M40Elementary(),
    "adjacent": Adjacent(),
    "othello-pool": OTHELLO_POOL,
    "chouchou": ChouChou(),
    "round-robin": RoundRobin(),
    "knockout": Knockout(),
    "team": TeamSwiss(),
}


def format_of(event: Event) -> Format:
    """The format that runs an event.

    :raises EventError: for a format of CONTRACT.md that this version does not have yet
    """
    try:
        return _FORMATS[event.format]
    except KeyError:
        known = ", ".join(_FORMATS)
        raise EventError(f"format {event.format!r} is not yet in this version; it has {known}") from None
