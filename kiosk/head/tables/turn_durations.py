"""Time of each turn, computed from one game's events.

A turn's time is what its player's clock lost between his previous press and this one. Where turns and presses do not
match one to one (a turn was taken back, an arbiter set the clocks), the game has no times.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.board.color import Color
from engine.match.match_events import Event, Press
from engine.match.match_state import MatchState
from engine.match.model import NS_PER_S

_NS_PER_MS = NS_PER_S // 1000


@dataclass(slots=True)
class TurnDurations:
    """Turn times of one game. ``left``: each colour's time at its last press; ``spent``: whose turn it was and its
    milliseconds.
    """

    left: dict[Color, int] = field(default_factory=dict)
    spent: list[tuple[Color, int]] = field(default_factory=list)

    def apply(self, before: MatchState | None, event: Event, match: MatchState) -> None:
        """Apply an event; ``match`` is the state that it made of ``before``."""
        if match.running() is not None and not self.left:
            self.left = {side: match.remaining_ns(side, event.at_ns) for side in Color}
        elif (
            isinstance(event, Press)
            and before is not None
            and self.left
            and (side := before.running()) not in (None, match.running())
        ):
            left = before.remaining_ns(side, event.at_ns)
            self.spent.append((side, (self.left[side] - left) // _NS_PER_MS))
            self.left[side] = left

    def of(self, match: MatchState) -> tuple[int, ...]:
        """Return the milliseconds of the turns that were read, in their order; none where they do not match."""
        turns = match.turns
        known = self.spent[: len(turns)]
        return tuple(ms for _, ms in known) if [by for by, _ in known] == [turn.by for turn in turns] else ()
