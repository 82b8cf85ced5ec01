"""The next round in printed form: games and byes as lines of an event file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.tournament import Event, PairedRound
from engine.tournament import next_round as paired_round
from engine.tournament.pairing_history_and_constraints import Constraints
from kiosk.records.event_file import entries_to_dicts, paired_to_dict


@dataclass(frozen=True)
class Lines:
    """A paired round. ``paired``: the answer of the engine."""

    event: Event
    paired: PairedRound
    games: tuple[dict[str, Any], ...]

    @property
    def round(self) -> int:
        return self.paired.round

    @property
    def cost(self) -> Mapping[str, Any]:
        return self.paired.cost

    @property
    def warnings(self) -> tuple[str, ...]:
        return self.paired.warnings

    def as_dict(self) -> dict[str, Any]:
        return paired_to_dict(self.event, self.paired)


def next_round(event: Event, wishes: Constraints | None = None) -> Lines:
    paired = paired_round(event, wishes)
    return Lines(event, paired, tuple(entries_to_dicts(event, paired)))
