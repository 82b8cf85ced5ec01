"""ChouChou (珠取), edition 2022-11-25, as a pure state machine (RULES.md 9)."""

from __future__ import annotations

from engine.chouchou.board_shapes import FINALS_MAIN_NS, SHAPES, BoardKind, BoardSpec, lines
from engine.chouchou.errors import BadNotation, BadSetup, ChouChouError, IllegalMoveEvent
from engine.chouchou.game_events import ChouChouTick, ClaimTime, Decide, Event, Play, Start, Switch, Take
from engine.chouchou.model import (
    Act,
    Capturing,
    ChouChouEnd,
    ChouChouOptions,
    ChouChouPhase,
    ChouChouResult,
    ChouChouSetup,
    ChouChouState,
    ChouChouTurn,
    Exchange,
    FlagCall,
    LineRule,
    NextPiece,
    Offender,
    PenaltyTo,
    Placement,
    TimeLossSheet,
    TwoPieces,
    WorstMinus,
)
from engine.chouchou.moves import acts
from engine.chouchou.score_sheet_and_ranking import ScoreCell, ScoreRow, marks, ranking, sheet
from engine.chouchou.seating_and_first_player import first_in_series, pair_seats
from engine.chouchou.state_machine import TABLE, new_game, step
from engine.chouchou.turn_notation import format_game, format_turn, parse_game, parse_turn, replay

__all__ = [
    "FINALS_MAIN_NS",
    "SHAPES",
    "TABLE",
    "Act",
    "BadNotation",
    "BadSetup",
    "BoardKind",
    "BoardSpec",
    "Capturing",
    "ChouChouEnd",
    "ChouChouError",
    "ChouChouOptions",
    "ChouChouPhase",
    "ChouChouResult",
    "ChouChouSetup",
    "ChouChouState",
    "ChouChouTick",
    "ChouChouTurn",
    "ClaimTime",
    "Decide",
    "Event",
    "Exchange",
    "FlagCall",
    "IllegalMoveEvent",
    "LineRule",
    "NextPiece",
    "Offender",
    "PenaltyTo",
    "Placement",
    "Play",
    "ScoreCell",
    "ScoreRow",
    "Start",
    "Switch",
    "Take",
    "TimeLossSheet",
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
