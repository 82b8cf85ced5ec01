"""The tournament formats, each in one module; a format is a set of pure functions of the event file.

How an event continues is decided only by its format.
"""

from __future__ import annotations

from engine.tournament.event_model import Event
from engine.tournament.formats.adjacent_pairing_league import Adjacent
from engine.tournament.formats.chouchou import ChouChou
from engine.tournament.formats.format_interface_and_helpers import Format, PairedRound
from engine.tournament.formats.knockout import Knockout
from engine.tournament.formats.meijin40_9_to_12_players import M409To12
from engine.tournament.formats.meijin40_13_to_32_players import M4013To16, M4017To32
from engine.tournament.formats.meijin40_base_and_othello_pool import OthelloPool
from engine.tournament.formats.meijin40_elementary import M40Elementary
from engine.tournament.formats.meijin40_open_and_33_to_64_players import M40Open, M4033To64
from engine.tournament.formats.meijin43_divisions_except_open import M43Division
from engine.tournament.formats.meijin43_open import M43Open
from engine.tournament.formats.round_robin import RoundRobin
from engine.tournament.formats.swiss import Swiss
from engine.tournament.formats.team_swiss import TeamSwiss

__all__ = ["FORMATS", "Format", "PairedRound", "format_of"]

_ALL: tuple[Format, ...] = (
    M43Open(), M43Division(), M40Open(), M4033To64(), M4017To32(), M4013To16(), M409To12(), M40Elementary(),
    TeamSwiss(), ChouChou(), Swiss(), RoundRobin(), Knockout(), Adjacent(), OthelloPool(),
)  # fmt: skip
#: every format by its name, in the order in which the desk offers them
FORMATS = {format_.facts.name: format_ for format_ in _ALL}


def format_of(event: Event) -> Format:
    """Return the format of an event."""
    return FORMATS[event.format]
