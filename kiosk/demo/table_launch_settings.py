"""Launch settings of a simulated table, as one JSON file beside its configuration."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kiosk.demo.simulated_game_plan import GamePlan, plan
from kiosk.link.link_messages import Assignment


class HallScript(msgspec.Struct, forbid_unknown_fields=True):
    """Settings of one simulated hall. ``speed``: how many times faster than real time the clocks run."""

    seed: int
    speed: float
    tables: int
    games: str | None = None

    def plan_for(self, game: Assignment, records: Sequence[tuple[str, ...]]) -> GamePlan:
        """Return the plan of a game; the mistakes rotate among the tables from round to round."""
        return plan(self.seed, game.game, (game.round - 1) * self.tables + game.table - 1, records)
