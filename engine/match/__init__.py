"""One game at one table, as a pure state machine (RULES.md 3 to 5)."""

from __future__ import annotations

from engine.match.card import proposed_result
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
    "new_match",
    "proposed_result",
    "step",
]
