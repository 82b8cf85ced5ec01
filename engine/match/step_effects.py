"""Effects that a step asks its caller to carry out."""

from __future__ import annotations

from dataclasses import dataclass

from engine.i18n import Text
from engine.match.model import RecordedViolation


@dataclass(frozen=True, slots=True)
class ReadBoard:
    """Request to read the settled board and send it as ``Board(answers=number)``."""

    number: int


@dataclass(frozen=True, slots=True)
class CallArbiter:
    why: Text


@dataclass(frozen=True, slots=True)
class CardReady:
    """Both players have signed, or the arbiter changed the result: the state's ``result`` can be submitted."""


@dataclass(frozen=True, slots=True)
class ViolationRecorded:
    """A recorded irregularity, for the arbiter and the head, never for the players (K-08)."""

    finding: RecordedViolation


Effect = ReadBoard | CallArbiter | CardReady | ViolationRecorded
