"""What a step asks its caller to do."""

from __future__ import annotations

from dataclasses import dataclass

from engine.match.model import FiledFinding, Result
from engine.text import Text


@dataclass(frozen=True, slots=True)
class AskBoard:
    """Read the settled board and send it as ``Board(answers=number)``."""

    number: int


@dataclass(frozen=True, slots=True)
class CallArbiter:
    why: Text


@dataclass(frozen=True, slots=True)
class CardReady:
    """Both players have signed; the card can be handed in."""

    result: Result


@dataclass(frozen=True, slots=True)
class FindingFiled:
    """For the arbiter's and the head's records, never for the players (K-08)."""

    finding: FiledFinding


Effect = AskBoard | CallArbiter | CardReady | FindingFiled
