"""ChouChou (珠取), edition 2022-11-25, as a pure state machine (RULES.md 9)."""

from __future__ import annotations

from engine.chouchou.acts import acts
from engine.chouchou.boards import FINALS_MAIN_NS, SHAPES, Board, Shape, lines
from engine.chouchou.errors import BadNotation, BadSetup, ChouChouError, IllegalEvent
from engine.chouchou.events import ClaimTime, Decide, Event, Play, Start, Switch, Take, Tick
from engine.chouchou.machine import TABLE, new_game, step
from engine.chouchou.model import (
    Act,
    Capturing,
    End,
    Exchange,
    FlagCall,
    LineRule,
    NextPiece,
    Offender,
    Options,
    PenaltyTo,
    Phase,
    Place,
    Result,
    Setup,
    State,
    TimeLossSheet,
    Turn,
    TwoPieces,
    WorstMinus,
)
from engine.chouchou.notation import format_game, format_turn, parse_game, parse_turn, replay
from engine.chouchou.seats import first_in_series, pair_seats
from engine.chouchou.sheet import Mark, Row, marks, ranking, sheet

__all__ = [
    "FINALS_MAIN_NS",
    "SHAPES",
    "TABLE",
    "Act",
    "BadNotation",
    "BadSetup",
    "Board",
    "Capturing",
    "ChouChouError",
    "ClaimTime",
    "Decide",
    "End",
    "Event",
    "Exchange",
    "FlagCall",
    "IllegalEvent",
    "LineRule",
    "Mark",
    "NextPiece",
    "Offender",
    "Options",
    "PenaltyTo",
    "Phase",
    "Place",
    "Play",
    "Result",
    "Row",
    "Setup",
    "Shape",
    "Start",
    "State",
    "Switch",
    "Take",
    "Tick",
    "TimeLossSheet",
    "Turn",
    "TwoPieces",
    "WorstMinus",
    "acts",
    "first_in_series",
    "format_game",
    "format_turn",
    "lines",
    "marks",
    "new_game",
    "pair_seats",
    "parse_game",
    "parse_turn",
    "ranking",
    "replay",
    "sheet",
    "step",
]
