"""State machine of one game at one table (RULES.md 3 to 5). It is pure: no I/O, no clock reading."""

from __future__ import annotations

from engine.match.game_end_disc_count_and_result_card import awaits_count, is_hand_counted, proposed_result
from engine.match.match_events_and_effects import CallArbiter, CardReady, Effect, ReadBoard, ViolationRecorded
from engine.match.match_state import MatchState
from engine.match.match_value_types import GameResult, GameStage, IllegalEvent, MatchError, Phase, Seat, Setup
from engine.match.state_machine import TABLE, new_match, step

__all__ = [
    "TABLE",
    "CallArbiter",
    "CardReady",
    "Effect",
    "GameResult",
    "GameStage",
    "IllegalEvent",
    "MatchError",
    "MatchState",
    "Phase",
    "ReadBoard",
    "Seat",
    "Setup",
    "ViolationRecorded",
    "awaits_count",
    "is_hand_counted",
    "new_match",
    "proposed_result",
    "step",
]
