"""State machine of one game at one table (RULES.md 3 to 5). It is pure: no I/O, no clock reading."""

from __future__ import annotations

from engine.match.card import awaits_count, is_hand_counted, proposed_result
from engine.match.effects import AskBoard, CallArbiter, CardReady, Effect, FindingFiled
from engine.match.machine import TABLE, new_match, step
from engine.match.model import IllegalEvent, MatchError, Phase, Result, Seat, Setup, Stage
from engine.match.state import MatchState

__all__ = [
    "TABLE",
    "AskBoard",
    "CallArbiter",
    "CardReady",
    "Effect",
    "FindingFiled",
    "IllegalEvent",
    "MatchError",
    "MatchState",
    "Phase",
    "Result",
    "Seat",
    "Setup",
    "Stage",
    "awaits_count",
    "is_hand_counted",
    "new_match",
    "proposed_result",
    "step",
]
